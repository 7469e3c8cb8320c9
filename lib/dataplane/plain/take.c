/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "take.h"

#include <rte_prefetch.h>

#include "cross_core.h"
#include "fast_path.h"

/* With so many consecutive packets to one queue, it is worth while to begin a series for them. */
#define WORTH_A_SERIES 4

/* Packets that are being taken. */
struct taking {
	struct fcn_worker *w;
	struct fcn_fast f;
	struct fcn_burst *b; /* for those that no series takes */
	/* By egress port: bit sets of the classes whose queues do not take packets at once, and of
	 * those with packets in the burst. */
	uint8_t refusing[FCN_MAX_PORTS];
	uint8_t in_burst[FCN_MAX_PORTS];
	bool refuses_all;    /* all queues do so */
	bool in_order;       /* packets to different queues are queued in order, too */
	unsigned int queued; /* packets of the burst that are queued already */
};

/* Ports and queues of packets that are charged to accounts of other workers, or to none. */
static const struct fcn_snapshot_port not_lossless;

static void
begin(struct taking *t, struct fcn_worker *w, struct fcn_burst *b, uint32_t bytes)
{
	t->w = w;
	t->b = b;
	t->queued = 0;
	memset(t->refusing, 0, w->n_ports);
	memset(t->in_burst, 0, w->n_ports);
	t->in_order = w->snap->buffer.size != 0 || w->snap->ioam.any_transit;
	/* Flows may be held, which the stage `hold` has to see to. */
	t->refuses_all = w->arn_held.flows.n_flows != 0;
	fcn_fast_init(&t->f, w);
	t->f.port = &not_lossless;
	t->f.adds_traces = false;
	t->f.packet.in_port = 0;
	t->f.bytes = bytes;
	fcn_fast_begin_many(&t->f);
}

/* Begin with packets of another origin. */
static void
go_on(struct taking *t, uint32_t bytes)
{
	fcn_fast_charge_many(&t->f);
	t->f.bytes = bytes;
	fcn_fast_renew_many(&t->f);
}

/*
 * In place of struct fcn_fast_series.to, which never has this bit: no series takes the packet,
 * since what it is charged to depends on its ingress port.
 */
#define IN_NO_SERIES UINT32_C(0x80000000)

/* Get struct fcn_fast_series.to of a packet. */
static inline uint32_t
series_of(const struct fcn_queue_entry *e)
{
	uint32_t to = fcn_ready_where(e);

	if (unlikely(e->flags & FCN_READY_LOSSLESS))
		to |= e->flags & FCN_READY_ACCOUNTED ? FCN_FAST_ACCOUNTED : IN_NO_SERIES;
	if (unlikely(e->flags & FCN_READY_NOTICE))
		to |= FCN_FAST_NOTICE | fcn_ready_notice_kind(e) << FCN_FAST_KIND_SHIFT;
	return to;
}

/* End the series to a queue, before packets get there in another way. */
static void
end_series(struct taking *t, uint32_t where)
{
	struct fcn_fast_series *s = fcn_fast_place_of(&t->f, where);

	if (s->to != FCN_FAST_NO_SERIES && (uint16_t)s->to == where)
		fcn_fast_end(&t->f, s);
}

/* Get the place in the burst for a packet, behind which those to the same queue have to stay. */
static inline void
begin_put(struct taking *t, uint32_t where)
{
	if (unlikely(t->in_order))
		fcn_fast_end_many(&t->f);
	else
		end_series(t, where);
	t->in_burst[where >> 8] |= 1u << (where & 0xFF);
}

/* Put a packet that has its metadata into the burst. */
static struct fcn_packet *
put(struct taking *t, struct rte_mbuf *m, const struct fcn_packet *p)
{
	struct fcn_burst *b = t->b;

	begin_put(t, fcn_ready_to(p->out_port, p->class));
	b->mbuf[b->n] = m;
	b->pkt[b->n] = *p;
	return &b->pkt[b->n++];
}

/* Put a packet that is ready, and those behind it that are like it, into the burst. @param n number
 * of entries @return number of packets */
