/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "admit.h"
#include "arn_order.h"
#include "arn_pass_on.h"
#include "arn_send.h"
#include "cross_core.h"
#include "lossless.h"
#include "mailbox.h"
#include "proxy.h"
#include "rx_fair.h"
#include "stage_clock.h"
#include "take.h"
#include "fcn_stages.h"

/* Aged MAC addresses count as unknown at once; their entries are freed a few at a time. */
#define HOUSEKEEPING_NS 1000000
#define AGE_BUDGET 16

static inline void
free_dead(struct fcn_worker *w)
{
	if (w->n_dead != 0) {
		rte_pktmbuf_free_bulk(w->dead, w->n_dead);
		w->n_dead = 0;
	}
}

/* Check whether a worker gets no buffer: neither of the pool nor of its own cache. */
static bool
is_pool_empty(const struct fcn_worker *w)
{
	struct rte_mbuf *m = rte_mbuf_raw_alloc(w->pool);

	if (unlikely(m == NULL))
		return true;
	rte_mbuf_raw_free(m);
	return false;
}

/* Free a few aged MAC addresses, and look whether there are packet buffers. */
static inline void
housekeeping(struct fcn_worker *w)
{
	if (likely(w->now - w->aged_ns < HOUSEKEEPING_NS))
		return;
	w->aged_ns = w->now;
	w->pool_empty += is_pool_empty(w);
	if (w->snap->mac_ageing_ns != 0)
		fcn_mac_table_age(w->macs, w->now, w->snap->mac_ageing_ns, AGE_BUDGET);
}

static inline void
quiescent(struct fcn_worker *w)
{
	if (w->qsbr != NULL)
		rte_rcu_qsbr_quiescent(w->qsbr, w->id);
}

/*
 * A stage has processed a burst. The argument `timed` tells whether the cycles of stages are
 * counted. The compiler makes the walk of a turn twice, once for each value, so that a turn that is
 * not timed does not test for it at each stage.
 */
static __rte_always_inline void
done(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage, bool timed)
{
	if (timed)
		fcn_cycles_lap(w, stage, b->n);
	fcn_stage_done(w, b, stage);
}

/* As done(), for a stage that records traces itself. */
static __rte_always_inline void
lap(struct fcn_worker *w, unsigned int stage, unsigned int packets, bool timed)
{
	if (timed)
		fcn_cycles_lap(w, stage, packets);
}

/* Put packets into class queues, unless they have to wait for their flows. */
static __rte_always_inline void
walk_queue(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	if (unlikely(w->arn_held.flows.n_flows != 0)) {
		fcn_stage_hold(w, b);
		done(w, b, FCN_STAGE_HOLD, timed);
	}
	fcn_stage_enqueue(w, b);
	done(w, b, FCN_STAGE_ENQUEUE, timed);
}

/* Run the stages from `local` to the class queues, without these. */
static __rte_always_inline void
walk_edges(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	fcn_stage_proxy_remove(w, b);
	done(w, b, FCN_STAGE_PROXY_REMOVE, timed);
	if (unlikely(w->proxy.n_marks != 0)) {
		fcn_stage_proxy_mark(w, b);
		done(w, b, FCN_STAGE_PROXY_MARK, timed);
	}
	fcn_stage_border_out(w, b);
	done(w, b, FCN_STAGE_BORDER_OUT, timed);
	fcn_stage_ioam_edge(w, b);
	done(w, b, FCN_STAGE_IOAM_EDGE, timed);
}

/* Run the stages from `local` to the class queues. */
static __rte_always_inline void
walk_out(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	walk_edges(w, b, timed);
	walk_queue(w, b, timed);
}

/* Run the remaining stages for the copies of flooded frames, and empty their burst: they belong to
 * their queues then, and the next turn may come here without passing through the stage `bridge`. */
static __rte_noinline void
walk_copies(struct fcn_worker *w, bool timed)
{
	walk_out(w, w->flood, timed);
	w->flood->n = 0;
}

