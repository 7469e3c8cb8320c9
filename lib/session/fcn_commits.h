/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The last configurations of a switch, to go back to, and configurations on trial.
 *
 * Commands take effect at once. What is kept are the configurations that somebody wanted to keep:
 * those with which the switch has started, that were saved, loaded or gone back to, and those of
 * `commit`; and also the one that was in force before something replaced it. Number 0 is the last
 * of them. If there is a directory, they are files there and outlive the program; a file that
 * cannot be written is kept in memory.
 *
 * A configuration is on trial for some time, and unless it is confirmed, the switch goes back to
 * the one with which the time has begun. A file has that one, too: when the program ends within the
 * time, the next one that is started in the same directory goes back at the end of it.
 *
 * All functions are for the control thread.
 */

#ifndef FCN_COMMITS_H
#define FCN_COMMITS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#define FCN_COMMITS_KEPT 10       /**< number of configurations that are kept */
#define FCN_COMMIT_USER 40        /**< size of the name of a user, with terminator */
#define FCN_COMMIT_COMMENT 160    /**< size of a comment, with terminator */
#define FCN_COMMIT_PATH PATH_MAX  /**< size of the name of a file */
#define FCN_COMMIT_SECONDS 86400u /**< longest time of a trial */

struct fcn_control;
struct fcn_session;

/** A configuration that is kept. */
struct fcn_commit {
	uint64_t number;  /**< grows with each; UINT64_MAX: the one of before a trial */
	uint64_t time_s;  /**< when it was kept: seconds since 1970 */
	uint64_t seconds; /**< of a trial; 0: it is none */
	char user[FCN_COMMIT_USER];
	char comment[FCN_COMMIT_COMMENT]; /**< what was done */
	uint64_t lines;                   /**< number of its commands */
	uint64_t digest;                  /**< equal ones have the same */
	char *text;                       /**< NULL: it is in a file */
};

/** What they need of a program. */
struct fcn_commits_conf {
	struct fcn_control *ctl;
	const char *directory; /**< of the files, made when it is needed; NULL: none is written */
	uint64_t (*now_ms)(void *arg); /**< milliseconds of a clock that never goes back */
	uint64_t (*unix_s)(void *arg); /**< seconds since 1970 */
	void *arg;
};

struct fcn_commits;

/** Create a list without configurations. @return NULL on lack of memory */
struct fcn_commits *fcn_commits_create(const struct fcn_commits_conf *conf);

/** Free the list. Files stay, and so does the time of a trial. NULL is allowed. */
void fcn_commits_free(struct fcn_commits *commits);

/**
 * Read the files of the directory. Those that are not whole are ignored, and the log says so. If
 * the program before has ended while a configuration was on trial, that time goes on.
 */
void fcn_commits_open(struct fcn_commits *commits);

/**
 * Keep the running configuration, unless it is that of number 0.
 *
 * @param comment what was done; cut if it is too long
 * @return whether it was kept; false: it is number 0 already, or there was no memory
 */
bool fcn_commits_keep(struct fcn_commits *commits, const char *user, const char *comment);

/** Get the number of configurations that are kept. */
unsigned int fcn_commits_count(const struct fcn_commits *commits);

/** Get one. @param n below fcn_commits_count(), 0: the last */
const struct fcn_commit *fcn_commits_get(const struct fcn_commits *commits, unsigned int n);

/** Read the text of one. @param text result, to be freed @return 0 or a negative errno after a line
 * in err */
int fcn_commits_read(const struct fcn_commits *commits, unsigned int n, char **text, char *err,
		size_t err_size);

/* ---- trials ---- */

/**
 * Begin a trial, or have the one that runs end at another time.
 *
 * @param before the configuration to go back to as `save` writes it, if none is on trial; copied
 * @return 0; -ENOMEM
 */
int fcn_commits_try(struct fcn_commits *commits, const char *user, uint64_t seconds,
		const char *before);

/** Get what is on trial: who has begun it and when, the time in seconds, with the configuration to
 * go back to. @return NULL: nothing is */
const struct fcn_commit *fcn_commits_trial(const struct fcn_commits *commits);

/** Get the seconds that are left of a trial, rounded up. */
uint64_t fcn_commits_left(const struct fcn_commits *commits);

/** Tell whether a file has the configuration to go back to, so that a program that starts within
 * the time of the trial goes back to it, too. */
bool fcn_commits_trial_is_in_file(const struct fcn_commits *commits);

/** End a trial, and stay with the running configuration. */
void fcn_commits_confirm(struct fcn_commits *commits);

/**
 * Go back if the time of a trial is over. If this fails, as when a worker is stalled, it is tried
 * again each second. To be called a few times a second.
 *
 * @param session of the program
 */
void fcn_commits_poll(struct fcn_commits *commits, const struct fcn_session *session);

/** Get the value of `show rollback`. @param arg struct fcn_commits @return a new reference; NULL on
 * lack of memory */
json_t *fcn_commits_show(void *arg);

#endif /* FCN_COMMITS_H */
