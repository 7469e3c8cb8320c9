/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <assert.h>

#include "fcn_capture.h"
#include "fcn_worker.h"

/*
 * Elements that a reader takes at a time: more than the longest record, and a small part of the
 * ring.
 */
#define CHUNK 8192

/* Bytes of a chained packet that a filter can read. */
#define FILTERED 2048

static_assert(sizeof(struct fcn_capture_record) == FCN_CAPTURE_UNIT, "a record is a unit");
static_assert(FCN_CAPTURE_SNAPLEN / FCN_CAPTURE_UNIT < CHUNK, "a chunk holds the longest record");
static_assert(FCN_MAX_PORTS <= UINT8_MAX + 1, "a port's number is an octet");

static unsigned int
units_of(uint32_t caplen)
{
	return 1 + (caplen + FCN_CAPTURE_UNIT - 1) / FCN_CAPTURE_UNIT;
}

static uint8_t *
unit_at(const struct rte_ring_zc_data *z, unsigned int unit)
{
	if (unit < z->n1)
		return (uint8_t *)z->ptr1 + (size_t)unit * FCN_CAPTURE_UNIT;
	return (uint8_t *)z->ptr2 + (size_t)(unit - z->n1) * FCN_CAPTURE_UNIT;
}

struct rte_ring *
fcn_capture_ring_create(const char *name, uint32_t units, int socket)
{
	return rte_ring_create_elem(name, FCN_CAPTURE_UNIT, units, socket,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

/* ---- taps ---- */

static void
sum_up(struct fcn_capture *c)
{
	memset(c->ports, 0, sizeof(c->ports));
	for (unsigned int t = 0; t < FCN_CAPTURE_MAX; t++) {
		for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++)
			fcn_port_set_or(&c->ports[p], &c->tap[t].ports[p]);
	}
	for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++)
		c->on[p] = !fcn_port_set_is_empty(&c->ports[p]);
}

void
fcn_capture_open(struct fcn_worker *w, unsigned int number, const struct fcn_capture_tap *tap)
{
	w->capture.tap[number] = *tap;
	sum_up(&w->capture);
}

void
fcn_capture_close(struct fcn_worker *w, unsigned int number)
{
	struct fcn_capture_tap *tap = &w->capture.tap[number];

	memset(tap->ports, 0, sizeof(tap->ports));
	tap->filter = NULL;
	sum_up(&w->capture);
}

void
fcn_capture_forget_port(struct fcn_worker *w, uint16_t port)
{
	const struct fcn_port_set alone = fcn_port_set_of(port);

	for (unsigned int t = 0; t < FCN_CAPTURE_MAX; t++) {
		for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++) {
			struct fcn_port_set *ports = &w->capture.tap[t].ports[p];

			if (fcn_port_set_is_same(ports, &alone))
				*ports = (struct fcn_port_set){0};
		}
	}
	sum_up(&w->capture);
}

/* ---- a packet ---- */

static bool
is_wanted(const struct fcn_capture_tap *tap, const struct rte_mbuf *m)
{
	struct pcap_pkthdr hdr = {.caplen = m->data_len, .len = m->pkt_len};
	uint8_t copy[FILTERED];

	if (tap->filter == NULL)
		return true;
	if (unlikely(m->nb_segs != 1 && m->data_len < FILTERED))
		hdr.caplen = RTE_MIN(m->pkt_len, (uint32_t)FILTERED);
	return pcap_offline_filter(tap->filter, &hdr, rte_pktmbuf_read(m, 0, hdr.caplen, copy)) !=
	       0;
}

/* Get the bit set of the captures that select a packet of these ports. */
static uint8_t
captures_of(const struct fcn_capture *c, enum fcn_capture_point point,
		const struct fcn_port_set *ports, const struct rte_mbuf *m)
{
	uint8_t taps = 0;

	for (unsigned int t = 0; t < FCN_CAPTURE_MAX; t++) {
		if (fcn_port_set_meets(&c->tap[t].ports[point], ports) && is_wanted(&c->tap[t], m))
			taps |= 1u << t;
	}
	return taps;
}

