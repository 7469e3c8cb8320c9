/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The two worlds of the program `fastcn`: the live switch, and replay.
 */

#ifndef FCN_MAIN_H
#define FCN_MAIN_H

#include <stdint.h>

/** Exit status of the program. */
enum {
	FCN_EXIT_OK,
	FCN_EXIT_FAILED, /**< ran, but something went wrong: an input broke off, the ledger is off
			  */
	FCN_EXIT_USAGE,  /**< could not begin: command line, configuration, files */
};

#define FCN_DEFAULT_SEED 1

/** Read a seed, decimal or 0x; what is wrong is said on stderr. @return 0 or -1. */
int fcn_parse_seed(const char *program, const char *arg, uint64_t *seed);

/** `fastcn [EAL options] -- [options]`. @return exit status. */
int fcn_live_main(int argc, char **argv);

/** `fastcn replay ...`; argv[0] is "replay". @return exit status. */
int fcn_replay_main(int argc, char **argv);

/** `fastcn reference [counters]`: a Markdown page on stdout. @return exit status. */
int fcn_reference_main(int argc, char **argv);

#endif /* FCN_MAIN_H */
