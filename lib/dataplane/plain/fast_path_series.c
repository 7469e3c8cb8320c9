/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Series of packets that the fast path puts into class queues: what has to be certain before the
 * first one is queued, and what the queue and the accounts get to know after the last one.
 */

#include "admit.h"
#include "cross_core.h"
#include "fast_path.h"
#include "lossless.h"

/* Get the FCN_PACKET_* of packets of a series. */
static inline uint16_t
flags_of(const struct fcn_fast *f, uint32_t to)
{
	if (unlikely(to & FCN_FAST_NOTICE))
		return FCN_PACKET_NOTICE;
	if (unlikely(to & FCN_FAST_ACCOUNTED))
		return FCN_PACKET_LOSSLESS | FCN_PACKET_ACCOUNTED;
	return f->port->lossless >> (uint8_t)to & 1 ? FCN_PACKET_LOSSLESS : 0;
}

/* Get what the packets of a series have in common. */
static inline const struct fcn_packet *
packet_of(struct fcn_fast *f, uint32_t to)
{
	struct fcn_packet *p = &f->packet;

	p->out_port = (uint8_t)(to >> 8);
	p->class = to;
	p->flags = flags_of(f, to);
	p->notice_kind = (uint8_t)(to >> FCN_FAST_KIND_SHIFT);
	return p;
}

/* What has to be known of packets of a lossless class when they leave. */
static inline struct fcn_queued
queued_of(const struct fcn_fast *f)
{
	return (struct fcn_queued){
			.in_port = f->port->parent,
			.vlan = f->port->mode == FCN_PORT_BRIDGED ? f->port->pvid : 0,
			.account = f->w->index,
	};
}

/* Begin a series in slots that it shares with others. @param flags FCN_READY_* */
static void
begin_shared(struct fcn_fast *f, struct fcn_fast_series *s, const struct fcn_packet *p,
		struct fcn_ready_slots *slots, uint16_t flags)
{
	const uint32_t to = fcn_ready_to(p->out_port, p->class);

	s->slots = slots;
	s->meta = fcn_ready_meta(to, p->in_port, 0, flags);
	s->to = to;
	s->port = p->out_port;
	s->bytes = 0;
	/* No limit of a queue applies to it. */
	s->fill.bytes = 0;
	s->fill.most = UINT32_MAX;
	s->target.account = FCN_CHARGE_NONE;
	s->noted = false;
	memcpy(&s->port_mac, &f->w->snap->port[p->out_port].mac.addr_bytes[2], sizeof(s->port_mac));
}

/* Begin a series of packets that wait. @return false if they may not, as the switch adds IOAM data
 */
static __rte_noinline bool
begin_waiting(struct fcn_fast *f, struct fcn_fast_series *s, uint32_t to)
{
	struct fcn_ready_list *ready = &f->w->ready;
	const struct fcn_packet *p;

	if (unlikely(!f->may_wait || f->adds_traces))
		return false;
	if (ready->in_order)
		fcn_fast_end_classes(f, UINT8_MAX);
	p = packet_of(f, to);
	ready->classes[p->out_port] |= 1u << p->class;
	ready->some = true;
	begin_shared(f, s, p, &ready->slots,
			p->flags & FCN_PACKET_LOSSLESS ? FCN_READY_LOSSLESS : 0);
	return true;
}

/*
 * Begin a series to another worker. Packets of lossless classes are charged here, to the account of
 * their ingress port.
 *
 * @return false if the stages have to do it: the ring is full, or the account does not admit them
 */
static __rte_noinline bool
begin_at_peer(struct fcn_fast *f, struct fcn_fast_series *s, const struct fcn_packet *p,
		struct fcn_cross_core *h)
{
	struct fcn_worker *w = f->w;
	uint16_t flags = 0;

	if (unlikely(f->adds_traces))
		return false;
	if (unlikely(p->flags & FCN_PACKET_LOSSLESS)) {
		if (h->held_first[p->class] != FCN_HELD_NONE ||
				!fcn_admits_all(w, p, NULL, NULL, f->bytes, FCN_BURST_MAX))
			return false;
		flags = FCN_READY_LOSSLESS | FCN_READY_ACCOUNTED;
	}
	w->cross_core_tx += fcn_cross_core_end(h);
	if (unlikely(!fcn_cross_core_begin(h, p)))
		return false;
	begin_shared(f, s, p, &h->slots_of_series, flags);
	s->peer = h;
	s->filled = h->filled;
	if (unlikely(flags != 0)) {
		s->target.account = FCN_CHARGE_INGRESS;
		s->noted = true;
		f->queued = queued_of(f);
	}
	return true;
}

/*
 * Begin a series to a class queue of this worker.
 *
 * @return false if it is not certain that the queue accepts f->bytes more
 */