static uint32_t
snaplen_of(const struct fcn_capture *c, uint8_t taps)
{
	uint32_t snaplen = 0;

	for (; taps != 0; taps &= taps - 1)
		snaplen = RTE_MAX(snaplen, c->tap[__builtin_ctz(taps)].snaplen);
	return snaplen;
}

static void
copy_octets(const struct rte_ring_zc_data *room, unsigned int unit, const struct rte_mbuf *m,
		uint32_t caplen)
{
	const uint32_t wrap = room->n1 > unit ? (room->n1 - unit) * FCN_CAPTURE_UNIT : UINT32_MAX;
	uint8_t *front = unit_at(room, unit);
	uint32_t at = 0;

	for (; at < caplen && m != NULL; m = m->next) {
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		uint32_t len = RTE_MIN(m->data_len, caplen - at);
		uint32_t before = at >= wrap ? 0 : RTE_MIN(len, wrap - at);

		memcpy(front + at, data, before);
		if (before < len)
			memcpy((uint8_t *)room->ptr2 + (at + before - wrap), data + before,
					len - before);
		at += len;
	}
}

static void
begin(struct fcn_capture *c)
{
	struct fcn_capture_batch *b = &c->batch;

	b->n = 0;
	b->used = 0;
	b->free = rte_ring_enqueue_zc_burst_elem_start(
			c->ring, FCN_CAPTURE_UNIT, rte_ring_get_capacity(c->ring), &b->room, NULL);
	if (b->free <= b->room.n1)
		b->room.n1 = b->free; /* the room is contiguous */
}

/* Copy a packet into the reserved room, if any capture is for it. */
static void
add(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_port_set *ports,
		const struct fcn_capture_record *seen)
{
	struct fcn_capture *c = &w->capture;
	struct fcn_capture_batch *b = &c->batch;
	uint8_t taps = captures_of(c, seen->point, ports, m);
	struct fcn_capture_record *r = NULL;
	unsigned int k = b->n++, units;
	uint32_t caplen;

	if (taps != 0) {
		caplen = RTE_MIN(snaplen_of(c, taps), m->pkt_len);
		units = units_of(caplen);
		if (units <= b->free - b->used) {
			r = (struct fcn_capture_record *)unit_at(&b->room, b->used);
			*r = *seen;
			r->time_ns = w->epoch_ns + w->now;
			r->len = m->pkt_len;
			r->caplen = caplen;
			r->taps = taps;
			copy_octets(&b->room, b->used + 1, m, caplen);
			b->used += units;
		}
	}
	b->packet[k].record = r;
	b->packet[k].taps = taps;
	b->packet[k].port = seen->port;
	b->packet[k].end = b->used;
}

/* Publish the first n packets of the batch. */
static void
publish(struct fcn_capture *c, unsigned int n)
{
	const struct fcn_capture_batch *b = &c->batch;

	for (unsigned int i = 0; i < n; i++) {
		struct fcn_capture_record *r = b->packet[i].record;
		const uint8_t port = b->packet[i].port;

		for (uint8_t taps = b->packet[i].taps; taps != 0; taps &= taps - 1) {
			unsigned int t = __builtin_ctz(taps);
			struct fcn_capture_tap *tap = &c->tap[t];

			if (r == NULL) {
				tap->missed[port]++;
				tap->unreported[port]++;
			} else {
				r->missed[t] = tap->unreported[port];
				tap->unreported[port] = 0;
			}
		}
	}
	rte_ring_enqueue_zc_elem_finish(c->ring, n > 0 ? b->packet[n - 1].end : 0);
}

