/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cross-core rings: this worker sends packets to the ports of other workers. The packets of other
 * workers for its own ports are taken from the rings in plain/take.c.
 */

#include "cross_core.h"

#include <rte_malloc.h>

#include "lossless.h"
#include "fcn_stages.h"

/* Buffers that are loaded before they are received into: more would not stay in the cache. */
#define BUFFERS_AHEAD 64

/*
 * Create a ring in a single allocation. Rings of DPDK have names, of which there is only a limited
 * number.
 */
struct fcn_cross_core *
fcn_cross_core_create(unsigned int to, int socket)
{
	const size_t slots = FCN_CROSS_CORE_SLOTS * sizeof(struct fcn_queue_entry);
	const size_t beside = FCN_CROSS_CORE_SLOTS * sizeof(struct fcn_packet);
	const unsigned int pause_slots = rte_align32pow2(FCN_CROSS_CORE_PAUSES + 1);
	ssize_t pauses = rte_ring_get_memsize_elem(
			sizeof(struct fcn_cross_core_pause), pause_slots);
	struct fcn_cross_core *h;

	_Static_assert(FCN_CROSS_CORE_SLOTS * sizeof(struct fcn_queue_entry) %
							RTE_CACHE_LINE_SIZE ==
					0,
			"what follows the slots begins with a line");
	h = rte_zmalloc_socket("fcn_cross_core", sizeof(*h) + slots + beside + pauses,
			RTE_CACHE_LINE_SIZE, socket);
	if (h == NULL)
		return NULL;
	h->to = to;
	h->limit = FCN_CROSS_CORE_SLOTS;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		h->held_first[c] = FCN_HELD_NONE;
	h->slots = (struct fcn_queue_entry *)(h + 1);
	h->beside = (struct fcn_packet *)((uint8_t *)h->slots + slots);
	h->pauses = (struct rte_ring *)((uint8_t *)h->beside + beside);
	rte_ring_init(h->pauses, "pauses", pause_slots, RING_F_SP_ENQ | RING_F_SC_DEQ);
	return h;
}

void
fcn_cross_core_free(struct fcn_cross_core *h)
{
	rte_free(h);
}

unsigned int
fcn_cross_core_count(const struct fcn_cross_core *h)
{
	/* The head first: packets that are put and taken meanwhile do not make the result negative.
	 */
	const uint32_t head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
	const uint32_t n_gone = __atomic_load_n(&h->n_gone, __ATOMIC_RELAXED);

	return __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE) - head - n_gone;
}

/* Count the packets on the ring by port. The entries from `counted_head` on have to be there still.
 */
static void
count_by_port(struct fcn_cross_core *h)
{
	for (; h->counted_filled != h->filled; h->counted_filled++)
		h->counted[fcn_ready_where(fcn_cross_core_slot(h, h->counted_filled)) >> 8]++;
	for (; h->counted_head != h->seen_head; h->counted_head++)
		h->counted[fcn_ready_where(fcn_cross_core_slot(h, h->counted_head)) >> 8]--;
}

/*
 * Get the number of packets n that a port may put on the ring which has `on_ring` there, with
 * `left` slots for packets of this class: on_ring + n <= 2 * (left - n), rounded up.
 */
static inline uint32_t
share_of(uint32_t left, uint32_t on_ring)
{
	return 2 * left > on_ring ? (2 * left - on_ring + 2) / 3 : 0;
}