static __rte_always_inline void
walk_notices(struct fcn_worker *w, bool timed)
{
	struct fcn_burst *b = w->notices;

	const bool has_unrouted = fcn_stage_notice(w, b);

	done(w, b, FCN_STAGE_NOTICE, timed);
	if (unlikely(has_unrouted))
		fcn_stage_route(w, b);
	done(w, b, FCN_STAGE_ROUTE, timed);
	fcn_stage_local(w, b);
	lap(w, FCN_STAGE_LOCAL, b->n, timed);
	walk_out(w, b, timed);
	/*
	 * Notices at dequeue are made port by port. Those without a route are freed at once, to
	 * make room for the drops of the next port.
	 */
	free_dead(w);
	lap(w, FCN_CYCLES_OTHER, 0, timed);
}

static __rte_noinline void
walk_notices_timed(struct fcn_worker *w)
{
	uint64_t before = fcn_cycles_interrupt(w);

	walk_notices(w, true);
	fcn_cycles_resume(w, before);
}

/* Run the stages for notices, which a burst or detectors at dequeue have caused. */
void
fcn_walk_notices(struct fcn_worker *w)
{
	if (unlikely(w->stage_clock.on))
		walk_notices_timed(w);
	else
		walk_notices(w, false);
}

/* Run the stages for Adaptive Routing Notifications that are due. */
static __rte_noinline void
walk_arn(struct fcn_worker *w)
{
	const bool timed = w->stage_clock.on;
	struct fcn_burst *b = w->notices;

	free_dead(w); /* make room for the drops of this burst */
	fcn_arn_make_due(w, b);
	fcn_stage_route(w, b);
	fcn_stage_local(w, b);
	lap(w, FCN_STAGE_LOCAL, b->n, timed);
	walk_out(w, b, timed);
}

/* Run the stages for what senders are sent because of Congestion Notification Messages. */
static __rte_noinline void
walk_proxy(struct fcn_worker *w)
{
	const bool timed = w->stage_clock.on;
	struct fcn_burst *b = w->notices;

	free_dead(w); /* make room for the drops of this burst */
	fcn_proxy_process(w, b);
	if (b->n == 0)
		return;
	fcn_stage_route(w, b);
	fcn_stage_local(w, b);
	lap(w, FCN_STAGE_LOCAL, b->n, timed);
	walk_out(w, b, timed);
}

/* Let packets leave whose flows are not held any more, before those that arrive in this turn. */
static __rte_noinline void
walk_held(struct fcn_worker *w)
{
	struct fcn_burst *b = w->received_cross_core;

	fcn_arn_held_leave(w, b);
	done(w, b, FCN_STAGE_ENQUEUE, w->stage_clock.on);
	if (w->n_notices != 0)
		fcn_walk_notices(w);
	free_dead(w);
}

/* Count the ports that can learn addresses. */
static unsigned int
count_bridged(const struct fcn_snapshot *s)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < s->n_ports; p++)
		n += s->port[p].mode == FCN_PORT_BRIDGED;
	return n;
}

