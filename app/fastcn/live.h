/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The live switch. live.c has the loop of the control thread, live_ports.c opens devices as ports,
 * and live_setup.c reads the command line and creates all parts.
 */

#ifndef LIVE_H
#define LIVE_H

#include "fcn_capture_control.h"
#include "fcn_console.h"
#include "fcn_console_output.h"
#include "fcn_exports.h"
#include "fcn_session.h"
#include "helper.h"
#include "fcn_history.h"
#include "log_stream.h"
#include "own_user.h"
#include "remote_session.h"
#include "stop_signal.h"
#include "take_over.h"
#include "worker_loop.h"

struct fcn_live {
	struct rte_mempool *pool[RTE_MAX_NUMA_NODES]; /* by NUMA node of the workers */
	struct fcn_control *ctl;
	struct fcn_loops *loops;
	struct fcn_command_table *table;
	struct fcn_session session;
	struct fcn_control_conf conf;
	struct fcn_console *console;      /* the built-in console; NULL: none */
	struct fcn_console_output output; /* output of the built-in console */
	pid_t pager;                      /* shows an answer of it; 0: none does */
	char history[FCN_HISTORY_PATH];   /* its history file; "": there is none */
	const char *config, *commands;    /* options -f and -e */
	struct fcn_remote_options remote_options;
	struct fcn_remote_access remote_access;
	struct fcn_remote *remote;
	const char *user_option;            /* --user; NULL: stay who started it */
	struct fcn_user user;               /* who that is */
	struct fcn_session_options options; /* --metrics and --log-events */
	struct fcn_exports *exports;
	struct fcn_captures *captures;
	struct fcn_commits *commits; /* configurations to go back to */
	const char *rollback_dir;    /* option --rollback-dir; NULL: none */
	bool interactive;
	bool following, follow_json; /* the built-in console writes events as they come */
	uint64_t follow_from;        /* number of the next one */
	uint64_t seed;
	unsigned int mbufs; /* packet buffers of each NUMA node; 0: as many as there is memory for
			     */
	struct fcn_log_stream *log;      /* replaces stderr while the switch runs */
	struct fcn_log_lines *log_lines; /* the last lines of that, for `show log` */
	FILE *plain_stderr;
	FILE *dpdk_log; /* where DPDK writes, not to syslog, where it could wait for the daemon */
	int dpdk_shown; /* most level of what standard error gets of that */
	struct fcn_helper *helper; /* does work that may block */
	uint64_t attended_ns;      /* when neighbours were last answered during long work */
	struct fcn_stop *stop;     /* SIGINT and SIGTERM */
	int link_event;            /* eventfd: the link of a device has changed */
	uint64_t links_seen_ms;    /* when all links were last checked */
	uint64_t links_often_ms;   /* until when they are checked more often */
	uint64_t watchdog_ms;      /* of the service manager; 0: it has none */
	uint64_t fed_ms;           /* when it was last told that everything turns */
	/* Number of polls for which the host functions are still called at the shorter interval. */
	unsigned int host_busy;
	bool summarised; /* the built-in console has shown the summary of its end */
	bool done;       /* a console or a signal has asked the program to end */
	int argc;        /* the command line, for a successor */
	char **argv;
	pid_t successor;  /* the process that is to take over, which this one started; 0: none */
	bool handed_over; /* another process has taken over */
	bool takes_over;  /* option --take-over */
	struct fcn_take_over *take_over; /* the switch that is taken over from; NULL: none */
	uint64_t discarded;              /* packets that this switch had received, too */
	const char *state_file;          /* option --state-file; NULL: none */
	uint64_t state_due_ms;           /* when it is to be written; 0: not yet known */
	bool state_failed;               /* it could not be written the last time */
};

/** The functions with which lib/control opens devices and reaches the kernel. */
struct fcn_platform fcn_live_platform(struct fcn_live *live);

/** Read the options after those of the EAL. @return 0, or -1 after a message on stderr */
int fcn_live_parse_options(struct fcn_live *live, int argc, char **argv);
/** Check that there are no options of the switch among those of EAL. @return 0, or -1 after a
 * message on stderr */
int fcn_live_check_no_options(int argc, char **argv);
/** Create the control, captures and a worker on every lcore but the first. @return 0, or -1 after a
 * message on stderr */