uint32_t
fcn_cross_core_share(struct fcn_cross_core *h, const struct fcn_packet *p, uint32_t wanted)
{
	uint32_t most = fcn_cross_core_most(p->class, p->flags);
	/* Lossless packets wait in one list for all ports, so a share would hold back the others,
	 * too. */
	const uint16_t exempt = FCN_PACKET_NOTICE | FCN_PACKET_OWN | FCN_PACKET_LOSSLESS;
	uint32_t used, left, n;

	h->seen_head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
	/* This function is called once in a round of the ring at least, so nothing older is
	 * counted. */
	if (unlikely(h->filled - h->counted_head > FCN_CROSS_CORE_SLOTS)) {
		h->counted_head = h->counted_filled = h->seen_head;
		memset(h->counted, 0, sizeof(h->counted));
	}
	if (!(p->flags & FCN_PACKET_LOSSLESS))
		most = RTE_MIN(most, h->limit);
	used = h->filled - h->seen_head;
	left = used < most ? most - used : 0;
	if (h->n_ports < 2 || p->flags & exempt)
		return left;
	n = share_of(left, used); /* if all were to this port */
	if (likely(n >= wanted))
		return n;
	count_by_port(h);
	return share_of(left, h->counted[p->out_port]);
}

uint32_t
fcn_cross_core_over(struct fcn_worker *w)
{
	const uint32_t limit = FCN_CROSS_CORE_QUIET + w->packets.shared_free;
	uint32_t over = 0;

	for (unsigned int k = 0; k < w->n_peers; k++) {
		struct fcn_cross_core *h = w->peer[k].cross_core_tx;
		uint32_t used = h->filled - h->seen_head;

		if (unlikely(used > FCN_CROSS_CORE_QUIET)) {
			used = h->filled - __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
			over += fcn_buffer_over(used, FCN_CROSS_CORE_QUIET);
		}
		h->limit = RTE_MIN(limit, (uint32_t)FCN_CROSS_CORE_SLOTS);
	}
	return over;
}

/* Drop the packet of an entry that was not taken from its ring in the usual way. */
static void
drop_entry(struct fcn_worker *w, const struct fcn_cross_core *h, uint32_t n)
{
	/* The worker may not have had a turn yet. */
	const struct fcn_snapshot *s = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);
	struct fcn_queue_entry *e = fcn_cross_core_slot(h, n);
	struct fcn_packet p;

	if (e->flags & FCN_READY_BESIDE)
		p = *fcn_cross_core_beside(h, n);
	else
		p = fcn_ready_packet(s, e);
	w->cross_core_rx++;
	if (p.flags & FCN_PACKET_ACCOUNTED)
		fcn_lossless_release(w, e->mbuf, p.class, e->mbuf->pkt_len);
	if (p.flags & FCN_PACKET_NOTICE) {
		struct fcn_notice_accounting *l = &w->notice_accounting[p.notice_kind];

		l->cross_core_rx++;
		l->lost[FCN_DROP_PORT_GONE]++;
	}
	w->counters[p.in_port].drop[FCN_DROP_PORT_GONE]++;
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
		fcn_capture_drop(w, e->mbuf, &p, FCN_DROP_PORT_GONE);
	rte_pktmbuf_free(e->mbuf);
	e->mbuf = NULL;
	e->flags = FCN_READY_GONE; /* the sender may read at any time which port it was for */
}

void
fcn_cross_core_drop(struct fcn_worker *w, struct fcn_cross_core *h, uint16_t port)
{
	const uint32_t n = fcn_cross_core_waiting(h);
	uint32_t n_gone = h->n_gone;

	for (uint32_t i = h->head; i != h->head + n; i++) {
		const struct fcn_queue_entry *e = fcn_cross_core_slot(h, i);

		if (e->flags & FCN_READY_GONE || fcn_ready_where(e) >> 8 != port)
			continue;
		drop_entry(w, h, i);
		n_gone++;
	}
	__atomic_store_n(&h->n_gone, n_gone, __ATOMIC_RELAXED);
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
	unsigned int n = 0, n_put;

	do {
		n++;
	} while (from + n < b->n && b->mbuf[from + n] != NULL &&
			fcn_packet_egress_key(&b->pkt[from + n]) == key);
	if (unlikely(first->flags & FCN_PACKET_LOSSLESS)) {
		fcn_lossless_cross_core_tx(w, b, from, n);
		return n;
	}
	n_put = RTE_MIN(n, fcn_cross_core_room(h, first, n));
	if (unlikely(b->n_traced != 0))
		fcn_trace_stamp(w, b, from, n_put);
	for (unsigned int i = from; i < from + n_put; i++) {
		fcn_cross_core_put(h, &b->pkt[i], b->mbuf[i]);
		close_trace(w, b, i);
		b->mbuf[i] = NULL;
	}
	w->cross_core_tx += n_put;
	if (unlikely(first->flags & FCN_PACKET_NOTICE))
		w->notice_accounting[first->notice_kind].cross_core_tx += n_put;
	for (unsigned int i = n_put; i < n; i++)
		fcn_drop(w, b, from + i, FCN_DROP_CROSS_CORE_FULL);
	return n;
}