/* Adapt the state that depends on the snapshot to a new snapshot. */
static __rte_noinline void
reconfigure(struct fcn_worker *w)
{
	w->generation = w->snap->generation;
	w->n_ports = RTE_MAX(w->n_ports, w->snap->n_ports);
	fcn_mac_table_reserve(w->macs, count_bridged(w->snap));
	if (w->punts != NULL)
		fcn_punt_queues_divide(w->punts, w->n_ports);
	fcn_cycles_reconfigure(w);
	fcn_rx_share_reconfigure(w);
	fcn_admit_recount(w);
	fcn_arn_reconfigure(w);
	fcn_arn_held_reconfigure(w);
	fcn_source_limit_reconfigure(&w->arn_received.limit, &w->snap->arn.limits, w->now);
	fcn_arn_edge_reconfigure(w);
	fcn_proxy_reconfigure(w);
	fcn_srv6_state_reconfigure(&w->srv6, &w->snap->srv6, w->now);
	for (unsigned int k = 0; k < w->snap->notify.n_kinds; k++)
		fcn_notify_reconfigure(&w->snap->notify.kind[k], &w->notify[k], w->n_ports, w->now);
	for (unsigned int p = 0; p < w->n_ports; p++) {
		fcn_notify_link_shares_limit(
				&w->notify_link[p], &w->snap->notify.common.link[p], w->now);
		fcn_notify_link_shares_limit(
				&w->loss_link[p], &w->snap->notify.common.loss_link[p], w->now);
	}
	for (unsigned int p = 0; p < w->n_ports; p++) {
		const struct fcn_snapshot_port *conf = &w->snap->port[p];
		struct fcn_pause_conf pause;

		if (conf->mode == FCN_PORT_BRIDGE_INTERFACE) {
			const struct fcn_mac_key own = {.mac = conf->mac,
					.vlan = conf->vlan,
					.bridge = conf->bridge};

			fcn_mac_table_remove(w->macs, &own);
		}
		fcn_mac_table_limit(w->macs, p, fcn_mac_limit(w->macs, conf->mac_limit));
		fcn_punt_reconfigure(w, p);
		fcn_storm_reconfigure(w, p);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (!conf->ingress[c].lossless)
				w->ingress[p][c].xoff = w->ingress_packets[p][c].xoff = false;
		}
		__atomic_store_n(&w->xoff[p], w->xoff[p] & conf->lossless, __ATOMIC_RELAXED);
		if (w->port[p].egress == NULL)
			continue;
		pause = conf->pause;
		if (conf->down) { /* the pauses of the other end are no longer valid */
			pause.rx_classes = 0;
			pause.link = false;
		}
		fcn_pause_reconfigure(&w->port[p].pause, &pause, w->now);
		fcn_egress_reconfigure(w->port[p].egress, &conf->egress, w->now);
		fcn_notify_link_shares_limit(&w->trim_link[p], &conf->trim.link, w->now);
		if ((w->port[p].egress->paused | w->port[p].egress->halted) != 0)
			fcn_arn_update_paused(w, p);
		w->port[p].pausing = true; /* until flow control finds that it has no work */
	}
}

static inline void
begin_turn(struct fcn_worker *w, uint64_t now)
{
	/* The control thread reads it while the worker runs. */
	__atomic_store_n(&w->now, now, __ATOMIC_RELAXED);
	w->snap = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);
	if (unlikely(w->snap->generation != w->generation))
		reconfigure(w);
	for (unsigned int k = 0; k < w->snap->notify.n_kinds; k++)
		fcn_notify_age(&w->snap->notify.kind[k], &w->notify[k], now);
	fcn_mailbox_serve(w);
}

void
fcn_poll_idle(struct fcn_worker *w, uint64_t now)
{
	begin_turn(w, now);
	w->idle = true;
	quiescent(w);
}

/* Run the remaining stages for packets that other workers received. @return number of packets */
static __rte_always_inline unsigned int
walk_cross_core(struct fcn_worker *w, bool timed)
{
	/* Each other worker may have put a burst on its ring. What comes meanwhile waits for the
	 * next turn. */
	const unsigned int most = w->n_peers * FCN_BURST_MAX;
	struct fcn_burst *b = w->received_cross_core;
	unsigned int n = 0;

	while (n < most) {
		const unsigned int taken = fcn_stage_cross_core_rx(w, b, most - n);

		lap(w, FCN_STAGE_CROSS_CORE_RX, taken, timed);
		n += taken;
		if (b->n == 0)
			break;
		if (unlikely(w->trace.wanted != 0))
			fcn_trace_receive_cross_core(w, b);
		fcn_stage_done(w, b, FCN_STAGE_CROSS_CORE_RX);
		walk_queue(w, b, timed);
		if (w->n_notices != 0)
			fcn_walk_notices(w);
		free_dead(w);
	}
	return n;
}

/*
 * Run the stages for frames that the host functions inject or return. The notices that these
 * packets cause are processed while the packets still exist, as for other bursts.
 */
