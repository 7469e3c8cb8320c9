/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "arn_order.h"
#include "arn_pass_on.h"
#include "proxy.h"
#include "congestion.h"
#include "discard.h"
#include "event_burst.h"
#include "lossless.h"
#include "fcn_stages.h"
#include "tx_ring.h"

/* Bursts passed to one port in a turn, for as many packets as a turn can receive. */
#define BURSTS_PER_TURN (FCN_BURST_MAX / FCN_EGRESS_BURST)

/* Read the packet traces of entries before the port gets their buffers; 0: none. */
static __rte_noinline void
read_traces(const struct fcn_worker *w, const struct fcn_queue_entry *e, unsigned int n,
		uint8_t trace[FCN_EGRESS_BURST])
{
	for (unsigned int i = 0; i < n; i++)
		trace[i] = e[i].flags & FCN_ENTRY_TRACED ? fcn_queued_of(w, e[i].mbuf)->trace : 0;
}

/* Read the numbers of segments of entries before the port gets their buffers. */
static __rte_noinline void
read_segments(const struct fcn_queue_entry *e, unsigned int n, uint16_t segments[FCN_EGRESS_BURST])
{
	for (unsigned int i = 0; i < n; i++)
		segments[i] = e[i].mbuf->nb_segs;
}

/* Push the events that a port has accepted the notices among some packets. @param notices their
 * number */
static __rte_noinline void
departure_events(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		unsigned int notices)
{
	const uint64_t now = w->now;
	struct fcn_event_burst events;
	struct fcn_event *ev;
	unsigned int made = 0;
	uint64_t head = 0;
	uint16_t flags = 0; /* that `head` is made of; those of a notice are not 0 */

	if (notices == 0)
		return;
	fcn_event_burst_begin(w, notices, &events);
	if (events.n == 0)
		return;
	ev = fcn_event_burst_first(&events);
	for (; made < events.n; e++) {
		if (!(e->flags & FCN_ENTRY_NOTICE))
			continue;
		if (unlikely(e->flags != flags)) {
			flags = e->flags;
			head = fcn_event_head(FCN_EVENT_NOTICE_SENT, flags & FCN_ENTRY_CLASS,
					fcn_entry_notice_kind(e), 0, 0, port, 0);
		}
		fcn_event_write_half(ev, now, head, 0, 0, (uint32_t)now - e->enqueued_ns, e->len);
		memset(ev->sender, 0, sizeof(ev->sender));
		memset(ev->receiver, 0, sizeof(ev->receiver));
		ev = fcn_event_burst_next(&events, ev, ++made);
	}
	fcn_event_burst_end(w, &events);
}

/* Count the notices of a kind among the packets that the port accepted. */
static void
count_transmitted(struct fcn_worker *w, unsigned int kind, uint32_t notices)
{
	w->notice_accounting[kind].queued -= notices;
	w->notice_accounting[kind].transmitted += notices;
}

/* Count the notices of several kinds. */
static __rte_noinline void
count_kinds(struct fcn_worker *w, const struct fcn_queue_entry *e, unsigned int n)
{
	uint32_t notices[FCN_NOTICE_KIND_MAX] = {0};

	for (unsigned int i = 0; i < n; i++)
		notices[fcn_entry_notice_kind(&e[i])] += e[i].flags / FCN_ENTRY_NOTICE & 1;
	for (unsigned int k = 0; k < w->snap->notify.n_kinds; k++)
		count_transmitted(w, k, notices[k]);
}

/* Count the notices among the packets that the port accepted. @param flags all of these have
 * @return their number */
static inline unsigned int
count_notices(struct fcn_worker *w, const struct fcn_queue_entry *e, unsigned int n, uint16_t flags)
{
	unsigned int notices = 0;

#pragma GCC unroll 4
	for (unsigned int i = 0; i < n; i++)
		notices += e[i].flags & FCN_ENTRY_NOTICE;
	notices /= FCN_ENTRY_NOTICE;
	/* Usually all of them are of the first kind. */
	if (likely(!(flags & FCN_ENTRY_KIND)))
		count_transmitted(w, 0, notices);
	else
		count_kinds(w, e, n);
	return notices;
}

/*
 * Pass entries to the port, but for frames that are longer than the port can send, which are
 * dropped.
 *
 * @param kept entries; written: those that were not dropped
 * @return number of packets that the port accepted
 */
