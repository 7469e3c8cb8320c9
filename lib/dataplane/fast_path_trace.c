/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for RoCEv2 over IPv6 with an IOAM trace in a Hop-by-Hop Options header. If this
 * node is a transit node, it adds its data to the trace of a packet as soon as the packet has its
 * slot in the class queue, with what is queued there then (RFC 9197 section 4.4).
 */

#include "fast_path_loop.h"
#include "fcn_parse_trace.h"
#include "ioam_transit.h"

/*
 * Fields that a Trace-Type may ask for and that are not for the fast path: the transit delay, which
 * is written when the packet leaves, and the opaque state snapshot, for which there is no template.
 * As the second half of struct fcn_trace_layout.trace.
 */
#define SLOW_FIELDS \
	rte_cpu_to_be_64((uint64_t)(FCN_IOAM_TYPE_TRANSIT_DELAY | FCN_IOAM_TYPE_OPAQUE) << 8)

/* Packets with traces that one receive queue has delivered. */
struct traces {
	struct fcn_trace_layout layout; /* of the options header that was read last */
	struct fcn_ioam_alike alike;
	uint64_t others; /* bytes in the other class queues of the egress port of the series */
	uint32_t to;     /* fcn_fast_series.to, for which `others` is valid */
};

/* Check whether a packet that fcn_parse_trace_check() has accepted may be forwarded here. */
static inline bool
is_for_fast_path(const struct fcn_fast *f, const struct rte_mbuf *m, const uint8_t *data,
		uint64_t mac, uint64_t ip6)
{
	const uint16_t plen = (uint16_t)(ip6 >> 16);

	return fcn_is_fast_route(data, mac) && (uint8_t)ip6 > 1 &&
	       m->pkt_len == FCN_TRACE_HBH_OFF + plen && m->pkt_len <= f->run.max_frame;
}

/* Get the bytes in the class queue of the series, in front of the last packet. */
static inline uint32_t
depth_before(const struct fcn_fast *f, const struct fcn_fast_place *place, uint32_t len)
{
	return f->fill.bytes + place->bytes - len;
}

/* Add this node's data to a trace that is not like the one before. @param ip6 the first octets of
 * the IPv6 header as they were received */
static __rte_noinline void
write_first(struct fcn_fast *f, struct traces *t, struct rte_mbuf *m, uint64_t ip6, uint32_t depth)
{
	struct fcn_packet p = f->packet;

	fcn_parse_trace_write(&p.info, &t->layout,
			rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_TRACE_HBH_OFF), ip6);
	p.info.ttl--;
	/* The transit delay, of which the result tells, is none of the fields here. */
	fcn_ioam_transit_write_first(
			f->w, &p, m, depth, fcn_ioam_occupancy(t->others + depth), &t->alike);
}

/* Add this node's data to the trace of a packet that was queued last. */
static inline void
write_trace(struct fcn_fast *f, struct traces *t, struct rte_mbuf *m, uint64_t ip6, uint32_t depth)
{
	uint8_t *option = rte_pktmbuf_mtod_offset(
			m, uint8_t *, FCN_TRACE_HBH_OFF + FCN_TRACE_OPTION);
	uint8_t *trace = option + FCN_IOAM_TRACE_OFF;
	const uint32_t len = option[1] - FCN_IOAM_TRACE_OPTION_LEN;

	if (unlikely(t->to != f->series.to)) {
		t->to = f->series.to;
		t->others = fcn_ioam_queued_bytes(f->target.eg) - f->target.q->bytes;
	}
	if (unlikely(!fcn_ioam_template_fits(&t->alike.template, trace, len))) {
		write_first(f, t, m, ip6, depth);
		return;
	}
	fcn_ioam_template_write(&t->alike.template, trace, (uint8_t)ip6 - 1, depth,
			fcn_ioam_occupancy(t->others + depth));
	t->alike.n_written++;
}

unsigned int
fcn_fast_traces(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n)
{
	const struct rte_ether_hdr to_us = {.dst_addr = f->port->mac};
	const uint64_t mac = fcn_mac_word((const uint8_t *)&to_us);
	const bool transit = f->port->ioam.transit;
	struct traces t = {.to = FCN_FAST_NO_SERIES};
	struct fcn_fast_place place;
	size_t i;

	if (unlikely(!f->cached || f->w->snap->ioam.any_edge))
		return 0;
	if (transit) { /* the series before may be to a queue without the conditions for traces */
		fcn_fast_end(f);
		f->adds_traces = true;
	}
	place = fcn_fast_place(f);
	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		const struct fcn_dest_cache_entry *e;
		uint64_t ip6, key[2];

		if (unlikely(!fcn_parse_trace_check(
					     data, m->data_len, m->pkt_len, &t.layout, &ip6) ||
				    !is_for_fast_path(f, m, data, mac, ip6)))
			break;
		if (unlikely(transit && (t.layout.trace & SLOW_FIELDS) != 0))
			break;
		memcpy(key, data + FCN_FAST_IP6_DST_OFF, sizeof(key));
		e = fcn_dest_cache_find_entry(&f->w->dest_cache, key);
		if (unlikely(e == NULL)) {
			e = fcn_fast_look_up(f, key);
			if (e == NULL)
				break;
		}
		if (unlikely(!fcn_fast_queue6(f, &place, m, e)))
			break;
		if (transit)
			write_trace(f, &t, m, ip6, depth_before(f, &place, m->pkt_len));
	}
	fcn_fast_set_place(f, &place);
	fcn_ioam_alike_count(f->w, &t.alike);
	f->adds_traces = false;
	return i;
}
