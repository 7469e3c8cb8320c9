/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A progress bar, which shows how much of the work is done, and the speed. If its stream is not a
 * terminal, it shows nothing.
 */

#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lab_progress_bar {
	FILE *out;
	bool on, shown;
	uint64_t began, last; /**< wall clock in ns: beginning, and last update */
};

/** Begin a bar on a stream. */
void lab_progress_begin(struct lab_progress_bar *bar, FILE *out);

/**
 * Show the progress of a run. This function is a lab_progress whose argument is the bar. end is
 * FCN_ENDPOINT_NEVER when it is not known.
 */
void lab_progress_run(void *arg, uint64_t now, uint64_t end, uint64_t frames);

/** Remove the bar. This must be called before anything else is written to the terminal. */
void lab_progress_end(struct lab_progress_bar *bar);

#endif /* LAB_PROGRESS_H */
