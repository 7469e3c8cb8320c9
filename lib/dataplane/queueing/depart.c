/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "admit.h"
#include "congestion.h"
#include "flow_sample.h"

/* Restore the metadata of a queued packet that a notice about it needs. */
static void
recall(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e, struct fcn_packet *p)
{
	const struct rte_mbuf *m = e->mbuf;
	const struct fcn_queued *queued = fcn_queued_of(w, m);

	*p = (struct fcn_packet){
			.out_port = port,
			.class = e->flags & FCN_ENTRY_CLASS,
			.flags = queued->vlan != 0 ? FCN_PACKET_BRIDGED : 0,
			.vlan = queued->vlan,
			.trace = e->flags & FCN_ENTRY_TRACED ? queued->trace : 0,
			.in_port = queued->in_port,
			.level = FCN_LEVEL_NONE,
	};
	fcn_parse(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len, &w->snap->codes,
			&p->info);
	if (unlikely(queued->proxy_front != 0))
		fcn_wire_proxy_in_front(&p->info, queued->proxy_front);
}

/* Run a detector that works at dequeue. */
static void
detect(struct fcn_worker *w, struct fcn_egress *eg, const struct fcn_queue_conf *conf,
		const struct fcn_queue_entry *e, uint32_t left_behind, struct fcn_packet *p)
{
	struct fcn_queue *q = &eg->queue[p->class];
	struct fcn_detector *d = &q->detector;
	const struct fcn_detector_view view = {
			.occupancy = left_behind + e->len + eg->ring_bytes,
			.len = e->len,
			.now = w->now,
			.random = &w->random,
	};
	uint64_t leaves = d->leaves, enters = d->enters;

	p->level = fcn_detector_departure(d, &conf->detector, &view);
	if (d->leaves != leaves)
		fcn_congestion_ended(w, p->out_port, eg, p->class);
	if (d->enters != enters)
		fcn_congestion_began(w, p, eg, view.occupancy);
	if (d->congested)
		fcn_episode_arrival(q->episodes, view.occupancy, view.len,
				fcn_detector_is_over(d, &conf->detector, &view), p->level, w->now);
	if (p->level != FCN_LEVEL_NONE &&
			fcn_congestion_decide(w, e->mbuf, p, q, conf, view.occupancy))
		fcn_congestion_mark(q, e->mbuf, p);
	if (d->congested)
		fcn_flow_sample(w, e->mbuf, p, q, false);
}

/* Compute the occupancy that each packet left behind. */
static void
count_behind(const struct fcn_egress *eg, const struct fcn_queue_entry *e, unsigned int n,
		uint32_t behind[FCN_EGRESS_BURST])
{
	uint32_t bytes[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		bytes[c] = eg->queue[c].bytes;
	for (unsigned int i = n; i-- > 0;) { /* the last packet left the lowest occupancy */
		uint8_t class = e[i].flags & FCN_ENTRY_CLASS;

		behind[i] = bytes[class];
		bytes[class] += e[i].len;
	}
}

void
fcn_depart_run_actions(
		struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n)
{
	fcn_run_all_dequeue_actions(w, w->port[port].egress, &w->snap->port[port].egress, e, n);
}

/*
 * Run the detectors that work at dequeue. The notices are built and queued while the packets that
 * cause them still exist. They leave in this turn or the next one.
 */
void
fcn_depart_detect(struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n)
{
	struct fcn_egress *eg = w->port[port].egress;
	const struct fcn_egress_conf *conf = &w->snap->port[port].egress;
	struct fcn_burst *b = w->leaving;
	uint32_t behind[FCN_EGRESS_BURST];

	count_behind(eg, e, n, behind);
	for (unsigned int i = 0; i < n; i++) {
		uint8_t class = e[i].flags & FCN_ENTRY_CLASS;

		/* The packet is removed from all accounts before the detector runs. */
		fcn_run_all_dequeue_actions(w, eg, conf, &e[i], 1);
		/*
		 * Packets have no stored metadata if they were queued before the configuration let
		 * the detector work at dequeue.
		 */
		if (!(conf->at_dequeue >> class & 1) || e[i].flags & FCN_ENTRY_NOTICE ||
				!(e[i].flags & FCN_ENTRY_NOTED))
			continue;
		recall(w, port, &e[i], &b->pkt[i]);
		if (unlikely(b->pkt[i].info.flags & FCN_PKT_TRIMMED))
			continue;
		detect(w, eg, &conf->queue[class], &e[i], behind[i], &b->pkt[i]);
	}
	if (w->n_notices != 0)
		fcn_walk_notices(w);
}
