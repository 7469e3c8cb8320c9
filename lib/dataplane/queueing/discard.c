/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Dropping of queued packets that cannot be sent. */

#include "admit.h"
#include "discard.h"
#include "lossless.h"

/* Maximum number of packets of a queue that are dropped in a turn. */
#define DISCARD_BURST 256

/* Time without accepted packets after which packets to the device are dropped. */
#define STALL_NS 1000000000

void
fcn_drop_special(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i,
		enum fcn_drop_reason reason)
{
	const struct fcn_packet *p = &b->pkt[i];

	if (p->flags & FCN_PACKET_NOTICE)
		w->notice_accounting[p->notice_kind].lost[reason]++;
	if (p->flags & FCN_PACKET_ACCOUNTED)
		fcn_lossless_release(w, b->mbuf[i], p->class, b->mbuf[i]->pkt_len);
}

unsigned int
fcn_discard_queued(
		struct fcn_worker *w, uint16_t port, unsigned int class, enum fcn_queue_verdict why)
{
	struct fcn_egress *eg = w->port[port].egress;
	struct fcn_queue *q = &eg->queue[class];
	const struct fcn_queue_conf *conf = &w->snap->port[port].egress.queue[class];
	unsigned int n = 0;

	for (; n < DISCARD_BURST && !fcn_queue_is_empty(q); n++) {
		struct fcn_queue_entry e = fcn_queue_discard(q, w->now);

		fcn_run_dequeue_actions(w, q, conf, &e);
		fcn_queue_count_drop(q, why, e.len);
		if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
			fcn_capture_drop_queued(w, port, &e, fcn_drop_of_refusal(why));
		w->counters[port].drop[fcn_drop_of_refusal(why)]++;
		fcn_queued_lost(w, &e, fcn_drop_of_refusal(why));
		rte_pktmbuf_free(e.mbuf);
	}
	if (fcn_queue_is_empty(q)) {
		eg->backlog &= ~(1u << class);
		q->deficit = 0;
	}
	return n;
}

/* Drop entries that have left their queues. */
static void
drop_entries(struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n,
		enum fcn_drop_reason why)
{
	fcn_depart_run_actions(w, port, e, n);
	for (unsigned int i = 0; i < n; i++) {
		if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
			fcn_capture_drop_queued(w, port, &e[i], why);
		fcn_queued_lost(w, &e[i], why);
		rte_pktmbuf_free(e[i].mbuf);
	}
	w->counters[port].drop[why] += n;
}

unsigned int
fcn_discard_down(struct fcn_worker *w, uint16_t port)
{
	struct fcn_worker_port *wp = &w->port[port];
	struct fcn_egress *eg = wp->egress;
	unsigned int n = eg->n_staged;

	drop_entries(w, port, eg->staged, n, FCN_DROP_PORT_DOWN);
	eg->n_staged = 0;
	for (unsigned int left = eg->backlog; left != 0; left &= left - 1)
		n += fcn_discard_queued(w, port, __builtin_ctz(left), FCN_REFUSED_PORT_DOWN);
	wp->refused_ns = 0;
	__atomic_store_n(&wp->stalled, false, __ATOMIC_RELAXED);
	return n;
}

unsigned int
fcn_drop_oversize(struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n,
		uint32_t max_frame)
{
	unsigned int kept = 0;

	/* Most often all of them fit, and none has to be moved. */
	while (kept < n && likely(e[kept].len <= max_frame))
		kept++;
	for (unsigned int i = kept; i < n; i++) {
		if (e[i].len <= max_frame)
			e[kept++] = e[i];
		else
			drop_entries(w, port, &e[i], 1, FCN_DROP_TX_OVERSIZE);
	}
	return kept;
}

bool
fcn_discard_refused(struct fcn_worker *w, uint16_t port)
{
	struct fcn_worker_port *wp = &w->port[port];
	struct fcn_egress *eg = wp->egress;

	if (wp->refused_ns == 0) {
		wp->refused_ns = RTE_MAX(w->now, 1u);
		return false;
	}
	if (w->now - wp->refused_ns < STALL_NS)
		return false;
	__atomic_store_n(&wp->stalled, true, __ATOMIC_RELAXED);
	drop_entries(w, port, eg->staged, 1, FCN_DROP_TX_STALLED);
	eg->n_staged--;
	memmove(eg->staged, eg->staged + 1, eg->n_staged * sizeof(eg->staged[0]));
	return true;
}