static __rte_noinline uint32_t
put_alike(struct taking *t, const struct fcn_queue_entry *e, uint32_t n)
{
	const struct fcn_parse_codes *codes = &t->w->snap->codes;
	const struct fcn_packet fresh = fcn_ready_packet(t->w->snap, e);
	const uint64_t same = e->meta & FCN_READY_ALIKE;
	struct fcn_burst *b = t->b;
	struct fcn_packet *p = &b->pkt[b->n];
	struct rte_mbuf **mbuf = &b->mbuf[b->n];
	struct fcn_trace_layout known = {.head = 0};
	uint32_t i = 0;

	begin_put(t, fcn_ready_where(e));
	do {
		*mbuf++ = e[i].mbuf;
		fcn_packet_begin(p, &fresh);
		fcn_ready_headers(e[i].mbuf, codes, &known, &p++->info);
		i++;
	} while (i < n && (e[i].meta & FCN_READY_ALIKE) == same);
	b->n += i;
	return i;
}

/* Queue the packets of the burst, so that series to their queues may begin. */
static void
queue_burst(struct taking *t)
{
	struct fcn_burst *b = t->b;

	fcn_fast_end_many(&t->f);
	fcn_enqueue_from(t->w, b, t->queued);
	for (; t->queued < b->n; t->queued++)
		b->mbuf[t->queued] = NULL;
	memset(t->in_burst, 0, sizeof(t->in_burst));
}

/* Begin a series. @return false if the packet has to go into the burst */
static __rte_noinline bool
begin_series(struct taking *t, uint32_t to, uint32_t in_a_row)
{
	const uint32_t port = (to >> 8) & 0xFF, class = 1u << (to & 0xFF);

	if (t->refuses_all || t->refusing[port] & class || to & IN_NO_SERIES)
		return false;
	if (unlikely(t->in_burst[port] & class || (t->in_order && t->queued != t->b->n))) {
		if (in_a_row < WORTH_A_SERIES)
			return false;
		queue_burst(t);
	}
	if (likely(fcn_fast_open(&t->f, to)))
		return true;
	t->refusing[port] |= class;
	return false;
}

/* Check how many of the next packets go to the same queue, up to WORTH_A_SERIES. */
static inline uint32_t
count_alike(const struct fcn_queue_entry *e, uint32_t n)
{
	uint32_t i = 0;

	while (i < RTE_MIN(n, (uint32_t)WORTH_A_SERIES) &&
			fcn_ready_where(&e[i]) == fcn_ready_where(e))
		i++;
	return i;
}

/*
 * Take a packet that is ready, and those behind it that are like it.
 *
 * @param n number of entries
 * @return number of packets
 */
static __rte_always_inline uint32_t
take(struct taking *t, const struct fcn_queue_entry *e, uint32_t n)
{
	const uint64_t same = e->meta & FCN_READY_ALIKE;
	const uint32_t to = series_of(e);
	struct fcn_fast_series *s = fcn_fast_place_of(&t->f, to);
	struct fcn_queue_entry *slot;
	const struct fcn_queue_entry *const first = e, *last;
	uint32_t bytes = 0;
	uint64_t meta, as;

	if (unlikely(s->to != to || s->slots->next == s->slots->end)) {
		if (!begin_series(t, to, count_alike(e, n)))
			return put_alike(t, e, n);
	}
	slot = s->slots->next;
	last = e + RTE_MIN(n, (uint32_t)(s->slots->end - slot));
	/* At the owner of the queue, the entry says again what it says here. */
	as = likely(s->peer == NULL) ? s->meta : same;
	meta = e->meta;
	do {
		slot->mbuf = e->mbuf;
		slot->meta = as | (meta & ~FCN_READY_ALIKE);
		bytes += (e++)->len;
		slot++;
	} while (e != last && ((meta = e->meta) & FCN_READY_ALIKE) == same);
	s->slots->next = slot;
	s->bytes += bytes;
	return (uint32_t)(e - first);
}

/*
 * Clear the counters of this worker, if the sender of packets that are about to be taken from a
 * ring has cleared its own. If the sender did so before it sent the packets, this worker sees the
 * raised number of w->clears, because the ring orders the memory accesses of both workers. It then
 * clears its own counters before it counts these packets. Packets that are already in the burst are
 * not in a queue yet, but count as received (cross_core_rx); notices that are due and framed count
 * as generated.
 */
static inline void
clear_first(struct taking *t)
{
	struct fcn_worker *w = t->w;

	if (likely(w->clears == NULL || __atomic_load_n(w->clears, __ATOMIC_RELAXED) == w->cleared))
		return;
	fcn_fast_end_many(&t->f);
	fcn_worker_clear_counters_once(w);
	for (unsigned int i = 0; i < t->b->n; i++)
		w->carried += t->b->mbuf[i] != NULL;
	w->carried += w->n_framed;
}

