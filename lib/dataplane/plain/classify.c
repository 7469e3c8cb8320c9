/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_pfc.h>

#include "fast_path.h"
#include "fast_route.h"
#include "fcn_parse_trace.h"
#include "fcn_stages.h"

/* What the packets received on one port have in common. */
struct run {
	const struct fcn_snapshot_port *port;
	struct fcn_port_counters *counters;
	uint64_t mac;       /* fcn_mac_word() of the port's MAC address */
	uint32_t max_frame; /* maximum frame length in bytes, without tags */
	uint16_t flags;     /* FCN_PACKET_* of a packet */
	/* FCN_PACKET_* of a packet for which fcn_is_fast_route() is true */
	uint16_t fast_route_flags;
	const struct fcn_own_hull *own; /* of the addresses of the switch; none in bridges */
	/* Class by DSCP of a packet without a tag. */
	const uint8_t *class_of_dscp;
};

/*
 * Get the class of a packet from the field that its ingress port trusts: the DSCP (RFC 2474) or the
 * PCP of the VLAN tag (IEEE 802.1Q section 9.6).
 */
static uint8_t
class_of(const struct fcn_snapshot *s, const struct fcn_snapshot_port *port,
		const struct fcn_wire_info *info)
{
	bool ip = info->flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6);

	switch (port->trust) {
	case FCN_TRUST_DSCP:
		if (likely(ip))
			return s->class_map.dscp[info->tclass >> 2];
		return info->n_vlans > 0 ? s->class_map.pcp[info->vlan_tci >> 13] : 0;
	case FCN_TRUST_PCP:
		if (info->n_vlans > 0)
			return s->class_map.pcp[info->vlan_tci >> 13];
		return ip ? s->class_map.dscp[info->tclass >> 2] : 0;
	case FCN_TRUST_NONE:
		return 0;
	}
	return 0;
}

/* Count what any packet is. Those of one kind are counted together. */
static void
count_any(struct fcn_port_counters *c, const struct fcn_wire_info *info)
{
	if (likely(info->flags & FCN_PKT_ROCE))
		c->roce_packets++;
	else if (info->flags & FCN_PKT_TRIMMED)
		c->roce_trimmed++;
	else if (info->flags & FCN_PKT_ROCE_PORT)
		c->roce_malformed++;
	if (unlikely(info->flags & FCN_PKT_IOAM_INVALID))
		c->ioam_malformed++;
	if (unlikely(info->error != FCN_WIRE_OK))
		c->wire_error[info->error]++;
}

/* Classify a packet of any kind. It is not inlined, so that the loops can use all registers. */
static __rte_noinline void
classify_any(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct run *run)
{
	const struct fcn_snapshot_port *port = run->port;
	const struct rte_mbuf *m = b->mbuf[i];
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_packet *p = &b->pkt[i];

	p->flags = run->flags;
	fcn_parse_slow(data, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	count_any(run->counters, &p->info);
	p->class = class_of(w->snap, port, &p->info);
	if (fcn_passes_checks(&p->info, data, run->mac, run->own) &&
			!(p->info.flags & FCN_PKT_FASTCNP))
		p->flags = run->fast_route_flags;
	if (unlikely(p->info.flags & FCN_PKT_TRIMMED))
		p->flags |= FCN_PACKET_TRIMMED;
	if (unlikely(port->ioam.transit) && fcn_has_trace(&p->info))
		p->flags |= FCN_PACKET_IOAM;
	/* VLAN tags, 4 octets each, do not count towards the MTU. */
	if (unlikely(p->info.ether_type == FCN_MAC_CONTROL_ETHER_TYPE))
		b->has_mac_control = true;
	if (unlikely(p->info.n_vlans > 0 && port->mode == FCN_PORT_ROUTED))
		b->has_tagged = true;
	if (unlikely(p->info.error == FCN_WIRE_ETH_TRUNCATED))
		fcn_drop(w, b, i, FCN_DROP_ETH_TRUNCATED);
	else if (unlikely(port->mode == FCN_PORT_UNUSED))
		fcn_drop(w, b, i, FCN_DROP_PORT_NEW);
	else if (unlikely(m->pkt_len > run->max_frame + 4u * p->info.n_vlans))
		fcn_drop(w, b, i, FCN_DROP_RX_OVERSIZE);
}

/*
 * Drop a frame that is longer than the MTU of its ingress port allows. A port that the snapshot
 * does not have yet accepts no frames.
 */
static __rte_noinline void
drop_long(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct run *run)
{
	fcn_drop(w, b, i,
			run->port->mode == FCN_PORT_UNUSED ? FCN_DROP_PORT_NEW
							   : FCN_DROP_RX_OVERSIZE);
}

/* Check whether this is the next header of a packet, if that is IPv6. */
static inline bool
may_have_next_header(const struct rte_mbuf *m, uint8_t proto)
{
	const uint32_t off = RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, proto);

	return m->data_len > off && rte_pktmbuf_mtod(m, const uint8_t *)[off] == proto;
}

