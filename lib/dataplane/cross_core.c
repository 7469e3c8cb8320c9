/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cross-core rings: this worker sends packets to the ports of other workers, and receives the
 * packets of other workers for its own ports.
 */

#include "cross_core.h"

#include <rte_malloc.h>

#include "lossless.h"
#include "fcn_stages.h"

/* Packets moved to or from a ring at once. */
#define RING_BURST 32

/*
 * Create the rings in a single allocation, without names, because DPDK supports only a limited
 * number of named rings.
 */
struct fcn_cross_core *
fcn_cross_core_create(unsigned int from, uint16_t port, int socket)
{
	const unsigned int slots = rte_align32pow2(FCN_CROSS_CORE_PACKETS + 1);
	ssize_t ring = rte_ring_get_memsize_elem(sizeof(struct fcn_cross_core_packet), slots);
	const unsigned int pause_slots = rte_align32pow2(FCN_CROSS_CORE_PAUSES + 1);
	ssize_t pauses = rte_ring_get_memsize_elem(
			sizeof(struct fcn_cross_core_pause), pause_slots);
	struct fcn_cross_core *h;
	uint8_t *rings;

	ring = RTE_ALIGN_CEIL(ring, RTE_CACHE_LINE_SIZE);
	h = rte_zmalloc_socket("fcn_cross_core", sizeof(*h) + FCN_CLASSES * ring + pauses,
			RTE_CACHE_LINE_SIZE, socket);
	if (h == NULL)
		return NULL;
	h->from = from;
	h->port = port;
	rings = (uint8_t *)(h + 1);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		h->ring[c] = (struct rte_ring *)(rings + c * ring);
		rte_ring_init(h->ring[c], "cross_core", slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
		h->held_first[c] = FCN_HELD_NONE;
	}
	h->pauses = (struct rte_ring *)(rings + FCN_CLASSES * ring);
	rte_ring_init(h->pauses, "pauses", pause_slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return h;
}

void
fcn_cross_core_free(struct fcn_cross_core *h)
{
	rte_free(h);
}

struct rte_mbuf *
fcn_cross_core_pop(struct fcn_cross_core *h, struct fcn_packet *p)
{
	struct fcn_cross_core_packet item;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (rte_ring_sc_dequeue_elem(h->ring[c], &item, sizeof(item)) != 0)
			continue;
		memcpy(p, item.pkt, sizeof(*p));
		return item.mbuf;
	}
	return NULL;
}

unsigned int
fcn_cross_core_count(const struct fcn_cross_core *h)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += rte_ring_count(h->ring[c]);
	return n;
}

/* Record that the packet has left this worker. The other worker continues its trace. */
static void
close_trace(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];

	if (likely(p->trace == 0))
		return;
	fcn_trace_cross_core_tx(w, p);
	p->trace = 0;
	b->n_traced--;
}

unsigned int
fcn_cross_core_tx(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	const struct fcn_packet *first = &b->pkt[from];
	struct fcn_cross_core *h = w->port[first->out_port].cross_core;
	const uint64_t key = fcn_packet_egress_key(first);
	const uint8_t class = first->class;
	struct fcn_cross_core_packet item[RING_BURST];
	unsigned int n = 0, n_put;

	if (unlikely(first->flags & FCN_PACKET_LOSSLESS)) {
		while (from + n < b->n && b->mbuf[from + n] != NULL &&
				fcn_packet_egress_key(&b->pkt[from + n]) == key)
			n++;
		fcn_lossless_cross_core_tx(w, b, from, n);
		return n;
	}
	do {
		item[n].mbuf = b->mbuf[from + n];
		memcpy(item[n].pkt, &b->pkt[from + n], sizeof(item[n].pkt));
		n++;
	} while (n < RING_BURST && from + n < b->n && b->mbuf[from + n] != NULL &&
			fcn_packet_egress_key(&b->pkt[from + n]) == key);
	if (unlikely(b->n_traced != 0))
		fcn_trace_stamp(w, b, from, n);
	n_put = rte_ring_sp_enqueue_burst_elem(h->ring[class], item, sizeof(item[0]), n, NULL);
	for (unsigned int i = 0; i < n_put; i++) {
		close_trace(w, b, from + i);
		b->mbuf[from + i] = NULL;
	}
	for (unsigned int i = n_put; i < n; i++)
		fcn_drop(w, b, from + i, FCN_DROP_CROSS_CORE_FULL);
	if (likely(n_put != 0)) {
		w->cross_core_tx += n_put;
		if (unlikely(first->flags & FCN_PACKET_NOTICE))
			w->notice_accounting[fcn_packet_notice_kind(first)].cross_core_tx += n_put;
		__atomic_fetch_or(&h->pending, 1u << class, __ATOMIC_RELEASE);
	}
	return n;
}

