/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Functions of the kinds of reaction points, called by reaction.c, and helpers that they share. */

#ifndef REACTION_PRIVATE_H
#define REACTION_PRIVATE_H

#include "fcn_reaction.h"

/*
 * Higher rates are replaced by this one, so that products with alpha and percentages fit into 64
 * bits.
 */
#define REACTION_MAX_BPS UINT64_C(1000000000000000)

/* The time ns after now; FCN_REACTION_NEVER when it overflows. */
static inline uint64_t
reaction_after(uint64_t now, uint64_t ns)
{
	return ns > FCN_REACTION_NEVER - now ? FCN_REACTION_NEVER : now + ns;
}

/*
 * The minimum rate that is applied: at least 1, as a pacer cannot divide by 0, and at most the line
 * rate.
 */
static inline uint64_t
reaction_min_rate(const struct fcn_reaction *r, uint64_t min_rate_bps)
{
	if (min_rate_bps > r->line_bps)
		return r->line_bps;
	return min_rate_bps == 0 ? 1 : min_rate_bps;
}

void reaction_dcqcn_init(struct fcn_reaction *r);
void reaction_dcqcn_cnp(struct fcn_reaction *r, uint64_t now);
void reaction_dcqcn_sent(struct fcn_reaction *r, uint32_t bytes);
uint64_t reaction_dcqcn_next(const struct fcn_reaction *r);
void reaction_dcqcn_timers(struct fcn_reaction *r, uint64_t now);

/* Cut the rate, and start the recovery from its beginning. */
void reaction_dcqcn_cut(struct fcn_reaction *r, uint64_t by_bps, uint64_t now);

void reaction_beta_cnp(struct fcn_reaction *r, uint64_t now);
void reaction_beta_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);
uint64_t reaction_beta_next(const struct fcn_reaction *r);
void reaction_beta_timers(struct fcn_reaction *r, uint64_t now);

/* The recovery uses the functions of dcqcn. */
void reaction_level_cnp(struct fcn_reaction *r, int level, uint64_t now);
int reaction_level_of(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace);

void reaction_hpcc_init(struct fcn_reaction *r);
/* The line has another speed than before. */
void reaction_hpcc_line(struct fcn_reaction *r, uint64_t before_bps);
void reaction_hpcc_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now);

/* The latest hops of a trace, the latest first. */
struct reaction_hops {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS];
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
bool reaction_hops_elapsed(const struct fcn_hpcc_hop *a, const struct fcn_hpcc_hop *b, int64_t *ns);

#endif /* REACTION_PRIVATE_H */
