/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_pfc.h>

#include "classify.h"
#include "fcn_endcon_plain.h"
#include "fcn_parse_ip4.h"
#include "fcn_parse_trace.h"
#include "fcn_parse_tunnel.h"

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

/* Count a packet of the slow path. Packets of the fast path are counted together. */
static void
count_slow(struct fcn_port_counters *c, const struct fcn_wire_info *info)
{
	if (likely(info->flags & FCN_PKT_ROCE))
		c->roce_packets++;
	else if (info->flags & FCN_PKT_ROCE_PORT)
		c->roce_malformed++;
	if (unlikely(info->flags & FCN_PKT_IOAM_INVALID))
		c->ioam_malformed++;
	if (unlikely(info->error != FCN_WIRE_OK))
		c->wire_error[info->error]++;
}

/*
 * Classify a packet on the slow path, which is not inlined, so that the loop of the fast path can
 * use all registers.
 */
static __rte_noinline void
classify_slow(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_classify_run *run)
{
	const struct fcn_snapshot_port *port = run->port;
	const struct rte_mbuf *m = b->mbuf[i];
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_packet *p = &b->pkt[i];

	p->flags = run->flags;
	fcn_parse_slow(data, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	count_slow(run->counters, &p->info);
	p->class = class_of(w->snap, port, &p->info);
	if (fcn_is_well_formed_ipv6(&p->info) && fcn_is_fast_route(data, run->mac))
		p->flags = run->fast_route_flags;
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
drop_long(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_classify_run *run)
{
	fcn_drop(w, b, i,
			run->port->mode == FCN_PORT_UNUSED ? FCN_DROP_PORT_NEW
							   : FCN_DROP_RX_OVERSIZE);
}

/* Classify a packet that a fast parser has parsed: it is untagged RoCEv2 over IPv6. */
static __rte_always_inline void
classify_fast(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const uint8_t *data,
		const struct fcn_classify_run *run, uint16_t fast_route_flags,
		const uint8_t *class_of_dscp)
{
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];

	p->flags = likely(fcn_is_fast_route(data, run->mac)) ? fast_route_flags : run->flags;
	p->class = class_of_dscp[p->info.tclass >> 2];
	if (unlikely(m->pkt_len > run->max_frame))
		drop_long(w, b, i, run);
}

/*
 * Classify consecutive packets that are plain RoCEv2 over IPv6, up to packet `to`, or to the first
 * of another kind.
 *
 * @return number of packets
 */
static __rte_always_inline unsigned int
classify_plain(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_fast(data, m->data_len, m->pkt_len, &p->info)))
			break;
		classify_fast(w, b, i, data, run, run->fast_route_flags, class_of_dscp);
	}
	return i - from;
}

/*
 * The same for packets of bridges, whose addresses do not matter. It is not inlined, as the other
 * packets need the registers.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_bridged(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	const uint32_t max_frame = run->max_frame;
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_fast(data, m->data_len, m->pkt_len, &p->info)))
			break;
		p->flags = FCN_PACKET_BRIDGED;
		p->class = class_of_dscp[p->info.tclass >> 2];
		if (unlikely(m->pkt_len > max_frame))
			drop_long(w, b, i, run);
	}
	return i - from;
}

/* Check whether this is the next header of a packet, if that is IPv6. */
static inline bool
may_have_next_header(const struct rte_mbuf *m, uint8_t proto)
{
	const uint32_t off = RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, proto);

	return m->data_len > off && rte_pktmbuf_mtod(m, const uint8_t *)[off] == proto;
}