static unsigned int
port_tx(struct fcn_worker *w, uint16_t p, struct fcn_queue_entry *e, unsigned int *kept)
{
	const struct fcn_worker_port *port = &w->port[p];
	struct rte_mbuf *mbufs[FCN_EGRESS_BURST];
	struct fcn_tx_ring *ring = port->ring;
	const bool captured = fcn_capture_is_on_port(&w->capture, FCN_CAPTURE_TX, p);
	uint8_t trace[FCN_EGRESS_BURST];
	uint16_t segments[FCN_EGRESS_BURST];
	struct fcn_queue_sum any = fcn_queue_sum(e, *kept, mbufs);
	unsigned int sent, n;

	if (unlikely(port->ops->tx_max_frame != NULL)) {
		const uint32_t max_frame = port->ops->tx_max_frame(port->priv);

		if (unlikely(any.max_len > max_frame)) {
			*kept = fcn_drop_oversize(w, p, e, *kept, max_frame);
			if (*kept == 0)
				return 0;
			any = fcn_queue_sum(e, *kept, mbufs);
		}
	}
	n = *kept;
	if (unlikely(any.flags & FCN_ENTRY_DEQUEUE_ACTIONS))
		fcn_depart_run_actions(w, p, e, n);
	if (unlikely(captured))
		fcn_capture_tx(w, p, e, n, FCN_CAPTURE_FORWARDED);
	if (unlikely(any.flags & FCN_ENTRY_TRACED))
		read_traces(w, e, n, trace);
	if (unlikely(ring != NULL))
		read_segments(e, n, segments);
	if (unlikely(any.min_len < FCN_PORT_MIN_FRAME) && port->ops->tx_pad != NULL)
		port->ops->tx_pad(port->priv, mbufs, n);
	sent = port->ops->tx_burst(port->priv, mbufs, n, w->now);
	if (unlikely(captured))
		fcn_capture_tx_done(w, sent);
	if (unlikely(ring != NULL))
		fcn_tx_ring_note(ring, e, segments, sent);
	for (unsigned int i = sent; i < n; i++)
		any.bytes -= e[i].len;
	if (unlikely(any.flags & FCN_ENTRY_NOTICE)) {
		const unsigned int notices = count_notices(w, e, sent, any.flags);

		if (unlikely(w->events != NULL))
			departure_events(w, p, e, notices);
	}
	if (unlikely(any.flags & FCN_ENTRY_TRACED)) {
		for (unsigned int i = 0; i < sent; i++) {
			if (trace[i] != 0)
				fcn_trace_transmit(w, trace[i], p, e[i].flags & FCN_ENTRY_CLASS);
		}
	}
	w->counters[p].tx_packets += sent;
	w->counters[p].tx_bytes += any.bytes;
	return sent;
}

/*
 * Send the packets first that the port did not accept before. Frames above the maximum frame length
 * were not staged, but this length may have changed since.
 *
 * @return number of packets sent or dropped
 */
static __rte_noinline unsigned int
flush_staged(struct fcn_worker *w, uint16_t p, struct fcn_egress *eg)
{
	struct fcn_worker_port *port = &w->port[p];
	unsigned int kept = eg->n_staged, n, gone;

	n = port_tx(w, p, eg->staged, &kept);
	gone = eg->n_staged - kept;
	eg->n_staged = kept;
	if (kept == 0)
		return gone;
	eg->n_staged -= n;
	memmove(eg->staged, eg->staged + n, eg->n_staged * sizeof(eg->staged[0]));
	if (n == 0)
		return gone + fcn_discard_refused(w, p);
	port->refused_ns = 0;
	__atomic_store_n(&port->stalled, false, __ATOMIC_RELAXED);
	return gone + n;
}

/* Send packets from the class queues of a port. @return number of packets sent or dropped */
static unsigned int
drain(struct fcn_worker *w, uint16_t p)
{
	const struct fcn_worker_port *port = &w->port[p];
	const struct fcn_egress_conf *conf = &w->snap->port[p].egress;
	struct fcn_egress *eg = port->egress;
	struct fcn_queue_entry e[FCN_EGRESS_BURST];
	unsigned int sent = 0;

	if (unlikely(w->snap->port[p].down))
		return fcn_discard_down(w, p);
	if (unlikely(eg->n_staged != 0)) {
		sent = flush_staged(w, p, eg);
		if (eg->n_staged != 0)
			return sent;
	}
	for (unsigned int i = 0; i < BURSTS_PER_TURN && eg->backlog != 0; i++) {
		unsigned int room = FCN_EGRESS_BURST, n, kept, accepted;

		if (port->ops->tx_room != NULL)
			room = RTE_MIN(room, port->ops->tx_room(port->priv, w->now));
		if (room == 0)
			break;
		n = fcn_egress_pull(eg, conf, e, room, w->now);
		if (n == 0)
			break;
		if (unlikely(conf->at_dequeue != 0))
			fcn_depart_detect(w, p, e, n);
		kept = n;
		accepted = port_tx(w, p, e, &kept);
		sent += n - kept + accepted;
		if (unlikely(accepted < kept)) {
			memcpy(eg->staged, e + accepted, (kept - accepted) * sizeof(e[0]));
			eg->n_staged = kept - accepted;
			break;
		}
	}
	return sent;
}

/* Count the packets that the queues of a port have above their reserves. Those of lossless classes
 * are on the accounts of their ingress ports. */
static unsigned int
count_over(const struct fcn_egress *eg, uint32_t reserve)
{
	unsigned int over = 0;

	for (unsigned int left = eg->backlog; left != 0; left &= left - 1) {
		const struct fcn_queue *q = &eg->queue[__builtin_ctz(left)];

		over += fcn_buffer_over(fcn_queue_packets(q) - q->lossless, reserve);
	}
	return over;
}

