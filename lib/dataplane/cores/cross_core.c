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

/* Slots that are loaded into the cache ahead of the one in use. */
#define AHEAD 8

/*
 * Create the rings in a single allocation. Rings of DPDK have names, of which there is only a
 * limited number.
 */
struct fcn_cross_core *
fcn_cross_core_create(unsigned int from, uint16_t port, int socket)
{
	const size_t slots = FCN_CLASSES * FCN_CROSS_CORE_SLOTS *
			     sizeof(struct fcn_cross_core_packet);
	const unsigned int pause_slots = rte_align32pow2(FCN_CROSS_CORE_PAUSES + 1);
	ssize_t pauses = rte_ring_get_memsize_elem(
			sizeof(struct fcn_cross_core_pause), pause_slots);
	struct fcn_cross_core *h;

	_Static_assert(sizeof(struct fcn_cross_core_packet) % RTE_CACHE_LINE_SIZE == 0 ||
					RTE_CACHE_LINE_SIZE > sizeof(struct fcn_packet),
			"no packet shares a line with another");
	h = rte_zmalloc_socket(
			"fcn_cross_core", sizeof(*h) + slots + pauses, RTE_CACHE_LINE_SIZE, socket);
	if (h == NULL)
		return NULL;
	h->from = from;
	h->port = port;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		h->held_first[c] = FCN_HELD_NONE;
	h->slots = (struct fcn_cross_core_packet *)(h + 1);
	h->pauses = (struct rte_ring *)((uint8_t *)h->slots + slots);
	rte_ring_init(h->pauses, "pauses", pause_slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return h;
}

void
fcn_cross_core_free(struct fcn_cross_core *h)
{
	rte_free(h);
}

/* For the owner: get the number of packets on a ring. */
static inline unsigned int
waiting(const struct fcn_cross_core *h, unsigned int class)
{
	return __atomic_load_n(&h->tail[class], __ATOMIC_ACQUIRE) - h->head[class];
}

struct rte_mbuf *
fcn_cross_core_pop(struct fcn_cross_core *h, struct fcn_packet *p)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct rte_mbuf *m;

		if (waiting(h, c) == 0)
			continue;
		m = fcn_cross_core_unpack(fcn_cross_core_slot(h, c, h->head[c]), p);
		__atomic_store_n(&h->head[c], h->head[c] + 1, __ATOMIC_RELEASE);
		return m;
	}
	return NULL;
}

unsigned int
fcn_cross_core_count_class(const struct fcn_cross_core *h, unsigned int class)
{
	/* The head first: packets that are put and taken meanwhile do not make the result negative.
	 */
	uint32_t head = __atomic_load_n(&h->head[class], __ATOMIC_ACQUIRE);

	return __atomic_load_n(&h->tail[class], __ATOMIC_ACQUIRE) - head;
}

unsigned int
fcn_cross_core_count(const struct fcn_cross_core *h)
{
	unsigned int n = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += fcn_cross_core_count_class(h, c);
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
	const uint32_t filled = h->filled[class];
	unsigned int n = 0, n_put;

	do {
		n++;
	} while (from + n < b->n && b->mbuf[from + n] != NULL &&
			fcn_packet_egress_key(&b->pkt[from + n]) == key);
	if (unlikely(first->flags & FCN_PACKET_LOSSLESS)) {
		fcn_lossless_cross_core_tx(w, b, from, n);
		return n;
	}
	n_put = RTE_MIN(n, fcn_cross_core_room(h, class, n));
	if (unlikely(b->n_traced != 0))
		fcn_trace_stamp(w, b, from, n);
	for (unsigned int i = 0; i < n_put; i++) {
		rte_prefetch0_write(fcn_cross_core_slot(h, class, filled + i + AHEAD));
		fcn_cross_core_pack(fcn_cross_core_slot(h, class, filled + i), &b->pkt[from + i],
				b->mbuf[from + i]);
	}
	for (unsigned int i = 0; i < n_put; i++) {
		close_trace(w, b, from + i);
		b->mbuf[from + i] = NULL;
	}
	if (likely(n_put != 0)) {
		h->filled[class] = filled + n_put;
		w->unsent_ports |= UINT64_C(1) << h->port;
		w->cross_core_tx += n_put;
		if (unlikely(first->flags & FCN_PACKET_NOTICE))
			w->notice_accounting[first->notice_kind].cross_core_tx += n_put;
	}
	for (unsigned int i = n_put; i < n; i++)
		fcn_drop(w, b, from + i, FCN_DROP_CROSS_CORE_FULL);
	return n;
}

