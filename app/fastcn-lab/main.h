/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Declarations shared by the source files of the program: exit status, and the options of a run.
 */

#ifndef LAB_MAIN_H
#define LAB_MAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "scenario.h"

#define LAB_MAX_SETTINGS 64
#define LAB_MAX_THREADS 64 /**< half of the threads that DPDK has numbers for */

/** Exit status of the program. */
enum {
	LAB_EXIT_OK,
	LAB_EXIT_FAILED, /**< the run ended, but an expectation or an invariant does not hold,
			    or a file could not be written */
	LAB_EXIT_USAGE,  /**< the run could not begin because of the command line, the scenario or
			    a configuration, or could not go on: no memory, or another
			    simulator that went away */
	LAB_EXIT_SIGNAL = 128, /**< and the number of the signal that ended the run early */
};

/** Options of `fastcn-lab SCENARIO [options]`. */
struct lab_options {
	const char *scenario;
	struct lab_setting set[LAB_MAX_SETTINGS];
	unsigned int n_set;
	const char *out;    /**< directory of results, NULL: none */
	const char *json;   /**< file of the result, "-": standard output, NULL: none */
	const char *report; /**< HTML file, "-": a sketch to standard output; NULL: none */
	uint64_t threads;   /**< that run the scenario; 0: one */
	bool quiet, no_plots, help;
};

/**
 * Read the options; errors are written to stderr. The options point into argv, where the "=" of
 * --set NAME=VALUE is replaced by a terminator.
 *
 * @return 0 or -1
 */
int lab_options_parse(struct lab_options *opt, int argc, char **argv);

/** Write all options with their help. */
void lab_options_help(FILE *out);

/** Run a scenario and show the result. @return exit status */
int lab_single(const struct lab_options *opt);

#endif /* LAB_MAIN_H */
