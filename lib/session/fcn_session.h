/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A console's or a file's session with the switch: the words on one side,
 * control on the other. A configuration command changes a candidate; the
 * candidate is put in force whole, or thrown away.
 */

#ifndef FCN_SESSION_H
#define FCN_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "fcn_command.h"
#include "fcn_control.h"

/** What a program lets a session do beyond control. Any may be NULL. */
struct fcn_session_hooks {
	int (*start)(void *arg);     /**< begin forwarding. @return 0, -EALREADY */
	int (*stop)(void *arg);      /**< pause forwarding. @return 0, -EALREADY */
	void (*shutdown)(void *arg); /**< end the program */
	void *arg;
	struct fcn_exports *(*exports)(void *arg); /**< what it tells other programs */
};

struct fcn_session {
	struct fcn_control *ctl;
	const struct fcn_command_table *table;
	const struct fcn_session_hooks *hooks;
	FILE *out;
	struct fcn_captures *captures; /**< NULL: nothing can be captured */
	struct fcn_config *candidate;  /**< while a command runs */
	bool dirty;                    /**< the candidate was changed */
	bool ended;                    /**< a command said that no line follows */
};

/** The table of all commands of the switch. */
struct fcn_command_table *fcn_session_commands(void);

/**
 * Run one line, at once in force.
 *
 * @param shown_at the line stands right above, behind so many characters of a prompt: a mark
 *                 points at the mistake; -1: it does not, the column is named
 * @return 0 or a negative errno; what went wrong was written to session->out
 */
int fcn_session_line(struct fcn_session *session, const char *line, int shown_at);

/**
 * Run commands separated by ';' or new lines, up to the first that fails.
 *
 * @return 0 or a negative errno; what went wrong was written to session->out
 */
int fcn_session_lines(struct fcn_session *session, const char *commands);

/**
 * Put a file in force, on top of what is or in its place: whole, or not at all.
 *
 * @param replace in place of what is in force; ports of the same name and device stay open
 * @param err where mistakes are written, "FILE:LINE:COLUMN: message"
 * @return 0 or a negative errno
 */
int fcn_session_load(struct fcn_session *session, const char *file, bool replace, FILE *err);

/** Text in memory, which messages call by a name. */
struct fcn_session_text {
	const char *name, *text;
};

/** The same of texts, one after the other, put in force together. What is wrong with all of it is
 * said of the last one. */
int fcn_session_load_text(struct fcn_session *session, const struct fcn_session_text *texts,
		unsigned int n, bool replace, FILE *err);

/** Write the configuration in force as commands, so that loading them gives it again. */
void fcn_session_save(const struct fcn_config *cfg, FILE *out);

#endif /* FCN_SESSION_H */