void
fcn_cross_core_flush(struct fcn_worker *w)
{
	for (uint64_t ports = w->unsent_ports; ports != 0; ports &= ports - 1)
		fcn_cross_core_publish(w->port[__builtin_ctzll(ports)].cross_core);
	w->unsent_ports = 0;
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
rx_ring(struct fcn_worker *w, struct fcn_cross_core *h, unsigned int class, struct fcn_burst *b)
{
	const unsigned int there = waiting(h, class);
	const unsigned int n = RTE_MIN(there, (unsigned int)FCN_BURST_MAX - b->n);
	const uint32_t head = h->head[class];

	if (there == 0)
		return true;
	for (unsigned int i = 0; i < RTE_MIN(n, (unsigned int)AHEAD); i++)
		rte_prefetch0(fcn_cross_core_slot(h, class, head + i));
	clear_first(w, b);
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_packet *p = &b->pkt[b->n];
		struct rte_mbuf *m;

		if (i + AHEAD < n)
			rte_prefetch0(fcn_cross_core_slot(h, class, head + i + AHEAD));
		m = fcn_cross_core_unpack(fcn_cross_core_slot(h, class, head + i), p);
		rte_prefetch0(m);
		b->mbuf[b->n] = m;
		if (p->flags & FCN_PACKET_NOTICE)
			w->notice_accounting[p->notice_kind].cross_core_rx++;
		if (unlikely(p->trace != 0)) {
			p->trace = fcn_trace_cross_core_rx(w, m, h->from, p->trace);
			b->n_traced += p->trace != 0;
		}
		b->n++;
	}
	__atomic_store_n(&h->head[class], head + n, __ATOMIC_RELEASE);
	w->cross_core_rx += n;
	return n == there;
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
		h->n_pauses_taken++;
		fcn_pause_receive(&port->pause, &w->snap->port[h->port].pause, pause.link,
				pause.priorities, pause.quanta, RTE_MIN(pause.time_ns, w->now));
		port->pausing = true;
	}
}

static inline bool
has_pauses(const struct fcn_cross_core *h)
{
	return __atomic_load_n(&h->n_pauses, __ATOMIC_ACQUIRE) != h->n_pauses_taken;
}

/*
 * Take packets of all classes, the highest class first. When the burst is full, the others wait for
 * the next one.
 */
static void
rx_from(struct fcn_worker *w, struct fcn_cross_core *h, struct fcn_burst *b)
{
	const uint32_t sent = __atomic_load_n(&h->sent, __ATOMIC_ACQUIRE);
	bool all = true;

	if (likely(sent == h->seen))
		return;
	if (unlikely(has_pauses(h)))
		rx_pauses(w, h);
	for (unsigned int c = FCN_CLASSES; c-- > 0;)
		all &= rx_ring(w, h, c, b);
	if (likely(all))
		h->seen = sent;
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
		const struct fcn_cross_core *h = w->incoming[k];

		if (__atomic_load_n(&h->sent, __ATOMIC_RELAXED) != h->seen)
			return true;
	}
	return false;
}

void
fcn_cross_core_rx_pauses(struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_incoming; k++) {
		if (unlikely(has_pauses(w->incoming[k])))
			rx_pauses(w, w->incoming[k]);
	}
}
