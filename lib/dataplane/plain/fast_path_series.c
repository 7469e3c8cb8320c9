/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Series of packets that the fast path puts into class queues: what has to be certain before the
 * first one is queued, and what the queue and the accounts get to know after the last one.
 */

#include "admit.h"
#include "fast_path.h"
#include "lossless.h"

/* Get the FCN_PACKET_* of packets of a class. */
static inline uint16_t
flags_of(const struct fcn_fast *f, uint8_t class)
{
	return f->port->lossless >> class & 1 ? FCN_PACKET_LOSSLESS : 0;
}

/* Get what the packets to a queue have in common. */
static inline const struct fcn_packet *
packet_of(struct fcn_fast *f, uint32_t to)
{
	struct fcn_packet *p = &f->packet;

	p->out_port = to >> 8;
	p->class = to;
	p->flags = flags_of(f, p->class);
	return p;
}

bool
fcn_fast_begin(struct fcn_fast *f, struct fcn_fast_series *s, uint32_t to)
{
	struct fcn_worker *w = f->w;
	struct fcn_queue_target *t = &s->target;
	const struct fcn_detector_conf *detector;
	struct fcn_detector_bounds bounds;
	const struct fcn_packet *p;
	uint32_t slots;

	fcn_fast_end(f, s);
	p = packet_of(f, to);
	/*
	 * The CPU would wait for memory if it read several members of *p or *t at once that were
	 * written one by one before: the key, or two neighbours in *t.
	 */
	if (unlikely(w->snap->port[p->out_port].down))
		return false;
	fcn_select_queue_only(w, p, t);
	if (unlikely(t->eg == NULL || t->alone))
		return false;
	/* What traces tell of a shared buffer is not known before packets are charged to it. */
	if (unlikely(f->adds_traces && t->account != FCN_CHARGE_NONE))
		return false;
	detector = &t->conf->detector;
	bounds = fcn_detector_bounds(
			&t->q->detector, detector, fcn_head_age(t->q, detector, w->now), w->now);
	if (unlikely(bounds.occupancy <= t->eg->ring_bytes || bounds.arrived == 0))
		return false;
	s->fill = fcn_queue_fill_begin(t->q, t->conf, w->now);
	if (t->account == FCN_CHARGE_INGRESS)
		fcn_queue_fill_lift(&s->fill, t->q);
	fcn_queue_fill_limit(&s->fill, bounds.occupancy - t->eg->ring_bytes - 1);
	fcn_queue_fill_limit(&s->fill, (uint64_t)s->fill.start + bounds.arrived - 1);
	slots = fcn_queue_fill_slots(&s->fill);
	if (unlikely(slots == 0 || !fcn_queue_fill_fits(&s->fill, f->bytes)))
		return false;
	if (t->account != FCN_CHARGE_NONE &&
			unlikely(!fcn_admits_all(w, p, t->q, t->conf, f->bytes)))
		return false;
	s->slot = fcn_queue_fill_slot(&s->fill);
	s->end = s->slot + slots;
	s->meta = fcn_queue_meta(w->now, 0, t->flags | fcn_charge_flags(t->account));
	s->to = to;
	s->port = (uint16_t)(to >> 8);
	s->bytes = 0;
	s->noted = t->account == FCN_CHARGE_INGRESS;
	if (unlikely(s->noted))
		f->queued = (struct fcn_queued){
				.in_port = f->port->parent,
				.vlan = f->port->mode == FCN_PORT_BRIDGED ? f->port->pvid : 0,
				.account = FCN_ACCOUNT_OWN,
		};
	memcpy(&s->port_mac, &w->snap->port[p->out_port].mac.addr_bytes[2], sizeof(s->port_mac));
	return true;
}

bool
fcn_fast_begin_alone(struct fcn_fast *f, uint32_t to)
{
	if (f->series.to != FCN_FAST_NO_SERIES && f->series.to != to)
		return false;
	return fcn_fast_begin(f, &f->series, to);
}

void
fcn_fast_end(struct fcn_fast *f, struct fcn_fast_series *s)
{
	const struct fcn_queue_target *t = &s->target;
	const struct fcn_queue_entry *first;

	if (s->to == FCN_FAST_NO_SERIES)
		return;
	first = fcn_queue_fill_slot(&s->fill);
	s->fill.bytes += s->bytes;
	fcn_queue_fill_advance(&s->fill, (uint32_t)(s->slot - first));
	if (t->account != FCN_CHARGE_NONE) /* fcn_admits_all() has said that it will do so */
		fcn_admit_all(f->w, packet_of(f, s->to), t->q, t->conf, s->bytes);
	fcn_detector_add_arrived(&t->q->detector, &t->conf->detector, s->bytes);
	fcn_queue_fill_end(&s->fill, t->q);
	if (likely(s->bytes != 0))
		t->eg->backlog |= 1u << t->class;
	s->to = FCN_FAST_NO_SERIES;
	s->port = FCN_FAST_NO_PORT;
}

void
fcn_fast_begin_many(struct fcn_fast *f)
{
	struct fcn_fast_series *s;

	for (unsigned int i = 0; i < FCN_FAST_OPEN; i++)
		f->open[i].to = FCN_FAST_NO_SERIES;
	f->many = true;
	f->places = 0;
	if (f->series.to == FCN_FAST_NO_SERIES)
		return;
	s = fcn_fast_place_of(f, f->series.to);
	*s = f->series;
	f->places = 1u << (s - f->open);
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
		if (unlikely(f->port->lossless != 0 ||
				    (uint64_t)s->fill.bytes + s->bytes + f->bytes > s->fill.most))
			fcn_fast_end(f, s);
	}
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
fcn_fast_end_many(struct fcn_fast *f)
{
	for (uint32_t left = f->places; left != 0; left &= left - 1)
		fcn_fast_end(f, &f->open[__builtin_ctz(left)]);
}