/* Fill in the origin of a packet from the note in its mbuf. */
static void
recall(struct fcn_capture_record *r, struct rte_mbuf *m, enum fcn_capture_origin origin,
		unsigned int kind)
{
	const uint64_t note = m->tx_offload;

	r->origin = origin;
	r->kind = kind;
	r->cause_class = FCN_CAPTURE_NO_CLASS;
	if (origin == FCN_CAPTURE_NOTICE &&
			note >> FCN_CAPTURE_NOTE_SHIFT == FCN_CAPTURE_NOTE_NOTICE) {
		r->cause_port = note >> 48;
		r->cause_class = note >> 40;
		r->level = (int8_t)(note >> 32);
		r->occupancy = (uint32_t)note;
	} else if (origin == FCN_CAPTURE_FORWARDED &&
			note >> FCN_CAPTURE_NOTE_SHIFT == FCN_CAPTURE_NOTE_HOST) {
		r->origin = FCN_CAPTURE_HOST;
		m->tx_offload = 0; /* clear it, because a port may reuse the buffer for reception */
	} else if (origin == FCN_CAPTURE_FORWARDED &&
			note >> FCN_CAPTURE_NOTE_SHIFT == FCN_CAPTURE_NOTE_ARN) {
		r->origin = FCN_CAPTURE_ARN;
		r->reasons = (uint8_t)note;
		r->cause_port = note >> 48;
		r->cause_class = note >> 40;
		r->level = (int8_t)(note >> 32);
		m->tx_offload = 0;
	} else if (origin == FCN_CAPTURE_FORWARDED &&
			note >> FCN_CAPTURE_NOTE_SHIFT == FCN_CAPTURE_NOTE_PROXY) {
		r->origin = FCN_CAPTURE_PROXY;
		r->kind = (uint8_t)note;
		r->level = (int8_t)(note >> 32);
		m->tx_offload = 0;
	} else if (origin == FCN_CAPTURE_FORWARDED &&
			note >> FCN_CAPTURE_NOTE_SHIFT == FCN_CAPTURE_NOTE_TRIMMED) {
		r->origin = FCN_CAPTURE_TRIMMED;
		r->cause_port = note >> 48;
		r->cause_class = note >> 40;
		r->kind = (uint8_t)(note >> 32);
		r->occupancy = (uint32_t)note;
		m->tx_offload = 0;
	}
}

static enum fcn_capture_origin
origin_of(const struct fcn_queue_entry *e)
{
	return e->flags & FCN_ENTRY_NOTICE ? FCN_CAPTURE_NOTICE : FCN_CAPTURE_FORWARDED;
}

/* ---- the stages ---- */

void
fcn_capture_receive(struct fcn_worker *w, const struct fcn_burst *b)
{
	struct fcn_capture *c = &w->capture;

	for (unsigned int i = 0; i < b->n;) {
		begin(c);
		for (; i < b->n && c->batch.n < FCN_EGRESS_BURST; i++) {
			const struct fcn_capture_record seen = {
					.point = FCN_CAPTURE_RX,
					.port = b->pkt[i].in_port,
					.class = FCN_CAPTURE_NO_CLASS,
					.cause_class = FCN_CAPTURE_NO_CLASS,
			};
			const struct fcn_port_set ports = fcn_port_set_of(seen.port);

			add(w, b->mbuf[i], &ports, &seen);
		}
		publish(c, c->batch.n);
	}
}

void
fcn_capture_tx(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e, unsigned int n,
		enum fcn_capture_origin origin)
{
	const struct fcn_port_set ports = fcn_port_set_of(port);

	begin(&w->capture);
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_capture_record seen = {
				.point = FCN_CAPTURE_TX,
				.port = port,
				.class = FCN_CAPTURE_NO_CLASS,
		};

		recall(&seen, e[i].mbuf,
				origin != FCN_CAPTURE_FORWARDED ? origin : origin_of(&e[i]),
				fcn_entry_notice_kind(&e[i]));
		add(w, e[i].mbuf, &ports, &seen);
	}
}

