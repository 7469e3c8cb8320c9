/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Completion of the console. Internal to lib/cli.
 */

#ifndef FCN_CONSOLE_PRIVATE_H
#define FCN_CONSOLE_PRIVATE_H

#include <cmdline.h>

#include "command_private.h"

/** The words and arguments that can follow in a line, each once. */
struct fcn_candidates {
	struct fcn_candidate *list;
	unsigned int n;
};

/**
 * Complete a line, for rdline's callback. Parameters and result are those of
 * cmdline_complete(), but each candidate is listed once, in columns, and a single
 * one is completed.
 */
int fcn_candidates_complete(struct fcn_candidates *candidates, struct cmdline *cmdline,
		const char *buf, int *state, char *dst, unsigned int size);
/** Free the list of candidates. */
void fcn_candidates_free(struct fcn_candidates *candidates);

#endif /* FCN_CONSOLE_PRIVATE_H */