static inline bool
begin_here(struct fcn_fast *f, struct fcn_fast_series *s, const struct fcn_packet *p, uint32_t to)
{
	struct fcn_worker *w = f->w;
	struct fcn_queue_target *t = &s->target;
	uint32_t slots;

	/*
	 * The CPU would wait for memory if it read several members of *p or *t at once that were
	 * written one by one before: the key, or two neighbours in *t.
	 */
	fcn_select_queue_only(w, p, t);
	if (unlikely(t->eg == NULL || t->alone))
		return false;
	/* What traces tell of a shared buffer is not known before packets are charged to it. */
	if (unlikely(f->adds_traces && t->account != FCN_CHARGE_NONE))
		return false;
	if (unlikely(!fcn_fill_begin(w, t, t->account, &s->fill)))
		return false;
	slots = fcn_queue_fill_slots(&s->fill);
	if (unlikely(slots == 0 || !fcn_queue_fill_fits(&s->fill, f->bytes)))
		return false;
	if (t->account != FCN_CHARGE_NONE &&
			unlikely(!fcn_admits_all(w, p, t->q, t->conf, f->bytes, FCN_BURST_MAX)))
		return false;
	s->own.next = fcn_queue_fill_slot(&s->fill);
	s->own.end = s->own.next + slots;
	s->slots = &s->own;
	s->meta = fcn_queue_meta(w->now, 0, t->flags | fcn_charge_flags(t->account));
	s->to = to;
	s->port = p->out_port;
	s->bytes = 0;
	/* Where another worker has received them, it has noted this. */
	s->noted = t->account == FCN_CHARGE_INGRESS && !(p->flags & FCN_PACKET_ACCOUNTED);
	if (unlikely(s->noted))
		f->queued = queued_of(f);
	memcpy(&s->port_mac, &w->snap->port[p->out_port].mac.addr_bytes[2], sizeof(s->port_mac));
	return true;
}

bool
fcn_fast_begin(struct fcn_fast *f, struct fcn_fast_series *s, uint32_t to)
{
	struct fcn_worker *w = f->w;
	const struct fcn_packet *p;

	fcn_fast_end(f, s);
	s->peer = NULL;
	p = packet_of(f, to);
	/* Not all may leave by a border port, nor may an untrusted one send in all classes. */
	if (unlikely(p->class >= FCN_CLASSES ||
			    fcn_port_set_has(&w->snap->border.ports, p->out_port)))
		return false;
	if (unlikely(w->ready.some) &&
			(w->ready.all | w->ready.classes[p->out_port]) >> p->class & 1)
		return begin_waiting(f, s, to);
	if (likely(!w->snap->port[p->out_port].down) && likely(begin_here(f, s, p, to)))
		return true;
	if (w->port[p->out_port].cross_core != NULL &&
			likely(begin_at_peer(f, s, p, w->port[p->out_port].cross_core)))
		return true;
	return begin_waiting(f, s, to);
}

bool
fcn_fast_begin_alone(struct fcn_fast *f, uint32_t to)
{
	if (f->series.to != FCN_FAST_NO_SERIES && f->series.to != to)
		return false;
	return fcn_fast_begin(f, &f->series, to);
}

/* Count the packets of a series to another worker, among those that were put on the ring since it
 * began. */
static __rte_noinline uint32_t
count_at_peer(const struct fcn_fast_series *s)
{
	const struct fcn_cross_core *h = s->peer;
	uint32_t n = 0;

	for (uint32_t i = s->filled; i != h->filled; i++)
		n += (fcn_cross_core_slot(h, i)->meta & FCN_READY_ALIKE) == s->meta;
	return n;
}

/* End a series in slots that it shares with others. */
static void
end_shared(struct fcn_fast *f, struct fcn_fast_series *s)
{
	struct fcn_worker *w = f->w;

	if (s->peer == NULL) {
		w->ready.bytes += s->bytes;
		return;
	}
	w->cross_core_tx += fcn_cross_core_end(s->peer);
	if (unlikely(s->target.account != FCN_CHARGE_NONE) && s->bytes != 0)
		fcn_admit_add(w, packet_of(f, s->to), NULL, NULL, s->bytes, count_at_peer(s));
}

/* End a series to a class queue of this worker. */
static inline void
end_here(struct fcn_fast *f, struct fcn_fast_series *s)
{
	const struct fcn_queue_target *t = &s->target;
	const uint32_t n = (uint32_t)(s->own.next - fcn_queue_fill_slot(&s->fill));

	s->fill.bytes += s->bytes;
	fcn_queue_fill_advance(&s->fill, n);
	if (t->account != FCN_CHARGE_NONE) /* fcn_admits_all() was true */
		fcn_admit_add(f->w, packet_of(f, s->to), t->q, t->conf, s->bytes, n);
	t->q->stats.has_roce |= t->runs_detector;
	fcn_fill_end(f->w, t, &s->fill, n);
}

