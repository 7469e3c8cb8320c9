/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Data of the hops of a path, read from IOAM traces. */

#ifndef REACTION_HOPS_H
#define REACTION_HOPS_H

#include "reaction_private.h"

#define REACTION_HOPS 8 /* number of hops of a trace that are read */

/* Data of a hop, from a trace. */
struct reaction_hop {
	uint64_t node; /* node id, or its position on the path if the trace has no id */
	/* Timestamp by the clock of the node, or by the sender's clock if the trace has none. */
	uint64_t time_ns;
	/* Period after which the timestamp wraps to 0; 0: it is the sender's clock. */
	uint64_t time_wrap;
	uint64_t tx_bytes; /* FCN_IOAM_NA64: not in the trace */
	uint64_t rate_bps; /* speed of its link, from the trace or the fallback */
	uint64_t heard_ns; /* when this data was received */
	uint32_t queue;    /* queue length in bytes; FCN_IOAM_NA32: not in the trace */
	bool known;
};

/* The latest hops of a trace, the latest first. */
struct reaction_hops {
	struct reaction_hop hop[REACTION_HOPS];
	unsigned int n;
	bool whole; /* the trace has no further hops */
};

/* Read the hops of a trace. Returns false when the trace is malformed. */
bool reaction_hops_read(struct reaction_hops *hops, const struct fcn_ioam_trace *trace,
		uint64_t fallback_bps, uint64_t now);

/*
 * Read the queue length of the latest hop in bytes, or else its buffer occupancy. Returns false
 * when the trace is malformed or contains neither.
 */
bool reaction_hops_backlog(const struct fcn_ioam_trace *trace, uint64_t fallback_bps,
		uint32_t *bytes, uint64_t *rate_bps);

/*
 * Compute the nanoseconds from b to a by the clock of the hop; false when the two times are from
 * different clocks.
 */
bool reaction_hops_elapsed(const struct reaction_hop *a, const struct reaction_hop *b, int64_t *ns);

#endif /* REACTION_HOPS_H */
