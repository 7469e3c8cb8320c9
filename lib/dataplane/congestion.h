/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is done about congestion, once a detector has seen it; for the stages alone.
 */

#ifndef CONGESTION_H
#define CONGESTION_H

#include "fcn_stages.h"
#include "notice_route.h"

/** CE-mark a packet, if it is ECT. */
void fcn_congestion_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p);

/** Whether there are buffers, and room, for one notice of each kind that is on. */
static inline bool
fcn_congestion_has_room(const struct fcn_worker *w)
{
	const unsigned int kinds = __builtin_popcount(w->snap->notify.on);

	return w->n_spare >= kinds && w->n_notices + kinds <= FCN_NOTICE_MAX;
}

/** Get buffers for notices. @return FCN_NOTIFY_NONE, or why no more notices can be made */
enum fcn_notify_verdict fcn_congestion_make_room(struct fcn_worker *w);

/** Whether the flow of a packet holds its part of the queue. */
bool fcn_congestion_is_heavy_flow(const struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, const struct fcn_queue *q, uint32_t occupancy);

/** A notice of a kind about a packet is to be built. */
static inline void
fcn_congestion_add_notice(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, uint32_t occupancy, unsigned int kind,
		uint32_t next_hop)
{
	struct fcn_notice *notice = &w->notice[w->n_notices++];

	notice->mbuf = w->spare[--w->n_spare];
	notice->cause_mbuf = m;
	notice->cause = p;
	notice->occupancy = occupancy;
	notice->next_hop = next_hop;
	notice->kind = kind;
	notice->verdict = p->verdict[kind];
}

/**
 * Decide about the notices of a packet, kind by kind.
 *
 * @return whether one of them stands in for the CE mark
 */
static inline bool
fcn_congestion_notify(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	struct fcn_notice_route route = {
			.w = w,
			.p = p,
			.sender = fcn_notify_sender(rte_pktmbuf_mtod(m, const uint8_t *), &p->info),
	};
	struct fcn_notify_place place = {
			.port = p->out_port,
			.class = p->class,
			.find_route = fcn_notice_find_route,
			.route = &route,
	};
	bool replaces = false;

	if (unlikely(!fcn_congestion_has_room(w)))
		place.refuse = fcn_congestion_make_room(w);
	if (unlikely(conf->policy.heavy_flows) &&
			!fcn_congestion_is_heavy_flow(w, m, p, q, occupancy))
		place.refuse = FCN_NOTIFY_LIGHT_FLOW;
	for (unsigned int k, left = notices->on; left != 0; left &= left - 1) {
		struct fcn_notify_decision d;

		k = __builtin_ctz(left);
		d = fcn_notify_decide(&notices->kind[k], &w->notify[k],
				rte_pktmbuf_mtod(m, const uint8_t *), &p->info, &place, w->now);
		p->verdict[k] = d.verdict;
		replaces |= d.replaces_mark;
		if (!fcn_notify_verdict_is_sent(d.verdict))
			continue;
		fcn_congestion_add_notice(w, m, p, occupancy, k, route.next_hop);
		q->stats.notices++;
		if (likely(q->detector.congested))
			fcn_episode_notice(q->episodes, d.flow);
	}
	return replaces;
}

/**
 * A packet that the detector chose: who is to be notified, or not.
 *
 * @param p         port, class and level are those it met; its verdicts are set
 * @param occupancy bytes of the queue, the packet included
 * @return whether to CE-mark it
 */
static inline bool
fcn_congestion_decide(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	bool mark;

	q->stats.congested_packets++;
	if ((p->info.tclass & 0x3) == 0x3)
		q->stats.ce_seen++;
	mark = conf->policy.ecn && p->level >= conf->policy.mark_level &&
	       occupancy >= conf->policy.mark_bytes;
	if (w->snap->notify.on && conf->policy.notify && p->level >= conf->policy.notify_level &&
			occupancy >= conf->policy.notify_bytes)
		mark &= !fcn_congestion_notify(w, m, p, q, conf, occupancy);
	return mark;
}

/** A queue became congested with a packet. */
void fcn_congestion_began(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		uint32_t occupancy);

/** A queue is not congested any more. */
void fcn_congestion_ended(
		struct fcn_worker *w, uint16_t port, struct fcn_egress *eg, unsigned int class);

/** Let congested queues of a port see what is left of them, and that time passes. */
void fcn_congestion_tick(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg);

#endif /* CONGESTION_H */