static __rte_always_inline void
walk_injected(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	fcn_stage_inject(w, b);
	lap(w, FCN_STAGE_INJECT, b->n, timed);
	if (likely(b->n == 0))
		return;
	free_dead(w); /* make room for the drops of this burst, its copies and its notices */
	fcn_stage_proxy_remove(w, b);
	lap(w, FCN_STAGE_PROXY_REMOVE, b->n, timed);
	fcn_stage_border_out(w, b);
	lap(w, FCN_STAGE_BORDER_OUT, b->n, timed);
	fcn_stage_ioam_edge(w, b);
	lap(w, FCN_STAGE_IOAM_EDGE, b->n, timed);
	walk_queue(w, b, timed);
	if (unlikely(w->flood->n != 0)) /* copies of frames that the interface of a bridge sent */
		walk_copies(w, timed);
	if (unlikely(w->n_notices != 0))
		fcn_walk_notices(w);
}

/* Process the messages of other workers. */
static void
learn_rx(struct fcn_worker *w)
{
	fcn_bridge_learn_rx(w);
	fcn_arn_order_rx(w);
	fcn_lossless_poll(w);
}

/* Check whether packets may take the fast path: whether nothing is on that any packet might need a
 * stage for. */
static inline bool
is_fast_path_open(const struct fcn_worker *w)
{
	return w->fast != NULL && (w->arn_held.flows.n_flows | w->proxy.n_marks) == 0;
}

/* Run the stages for a burst of packets that this worker received. */
static __rte_always_inline void
walk_burst(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	fcn_stage_classify(w, b);
	done(w, b, FCN_STAGE_CLASSIFY, timed);
	if (unlikely(b->has_checked_ports)) {
		fcn_stage_border_in(w, b);
		done(w, b, FCN_STAGE_BORDER_IN, timed);
		fcn_stage_trust(w, b);
		done(w, b, FCN_STAGE_TRUST, timed);
	}
	fcn_stage_mac_control(w, b);
	done(w, b, FCN_STAGE_MAC_CONTROL, timed);
	fcn_stage_sub_interface(w, b);
	done(w, b, FCN_STAGE_SUB_INTERFACE, timed);
	if (unlikely(w->snap->proxy_edge.any_insert)) {
		fcn_stage_proxy_insert(w, b);
		done(w, b, FCN_STAGE_PROXY_INSERT, timed);
	}
	fcn_stage_bridge(w, b);
	done(w, b, FCN_STAGE_BRIDGE, timed);
	if (b->n_bridged != b->n)
		fcn_stage_route(w, b);
	done(w, b, FCN_STAGE_ROUTE, timed);
	fcn_stage_local(w, b);
	fcn_stage_local(w, w->flood); /* copies for the interfaces of bridges */
	lap(w, FCN_STAGE_LOCAL, b->n, timed);
	walk_edges(w, b, timed);
}

/* Queue the packets of this turn that are not queued yet, in the order in which they came. */
static __rte_always_inline void
walk_rest(struct fcn_worker *w, struct fcn_burst *b, bool timed)
{
	if (w->ready.bytes != 0) { /* some did not pass through the stages */
		fcn_ready_take(w, b, w->waited);
		lap(w, FCN_STAGE_FAST_PATH, 0,
				timed); /* they were counted when they were recognised */
		b = w->waited;
	}
	walk_queue(w, b, timed);
	if (unlikely(w->flood->n != 0))
		walk_copies(w, timed);
	if (w->n_notices != 0)
		fcn_walk_notices(w);
}

