/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "lossless.h"

#include <errno.h>

#include <rte_malloc.h>

#define LOSS_EVENT_NS 1000000

/* Packets held back that are moved to a ring at a time. */
#define SEND_HELD_BURST FCN_BURST_MAX

/* Without a budget of packet buffers, packets are only counted. */
static const struct fcn_ingress_conf any_packets = {.xoff = UINT32_MAX, .xon = UINT32_MAX};

/* ---- accounts ---- */

static inline const struct fcn_ingress_conf *
packets_conf(const struct fcn_snapshot *s, uint16_t port, uint8_t class)
{
	return unlikely(s->budget.packets.size == 0) ? &any_packets
						     : &s->port[port].ingress_packets[class];
}

static inline bool
is_xoff(const struct fcn_worker *w, uint16_t port, uint8_t class)
{
	return w->ingress[port][class].xoff | w->ingress_packets[port][class].xoff;
}

/* Change whether the sender on a port is to be paused. */
static void
set_xoff(struct fcn_worker *w, uint16_t port, uint8_t class, bool xoff)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = xoff ? FCN_EVENT_PFC_XOFF : FCN_EVENT_PFC_XON,
			.class = class,
			.level = FCN_LEVEL_NONE,
			.port = port,
			.in_port = port,
			.occupancy = w->ingress[port][class].used,
	};

	fcn_pause_publish(w, port, class, xoff);
	fcn_worker_event(w, &ev);
}

/* Push at most one event about losses in a millisecond. */
static void
loss_event(struct fcn_worker *w, uint16_t parent, uint8_t class)
{
	uint64_t *last_ns = &w->loss_event_ns[parent][class];
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_LOSSLESS_LOSS,
			.class = class,
			.level = FCN_LEVEL_NONE,
			.port = parent,
			.in_port = parent,
			.occupancy = w->ingress[parent][class].used,
	};

	if (*last_ns != 0 && w->now - *last_ns < LOSS_EVENT_NS)
		return;
	*last_ns = RTE_MAX(w->now, (uint64_t)1);
	fcn_worker_event(w, &ev);
}

/* Charge both parts of an account, or none. @return FCN_QUEUE_ACCEPTED, or which part is full */
static enum fcn_queue_verdict
charge(struct fcn_worker *w, uint16_t port, uint8_t class, uint32_t len)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_ingress_conf *conf = packets_conf(s, port, class);
	struct fcn_ingress *packets = &w->ingress_packets[port][class];

	if (unlikely(!fcn_ingress_charge(
			    packets, conf, &w->packets.packets, &s->budget.packets, 1))) {
		w->ingress[port][class].lost_packets++;
		w->ingress[port][class].lost_bytes += len;
		return FCN_REFUSED_LOSSLESS_BUFFERS;
	}
	if (likely(fcn_ingress_charge(&w->ingress[port][class], &s->port[port].ingress[class],
			    &w->buffer, &s->buffer, len)))
		return FCN_QUEUE_ACCEPTED;
	fcn_ingress_release(packets, conf, &w->packets.packets, &s->budget.packets, 1);
	return FCN_REFUSED_LOSSLESS_HEADROOM;
}

enum fcn_queue_verdict
fcn_lossless_charge(struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len)
{
	const bool was_xoff = is_xoff(w, parent, class);
	const enum fcn_queue_verdict v = charge(w, parent, class, len);

	if (unlikely(is_xoff(w, parent, class) != was_xoff))
		set_xoff(w, parent, class, true);
	if (unlikely(v != FCN_QUEUE_ACCEPTED))
		loss_event(w, parent, class);
	return v;
}

bool
fcn_lossless_admits_all(const struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t bytes,
		uint32_t n)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_ingress *packets = &w->ingress_packets[parent][class];

	if (unlikely(!fcn_ingress_admits_all(&w->ingress[parent][class],
			    &s->port[parent].ingress[class], &w->buffer, &s->buffer, bytes)))
		return false;
	return likely(packets->headroom == 0 && packets->used + n < w->packets.quiet) ||
	       fcn_ingress_admits_all(packets, packets_conf(s, parent, class), &w->packets.packets,
			       &s->budget.packets, n);
}

