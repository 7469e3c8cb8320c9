/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Halts that are passed on, see fcn_arn_edge.h: what the stages do about them. Used by the stages
 * only.
 */

#ifndef ARN_PASS_ON_H
#define ARN_PASS_ON_H

#include "fcn_arn_edge.h"
#include "fcn_stages.h"

/** Pass the halt of a held flow on, because of a packet that waits. The part that is not inline. */
void fcn_arn_pass_on_flow(struct fcn_worker *w, uint32_t flow, const struct rte_mbuf *m,
		struct fcn_packet *p);

/**
 * Take note that a packet waits in a held flow: its halt is passed on if many bytes wait, or half
 * of the packets that may.
 *
 * @param flow its number among the held flows of the worker
 * @param m    the packet as it will leave
 * @param p    its egress port, class and ingress port count; its flags, level and verdicts may be
 *             written
 */
static inline void
fcn_arn_edge_held(
		struct fcn_worker *w, uint32_t flow, const struct rte_mbuf *m, struct fcn_packet *p)
{
	const struct fcn_held_flow *f = &w->arn_held.flows.flow[flow];
	const uint64_t enough = w->snap->arn.pass_on_bytes;

	if (unlikely(f->bytes >= enough || f->packets >= w->snap->arn.held.flow_packets / 2) &&
			enough != 0 && f->held)
		fcn_arn_pass_on_flow(w, flow, m, p);
}

/**
 * Pass the halt of a class of a port on, because of a packet that goes to its queue. Parameters as
 * fcn_arn_edge_held().
 */
void fcn_arn_pass_on_queue(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf);

/** Check whether a halt that is passed on has a class of the link partner of a port paused. */
static inline bool
fcn_arn_edge_pauses(const struct fcn_worker *w, uint16_t port, unsigned int class)
{
	return w->arn_edge->n_paused[port][class] != 0;
}

/** End what is not to be passed on any more. The part that is not inline. */
void fcn_arn_edge_end(struct fcn_worker *w);

/** End what is not to be passed on any more. To be called once a turn, after all departures. */
static inline void
fcn_arn_edge_update(struct fcn_worker *w)
{
	if (unlikely(w->arn_edge->n != 0))
		fcn_arn_edge_end(w);
}

/** Forget that halts have a port paused, as another port has its number now. */
void fcn_arn_edge_forget_port(struct fcn_worker *w, uint16_t port);

/** Adapt to a new snapshot. */
void fcn_arn_edge_reconfigure(struct fcn_worker *w);

#endif /* ARN_PASS_ON_H */
