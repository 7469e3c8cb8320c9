/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A progress bar: how much is done, and how fast. It shows nothing when its stream is no terminal.
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

/** Begin a bar on a stream. */
void lab_progress_begin(struct lab_progress_bar *bar, FILE *out);

/** Show a run; a lab_progress whose arg is the bar. end is FCN_ENDPOINT_NEVER when not known. */
void lab_progress_run(void *arg, uint64_t now, uint64_t end, uint64_t frames);

/** Show several runs. */
void lab_progress_runs(struct lab_progress_bar *bar, unsigned int done, unsigned int all,
		unsigned int failed);

/** Remove the bar. To be called before anything else is written to the terminal. */
void lab_progress_end(struct lab_progress_bar *bar);

#endif /* LAB_PROGRESS_H */
