/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Options of the programs, behind EAL's and "--".
 */

#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "rig.h"

struct bench_options {
	struct bench_setup setup;
	const char *source; /**< name of setup.source */
	unsigned int rounds;
	unsigned int rate;   /**< bench_churn: changes in a second; 0: as many as there can be */
	unsigned int chunks; /**< of each variant in each round */
	const char *variant; /**< measure these alone, separated by commas; NULL: all of them */
};

/**
 * Read the options; with --write-pcap PREFIX instead of EAL's options, write the input files and
 * end the program. The function starts EAL. The program ends on failure.
 */
void bench_options_read(int argc, char **argv, struct bench_options *options);

#endif /* BENCH_OPTIONS_H */
