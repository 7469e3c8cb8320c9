/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for RoCEv2 over IPv6 with an IOAM trace in a Hop-by-Hop Options header. If this
 * node is a transit node, it adds its data to the trace of a packet as soon as the packet has its
 * slot in the class queue, with what is queued there then (RFC 9197 section 4.4).
 */

#include "fast_path_loop.h"
#include "fast_route.h"
#include "fcn_parse_trace.h"
#include "ioam_transit.h"

/*
 * Fields that a Trace-Type may ask for and that are not for the fast path: the transit delay, which
 * is written when the packet leaves, and the opaque state snapshot, for which there is no template.
 * As the second half of struct fcn_trace_layout.trace.
 */
#define SLOW_FIELDS \
	rte_cpu_to_be_64((uint64_t)(FCN_IOAM_TYPE_TRANSIT_DELAY | FCN_IOAM_TYPE_OPAQUE) << 8)

/* Number of egress ports for which there is a template at once: the members of a group of next hops
 * usually have ports that follow each other. */
#define TEMPLATES 4

/* Packets with traces that one receive queue has delivered. */
struct traces {
	struct fcn_trace_layout layout; /* of the options header that was read last */
	struct fcn_own_words6 own;      /* addresses of the switch */
	uint64_t mac;    /* fcn_mac_word() of the MAC address of the port that received them */
	uint64_t others; /* bytes in the other class queues of the egress port of the series */
	uint32_t to;     /* fcn_fast_series.to, for which `others` is valid */
	struct fcn_ioam_alike *current; /* template for that egress port */
	/* Template for each egress port, and that port. */
	struct fcn_ioam_alike alike[TEMPLATES];
	uint8_t port[TEMPLATES];
};

static inline void
init(struct traces *t, const struct rte_ether_addr *mac, const struct fcn_own_hull *own)
{
	const struct rte_ether_hdr to_us = {.dst_addr = *mac};

	t->layout = (struct fcn_trace_layout){.head = 0};
	t->own = fcn_own_words6(own);
	t->mac = fcn_mac_word((const uint8_t *)&to_us);
	t->to = FCN_FAST_NO_SERIES;
	for (unsigned int i = 0; i < TEMPLATES; i++) {
		t->alike[i].template.len = 0;
		t->alike[i].n_written = 0;
		t->port[i] = 0;
	}
}

/* Get the template for an egress port. It is empty if the port before in its place was another. */
static inline struct fcn_ioam_alike *
alike_of(struct traces *t, uint8_t port)
{
	struct fcn_ioam_alike *alike = &t->alike[port % TEMPLATES];

	if (unlikely(t->port[port % TEMPLATES] != port))
		alike->template.len = 0;
	t->port[port % TEMPLATES] = port;
	return alike;
}

/* Check whether a packet that fcn_parse_trace_check() has accepted may be forwarded here. */
static inline bool
is_for_fast_path(const struct fcn_fast *f, const struct rte_mbuf *m, const uint8_t *data,
		uint64_t mac, uint64_t ip6)
{
	const uint16_t plen = (uint16_t)(ip6 >> 16);

	return fcn_is_fast_route(data, mac) && (uint8_t)ip6 > 1 &&
	       m->pkt_len == FCN_TRACE_HBH_OFF + plen && m->pkt_len <= f->max_frame;
}

/* Add this node's data to a trace that is not like the one before. @param ip6 the first octets of
 * the IPv6 header as they were received */
static __rte_noinline void
write_first(struct fcn_fast *f, struct traces *t, struct fcn_ioam_alike *alike, struct rte_mbuf *m,
		uint64_t ip6, uint32_t depth)
{
	struct fcn_packet p = f->packet;

	p.out_port = t->to >> 8;
	p.class = t->to;
	fcn_parse_trace_write(&p.info, &t->layout,
			rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_TRACE_HBH_OFF), ip6);
	p.info.ttl--;
	/* The result tells of the transit delay, which is none of the fields here. */
	fcn_ioam_transit_write_first(
			f->w, &p, m, depth, fcn_ioam_occupancy(t->others + depth), alike);
}

/* Get the bytes in the class queues of the egress port of a series, but for its own queue. */
static uint64_t
bytes_of_others(const struct fcn_fast *f, const struct fcn_fast_series *s)
{
	uint64_t bytes = fcn_ioam_queued_bytes(s->target.eg) - s->target.q->bytes;

	for (uint32_t left = f->many ? f->places : 0; left != 0; left &= left - 1) {
		const struct fcn_fast_series *other = &f->open[__builtin_ctz(left)];

		if (other != s && other->to != FCN_FAST_NO_SERIES &&
				other->target.eg == s->target.eg)
			bytes += other->bytes;
	}
	return bytes;
}

