/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The modes of the program `fastcn`: the live switch, replay, and printing references.
 */

#ifndef FCN_MAIN_H
#define FCN_MAIN_H

#include <stdint.h>

/** Exit status of the program. */
enum {
	FCN_EXIT_OK,
	FCN_EXIT_FAILED, /**< an input ended early, or the packet accounting does not balance */
	FCN_EXIT_USAGE,  /**< the command line, the configuration or a file has an error */
	/** A device, memory or something else of the system is not there or in use: the same
	 * command may succeed later. */
	FCN_EXIT_DEVICE,
	FCN_EXIT_NOTHING,      /**< a replay forwarded no packet */
	FCN_EXIT_SIGNAL = 128, /**< and the number of the signal that ended a replay early */
};

#define FCN_DEFAULT_SEED 1

/** Read a seed, decimal or hexadecimal with 0x. @return 0, or -1 after a message on stderr */
int fcn_parse_seed(const char *program, const char *arg, uint64_t *seed);

/** Run `fastcn [EAL options] -- [options]`, the live switch. @return exit status */
int fcn_live_main(int argc, char **argv);

/** Run `fastcn replay ...`. @param argv begins with "replay" @return exit status */
int fcn_replay_main(int argc, char **argv);

/** Run `fastcn reference [NAME]`, which prints a Markdown page. @return exit status */
int fcn_reference_main(int argc, char **argv);

#endif /* FCN_MAIN_H */