int fcn_live_set_up(struct fcn_live *live, const struct fcn_platform *platform);
/** Start metrics and log of events as the options ask for. @return 0, or -1 after a message on
 * stderr */
int fcn_live_open_exports(struct fcn_live *live);
/** Give the built-in console the names that it completes, and the history of earlier sessions. */
void fcn_live_console_prepare(struct fcn_live *live, struct fcn_console *console);
/** Write an answer of the built-in console, or have a pager show it. */
void fcn_live_console_write(struct fcn_live *live, const char *text, size_t len);
/** Look whether the pager has ended, and go on with the console. */
void fcn_live_console_poll(struct fcn_live *live, const char *prompt);
/** Add a line to the history file of the built-in console. */
void fcn_live_console_remember(struct fcn_live *live, const char *line);
/**
 * Look whether the workers turn, and tell the watchdog of the service manager if all of them do.
 * The control thread calls it again and again, also while it waits for a helper.
 */
void fcn_live_watch(struct fcn_live *live);

/* live_hangup.c: signals that do not end the program */

/** Block SIGHUP and SIGUSR2. Threads of the EAL inherit that, so that only the control thread gets
 * them. @return a signalfd() of them */
int fcn_live_block_hangup(void);
/** Handle SIGHUP, which ends a program that has neither a configuration file nor a log, and
 * SIGUSR2, which has another process take over. */
void fcn_live_hangup(struct fcn_live *live, int hangup);

/* live_commits.c: what happens to the switch as a whole */

/** Create the list of configurations to go back to. @return 0; -1 on lack of memory */
int fcn_live_commits_create(struct fcn_live *live);
/** Read those of before, and keep the one that is in force. */
void fcn_live_commits_open(struct fcn_live *live);
/** Report as an event that the program has started, or ends. */
void fcn_live_note_started(struct fcn_live *live);
void fcn_live_note_stopped(struct fcn_live *live);
/** Have the built-in console write events as they come, struct fcn_session.follow. @param arg
 * struct fcn_live */
void fcn_live_follow(void *arg, bool json);
/** Write those that have come. */
void fcn_live_follow_poll(struct fcn_live *live);

/* live_log.c: messages */

/**
 * Have the log keep what DPDK says. Standard error gets errors of it, and all of it if
 * the arguments ask for levels (--log-level).
 */
void fcn_live_log_begin(struct fcn_live *live, int argc, char **argv);
/** Have stderr write to the log from now on, so that no writer waits. */
void fcn_live_log_open(struct fcn_live *live);
/** Give stderr back, and free the log. */
void fcn_live_log_close(struct fcn_live *live);

/* live_state.c: what was learned */

/** @return nanoseconds since 1970 */
uint64_t fcn_live_wall_clock(void);
/** Begin with what a text of fcn_state_write() says. @param from where it is from, for messages */
void fcn_live_state_use(struct fcn_live *live, const char *text, size_t len, const char *from);
/** Begin with what the file says, if there is one. */
void fcn_live_state_read(struct fcn_live *live);
/**
 * Make a text of what was learned, and write it to a file unless path is NULL.
 *
 * @param text written, to be freed; NULL: it is not wanted
 * @param err  one line, on failure
 * @return 0 or a negative errno
 */
int fcn_live_state_text(struct fcn_live *live, const char *path, char **text, size_t *len,
		char *err, size_t err_size);
/** Write the file, unless another process has taken over. */
void fcn_live_state_save(struct fcn_live *live);
/** Write the file if it is due. */
void fcn_live_state_poll(struct fcn_live *live, uint64_t now_ms);

/* handover.c: another process takes over from this one */

/** Make a step of it, struct fcn_session_hooks.handover. @param arg struct fcn_live */
int fcn_live_handover(void *arg, enum fcn_handover step, uint64_t pid, FILE *out, char *err,
		size_t err_size);
/** Begin it, as the command `restart` does. What is wrong goes to stderr. */
void fcn_live_restart(struct fcn_live *live);
/** Look whether the process that is to take over has ended before it did. */
void fcn_live_successor_poll(struct fcn_live *live);
/** Whether a configuration has a device or interface that only one process can have. */
bool fcn_live_needs_all(const struct fcn_config *cfg);

/** Free everything that was created, also after a failure. */
void fcn_live_tear_down(struct fcn_live *live);

#endif /* LIVE_H */
