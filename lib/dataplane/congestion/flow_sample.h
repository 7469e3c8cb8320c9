/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packets that a congested queue gets, and those that a queue refuses, by flow. Most of them
 * cost an addition and a comparison; some are drawn for the top flows of the queue (see
 * fcn_top_flows.h). Packets of the switch itself do not count. Used by the stages only.
 */

#ifndef FLOW_SAMPLE_H
#define FLOW_SAMPLE_H

#include "fcn_stages.h"

/** The part of fcn_flow_sample() that is not inline: the packet is drawn. */
void fcn_flow_sample_add(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_queue *q, bool refused);

/** Count a packet that a congested queue got, its mark included, or that a queue refused. */
static inline void
fcn_flow_sample(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_queue *q, bool refused)
{
	q->stats.arrived_packets++;
	q->stats.arrived_bytes += m->pkt_len;
	if (unlikely(q->next_drawn < q->stats.arrived_bytes))
		fcn_flow_sample_add(w, m, p, q, refused);
}

/** The part of fcn_flow_sample_run() that is not inline: some of the packets are drawn. */
void fcn_flow_sample_add_run(struct fcn_worker *w, struct rte_mbuf *const *m,
		const struct fcn_packet *p, unsigned int n, const uint32_t *occupancy,
		struct fcn_queue *q);

/**
 * Count packets that a congested queue got one after the other, their marks included.
 *
 * @param n         their number, not 0
 * @param occupancy of the queue in bytes, for each of them, itself included
 */
static inline void
fcn_flow_sample_run(struct fcn_worker *w, struct rte_mbuf *const *m, const struct fcn_packet *p,
		unsigned int n, const uint32_t *occupancy, struct fcn_queue *q)
{
	q->stats.arrived_packets += n;
	q->stats.arrived_bytes += occupancy[n - 1] - occupancy[0] + m[0]->pkt_len;
	if (unlikely(q->next_drawn < q->stats.arrived_bytes))
		fcn_flow_sample_add_run(w, m, p, n, occupancy, q);
}

#endif /* FLOW_SAMPLE_H */