/* Run one turn: all stages in order. */
static __rte_always_inline unsigned int
walk_turn(struct fcn_worker *w, uint64_t now, bool timed)
{
	struct fcn_burst *b = w->rx;
	unsigned int received, sent, cross_core = 0;
	bool measured; /* what the packets cost that this turn has received */

	begin_turn(w, now);
	w->idle = false;
	if (unlikely(w->n_peers != 0)) {
		fcn_cross_core_prefetch(w);
		learn_rx(w);
	}
	if (unlikely(w->arn_held.flows.n_flows != 0))
		walk_held(w);
	lap(w, FCN_CYCLES_OTHER, 0, timed);
	fcn_stage_rx(w);
	fcn_ready_begin(&w->ready);
	received = w->received.n;
	measured = w->rx_share.measured != FCN_PORT_NONE;
	lap(w, FCN_STAGE_RX, received, timed);
	if (likely(is_fast_path_open(w))) {
		fcn_stage_fast_path(w, b);
		lap(w, FCN_STAGE_FAST_PATH, received - b->n, timed);
	} else {
		fcn_rx_pass_all(w, b);
		lap(w, FCN_STAGE_RX, 0, timed);
	}
	if (unlikely(w->trace.wanted != 0))
		fcn_trace_receive(w, b);
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_RX)))
		fcn_capture_receive(w, b);
	if (b->n != 0)
		walk_burst(w, b, timed);
	if (b->n != 0 || w->ready.bytes != 0)
		walk_rest(w, b, timed);
	if (unlikely(measured))
		fcn_rx_share_interrupt(w);

	if (unlikely(w->n_peers != 0)) {
		free_dead(w);
		cross_core = walk_cross_core(w, timed);
	}
	lap(w, FCN_CYCLES_OTHER, 0, timed);
	walk_injected(w, b, timed);
	if (unlikely(w->arn->due_ns <= now))
		walk_arn(w);
	if (unlikely(w->snap->proxy.receive) && fcn_proxy_is_pending(w))
		walk_proxy(w);
	fcn_proxy_pause_update(w);
	if (unlikely(w->n_peers != 0))
		w->n_tx_peers = fcn_cross_core_flush(w);
	lap(w, FCN_CYCLES_OTHER, 0, timed);

	if (unlikely(measured))
		fcn_rx_share_resume(w);
	sent = fcn_stage_transmit(w);
	if (unlikely(measured))
		fcn_rx_share_measured(w);
	lap(w, FCN_STAGE_TRANSMIT, sent, timed);
	if (unlikely(w->arn_held.flows.n_flows != 0) && sent != 0)
		fcn_held_flows_retry(&w->arn_held.flows); /* queues have room again */
	free_dead(w);
	if (unlikely(w->n_peers != 0)) {
		fcn_cross_core_flush(w); /* notices about packets that have left */
		fcn_cross_core_prefetch_buffers(w);
	}
	housekeeping(w);
	quiescent(w);
	if (timed) {
		fcn_cycles_lap(w, FCN_CYCLES_OTHER, received + cross_core);
		fcn_cycles_end(w, received + cross_core + sent != 0);
	}
	return received + cross_core + sent;
}

unsigned int
fcn_poll_drain(struct fcn_worker *w, uint64_t now)
{
	const unsigned int n_rx_queues = w->n_rx_queues;
	unsigned int n;

	w->n_rx_queues = 0;
	n = fcn_poll_once(w, now);
	w->n_rx_queues = n_rx_queues;
	return n;
}

void
fcn_poll_to_queues(struct fcn_worker *w, uint64_t now)
{
	struct fcn_burst *b = w->rx;

	begin_turn(w, now);
	fcn_stage_rx(w);
	fcn_ready_begin(&w->ready);
	fcn_rx_pass_all(w, b);
	if (w->trace.wanted != 0)
		fcn_trace_receive(w, b);
	if (b->n != 0) {
		walk_burst(w, b, false);
		walk_rest(w, b, false);
	}
	free_dead(w);
}

static __rte_noinline unsigned int
poll_timed(struct fcn_worker *w, uint64_t now)
{
	fcn_cycles_begin(w);
	return walk_turn(w, now, true);
}

unsigned int
fcn_poll_once(struct fcn_worker *w, uint64_t now)
{
	if (unlikely(w->stage_clock.on))
		return poll_timed(w, now);
	return walk_turn(w, now, false);
}