void
fcn_fast_end(struct fcn_fast *f, struct fcn_fast_series *s)
{
	if (s->to == FCN_FAST_NO_SERIES)
		return;
	if (likely(s->slots == &s->own))
		end_here(f, s);
	else
		end_shared(f, s);
	s->slots = &s->own;
	s->to = FCN_FAST_NO_SERIES;
	s->port = FCN_FAST_NO_PORT;
}

void
fcn_fast_end_classes(struct fcn_fast *f, uint8_t classes)
{
	struct fcn_ready_list *ready = &f->w->ready;

	if (ready->in_order)
		classes = UINT8_MAX;
	classes &= ~ready->all; /* the others wait already */
	if (classes == 0)
		return;
	ready->all |= classes;
	ready->some = true;
	if (f->series.to != FCN_FAST_NO_SERIES && classes >> (uint8_t)f->series.to & 1)
		fcn_fast_end(f, &f->series);
	for (uint32_t left = f->many ? f->places : 0; left != 0; left &= left - 1) {
		struct fcn_fast_series *s = &f->open[__builtin_ctz(left)];

		if (s->to != FCN_FAST_NO_SERIES && classes >> (uint8_t)s->to & 1)
			fcn_fast_end(f, s);
	}
}

void
fcn_fast_begin_many(struct fcn_fast *f)
{
	struct fcn_fast_series *s;

	for (unsigned int i = 0; i < FCN_FAST_OPEN; i++) {
		f->open[i].to = FCN_FAST_NO_SERIES;
		f->open[i].slots = &f->open[i].own;
	}
	f->many = true;
	f->places = 0;
	if (f->series.to == FCN_FAST_NO_SERIES)
		return;
	s = fcn_fast_place_of(f, f->series.to);
	*s = f->series;
	if (likely(f->series.slots == &f->series.own))
		s->slots = &s->own;
	f->places = 1u << (s - f->open);
	f->series.slots = &f->series.own;
	f->series.to = FCN_FAST_NO_SERIES;
	f->series.port = FCN_FAST_NO_PORT;
}

bool
fcn_fast_open(struct fcn_fast *f, uint32_t to)
{
	struct fcn_fast_series *s = fcn_fast_place_of(f, to);

	f->places |= 1u << (s - f->open);
	return fcn_fast_begin(f, s, to);
}

void
fcn_fast_renew_many(struct fcn_fast *f)
{
	for (uint32_t left = f->places; left != 0; left &= left - 1) {
		struct fcn_fast_series *s = &f->open[__builtin_ctz(left)];

		/* Only the occupancy has changed since it began, and with lossless classes what its
		 * packets are charged to. */
		if (s->to == FCN_FAST_NO_SERIES)
			continue;
		if (unlikely(f->port->lossless != 0 ||
				    (uint64_t)s->fill.bytes + s->bytes + f->bytes > s->fill.most))
			fcn_fast_end(f, s);
		else if (s->slots != &s->own) /* only the ingress port is another one */
			s->meta = fcn_ready_meta(s->to, f->packet.in_port, 0, 0);
	}
}

/* Check whether this node may add its data to traces of packets of a series: what is queued is
 * known then. */
static inline bool
may_have_traces(const struct fcn_fast_series *s)
{
	return s->slots == &s->own && s->target.account == FCN_CHARGE_NONE;
}

void
fcn_fast_charge_many(struct fcn_fast *f)
{
	for (uint32_t left = f->places; left != 0; left &= left - 1) {
		struct fcn_fast_series *s = &f->open[__builtin_ctz(left)];

		if (s->to != FCN_FAST_NO_SERIES && s->target.account != FCN_CHARGE_NONE)
			fcn_fast_end(f, s);
	}
}

void
fcn_fast_begin_traces(struct fcn_fast *f)
{
	f->adds_traces = true;
	if (!f->many) {
		if (f->series.to != FCN_FAST_NO_SERIES && !may_have_traces(&f->series))
			fcn_fast_end(f, &f->series);
		return;
	}
	for (uint32_t left = f->places; left != 0; left &= left - 1) {
		struct fcn_fast_series *s = &f->open[__builtin_ctz(left)];

		if (s->to != FCN_FAST_NO_SERIES && !may_have_traces(s))
			fcn_fast_end(f, s);
	}
}

void
fcn_fast_end_many(struct fcn_fast *f)
{
	for (uint32_t left = f->places; left != 0; left &= left - 1)
		fcn_fast_end(f, &f->open[__builtin_ctz(left)]);
}
