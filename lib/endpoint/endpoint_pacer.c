/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>
#include <rte_cycles.h>

#include "endpoint_state.h"

/* Advance the time by the duration of a number of bits. */
static void
add_bits(struct endpoint_pacer *p, uint32_t bits)
{
	if (bits != p->step_bits) {
		uint64_t t = bits * (uint64_t)NS_PER_S;

		p->step_bits = bits;
		p->step_ns = t / p->rate_bps;
		p->step_rem = t % p->rate_bps;
	}
	p->next_ns = p->last_ns + p->step_ns;
	p->next_rem = p->last_rem + p->step_rem;
	if (p->next_rem >= p->rate_bps) {
		p->next_rem -= p->rate_bps;
		p->next_ns++;
	}
}

void
endpoint_pacer_begin(struct endpoint_pacer *p, uint64_t now)
{
	if (endpoint_pacer_due(p) >= now)
		return;
	p->next_ns = now;
	p->next_rem = 0;
}

/*
 * The time of the next frame is computed from the time when this one was due, not from when the
 * line was free for it, so queue pairs that share the line do not lose rate. But delay beyond the
 * duration of one frame is not made up for.
 */
void
endpoint_pacer_sent(struct endpoint_pacer *p, uint32_t bits, uint64_t now)
{
	p->last_ns = p->next_ns;
	p->last_rem = p->next_rem;
	p->last_bits = bits;
	add_bits(p, bits);
	endpoint_pacer_begin(p, now);
}

void
endpoint_pacer_rate(struct endpoint_pacer *p, uint64_t rate_bps, uint64_t now)
{
	__extension__ unsigned __int128 rem = p->last_rem;
	const struct endpoint_pacer before = *p;

	p->rate_bps = rate_bps;
	p->step_bits = 0;
	if (p->last_bits == 0)
		return;
	p->last_rem = (uint64_t)(rem * rate_bps / before.rate_bps);
	add_bits(p, p->last_bits);
	if (endpoint_pacer_due(p) >= now)
		return;
	/* A frame that was due already, and waits for the line, keeps its time. */
	p->next_ns = RTE_MIN(endpoint_pacer_due(&before), now);
	p->next_rem = 0;
}
