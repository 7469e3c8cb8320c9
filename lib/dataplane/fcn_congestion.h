/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is done about congestion, once a detector has seen it; for the stages alone.
 */

#ifndef FCN_CONGESTION_H
#define FCN_CONGESTION_H

#include "fcn_stages.h"
#include "fcn_way_back.h"

/** CE-mark a packet, if it is ECT. */
void fcn_congestion_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p);

/** Get buffers for notices. @return FCN_NOTIFY_NONE, or why not one more notice can be made */
enum fcn_notify_verdict fcn_congestion_make_room(struct fcn_worker *w);

/** Whether the flow of a packet holds its part of the queue. */
bool fcn_congestion_contributes(const struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, const struct fcn_queue *q, uint32_t occupancy);

static inline void
fcn_congestion_add_notice(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, uint32_t occupancy, uint32_t next_hop)
{
	unsigned int k = w->n_notices++;
	struct fcn_notice *notice = &w->notice[k];

	notice->mbuf = w->spare[--w->n_spare];
	notice->cause_mbuf = m;
	notice->cause = p;
	notice->occupancy = occupancy;
	notice->next_hop = next_hop;
	fcn_notify_request(rte_pktmbuf_mtod(m, const uint8_t *), &p->info, p->verdict,
			rte_pktmbuf_mtod(notice->mbuf, uint8_t *), &w->notice_req[k]);
}

/**
 * A packet that the detector chose: its sender is notified, or not.
 *
 * @param p         port, class and level are those it met; its verdict is set
 * @param occupancy bytes of the queue, the packet included
 * @return whether to CE-mark it
 */
static inline bool
fcn_congestion_decide(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	const struct fcn_notify_conf *notify = &w->snap->notify;
	struct fcn_notify_way way = {.w = w, .p = p};
	struct fcn_notify_place place = {
			.port = p->out_port,
			.class = p->class,
			.notify = conf->notify && p->level >= conf->notify_level &&
				  occupancy >= conf->notify_bytes,
			.ecn = conf->ecn && p->level >= conf->mark_level &&
			       occupancy >= conf->mark_bytes,
			.way_back = fcn_way_back,
			.way = &way,
	};
	struct fcn_notify_decision d;

	q->stats.congested_packets++;
	if ((p->info.tclass & 0x3) == 0x3)
		q->stats.ce_seen++;
	if (place.notify && notify->fast_cnp) {
		if (unlikely(w->n_spare == 0 || w->n_notices == FCN_NOTICE_MAX))
			place.refuse = fcn_congestion_make_room(w);
		if (unlikely(conf->contributors) &&
				!fcn_congestion_contributes(w, m, p, q, occupancy))
			place.refuse = FCN_NOTIFY_CONTRIBUTOR;
	}
	d = fcn_notify_decide(notify, &w->notify, rte_pktmbuf_mtod(m, const uint8_t *), &p->info,
			&place, w->now);
	p->verdict = d.verdict;
	if (fcn_notify_verdict_is_sent(d.verdict)) {
		fcn_congestion_add_notice(w, m, p, occupancy, way.next_hop);
		q->stats.notices++;
		if (likely(q->detector.congested))
			fcn_episode_notice(q->episodes, d.flow);
	}
	return d.mark;
}

/** A queue became congested with a packet. */
void fcn_congestion_began(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		uint32_t occupancy);

/** A queue is not congested any more. */
void fcn_congestion_ended(
		struct fcn_worker *w, uint16_t port, struct fcn_egress *eg, unsigned int class);

/** Let congested queues of a port see what is left of them, and that time passes. */
void fcn_congestion_tick(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg);

#endif /* FCN_CONGESTION_H */
