/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * fastcnctl: the console of a running switch, from another process. A thin
 * client: lines go to the switch as they are, answers are printed.
 */

#ifndef FCN_CTL_H
#define FCN_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fcn_remote_frame.h"

/** Exit status. */
enum {
	CTL_OK,
	CTL_FAILED, /**< a command failed, or the switch ended meanwhile */
	CTL_USAGE,  /**< command line, files, no switch */
};

struct ctl {
	char path[FCN_REMOTE_PATH_SIZE];
	bool json;   /**< `show` in JSON */
	bool go_on;  /**< batch: also behind a line that failed */
	int fd;      /**< to the switch */
	int signals; /**< a signalfd(), or -1: signals do as they always do */
	char *in;    /**< what came and is not used yet */
	size_t in_len, in_size;
	size_t used;        /**< the last answer */
	char behind;        /**< what stood behind it, where its '\0' is */
	unsigned int stale; /**< answers still to come that nobody waits for */
};

struct ctl_answer {
	bool ok;
	const char *text; /**< up to the next question; a '\0' stands behind it */
	size_t len;
};

/* ---- connection.c ---- */

/** @return 0; -1: said on stderr why not */
int ctl_connect(struct ctl *ctl);

/**
 * Send a line and wait for its answer.
 *
 * @return 0; -EINTR: a signal came, the answer will be skipped; -ECONNRESET: the switch has ended
 *         the session; -EBADMSG: that is no switch; -ENOMEM
 */
int ctl_ask(struct ctl *ctl, const char *line, struct ctl_answer *answer);

/** Say on stderr why ctl_ask() failed. @return exit status */
int ctl_lost(const struct ctl *ctl, int error);

/** SIGINT, SIGTERM and SIGHUP come by ctl->signals from now on. @return 0 or -1 */
int ctl_take_signals(struct ctl *ctl);

/** Take a signal that is there. @return its number, 0: none */
int ctl_signal(struct ctl *ctl);

/* ---- text.c ---- */

/** The line to send: with `json` where that is asked for and not there. Free it. */
char *ctl_line(const struct ctl *ctl, const char *line);

/** Whether the first word is this one; rest: what follows it. */
bool ctl_word(const char *line, const char *word, const char **rest);

/** Whether the session ends behind this line, once it succeeded. */
bool ctl_is_last(const char *line);

/**
 * Cut "column N: " off an error.
 * @return N, and *text is moved behind it; 0: there is none
 */
unsigned int ctl_column(const char **text);

/* ---- the ways to use it; each returns an exit status ---- */

int ctl_once(struct ctl *ctl, const char *line);

/** @param file NULL or "-": standard input */
int ctl_batch(struct ctl *ctl, const char *file);

/** "[-n SECONDS] show ...", until Ctrl-C. */
int ctl_watch(struct ctl *ctl, const char *words);

int ctl_interactive(struct ctl *ctl);

/* ---- history.c ---- */

/** Call add with each line of the file, the oldest first. */
void ctl_history_load(void (*add)(void *arg, const char *line), void *arg);
void ctl_history_add(const char *line);

#endif /* FCN_CTL_H */