void
fcn_lossless_add_all(
		struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t bytes, uint32_t n)
{
	/* Only the reserve matters here; it is 0 without a budget. */
	const struct fcn_ingress_conf *conf = &w->snap->port[parent].ingress_packets[class];
	struct fcn_ingress *packets = &w->ingress_packets[parent][class];

	fcn_ingress_add_all(&w->ingress[parent][class], &w->snap->port[parent].ingress[class],
			&w->buffer, bytes);
	/* Highest values of packets are those at the ends of turns. */
	w->packets.packets.shared_used += fcn_ingress_more(packets, conf, n);
	packets->used += n;
}

void
fcn_lossless_lost(struct fcn_worker *w, uint16_t parent, uint8_t class, uint32_t len)
{
	w->ingress[parent][class].lost_packets++;
	w->ingress[parent][class].lost_bytes += len;
	loss_event(w, parent, class);
}

/* Remove n packets of so many bytes from an account of this worker. */
static void
release(struct fcn_worker *w, uint16_t port, uint8_t class, uint32_t bytes, uint32_t n)
{
	const struct fcn_snapshot *s = w->snap;
	const bool was_xoff = is_xoff(w, port, class);
	struct fcn_ingress *packets = &w->ingress_packets[port][class];

	if (likely(fcn_ingress_is_relaxed(packets)))
		fcn_ingress_remove(packets, &s->port[port].ingress_packets[class],
				&w->packets.packets, n);
	else
		fcn_ingress_release(packets, packets_conf(s, port, class), &w->packets.packets,
				&s->budget.packets, n);
	fcn_ingress_release(&w->ingress[port][class], &s->port[port].ingress[class], &w->buffer,
			&s->buffer, bytes);
	if (unlikely(is_xoff(w, port, class) != was_xoff))
		set_xoff(w, port, class, false);
}

/* Report packets that have left a queue to the worker that has their account. */
static __rte_noinline void
report_released(struct fcn_worker *w, uint16_t owner, uint16_t port, uint8_t class, uint32_t bytes,
		uint32_t n)
{
	struct fcn_released *r = w->peer[owner - (owner > w->index)].released_tx;

	__atomic_store_n(&r->bytes[port][class], r->bytes[port][class] + bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&r->packets[port][class], r->packets[port][class] + n, __ATOMIC_RELAXED);
	fcn_port_set_add_atomic(&r->dirty, port);
}

void
fcn_lossless_release(struct fcn_worker *w, const struct rte_mbuf *m, uint8_t class, uint32_t len)
{
	const struct fcn_queued *queued = fcn_queued_of(w, m);
	const uint16_t owner = queued->account;

	if (likely(owner == w->index))
		release(w, queued->in_port, class, len, 1);
	else
		report_released(w, owner, queued->in_port, class, len, 1);
}

unsigned int
fcn_lossless_release_run(struct fcn_worker *w, struct fcn_queue_entry *e, unsigned int n)
{
	const uint16_t mask = FCN_ENTRY_CLASS | FCN_ENTRY_DEQUEUE_ACTIONS;
	const uint16_t same = e[0].flags & mask;
	const uint8_t class = same & FCN_ENTRY_CLASS;
	const struct fcn_queued *first = fcn_queued_of(w, e[0].mbuf);
	const uint16_t owner = first->account, port = first->in_port;
	const bool own = owner == w->index;
	unsigned int i = 0;
	uint32_t bytes = 0;

	/* If the sender may resume, it matters with which packet, which an event reports. */
	if (unlikely(own && !(fcn_ingress_is_relaxed(&w->ingress[port][class]) &&
					    fcn_ingress_is_relaxed(
							    &w->ingress_packets[port][class])))) {
		release(w, port, class, e[0].len, 1);
		e[0].flags &= ~FCN_ENTRY_DEQUEUE_ACTIONS;
		return 1;
	}
	for (; i < n && (e[i].flags & mask) == same; i++) {
		const struct fcn_queued *queued = fcn_queued_of(w, e[i].mbuf);

		if (queued->account != owner || queued->in_port != port)
			break;
		bytes += e[i].len;
		e[i].flags &= ~FCN_ENTRY_DEQUEUE_ACTIONS;
	}
	if (likely(own))
		release(w, port, class, bytes, i);
	else
		report_released(w, owner, port, class, bytes, i);
	return i;
}