void
fcn_capture_tx_done(struct fcn_worker *w, unsigned int taken)
{
	publish(&w->capture, taken);
}

static void
add_drop(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_capture_record *seen)
{
	struct fcn_port_set ports = fcn_port_set_of(seen->port);

	if (seen->class != FCN_CAPTURE_NO_CLASS)
		fcn_port_set_add(&ports, seen->out_port);
	if (!fcn_port_set_meets(&w->capture.ports[FCN_CAPTURE_DROP], &ports))
		return;
	begin(&w->capture);
	add(w, m, &ports, seen);
	publish(&w->capture, 1);
}

void
fcn_capture_drop(struct fcn_worker *w, struct rte_mbuf *m, const struct fcn_packet *p,
		enum fcn_drop_reason reason)
{
	struct fcn_capture_record seen = {
			.point = FCN_CAPTURE_DROP,
			.port = p->in_port,
			.out_port = (uint8_t)p->out_port,
			.class = p->out_port < FCN_MAX_PORTS ? p->class : FCN_CAPTURE_NO_CLASS,
			.reason = reason,
	};

	recall(&seen, m, p->flags & FCN_PACKET_NOTICE ? FCN_CAPTURE_NOTICE : FCN_CAPTURE_FORWARDED,
			p->notice_kind);
	add_drop(w, m, &seen);
}

void
fcn_capture_drop_queued(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		enum fcn_drop_reason reason)
{
	struct fcn_capture_record seen = {
			.point = FCN_CAPTURE_DROP,
			.port = port,
			.out_port = port,
			.class = e->flags & FCN_ENTRY_CLASS,
			.reason = reason,
	};

	recall(&seen, e->mbuf, origin_of(e), fcn_entry_notice_kind(e));
	add_drop(w, e->mbuf, &seen);
}

/* ---- the reader ---- */

const struct fcn_capture_record *
fcn_capture_peek(struct fcn_capture_reader *reader, struct fcn_capture_octets *octets)
{
	const struct fcn_capture_record *r;
	unsigned int first, n1;

	if (reader->used < reader->n) {
		r = (const struct fcn_capture_record *)unit_at(&reader->chunk, reader->used);
		if (units_of(r->caplen) > reader->n - reader->used)
			fcn_capture_release(reader); /* the chunk ends within the record */
	} else {
		fcn_capture_release(reader);
	}
	if (reader->n == 0) {
		reader->n = rte_ring_dequeue_zc_burst_elem_start(
				reader->ring, FCN_CAPTURE_UNIT, CHUNK, &reader->chunk, NULL);
		if (reader->n == 0)
			return NULL;
		reader->chunk.n1 = RTE_MIN(reader->chunk.n1, reader->n);
	}
	r = (const struct fcn_capture_record *)unit_at(&reader->chunk, reader->used);
	first = reader->used + 1;
	n1 = reader->chunk.n1 > first ? reader->chunk.n1 - first : 0;
	octets->part[0] = unit_at(&reader->chunk, first);
	octets->len[0] = n1 == 0 ? r->caplen : RTE_MIN(r->caplen, n1 * FCN_CAPTURE_UNIT);
	octets->part[1] = reader->chunk.ptr2;
	octets->len[1] = r->caplen - octets->len[0];
	return r;
}

unsigned int
fcn_capture_next(struct fcn_capture_reader *reader)
{
	const struct fcn_capture_record *r = (const struct fcn_capture_record *)unit_at(
			&reader->chunk, reader->used);
	unsigned int units = units_of(r->caplen);

	reader->used += units;
	return units;
}

void
fcn_capture_release(struct fcn_capture_reader *reader)
{
	if (reader->n != 0)
		rte_ring_dequeue_zc_elem_finish(reader->ring, reader->used);
	reader->n = 0;
	reader->used = 0;
}
