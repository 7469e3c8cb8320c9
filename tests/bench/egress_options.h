/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of the benchmarks that send by devices:
 *
 *     --device NAME,ARGUMENTS... [--peer NAME,ARGUMENTS...] [--use NAME] [--longest N] [--bursts N]
 *         [--at-once]
 *
 * The devices are opened in the order in which they are named.
 */

#ifndef BENCH_EGRESS_OPTIONS_H
#define BENCH_EGRESS_OPTIONS_H

#include "egress.h"

struct bench_egress_options {
	const char *use;     /**< beginning of the name of what is measured; NULL: all */
	uint32_t longest;    /**< packet, bytes */
	unsigned int bursts; /**< of a round */
	bool at_once;        /**< nothing waits before it is sent */
};

/** Read the options behind those of EAL, and open the devices. The program ends on failure. */
void bench_egress_options_read(int argc, char **argv, struct rte_mempool *pool,
		struct bench_egress *e, struct bench_egress_options *o);

/** Check whether something with a name is to be measured. */
bool bench_egress_wants(const struct bench_egress_options *o, const char *name);

#endif /* BENCH_EGRESS_OPTIONS_H */
