/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A session runs the switch's commands, for a console or a configuration file. Configuration
 * commands change a copy of the running configuration, the candidate. The candidate is committed
 * as a whole, or discarded when a command fails.
 *
 * All functions are for the control thread.
 */

#ifndef FCN_SESSION_H
#define FCN_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "fcn_command.h"
#include "fcn_control.h"

/** Steps by which another process takes over. */
enum fcn_handover {
	FCN_HANDOVER_BEGIN,   /**< start that process; it makes the other steps */
	FCN_HANDOVER_STATE,   /**< write what was learned, as fcn_state_write() does */
	FCN_HANDOVER_RELEASE, /**< forward no more, and let go of all that only one can have */
};

/** What commands can do in this program. Any function may be NULL: then such commands fail. */
struct fcn_session_hooks {
	int (*start)(void *arg);     /**< start forwarding. @return 0, -EALREADY */
	int (*stop)(void *arg);      /**< pause forwarding. @return 0, -EALREADY */
	void (*shutdown)(void *arg); /**< end the program */
	void *arg;
	struct fcn_exports *(*exports)(void *arg); /**< @return metrics and log of events */
	/**
	 * Make a step by which another process takes over.
	 *
	 * @param pid the other process, for FCN_HANDOVER_RELEASE
	 * @param out for what the step says
	 * @param err one line, on failure
	 * @return 0 or a negative errno
	 */
	int (*handover)(void *arg, enum fcn_handover step, uint64_t pid, FILE *out, char *err,
			size_t err_size);
};

/** Directories for the files of commands. */
enum fcn_session_directory {
	FCN_SESSION_CONFIG, /**< of `load` and `save` */
	FCN_SESSION_OUTPUT, /**< of captures and the event log */
	FCN_SESSION_DIRECTORIES
};

/** To which directories a session is restricted. */
struct fcn_session_files {
	/** NULL: it may name no files of this kind */
	const char *directory[FCN_SESSION_DIRECTORIES];
};

/** Options of the program that hold above every file that replaces the configuration. */
struct fcn_session_options {
	bool metrics, events;              /**< which of them were given */
	struct fcn_config_exports exports; /**< what they say */
};

struct fcn_commits;

/** A session. A program sets the members up to `role`; the rest begins as zero. */
struct fcn_session {
	struct fcn_control *ctl;
	const struct fcn_command_table *table; /**< of fcn_session_commands() */
	const struct fcn_session_hooks *hooks; /**< NULL: none */
	FILE *out;                             /**< where answers and errors are written */
	struct fcn_captures *captures;         /**< NULL: nothing can be captured */
	/** Commands of this session may name files in these directories only, and relative names
	 * are of files there. Devices have no arguments, which could name files. NULL: any file. */
	const struct fcn_session_files *files;
	const struct fcn_session_options *options; /**< of the program; NULL: none */
	struct fcn_commits *commits; /**< configurations to go back to; NULL: there are none */
	/** who gives the commands, for events and lists; NULL: what is done here is no event */
	const char *user;
	/** Begin to write events as they come, as `show events follow` asks for, until the user
	 * ends it. NULL: who reads the answers asks for the next ones. @param json as JSON */
	void (*follow)(void *arg, bool json);
	void *follow_arg;
	enum fcn_role role; /**< which commands it may run */
	bool acts;    /**< result: it has run a command that does more than to show something */
	bool reports; /**< result: one of them needs the role `learned` only */
	bool refused; /**< result: a command was refused, as it needs another role */
	enum fcn_role needs; /**< result: that role */
	bool notable;        /**< result: the command is an event although it changes nothing */
	struct fcn_config *candidate; /**< while a command runs; else NULL */
	bool dirty;                   /**< the candidate was changed */
	bool exports_dirty;           /**< also metrics or event log */
	/** The session is of root or the switch's own user: it may have the switch taken over. */
	bool privileged;
	bool starting;     /**< the program starts, see fcn_exports_start() */
	bool returning;    /**< the candidate is one of before: see fcn_session_return() */
	bool ended;        /**< a command ended the session */
	bool json;         /**< the line is a `show` with "| json" */
	bool json_written; /**< the command has answered in JSON */
	bool quiet;        /**< the warnings of a file that is loaded are not printed */
	/** The caller has fcn_reported_settle() called before it gives answers, so commands do not
	 */
	bool settles;
};

/** Make the table of all commands of the switch. @return to be freed with
 * fcn_command_table_free(); NULL on lack of memory */
struct fcn_command_table *fcn_session_commands(void);

/**
 * Run one line. What it changes is committed at once.
 *
 * @param shown_at number of characters of the prompt in front of the line on the terminal, so that
 * a mark below points at the error; -1: the column is written instead
 * @return 0 or a negative errno; what went wrong was written to session->out
 */
int fcn_session_line(struct fcn_session *session, const char *line, int shown_at);

/**
 * Run commands separated by ';' or new lines, until one fails.
 *
 * @return 0 or a negative errno; what went wrong was written to session->out
 */
int fcn_session_lines(struct fcn_session *session, const char *commands);

/**
 * Run the configuration commands of a file and commit them together, or none of them.
 *
 * @param replace start from an empty configuration and not from the effective one; ports with the
 * same name and device stay open
 * @param err     where errors are written, "FILE:LINE:COLUMN: message"
 * @return 0 or a negative errno; -ENODEV: a device, an address to listen at or something of the
 *  kernel is not there or in use, while the configuration itself has no error
 */
int fcn_session_load(struct fcn_session *session, const char *file, bool replace, FILE *err);

/** Commands in memory. */
struct fcn_session_text {
	const char *name; /**< what messages call it */
	const char *text; /**< NULL: the file of that name is read */
};

/** Run texts one after the other and commit them together, as fcn_session_load(). An error of the
 * commit is reported with the name of the last text. */
int fcn_session_load_text(struct fcn_session *session, const struct fcn_session_text *texts,
		unsigned int n, bool replace, FILE *err);

/**
 * Put a configuration of before into force again, in place of the running one. It was accepted
 * once, and what it names may have gone since: ports whose devices are not there, interfaces of the
 * kernel and workers are left out with a warning (FCN_WARNING_LEFT_OUT), and metrics and event log
 * are opened as soon as that is possible. Ports that become other devices are removed before.
 *
 * @param text what fcn_session_save() has written
 * @param err  where errors are written
 * @return 0; a negative errno, as when a worker is stalled: then nothing was changed, but ports
 *  that were to become other devices may be gone
 */
int fcn_session_return(struct fcn_session *session, const struct fcn_session_text *text, FILE *err);

/** Write what the switch has done so far, as `show summary` does. */
void fcn_session_summary(struct fcn_session *session);

/** The keys of arguments that fcn_session_names() knows, as a choice of fcn_command.h. */
#define FCN_SESSION_NAMES "port|bridge|table|policy|vlan|class"

/** List the names of a configuration that an argument of a command may have, for completion. @param
 * key the argument's key; of another one, there are none */
void fcn_session_names(const struct fcn_config *cfg, const char *key,
		void (*add)(void *list, const char *name), void *list);

/** Write a configuration as commands. Loading them gives the same configuration. */
void fcn_session_save(const struct fcn_config *cfg, FILE *out);

#endif /* FCN_SESSION_H */