/*
 * The same for RoCEv2 over IPv6 with an IOAM trace.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_traces(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	const uint16_t trace_flags = run->port->ioam.transit ? FCN_PACKET_IOAM : 0;
	struct fcn_trace_layout known = {.head = 0};
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_trace(data, m->data_len, m->pkt_len, &known, &p->info)))
			break;
		classify_fast(w, b, i, data, run, run->fast_route_flags, class_of_dscp);
		p->flags |= trace_flags;
	}
	return i - from;
}

/*
 * The same for RoCEv2 over IPv4, with the same reason for not being inlined as below.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_ip4(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_fast_ip4(data, m->data_len, m->pkt_len, &p->info)))
			break;
		p->flags = likely(fcn_is_fast_ip4(&p->info, m, data, run->mac))
					   ? run->fast_ip4_flags
					   : run->flags;
		p->class = class_of_dscp[p->info.tclass >> 2];
		if (unlikely(m->pkt_len > run->max_frame))
			drop_long(w, b, i, run);
	}
	return i - from;
}

/*
 * The same for RoCEv2 in SRv6 tunnels. It is not inlined, as plain packets need the registers.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_tunnels(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	struct fcn_tunnel_srh known = {.octets = 0};
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(!fcn_parse_tunnel(data, m->data_len, m->pkt_len, &known, &p->info)))
			break;
		classify_fast(w, b, i, data, run,
				likely(m->pkt_len == (uint32_t)RTE_ETHER_HDR_LEN + p->info.ip_len)
						? run->tunnel_flags
						: run->fast_route_flags,
				class_of_dscp);
	}
	return i - from;
}

/*
 * The same for Fast CNPs to END.CON.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
classify_endcon(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run, const uint8_t *class_of_dscp)
{
	const uint8_t opt1 = w->snap->codes.fastcnp_opt1;
	unsigned int i = from;

	for (; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];

		p->flags = run->flags;
		if (unlikely(!fcn_parse_endcon_plain(
				    data, m->data_len, m->pkt_len, opt1, &p->info)))
			break;
		classify_fast(w, b, i, data, run, run->tunnel_flags, class_of_dscp);
	}
	return i - from;
}

/* Classify consecutive packets of one port. */
static void
classify_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int to)
{
	static const uint8_t class_0[64];
	const uint16_t in_port = b->pkt[from].in_port;
	const struct fcn_snapshot_port *port = &w->snap->port[in_port];
	const bool bridged = port->mode == FCN_PORT_BRIDGED;
	const struct rte_ether_hdr to_us = {.dst_addr = port->mac};
	const uint16_t fast_route_flags = fcn_fast_route_flags(port);
	const struct fcn_classify_run run = {
			.port = port,
			.counters = &w->counters[in_port],
			.mac = fcn_mac_word((const uint8_t *)&to_us),
			.max_frame = port->mtu + (uint32_t)RTE_ETHER_HDR_LEN,
			.flags = bridged ? FCN_PACKET_BRIDGED : 0,
			.fast_route_flags = bridged ? FCN_PACKET_BRIDGED : fast_route_flags,
			.fast_ip4_flags = bridged ? FCN_PACKET_BRIDGED : fcn_fast_ip4_flags(port),
			.tunnel_flags = bridged                 ? FCN_PACKET_BRIDGED
					: fast_route_flags != 0 ? FCN_PACKET_TUNNEL
								: 0,
			.head = bridged ? &fcn_plain_head_bridged : &fcn_plain_head_routed,
			/* Packets on the fast path have no tag: their class follows from the DSCP,
			 * or is 0. */
			.class_of_dscp = port->trust != FCN_TRUST_NONE ? w->snap->class_map.dscp
								       : class_0,
	};
	const uint8_t *class_of_dscp = run.class_of_dscp;
	unsigned int others = 0;

	for (unsigned int i = from; i < to; i++) {
		if (likely(w->classify_plain != NULL &&
				    may_have_next_header(b->mbuf[i], IPPROTO_UDP))) {
			i = w->classify_plain(b, i, to, &run);
			if (likely(i == to))
				break;
		}
		i += unlikely(bridged) ? classify_bridged(w, b, i, to, &run, class_of_dscp)
				       : classify_plain(w, b, i, to, &run, class_of_dscp);
		if (likely(i == to))
			break;
		if (may_have_next_header(b->mbuf[i], IPPROTO_HOPOPTS)) {
			unsigned int n = classify_traces(w, b, i, to, &run, class_of_dscp);

			i += n;
			if (likely(i == to))
				break;
			if (n != 0) { /* packet i may be a plain one */
				i--;
				continue;
			}
		}
		i += classify_tunnels(w, b, i, to, &run, class_of_dscp);
		if (likely(i == to))
			break;
		i += classify_endcon(w, b, i, to, &run, class_of_dscp);
		if (likely(i == to))
			break;
		i += classify_ip4(w, b, i, to, &run, class_of_dscp);
		if (likely(i == to))
			break;
		classify_slow(w, b, i, &run);
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