/*
 * Classify consecutive packets of RoCEv2 with an IOAM trace, up to packet `to`, or to the first one
 * of another kind. It is not inlined, so that the loop can use all registers.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_traces(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct run *run)
{
	const uint16_t more = run->port->ioam.transit ? FCN_PACKET_IOAM : 0;
	const uint8_t *class_of_dscp = run->class_of_dscp;
	struct fcn_trace_layout known = {.head = 0};
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_trace(data, m->data_len, m->pkt_len, &known, &p->info)))
			break;
		p->flags = likely(fcn_is_fast_route(data, run->mac) &&
					   !fcn_source_may_be_own(run->own, &p->info, data))
					   ? run->fast_route_flags
					   : run->flags;
		p->flags |= more;
		p->class = class_of_dscp[p->info.tclass >> 2];
		if (unlikely(m->pkt_len > run->max_frame))
			drop_long(w, b, i, run);
	}
	return i - from;
}

static inline bool
may_be_ip4(const struct rte_mbuf *m)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);

	return m->data_len >= sizeof(*eth) && eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4);
}

/* Classify plain packets up to the first one that is none. @return its index, or `to` */
static inline unsigned int
classify_plain(const struct fcn_fast_functions *functions, struct fcn_burst *b, unsigned int from,
		unsigned int to, const struct fcn_plain_run *run)
{
	/* What is neither UDP over IPv6 nor IPv4 need not be compared. */
	if (!may_have_next_header(b->mbuf[from], IPPROTO_UDP) && !may_be_ip4(b->mbuf[from]))
		return from;
	for (;;) {
		const unsigned int i = functions->classify6(b, from, to, run);

		if (likely(i == to) || !may_be_ip4(b->mbuf[i]))
			return i;
		from = functions->classify4(b, i, to, run);
		if (from == i || from == to)
			return from;
	}
}

/* Classify consecutive packets of one port. */
static void
classify_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to)
{
	static const struct rte_ether_addr no_mac;
	static const struct fcn_own_hull no_own;
	static const uint8_t class_0[64];
	const uint16_t in_port = b->pkt[from].in_port;
	const struct fcn_snapshot_port *port = &w->snap->port[in_port];
	const bool bridged = port->mode == FCN_PORT_BRIDGED;
	const struct rte_ether_hdr to_us = {.dst_addr = port->mac};
	const uint16_t fast_route_flags = fcn_fast_route_flags(port);
	const struct run run = {
			.port = port,
			.counters = &w->counters[in_port],
			.mac = fcn_mac_word((const uint8_t *)&to_us),
			.max_frame = port->mtu + (uint32_t)RTE_ETHER_HDR_LEN,
			.flags = bridged ? FCN_PACKET_BRIDGED : 0,
			.own = bridged ? &no_own : &w->snap->own,
			.fast_route_flags = bridged ? FCN_PACKET_BRIDGED : fast_route_flags,
			.class_of_dscp = port->trust != FCN_TRUST_NONE ? w->snap->class_map.dscp
								       : class_0,
	};
	const struct fcn_plain_run plain = {
			.head6 = bridged ? &fcn_plain_head_stations : &fcn_plain_head_routed,
			.head4 = bridged ? &fcn_plain_head_stations4 : &fcn_plain_head_routed4,
			.mac = bridged ? &no_mac : &port->mac,
			.max_frame = run.max_frame,
			.flags = run.fast_route_flags,
			.checked_flags = run.flags,
			.own = run.own,
			.class_of_dscp = run.class_of_dscp,
	};
	const struct fcn_fast_functions *functions = w->fast;
	unsigned int others = 0;

	for (unsigned int i = from; i < to; i++) {
		if (likely(functions != NULL)) {
			i = classify_plain(functions, b, i, to, &plain);
			if (likely(i == to))
				break;
		}
		if (may_have_next_header(b->mbuf[i], IPPROTO_HOPOPTS)) {
			i += classify_traces(w, b, i, to, &run);
			if (likely(i == to))
				break;
		}
		classify_any(w, b, i, &run);
		others++;
	}
	for (unsigned int i = from; unlikely(port->lossless != 0) && i < to; i++) {
		if (port->lossless >> b->pkt[i].class & 1)
			b->pkt[i].flags |= FCN_PACKET_LOSSLESS;
	}
	run.counters->roce_packets += to - from - others;
	b->has_checked_ports |= port->checked_ingress;
	b->n_bridged += bridged ? to - from : 0;
}

/*
 * Classify a burst. The packets of one receive queue are consecutive in it, so the data of the port
 * is looked up once for all of them.
 */
void
fcn_stage_classify(struct fcn_worker *w, struct fcn_burst *b)
{
	b->n_bridged = 0;
	b->has_mac_control = false;
	b->has_tagged = false;
	b->has_checked_ports = false;
	for (unsigned int r = 0, from = 0; r < b->n_runs; from = b->run_end[r++])
		classify_run(w, b, from, b->run_end[r]);
}
