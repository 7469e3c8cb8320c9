/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the kinds of reaction points give to reaction.c, and share. */

#ifndef REACTION_PRIVATE_H
#define REACTION_PRIVATE_H

#include "fcn_reaction.h"

/* Rates above are taken for this: so that products with alpha and percentages fit 64 bits. */
#define REACTION_MAX_BPS UINT64_C(1000000000000000)

/* Time a moment later; never comes when that is beyond the clock's end. */
static inline uint64_t
reaction_after(uint64_t now, uint64_t ns)
{
	return ns > FCN_REACTION_NEVER - now ? FCN_REACTION_NEVER : now + ns;
}

/* A least rate as it is applied: a pacer cannot divide by 0, and nobody is faster than the line. */
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

/* A cut, and recovery from its beginning. */
void reaction_dcqcn_cut(struct fcn_reaction *r, uint64_t by_bps, uint64_t now);

void reaction_beta_cnp(struct fcn_reaction *r, uint64_t now);
void reaction_beta_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);
uint64_t reaction_beta_next(const struct fcn_reaction *r);
void reaction_beta_timers(struct fcn_reaction *r, uint64_t now);

/* Recovers by the functions of dcqcn. */
void reaction_level_cnp(struct fcn_reaction *r, int level, uint64_t now);
int reaction_level_of(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace);

void reaction_hpcc_init(struct fcn_reaction *r);
void reaction_hpcc_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now);

/* The newest hops of a trace, newest first. */
struct reaction_hops {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS];
	unsigned int n;
	bool whole; /* none was left out */
};

/* Returns false when the trace cannot be read. */
bool reaction_hops_read(struct reaction_hops *hops, const struct fcn_ioam_trace *trace,
		uint64_t fallback_bps, uint64_t now);

/* What waits at the newest hop, bytes: in its queue, else in its buffer. Returns false when the
 * trace cannot be read, or tells neither. */
bool reaction_hops_backlog(const struct fcn_ioam_trace *trace, uint64_t fallback_bps,
		uint32_t *bytes, uint64_t *rate_bps);

/* Nanoseconds of the hop's clock from b to a; false when the two clocks are not one. */
bool reaction_hops_elapsed(const struct fcn_hpcc_hop *a, const struct fcn_hpcc_hop *b, int64_t *ns);

#endif /* REACTION_PRIVATE_H */
