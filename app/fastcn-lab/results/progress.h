/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A progress bar on a terminal: what is done of what, and how fast. On anything else it is silent.
 */

#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lab_progress_bar {
	FILE *out;
	bool on, shown;
	uint64_t began, last; /**< ns of the wall clock */
};

/** @param out a terminal or not */
void lab_progress_begin(struct lab_progress_bar *bar, FILE *out);

/** Of a run: a lab_progress; arg is the bar. end: FCN_ENDPOINT_NEVER, not known. */
void lab_progress_run(void *arg, uint64_t now, uint64_t end, uint64_t frames);

/** Of several runs. */
void lab_progress_runs(struct lab_progress_bar *bar, unsigned int done, unsigned int all,
		unsigned int failed);

/** The line is emptied; call it before anything else is written to the terminal. */
void lab_progress_end(struct lab_progress_bar *bar);

#endif /* LAB_PROGRESS_H */
