/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_mailbox.h"
#include "fcn_stages.h"

/* Aged MAC addresses count as unknown at once; their places are freed a few at a time. */
#define AGE_EVERY_NS 1000000
#define AGE_BUDGET 16

static inline void
stage_done(struct fcn_worker *w, struct fcn_burst *b, enum fcn_stage stage)
{
	if (unlikely(b->n_traced != 0))
		fcn_trace_stage(w, b, stage);
}

static inline void
free_dead(struct fcn_worker *w)
{
	if (w->n_dead != 0) {
		rte_pktmbuf_free_bulk(w->dead, w->n_dead);
		w->n_dead = 0;
	}
}

/* Aged MAC addresses, a few at a time. */
static inline void
housekeeping(struct fcn_worker *w)
{
	if (likely(w->now - w->aged_ns < AGE_EVERY_NS) || w->snap->mac_ageing_ns == 0)
		return;
	w->aged_ns = w->now;
	fcn_mac_table_age(w->macs, w->now, w->snap->mac_ageing_ns, AGE_BUDGET);
}

static inline void
quiescent(struct fcn_worker *w)
{
	if (w->qsbr != NULL)
		rte_rcu_qsbr_quiescent(w->qsbr, w->id);
}

void
fcn_poll_idle(struct fcn_worker *w, uint64_t now)
{
	w->now = now;
	w->snap = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);
	fcn_mailbox_serve(w);
	quiescent(w);
}

/* The walk of a packet. */
unsigned int
fcn_poll_once(struct fcn_worker *w, uint64_t now)
{
	struct fcn_burst *b = w->rx;
	unsigned int sent;

	w->now = now;
	w->snap = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);
	fcn_mailbox_serve(w);

	fcn_stage_port_rx(w, b);
	b->n_traced = 0;
	if (unlikely(w->trace.wanted != 0))
		fcn_trace_receive(w, b);

	if (b->n != 0) {
		fcn_stage_classify(w, b);
		stage_done(w, b, FCN_STAGE_CLASSIFY);
		fcn_stage_bridge(w, b);
		stage_done(w, b, FCN_STAGE_BRIDGE);
		fcn_stage_route(w, b);
		stage_done(w, b, FCN_STAGE_ROUTE);
		fcn_stage_enqueue(w, b);
		stage_done(w, b, FCN_STAGE_ENQUEUE);
		fcn_stage_enqueue(w, w->flood);

		fcn_stage_notice(w, w->notices);
		if (w->notices->n != 0) {
			stage_done(w, w->notices, FCN_STAGE_NOTICE);
			fcn_stage_route(w, w->notices);
			stage_done(w, w->notices, FCN_STAGE_ROUTE);
			fcn_stage_enqueue(w, w->notices);
			stage_done(w, w->notices, FCN_STAGE_ENQUEUE);
		}
	}

	sent = fcn_stage_transmit(w);
	free_dead(w);
	housekeeping(w);
	quiescent(w);
	return b->n + sent;
}