unsigned int
fcn_stage_transmit(struct fcn_worker *w)
{
	unsigned int sent = 0, ports = 0, over = 0;

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		uint16_t p = w->own_port[i];
		struct fcn_worker_port *port = &w->port[p];
		struct fcn_egress *eg = port->egress;

		if (unlikely(port->pausing) && !w->snap->port[p].down)
			sent += fcn_pause_port(w, p);
		if (eg->backlog != 0 || eg->n_staged != 0) {
			sent += drain(w, p);
			ports++;
			if (eg->backlog != 0)
				over += count_over(eg, w->snap->budget.reserve);
		}
		if (unlikely(port->ring != NULL))
			eg->ring_bytes = fcn_tx_ring_bytes(
					port->ring, port->ops->tx_backlog(port->priv));
	}
	w->n_tx_ports = ports;
	over += w->arn_held.flows.packets;
	if (unlikely(w->n_peers != 0))
		over += fcn_cross_core_over(w);
	fcn_packet_use_count(&w->packets, &w->snap->budget, over);
	/*
	 * The departures of this turn may end congestion in any queue. This is checked last,
	 * because accounts and queues do not change any more in this turn.
	 */
	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		uint16_t p = w->own_port[i];

		if (unlikely(w->port[p].egress->congested != 0))
			fcn_congestion_tick(w, p, w->port[p].egress);
	}
	fcn_arn_edge_update(w);
	return sent;
}

/* Get the time at which the link of a port is free. */
static uint64_t
link_ready(const struct fcn_worker_port *port, uint64_t now)
{
	return port->ops->tx_ready != NULL ? port->ops->tx_ready(port->priv, now) : now;
}

/* Get the time at which flow control has work to do. */
static uint64_t
next_pause(const struct fcn_worker *w, const struct fcn_worker_port *port,
		const struct fcn_pause_conf *conf, uint64_t now)
{
	const uint8_t backlog = port->egress->backlog;
	uint64_t next = fcn_pause_next(&port->pause, conf, backlog, now);

	if (next > now)
		return next;
	/* A frame is due. If there is no buffer, it waits until another event frees one. */
	if (unlikely(rte_mempool_empty(w->pool))) {
		struct fcn_pause mute = port->pause;

		mute.pending = 0;
		mute.refresh_at = FCN_PAUSE_NEVER;
		return fcn_pause_next(&mute, conf, backlog, now);
	}
	return RTE_MAX(next, link_ready(port, now)); /* the link may be busy yet */
}

static uint64_t
next_event_of(const struct fcn_worker *w, uint16_t p, uint64_t now)
{
	const struct fcn_worker_port *port = &w->port[p];
	const struct fcn_snapshot_port *conf =
			&__atomic_load_n(w->published, __ATOMIC_ACQUIRE)->port[p];
	const struct fcn_egress *eg = port->egress;
	uint64_t next;

	if (likely((eg->backlog | eg->n_staged | eg->congested) == 0 && !port->pausing))
		return FCN_TIME_NEVER;
	next = fcn_egress_next(eg, &conf->egress, now);
	if (next != FCN_TIME_NEVER)
		next = RTE_MAX(next, link_ready(port, now));
	if (unlikely(eg->dropping & eg->backlog)) /* a turn drops only a part of them */
		return now;
	if (unlikely(conf->down))
		return eg->backlog != 0 || eg->n_staged != 0 ? now : FCN_TIME_NEVER;
	if (unlikely(port->pausing))
		next = RTE_MIN(next, next_pause(w, port, &conf->pause, now));
	for (unsigned int left = eg->congested; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);

		next = RTE_MIN(next, fcn_detector_next(&eg->queue[c].detector,
						     &conf->egress.queue[c].detector));
	}
	return next;
}

/* Whether messages to the proxy wait. While it is off, they stay where they are. */
static bool
proxy_is_pending(const struct fcn_worker *w)
{
	return unlikely(__atomic_load_n(w->published, __ATOMIC_ACQUIRE)->proxy.receive) &&
	       fcn_proxy_is_pending(w);
}

uint64_t
fcn_worker_next_event(const struct fcn_worker *w, uint64_t now)
{
	const uint64_t held = fcn_held_flows_next(&w->arn_held.flows, now);
	uint64_t next = RTE_MAX(w->arn->due_ns, now);

	if (w->injects != NULL && !rte_ring_empty(w->injects))
		return now;
	if (unlikely(fcn_cross_core_is_pending(w) || fcn_lossless_is_waiting(w) ||
			    fcn_arn_order_is_pending(w) || proxy_is_pending(w)))
		return now;
	next = RTE_MIN(next, held);
	if (unlikely(w->proxy.pause_next_ns < next))
		next = RTE_MAX(w->proxy.pause_next_ns, now);
	for (unsigned int i = 0; i < w->n_own_ports; i++)
		next = RTE_MIN(next, next_event_of(w, w->own_port[i], now));
	return next;
}
