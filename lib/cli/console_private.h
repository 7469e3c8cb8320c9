/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Completion of the console. Internal to lib/cli.
 */

#ifndef FCN_CONSOLE_PRIVATE_H
#define FCN_CONSOLE_PRIVATE_H

#include "command_private.h"
#include "fcn_console.h"

/** What lines are completed with. */
struct fcn_completion {
	const struct fcn_command_table *table;
	struct fcn_command_table *filters; /**< what may follow a '|' */
	fcn_console_names names;           /**< NULL: no names are known */
	void *arg;                         /**< first argument of names */
	unsigned int columns;              /**< width of the terminal; 0: not known */

	/* The words and arguments that can follow in the line, each once. */
	struct fcn_candidate *list;
	unsigned int n;
};

/**
 * Complete a line, for rdline's callback.
 *
 * @param buf   the line as far as it was typed
 * @param state 0: complete the word; -1: list what can follow; else: write the next line of the
 *              list
 * @param dst   result: characters to add to the line, or a line of the list
 * @return 2: characters were written; 1: a line of a list was; 0: nothing was
 */
int fcn_completion_run(struct fcn_completion *completion, const char *buf, int *state, char *dst,
		unsigned int size);
/** Free the members, but not the structure itself. */
void fcn_completion_free(struct fcn_completion *completion);

#endif /* FCN_CONSOLE_PRIVATE_H */
