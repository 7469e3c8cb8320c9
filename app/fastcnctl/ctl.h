/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * fastcnctl, the console of a running switch from another process. It sends lines to the switch
 * unchanged and prints the answers.
 */

#ifndef FCN_CTL_H
#define FCN_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fcn_remote_frame.h"

#define CTL_TIMEOUT_MS 5000   /**< default of ctl.timeout_ms */
#define CTL_LEAST_SECONDS 0.1 /**< shortest and longest time of an option */
#define CTL_MOST_SECONDS 86400.0

/** Exit status. */
enum {
	CTL_OK,
	CTL_FAILED, /**< a command failed, or the switch ended */
	CTL_USAGE,  /**< the command line or a file has an error, or no switch runs */
};

/** The connection to a switch. */
struct ctl {
	char path[FCN_REMOTE_PATH_SIZE];
	bool json;      /**< `show` in JSON */
	bool go_on;     /**< batch: continue after a line that failed */
	int timeout_ms; /**< time to wait for a switch that does not answer; 0: no limit */
	int fd;         /**< socket to the switch */
	int signals;    /**< a signalfd(); -1: signals have their default action */
	char *in;       /**< input that is not used yet */
	size_t in_len, in_size;
	size_t used;        /**< bytes of the last answer at the beginning of the input */
	char behind;        /**< the byte after the answer, which the terminator has replaced */
	unsigned int stale; /**< answers still to come to lines that nobody waits for */
};

/** The answer to a line. */
struct ctl_answer {
	bool ok;          /**< the command succeeded */
	const char *text; /**< valid until the next line is sent; terminated by '\0' */
	size_t len;
};

/* ---- connection.c ---- */

/** Connect to the switch. @return 0, or -1 after a message on stderr */
int ctl_connect(struct ctl *ctl);

/**
 * Send a line and wait for its answer.
 *
 * @return 0; -EINTR: a signal came, and the answer will be ignored; -ECONNRESET: the switch has
 *         closed the connection; -ETIMEDOUT: nothing came in time, and the answer will be ignored;
 *         -EBADMSG: the other end is no switch; -ENOMEM
 */
int ctl_ask(struct ctl *ctl, const char *line, struct ctl_answer *answer);

/** Write to standard error why the switch ends a session to which nothing was sent, if it says so.
 */
void ctl_farewell(struct ctl *ctl);

/** Write to stderr why ctl_ask() failed. @return exit status */
int ctl_lost(const struct ctl *ctl, int error);

/** Receive SIGINT, SIGTERM and SIGHUP by ctl->signals from now on. @return 0 or -1 */
int ctl_take_signals(struct ctl *ctl);

/** Read a signal from ctl->signals. @return its number; 0: there is none */
int ctl_signal(struct ctl *ctl);

/* ---- text.c ---- */

/** @return whether the line is a `show` */
bool ctl_is_show(const char *line);

/** Make the line to send, with the filter `json` added to a `show` when the option asks for it.
 * @return to be freed; NULL on lack of memory */
char *ctl_line(const struct ctl *ctl, const char *line);

/** @return whether the first word of the line is this one; *rest is set to what follows it */
bool ctl_word(const char *line, const char *word, const char **rest);

/** @return whether the switch closes the connection after this line, which has succeeded */
bool ctl_is_last(const char *line);

/**
 * Read "column N: " at the beginning of an error.
 *
 * @param text is moved behind it
 * @return N; 0: there is no column
 */
unsigned int ctl_column(const char **text);

/* ---- print.c ---- */

/** Print an answer, by a pager if the terminal has no room for it. */
void ctl_print(const char *text, size_t len);

/* ---- modes of the program; each returns an exit status ---- */

/** Run one line. */
int ctl_once(struct ctl *ctl, const char *line);

/** Run the lines of a file. @param file NULL or "-": standard input */
int ctl_batch(struct ctl *ctl, const char *file);

/** Run a `show` again and again until Ctrl-C. @param words "[-n SECONDS] show ..." @param interval
 * SECONDS; NULL: words may have them */
int ctl_watch(struct ctl *ctl, const char *words, const char *interval);

/** Tell whether a line is `show events follow`. @param json result: in JSON */
bool ctl_is_follow(const char *line, bool *json);

/** Show events as they come, until Ctrl-C. */
int ctl_follow(struct ctl *ctl, bool json);

/** Run the lines that a person types. */
int ctl_interactive(struct ctl *ctl);

/* ---- complete.c ---- */

/** Give the names that an argument may have, as fcn_console_names: those of the switch, or of files
 * with an absolute path. @param arg a struct ctl */
void ctl_names(void *arg, const char *key, const char *word,
		void (*add)(void *list, const char *name), void *list);

#endif /* FCN_CTL_H */