void
fcn_cross_core_prefetch(const struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_peers; k++)
		rte_prefetch0(&w->peer[k].cross_core_rx->tail);
}

/*
 * Load a cache line that this core is about to write, and another one wrote or read last.
 * rte_prefetch0_write() loads it for reading, unless the build is for CPUs with PREFETCHW.
 */
static inline void
prefetch_write(const void *line)
{
#ifdef RTE_ARCH_X86
	__asm__ volatile("prefetchw %0" : : "m"(*(const uint8_t *)line));
#else
	rte_prefetch0_write(line);
#endif
}

void
fcn_cross_core_prefetch_buffers(const struct fcn_worker *w)
{
	const struct rte_mempool_cache *cache = rte_mempool_default_cache(w->pool, rte_lcore_id());
	unsigned int n = BUFFERS_AHEAD;

	if (cache == NULL)
		return;
	n = RTE_MIN(n, cache->len);
	n = RTE_MIN(n, w->received.n);
	for (unsigned int i = 1; i <= n; i++) {
		const uint8_t *m = cache->objs[cache->len - i];

		prefetch_write(m);
		prefetch_write(m + RTE_CACHE_LINE_MIN_SIZE);
	}
}

unsigned int
fcn_cross_core_flush(struct fcn_worker *w)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < w->n_peers; k++) {
		struct fcn_cross_core *h = w->peer[k].cross_core_tx;

		if (h->tail == h->filled)
			continue;
		__atomic_store_n(&h->tail, h->filled, __ATOMIC_RELEASE);
		n++;
	}
	return n;
}

static inline bool
has_pauses(const struct fcn_cross_core *h)
{
	return __atomic_load_n(&h->n_pauses, __ATOMIC_ACQUIRE) != h->n_pauses_taken;
}

static __rte_noinline void
obey_pauses(struct fcn_worker *w, struct fcn_cross_core *h)
{
	struct fcn_cross_core_pause pause;

	while (rte_ring_sc_dequeue_elem(h->pauses, &pause, sizeof(pause)) == 0) {
		struct fcn_worker_port *port = &w->port[pause.port];

		h->n_pauses_taken++;
		if (unlikely(port->egress == NULL)) /* the port was removed */
			continue;
		fcn_pause_receive(&port->pause, &w->snap->port[pause.port].pause, pause.link,
				pause.priorities, pause.quanta, RTE_MIN(pause.time_ns, w->now));
		port->pausing = true;
	}
}

void
fcn_cross_core_obey_pauses(struct fcn_worker *w, struct fcn_cross_core *h)
{
	if (unlikely(has_pauses(h)))
		obey_pauses(w, h);
}

bool
fcn_cross_core_is_pending(const struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_peers; k++) {
		const struct fcn_cross_core *h = w->peer[k].cross_core_rx;

		if (fcn_cross_core_waiting(h) != 0 || has_pauses(h))
			return true;
	}
	return false;
}

void
fcn_cross_core_rx_pauses(struct fcn_worker *w)
{
	for (unsigned int k = 0; k < w->n_peers; k++)
		fcn_cross_core_obey_pauses(w, w->peer[k].cross_core_rx);
}