/* Remove the bytes that another worker reported as released from the accounts of this worker. */
static void
release_reported(struct fcn_worker *w, struct fcn_released *r)
{
	const struct fcn_port_set ports = fcn_port_set_take_atomic(&r->dirty);

	FCN_PORT_SET_FOREACH (port, &ports) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			uint64_t bytes = __atomic_load_n(&r->bytes[port][c], __ATOMIC_RELAXED);
			uint32_t packets = __atomic_load_n(&r->packets[port][c], __ATOMIC_RELAXED);
			uint32_t left = (uint32_t)(bytes - r->seen[port][c]);
			uint32_t n = packets - r->seen_packets[port][c];

			r->seen[port][c] = bytes;
			r->seen_packets[port][c] = packets;
			/* Of a packet that leaves just now, one of the two may be seen later. */
			if ((left | n) != 0)
				release(w, port, c, left, n);
		}
	}
	fcn_held_flows_retry(&w->arn_held.flows); /* the shared buffer has room again */
}

/* ---- packets that are held back ---- */

int
fcn_lossless_init(struct fcn_worker *w)
{
	w->held.packet = rte_zmalloc_socket("fcn_held", FCN_HELD_PACKETS * sizeof(*w->held.packet),
			RTE_CACHE_LINE_SIZE, w->socket);
	if (w->held.packet == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < FCN_HELD_PACKETS; i++)
		w->held.packet[i].next = i + 1 < FCN_HELD_PACKETS ? i + 1 : FCN_HELD_NONE;
	w->held.first_free = 0;
	return 0;
}

void
fcn_lossless_fini(struct fcn_worker *w)
{
	rte_free(w->held.packet);
	w->held.packet = NULL;
}

/* Get the index in `peer` of the worker that a ring goes to. */
static inline unsigned int
peer_of(const struct fcn_worker *w, const struct fcn_cross_core *h)
{
	return h->to - (h->to > w->index);
}

/* Append an element to the list of a class. */
static void
append_held(struct fcn_worker *w, struct fcn_cross_core *h, uint8_t class, uint32_t i)
{
	w->held.packet[i].next = FCN_HELD_NONE;
	if (h->held_first[class] == FCN_HELD_NONE)
		h->held_first[class] = i;
	else
		w->held.packet[h->held_last[class]].next = i;
	h->held_last[class] = i;
}

static void
free_held(struct fcn_worker *w, uint32_t i)
{
	w->held.packet[i].next = w->held.first_free;
	w->held.first_free = i;
	w->held.n--;
}

static void
hold(struct fcn_worker *w, struct fcn_cross_core *h, const struct fcn_packet *p, struct rte_mbuf *m)
{
	const uint8_t class = p->class;
	const uint32_t i = w->held.first_free;
	struct fcn_held *held = &w->held.packet[i];

	w->held.first_free = held->next;
	w->held.n++;
	held->packet = *p;
	held->mbuf = m;
	append_held(w, h, class, i);
	w->held.peers |= UINT32_C(1) << peer_of(w, h);
}

static void
unhold(struct fcn_worker *w, struct fcn_cross_core *h, uint8_t class)
{
	const uint32_t i = h->held_first[class];

	h->held_first[class] = w->held.packet[i].next;
	free_held(w, i);
}

static bool
put(struct fcn_worker *w, struct fcn_cross_core *h, const struct fcn_packet *p, struct rte_mbuf *m)
{
	if (fcn_cross_core_room(h, p, 1) == 0)
		return false;
	fcn_cross_core_put(h, p, m);
	w->cross_core_tx++;
	return true;
}

/*
 * Move the packets of one class in order, as far as the ring has room.
 *
 * @return whether some are left
 */
static bool
send_held_of_class(struct fcn_worker *w, struct fcn_cross_core *h, uint8_t class)
{
	for (unsigned int n = 0; h->held_first[class] != FCN_HELD_NONE && n < SEND_HELD_BURST;
			n++) {
		const struct fcn_held *held = &w->held.packet[h->held_first[class]];

		if (!put(w, h, &held->packet, held->mbuf))
			return true;
		unhold(w, h, class);
	}
	return h->held_first[class] != FCN_HELD_NONE;
}