/*
 * Add this node's data to the trace of a packet that was queued last.
 *
 * @param bytes sum of the lengths of its series
 */
static __rte_always_inline void
write_trace(struct fcn_fast *f, struct traces *t, const struct fcn_fast_series *s, uint32_t bytes,
		struct rte_mbuf *m, uint64_t ip6)
{
	uint8_t *option = rte_pktmbuf_mtod_offset(
			m, uint8_t *, FCN_TRACE_HBH_OFF + FCN_TRACE_OPTION);
	uint8_t *trace = option + FCN_IOAM_TRACE_OFF;
	const uint32_t len = option[1] - FCN_IOAM_TRACE_OPTION_LEN;
	const uint32_t depth = s->fill.bytes + bytes - m->pkt_len;
	struct fcn_ioam_alike *alike;

	if (unlikely(t->to != s->to)) {
		t->to = s->to;
		t->others = bytes_of_others(f, s);
		t->current = alike_of(t, s->to >> 8);
	}
	alike = t->current;
	if (unlikely(!fcn_ioam_template_fits(&alike->template, trace, len))) {
		write_first(f, t, alike, m, ip6, depth);
		return;
	}
	fcn_ioam_template_write(&alike->template, trace, (uint8_t)ip6 - 1, depth,
			fcn_ioam_occupancy(t->others + depth));
	alike->n_written++;
}

/*
 * Find the entry of the destination of a packet, if its headers are for the fast path. @return
 * NULL: it is not for the fast path
 */
static __rte_always_inline const struct fcn_dest_cache_entry *
find_destination(struct fcn_fast *f, struct traces *t, const struct rte_mbuf *m, uint64_t *ip6)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);

	if (unlikely(!fcn_parse_trace_check(data, m->data_len, m->pkt_len, &t->layout, ip6) ||
			    !is_for_fast_path(f, m, data, t->mac, *ip6)) ||
			(fcn_own_words6_may_have(&t->own,
					 data + RTE_ETHER_HDR_LEN +
							 offsetof(struct rte_ipv6_hdr, src_addr)) &&
					fcn_fast_is_own(f, m, 0, 6)))
		return NULL;
	if (unlikely(f->adds_traces && (t->layout.trace & SLOW_FIELDS) != 0))
		return NULL;
	return fcn_fast_find(f, &f->w->dest_cache, m, 6);
}

/* Take packets to the queue of f->series: see fast_path_loop.h. */
static struct rte_mbuf **
take(struct fcn_fast *f, struct traces *t, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	struct fcn_fast_place place = fcn_fast_place(&f->series);
	uint64_t ip6;

	for (; mbuf != end; mbuf++) {
		const struct fcn_dest_cache_entry *e = find_destination(f, t, *mbuf, &ip6);

		if (unlikely(e == NULL))
			break;
		if (unlikely(!fcn_fast_queue(f, &place, *mbuf, e, 6))) {
			fcn_fast_set_place(&f->series, &place);
			fcn_fast_begin_many(f);
			return mbuf;
		}
		if (f->adds_traces)
			write_trace(f, t, &f->series, place.bytes, *mbuf, ip6);
	}
	fcn_fast_set_place(&f->series, &place);
	return mbuf;
}

/* Take packets to any queue. */
static struct rte_mbuf **
take_many(struct fcn_fast *f, struct traces *t, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct fcn_fast_routes routes = fcn_fast_routes(f);
	uint64_t ip6;

	for (; mbuf != end; mbuf++) {
		const struct fcn_dest_cache_entry *e = find_destination(f, t, *mbuf, &ip6);
		const struct fcn_fast_series *s;

		if (unlikely(e == NULL))
			break;
		s = fcn_fast_queue_many(f, &routes, *mbuf, e, 6, FCN_TRACE_HBH_OFF + t->layout.len);
		if (unlikely(s == NULL))
			break;
		if (f->adds_traces)
			write_trace(f, t, s, s->bytes, *mbuf, ip6);
	}
	return mbuf;
}

struct rte_mbuf **
fcn_fast_traces(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const bool may_wait = f->may_wait;
	struct traces t;

	if (unlikely(f->uncached || f->w->snap->ioam.any_edge))
		return mbuf;
	init(&t, &f->port->mac, &f->w->snap->own);
	/* A congested queue asks for all that the parser finds, which takes as long as the stages.
	 */
	f->may_wait = false;
	if (f->port->ioam.transit)
		fcn_fast_begin_traces(f);
	if (!f->many)
		mbuf = take(f, &t, mbuf, end);
	if (f->many)
		mbuf = take_many(f, &t, mbuf, end);
	for (unsigned int i = 0; i < TEMPLATES; i++)
		fcn_ioam_alike_count(f->w, &t.alike[i]);
	f->adds_traces = false;
	f->may_wait = may_wait;
	return mbuf;
}
