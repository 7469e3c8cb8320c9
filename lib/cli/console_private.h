/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Completion of the console.
 */

#ifndef FCN_CONSOLE_PRIVATE_H
#define FCN_CONSOLE_PRIVATE_H

#include <cmdline.h>

#include "command_private.h"

/** What can follow in a line, each candidate once. */
struct fcn_candidates {
	struct fcn_candidate *list;
	unsigned int n;
};

/**
 * For rdline's complete callback: cmdline_complete(), but each candidate is
 * listed once, in columns, and one that is alone is completed.
 * Parameters and result are those of cmdline_complete().
 */
int fcn_candidates_complete(struct fcn_candidates *candidates, struct cmdline *cmdline,
		const char *buf, int *state, char *dst, unsigned int size);
void fcn_candidates_free(struct fcn_candidates *candidates);

#endif /* FCN_CONSOLE_PRIVATE_H */