static __rte_noinline void
send_held(struct fcn_worker *w)
{
	for (uint32_t peers = w->held.peers; peers != 0; peers &= peers - 1) {
		const unsigned int k = __builtin_ctz(peers);
		bool some = false;

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			some |= send_held_of_class(w, w->peer[k].cross_core_tx, c);
		if (!some)
			w->held.peers &= ~(UINT32_C(1) << k);
	}
}

void
fcn_lossless_poll(struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (unlikely(!fcn_port_set_is_empty_atomic(&w->peer[i].released_rx->dirty)))
			release_reported(w, w->peer[i].released_rx);
	}
	if (unlikely(w->held.peers != 0))
		send_held(w);
}

bool
fcn_lossless_is_waiting(const struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (!fcn_port_set_is_empty_atomic(&w->peer[i].released_rx->dirty))
			return true;
	}
	return w->held.peers != 0;
}

/* Pause the sender before the last element is used, however few bytes it has sent. */
static void
pause_early(struct fcn_worker *w, uint16_t parent, uint8_t class)
{
	struct fcn_ingress *in = &w->ingress[parent][class];

	if (likely(w->held.n <= FCN_HELD_PACKETS / 2) || is_xoff(w, parent, class))
		return;
	in->xoff = true;
	set_xoff(w, parent, class, true);
}

static void
tx_one(struct fcn_worker *w, struct fcn_cross_core *h, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	const uint16_t parent = fcn_parent_port_of(w, p);
	const bool straight = h->held_first[p->class] == FCN_HELD_NONE &&
			      fcn_cross_core_room(h, p, 1) != 0;
	struct fcn_packet handed;
	enum fcn_queue_verdict v;

	if (unlikely(!straight && w->held.first_free == FCN_HELD_NONE)) {
		fcn_lossless_lost(w, parent, p->class, m->pkt_len);
		fcn_drop(w, b, i, FCN_DROP_CROSS_CORE_FULL);
		return;
	}
	v = fcn_lossless_charge(w, parent, p->class, m->pkt_len);
	if (unlikely(v != FCN_QUEUE_ACCEPTED)) {
		fcn_drop(w, b, i, fcn_drop_of_refusal(v));
		return;
	}
	fcn_queued_of(w, m)->in_port = parent;
	fcn_queued_of(w, m)->account = w->index;
	p->flags |= FCN_PACKET_ACCOUNTED;
	if (unlikely(p->trace != 0))
		fcn_trace_stamp(w, b, i, 1);
	handed = *p;
	if (unlikely(p->trace != 0)) {
		fcn_trace_cross_core_tx(w, p);
		p->trace = 0;
		b->n_traced--;
	}
	b->mbuf[i] = NULL;
	if (likely(straight) && put(w, h, &handed, m))
		return;
	hold(w, h, &handed, m);
	pause_early(w, parent, p->class);
}

void
fcn_lossless_cross_core_tx(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int n)
{
	struct fcn_cross_core *h = w->port[b->pkt[from].out_port].cross_core;

	for (unsigned int i = from; i < from + n; i++)
		tx_one(w, h, b, i);
}

static void
drop_held(struct fcn_worker *w, const struct fcn_held *held)
{
	const struct fcn_packet *p = &held->packet;
	struct rte_mbuf *m = held->mbuf;

	release(w, fcn_queued_of(w, m)->in_port, p->class, m->pkt_len, 1);
	w->counters[p->in_port].drop[FCN_DROP_PORT_GONE]++;
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
		fcn_capture_drop(w, m, p, FCN_DROP_PORT_GONE);
	rte_pktmbuf_free(m);
}

void
fcn_lossless_drop_held(struct fcn_worker *w, struct fcn_cross_core *h, uint16_t port)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		uint32_t i = h->held_first[c];

		/* All are taken out of the list, and those for other ports are put in again. */
		h->held_first[c] = FCN_HELD_NONE;
		while (i != FCN_HELD_NONE) {
			struct fcn_held *held = &w->held.packet[i];
			const uint32_t next = held->next;

			if (held->packet.out_port == port) {
				drop_held(w, held);
				free_held(w, i);
			} else {
				append_held(w, h, c, i);
			}
			i = next;
		}
	}
}