/* Take a packet that has its metadata beside its entry. */
static void
take_beside(struct taking *t, const struct fcn_cross_core *h, uint32_t n, unsigned int from_worker)
{
	struct rte_mbuf *m = fcn_cross_core_slot(h, n)->mbuf;
	struct fcn_packet *p = put(t, m, fcn_cross_core_beside(h, n));

	/* What the owner of the port determines. */
	p->drop = FCN_DROP_NONE;
	p->level = FCN_LEVEL_NONE;
	p->reactions = 0;
	p->delay_off = 0;
	if (p->flags & FCN_PACKET_NOTICE)
		t->w->notice_accounting[p->notice_kind].cross_core_rx++;
	if (unlikely(p->trace != 0)) {
		p->trace = fcn_trace_cross_core_rx(t->w, m, from_worker, p->trace);
		t->b->n_traced += p->trace != 0;
	}
}

/* Take up to n packets from the ring of a peer, as far as the burst has room. @return their number
 */
static unsigned int
take_from(struct taking *t, struct fcn_peer *peer, uint32_t n)
{
	struct fcn_cross_core *h = peer->cross_core_rx;
	struct fcn_worker *w = t->w;
	const uint32_t head = h->head;
	uint32_t bytes = 0, gone = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct fcn_queue_entry *e = fcn_cross_core_slot(h, head + i);

		bytes += e->len;
		rte_prefetch0(e->mbuf);
	}
	clear_first(t);
	go_on(t, bytes);
	for (uint32_t i = 0, taken; i < n; i += taken) {
		const uint32_t left = FCN_CROSS_CORE_SLOTS - (head + i) % FCN_CROSS_CORE_SLOTS;
		const struct fcn_queue_entry *e = fcn_cross_core_slot(h, head + i);

		if (unlikely(e->flags & (FCN_READY_BESIDE | FCN_READY_GONE))) {
			taken = 1;
			if (e->flags & FCN_READY_GONE)
				gone++;
			else
				take_beside(t, h, head + i, peer->worker->index);
			continue;
		}
		taken = take(t, e, RTE_MIN(left, n - i));
		if (unlikely(e->flags & FCN_READY_NOTICE))
			w->notice_accounting[fcn_ready_notice_kind(e)].cross_core_rx += taken;
	}
	if (unlikely(gone != 0))
		__atomic_store_n(&h->n_gone, h->n_gone - gone, __ATOMIC_RELAXED);
	__atomic_store_n(&h->head, head + n, __ATOMIC_RELEASE);
	w->cross_core_rx += n - gone;
	return n - gone;
}

unsigned int
fcn_stage_cross_core_rx(struct fcn_worker *w, struct fcn_burst *b, unsigned int most)
{
	unsigned int taken = 0, k = w->peer_first;
	struct taking t;

	b->n = 0;
	b->n_traced = 0;
	begin(&t, w, b, 0);
	for (unsigned int i = 0; i < w->n_peers; i++) {
		struct fcn_cross_core *h = w->peer[k].cross_core_rx;
		uint32_t n = fcn_cross_core_waiting(h);

		fcn_cross_core_obey_pauses(w, h);
		n = RTE_MIN(n, (uint32_t)FCN_BURST_MAX - b->n);
		n = RTE_MIN(n, most - taken);
		if (n != 0)
			taken += take_from(&t, &w->peer[k], n);
		k = k + 1 < w->n_peers ? k + 1 : 0;
	}
	w->peer_first = k + 1 < w->n_peers ? k + 1 : 0;
	fcn_fast_end_many(&t.f);
	return taken;
}

void
fcn_ready_take(struct fcn_worker *w, struct fcn_burst *passed, struct fcn_burst *b)
{
	struct fcn_ready_list *ready = &w->ready;
	const struct fcn_queue_entry *e = ready->entry, *end = ready->slots.next;
	struct taking t;

	b->n = 0;
	b->n_traced = 0;
	begin(&t, w, b, ready->bytes);
	t.in_order = ready->in_order;
	fcn_ready_begin(ready); /* the series that are begun now do not wait */
	while (e != end) {
		if (likely(!(e->flags & FCN_READY_BESIDE))) {
			e += take(&t, e, (uint32_t)(end - e));
			continue;
		}
		for (uint32_t k = e->enqueued_ns, last = k + e->len; k < last; k++) {
			/* Others were dropped, or are for the switch itself. */
			if (passed->mbuf[k] != NULL)
				b->n_traced += put(&t, passed->mbuf[k], &passed->pkt[k])->trace !=
					       0;
		}
		e++;
	}
	fcn_fast_end_many(&t.f);
	passed->n = 0;
	passed->n_traced = 0;
}