/*
 * Clear the counters of this worker, if the sender of packets that were just taken from a ring has
 * cleared its own. If the sender did so before it sent the packets, this worker sees the raised
 * number of w->clears, because the ring orders the memory accesses of both workers. It then clears
 * its own counters before it counts these packets. Packets that are already in the burst are not in
 * a queue yet, but count as received (cross_core_rx).
 */
static inline void
clear_first(struct fcn_worker *w, const struct fcn_burst *b)
{
	if (likely(w->clears == NULL || __atomic_load_n(w->clears, __ATOMIC_RELAXED) == w->cleared))
		return;
	fcn_worker_clear_counters_once(w);
	w->carried += b->n;
}

/* Take packets from a ring as far as the burst has room. @return whether the ring is empty now */
static bool
rx_ring(struct fcn_worker *w, const struct fcn_cross_core *h, unsigned int class,
		struct fcn_burst *b)
{
	struct fcn_cross_core_packet item[RING_BURST];
	unsigned int want, n;

	do {
		want = RTE_MIN((unsigned int)RING_BURST, (unsigned int)FCN_BURST_MAX - b->n);
		n = rte_ring_sc_dequeue_burst_elem(
				h->ring[class], item, sizeof(item[0]), want, NULL);
		clear_first(w, b);
		for (unsigned int i = 0; i < n; i++) {
			struct fcn_packet *p = &b->pkt[b->n];

			rte_prefetch0(item[i].mbuf);
			memcpy(p, item[i].pkt, sizeof(*p));
			b->mbuf[b->n] = item[i].mbuf;
			if (p->flags & FCN_PACKET_NOTICE)
				w->notice_accounting[fcn_packet_notice_kind(p)].cross_core_rx++;
			if (unlikely(p->trace != 0)) {
				p->trace = fcn_trace_cross_core_rx(
						w, item[i].mbuf, h->from, p->trace);
				b->n_traced += p->trace != 0;
			}
			b->n++;
		}
		w->cross_core_rx += n;
	} while (n == want && b->n < FCN_BURST_MAX);
	return n < want;
}

/*
 * Obey pauses that another worker received for a port of this one, from the time of their
 * reception.
 */
static __rte_noinline void
rx_pauses(struct fcn_worker *w, struct fcn_cross_core *h)
{
	struct fcn_worker_port *port = &w->port[h->port];
	struct fcn_cross_core_pause pause;

	while (rte_ring_sc_dequeue_elem(h->pauses, &pause, sizeof(pause)) == 0) {
		fcn_pause_receive(&port->pause, &w->snap->port[h->port].pause, pause.link,
				pause.priorities, pause.quanta, RTE_MIN(pause.time_ns, w->now));
		port->pausing = true;
	}
}

/*
 * Take packets of all classes, the highest class first. When the burst is full, the others wait for
 * the next one.
 */
static void
rx_from(struct fcn_worker *w, struct fcn_cross_core *h, struct fcn_burst *b)
{
	uint16_t pending;

	if (likely(__atomic_load_n(&h->pending, __ATOMIC_RELAXED) == 0))
		return;
	pending = __atomic_exchange_n(&h->pending, 0, __ATOMIC_ACQUIRE);
	if (unlikely(pending & FCN_CROSS_CORE_PAUSE)) {
		rx_pauses(w, h);
		pending &= ~FCN_CROSS_CORE_PAUSE;
	}
	for (unsigned int c = FCN_CLASSES; c-- > 0;) {
		if (pending >> c & 1 && b->n < FCN_BURST_MAX && rx_ring(w, h, c, b))
			pending &= ~(1u << c);
	}
	if (unlikely(pending != 0))
		__atomic_fetch_or(&h->pending, pending, __ATOMIC_RELEASE);
}

void
fcn_stage_cross_core_rx(struct fcn_worker *w, struct fcn_burst *b)
{
	unsigned int next = w->incoming_first;

	b->n = 0;
	b->n_traced = 0;
	for (unsigned int k = 0; k < w->n_incoming && b->n < FCN_BURST_MAX; k++) {
		rx_from(w, w->incoming[next], b);
		next = next + 1 < w->n_incoming ? next + 1 : 0;
	}
	w->incoming_first = next;
}

bool
fcn_cross_core_is_pending(const struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_incoming; k++) {
		if (__atomic_load_n(&w->incoming[k]->pending, __ATOMIC_RELAXED) != 0)
			return true;
	}
	return false;
}

void
fcn_cross_core_rx_pauses(struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_incoming; k++) {
		struct fcn_cross_core *h = w->incoming[k];

		if (likely(!(__atomic_load_n(&h->pending, __ATOMIC_RELAXED) &
				    FCN_CROSS_CORE_PAUSE)))
			continue;
		__atomic_fetch_and(&h->pending, (uint16_t)~FCN_CROSS_CORE_PAUSE, __ATOMIC_ACQUIRE);
		rx_pauses(w, h);
	}
}
