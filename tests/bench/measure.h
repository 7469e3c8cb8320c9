/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cycles per packet of turns of the worker, chunk by chunk.
 */

#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "chunks.h"
#include "rig.h"

/** Result of a run over many chunks. */
struct bench_result {
	struct bench_chunks cycles; /**< per packet received */
	uint64_t received;
	uint64_t transmitted;
	uint64_t dropped;
	uint64_t notices;
	uint64_t srv6; /**< packets that local SIDs or segment lists have sent on */
};

/** One run, the job of bench_measure(). */
struct bench_run {
	unsigned int chunks;
	uint64_t turn_ns;            /**< time that passes in a turn; 0: the real one */
	bool bare;                   /**< no switch: receive and send, as testpmd does in mode io */
	struct bench_result *result; /**< added to */
};

/** Job for bench_rig_run(): measure a run. @param arg a struct bench_run */
void bench_measure(struct bench_rig *rig, void *arg);

/** Write a result as one line of JSON. */
void bench_result_print(const char *bench, const char *source, const char *variant,
		struct bench_result *result);

#endif /* BENCH_MEASURE_H */
