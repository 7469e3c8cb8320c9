/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "encaps.h"
#include "notice_route.h"
#include "proxy_edge.h"
#include "proxy_intercept.h"
#include "rewrite.h"
#include "route_check.h"
#include "route_find.h"
#include "route_remember.h"
#include "fcn_source_check.h"
#include "steer.h"
#include "fcn_stages.h"

#define IPV6_DST_OFF offsetof(struct rte_ipv6_hdr, dst_addr)

/* Number of packets looked up at a time, so that their addresses stay in the first-level cache. */
#define LOOKUP_CHUNK 64

/* Indexes of some packets of a burst. */
struct some {
	unsigned int n;
	uint16_t at[LOOKUP_CHUNK];
};

/* Drop or deliver the packets that may not be forwarded, and keep the others. */
static void
check(struct fcn_worker *w, struct fcn_burst *b, struct some *packets)
{
	const struct fcn_snapshot *s = w->snap;
	unsigned int n = 0;

	for (unsigned int k = 0; k < packets->n; k++) {
		unsigned int i = packets->at[k];
		struct fcn_packet *p = &b->pkt[i];
		const uint8_t *data = rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *);
		enum fcn_drop_reason why;

		if (p->flags & (FCN_PACKET_CHECKED | FCN_PACKET_REROUTE)) {
			packets->at[n++] = i;
			continue;
		}
		if (unlikely(!fcn_route_is_forwardable(s, p, data))) {
			fcn_route_stop(w, b, i, fcn_route_check(s, p, data));
			continue;
		}
		why = fcn_source_check(s, p, data);
		if (unlikely(why != FCN_DROP_NONE))
			fcn_drop(w, b, i, why);
		else
			packets->at[n++] = i;
	}
	packets->n = n;
}

/*
 * Look up the next hops of those packets whose table is that of the first one.
 *
 * @param left written: the other packets; may be the same as packets
 */
static void
look_up(struct fcn_worker *w, struct fcn_burst *b, const struct some *packets, struct some *left)
{
	const struct fcn_snapshot *s = w->snap;
	const unsigned int n = packets->n;
	const unsigned int number = fcn_route_table(s, &b->pkt[packets->at[0]]);
	const struct fcn_snapshot_table *table = &s->table[number];
	const uint32_t displaced = w->dest_cache.displaced;
	uint8_t addr6[LOOKUP_CHUNK][16];
	uint32_t addr4[LOOKUP_CHUNK];
	uint64_t nh[LOOKUP_CHUNK];
	uint16_t at6[LOOKUP_CHUNK], at4[LOOKUP_CHUNK];
	unsigned int n6 = 0, n4 = 0;

	left->n = 0;
	for (unsigned int k = 0; k < n; k++) {
		unsigned int i = packets->at[k];
		const struct fcn_packet *p = &b->pkt[i];
		const uint8_t *data = rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *);

		if (unlikely(fcn_route_table(s, p) != number)) {
			left->at[left->n++] = i;
			continue;
		}
		if (likely(p->info.flags & FCN_PKT_IPV6)) {
			memcpy(addr6[n6], data + p->info.l3_off + IPV6_DST_OFF, 16);
			at6[n6++] = i;
		} else {
			const struct rte_ipv4_hdr *ip =
					(const struct rte_ipv4_hdr *)(data + p->info.l3_off);

			addr4[n4] = rte_be_to_cpu_32(ip->dst_addr);
			at4[n4++] = i;
		}
	}
	if (n6 > 0) {
		fcn_fib6_lookup(table->fib, addr6, nh, n6);
		for (unsigned int k = 0; k < n6; k++) {
			uint32_t index = fcn_route_host(
					s, table->first + (uint32_t)nh[k], 6, addr6[k]);

			b->pkt[at6[k]].next_hop = index;
			if (likely(number == FCN_TABLE_MAIN))
				fcn_route_remember(w, addr6[k], index);
		}
	}
	if (n4 > 0) {
		fcn_fib4_lookup(table->fib, addr4, nh, n4);
		for (unsigned int k = 0; k < n4; k++) {
			uint32_t be = rte_cpu_to_be_32(addr4[k]);
			uint8_t addr[16] = {0};
			uint32_t index;

			memcpy(addr, &be, sizeof(be));
			index = fcn_route_host(s, table->first + (uint32_t)nh[k], 4, addr);
			b->pkt[at4[k]].next_hop = index;
			/* Only RoCEv2 needs to be found by the fast path. */
			if (likely(number == FCN_TABLE_MAIN && fcn_is_host4(addr4[k]) &&
					    b->pkt[at4[k]].info.flags & FCN_PKT_ROCE))
				fcn_route_remember4(w, addr, index);
		}
	}
	fcn_dest_cache_judge(&w->dest_cache, displaced, n6 + n4);
}

/*
 * Punt a packet that cannot be forwarded, so that the host functions can send an ICMP error or
 * resolve the neighbour. If it is not punted, drop it.
 */
static void
refuse(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_punt_reason punt_reason,
		enum fcn_drop_reason why)
{
	if (fcn_punt(w, b, i, punt_reason) != FCN_PUNTED)
		fcn_drop(w, b, i, why);
}

/* Put an Ethernet header in front of a notice for the switch itself, and read its headers, as local
 * behaviours expect. Its buffer is new and therefore has headroom. */
static void
complete_notice(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)rte_pktmbuf_prepend(m, sizeof(*eth));

	memset(eth, 0, sizeof(*eth));
	eth->ether_type = rte_cpu_to_be_16(p->info.ether_type);
	fcn_parse_slow((const uint8_t *)eth, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
}

/*
 * Handle a packet whose next hop is not another station, or a station with an unknown MAC address.
 */
static __rte_noinline void
end_here(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct fcn_next_hop *nh)
{
	switch (nh->type) {
	case FCN_NEXT_HOP_LOCAL:
		if (nh->local == FCN_LOCAL_SRV6)
			b->pkt[i].sid_slot = w->snap->srv6.sid[nh->first_member].slot;
		else
			b->pkt[i].own_table = fcn_route_table(w->snap, &b->pkt[i]);
		if (b->pkt[i].flags & FCN_PACKET_NOTICE && b->pkt[i].info.l3_off == 0)
			complete_notice(w, b->mbuf[i], &b->pkt[i]);
		fcn_local_mark(b, i, nh->local, FCN_DROP_LOCAL);
		break;
	case FCN_NEXT_HOP_BLACKHOLE:
		fcn_drop(w, b, i, FCN_DROP_BLACKHOLE);
		break;
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
	case FCN_NEXT_HOP_CONNECTED: /* a port without a link cannot resolve neighbours */
		if (w->snap->port[nh->port].down)
			fcn_drop(w, b, i, FCN_DROP_PORT_DOWN);
		else
			refuse(w, b, i, FCN_PUNT_NO_NEIGHBOUR, FCN_DROP_NO_NEIGHBOUR);
		break;
	default:
		refuse(w, b, i, FCN_PUNT_NO_ROUTE, FCN_DROP_NO_ROUTE);
		break;
	}
}

/*
 * Check whether a packet is a Fast CNP that returns to where it came from. Somebody may have forged
 * the source of data, to which no other way leads: the notice would go to and fro until its hop
 * limit ends.
 */
static inline bool
is_returning(const struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	return p->info.flags & FCN_PKT_FASTCNP && nh->interface == p->in_port &&
	       !(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN | FCN_PACKET_REROUTE));
}

/* Check whether the switch counts a hop when it forwards a packet. */
static inline bool
counts_hop(const struct fcn_packet *p)
{
	return !(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_HOP_COUNTED));
}

/*
 * Let a packet enter a tunnel by the segment list that is its next hop. It is then on its way to
 * the first segment.
 *
 * @return the next hop towards the first segment; NULL: the packet has left the burst
 */
static __rte_noinline const struct fcn_next_hop *
enter_tunnel(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_next_hop *nh)
{
	const struct fcn_snapshot *s = w->snap;
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	const uint32_t hash = fcn_route_flow_hash(
			&w->hash_key, rte_pktmbuf_mtod(m, const uint8_t *), &p->info);
	const uint32_t via = fcn_encaps_via(s, nh, hash);

	if (unlikely(p->info.ip_len > nh->mtu) && !fcn_proxy_leave_out(w, b, i, nh->mtu)) {
		p->out_port = nh->interface;
		refuse(w, b, i, FCN_PUNT_MTU, FCN_DROP_MTU);
		return NULL;
	}
	if (counts_hop(p) && p->info.ttl <= 1) {
		refuse(w, b, i, FCN_PUNT_HOP_LIMIT, FCN_DROP_HOP_LIMIT);
		return NULL;
	}
	if (unlikely(!fcn_next_hop_is_forward(&s->next_hop[via]))) {
		/* The packet cannot wait for a neighbour, as it would be sent as it is. */
		fcn_request_resolution(w, p->in_port, FCN_TABLE_MAIN,
				s->srv6.encaps[nh->first_member].first);
		fcn_drop(w, b, i, FCN_DROP_NO_NEIGHBOUR);
		return NULL;
	}
	if (counts_hop(p))
		fcn_rewrite_hop_limit(rte_pktmbuf_mtod_offset(m, uint8_t *, p->info.l3_off), p);
	if (unlikely(!fcn_encaps_push(w, m, p, nh, hash))) {
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
		return NULL;
	}
	p->next_hop = via;
	return &s->next_hop[via];
}

/* Get what the conditions of steering rules are about. */
static inline struct fcn_steer_key
steer_key(const struct fcn_packet *p, const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, p->info.l3_off);
	const bool is_ipv6 = p->info.flags & FCN_PKT_IPV6;

	return (struct fcn_steer_key){
			.port = p->flags & FCN_PACKET_OWN ? FCN_PORT_NONE : p->in_port,
			.dscp = p->info.tclass >> 2,
			.is_roce = p->info.flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED),
			.version = is_ipv6 ? 6 : 4,
			.dst = ip +
			       (is_ipv6 ? IPV6_DST_OFF : offsetof(struct rte_ipv4_hdr, dst_addr)),
	};
}

/* Choose the next hop of a packet to a steered prefix. Its number is kept for the packet trace. */
static __rte_noinline const struct fcn_next_hop *
steer(struct fcn_worker *w, struct fcn_packet *p, const struct rte_mbuf *m,
		const struct fcn_next_hop *nh)
{
	const struct fcn_steer_key key = steer_key(p, m);
	const struct fcn_steering *rule;

	p->next_hop = fcn_steer(w, nh, fcn_route_table(w->snap, p), p->in_port, &key,
			p->info.ip_len, &rule);
	if (rule != NULL)
		p->steering = 1 + rule->slot;
	return &w->snap->next_hop[p->next_hop];
}

/* Select the path of a packet by a group of them. */
static inline const struct fcn_next_hop *
select_path(const struct fcn_worker *w, struct fcn_packet *p, const struct rte_mbuf *m,
		const struct fcn_next_hop *group)
{
	p->next_hop = fcn_route_member(w->snap, group,
			fcn_route_flow_hash(&w->hash_key, rte_pktmbuf_mtod(m, const uint8_t *),
					&p->info));
	return &w->snap->next_hop[p->next_hop];
}

/*
 * Send a packet to its next hop. A packet that is too long, or whose hop limit ends here, is punted
 * or dropped (IPv6: RFC 8200 sections 3 and 5; IPv4: RFC 1812 sections 5.2.6 and 5.3.1). IPv4
 * packets are not fragmented.
 */
static void
forward(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_snapshot *s = w->snap;
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	const struct fcn_next_hop *nh = &s->next_hop[p->next_hop];

	if (unlikely(nh->type == FCN_NEXT_HOP_SELECT))
		nh = steer(w, p, m, nh);
	if (nh->type == FCN_NEXT_HOP_GROUP)
		nh = select_path(w, p, m, nh);
	if (unlikely(nh->type == FCN_NEXT_HOP_ENCAPS)) {
		nh = enter_tunnel(w, b, i, nh);
		if (nh == NULL)
			return;
	}
	if (unlikely(!fcn_next_hop_is_forward(nh))) {
		end_here(w, b, i, nh);
		return;
	}
	if (unlikely(is_returning(p, nh))) {
		fcn_drop(w, b, i, FCN_DROP_NOTICE_RETURNS);
		return;
	}
	fcn_proxy_intercept(w, m, p);
	if (unlikely(p->info.ip_len > nh->mtu) && !fcn_proxy_leave_out(w, b, i, nh->mtu)) {
		p->out_port = nh->interface; /* the interface whose MTU applies */
		refuse(w, b, i, FCN_PUNT_MTU, FCN_DROP_MTU);
		return;
	}
	if (likely(counts_hop(p))) {
		if (unlikely(p->info.ttl <= 1)) {
			refuse(w, b, i, FCN_PUNT_HOP_LIMIT, FCN_DROP_HOP_LIMIT);
			return;
		}
		fcn_rewrite_hop_limit(rte_pktmbuf_mtod_offset(m, uint8_t *, p->info.l3_off), p);
	}
	if (unlikely(!fcn_rewrite(m, p, nh))) {
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
		return;
	}
	p->out_port = nh->port;
	if (nh->type == FCN_NEXT_HOP_FORWARD_TAGGED)
		fcn_sub_interface_sent(w, nh->interface, m->pkt_len - sizeof(struct rte_vlan_hdr));
}

/*
 * Find the next hop of a packet with FCN_PACKET_FAST_ROUTE. The IP header follows
 * 14 octets of Ethernet header.
 *
 * @return whether the cache has its destination
 */
static inline bool
find_cached_next_hop(const struct fcn_worker *w, struct fcn_packet *p, const uint8_t *data)
{
	const uint8_t *ip = data + RTE_ETHER_HDR_LEN;
	uint64_t key[2];

	if (likely(p->info.flags & FCN_PKT_IPV6))
		memcpy(key, ip + IPV6_DST_OFF, sizeof(key));
	else
		fcn_dest_cache_key4(ip + offsetof(struct rte_ipv4_hdr, dst_addr), key);
	return fcn_dest_cache_find_key(&w->dest_cache, key, &p->next_hop);
}

/*
 * Rewrite a packet for its next hop if this is the usual case: the next hop is a station behind a
 * port, the packet fits its MTU, its hop limit does not end here, and the frame has no padding.
 *
 * @return false in other cases, which are left to forward(); the packet is unchanged
 */
static inline bool
forward_usual(struct fcn_packet *p, const struct rte_mbuf *m, uint8_t *data,
		const struct fcn_next_hop *nh)
{
	if (unlikely(nh->type != FCN_NEXT_HOP_FORWARD || p->info.ip_len > nh->mtu ||
			    p->info.ttl <= 1 ||
			    m->pkt_len != (uint32_t)RTE_ETHER_HDR_LEN + p->info.ip_len))
		return false;
	fcn_rewrite_usual(data, p, nh);
	return true;
}

/* Forward packet i, whose next hop was found, and is no station behind a port. */
static __rte_noinline void
forward_found(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_next_hop *nh = &w->snap->next_hop[p->next_hop];

	if (nh->type == FCN_NEXT_HOP_GROUP) {
		nh = select_path(w, p, b->mbuf[i], nh);
		if (forward_usual(p, b->mbuf[i], rte_pktmbuf_mtod(b->mbuf[i], uint8_t *), nh))
			return;
	}
	forward(w, b, i);
}

/*
 * Forward consecutive packets that pass all checks of a router, if their destinations are in the
 * cache.
 *
 * @return index of the first one that is another, or has to be looked up
 */
static inline unsigned int
forward_known(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	const struct fcn_next_hop *const next_hop = w->snap->next_hop;
	const size_t end = b->n;
	struct fcn_packet *p = &b->pkt[from];
	size_t i = from;

	for (; i < end; i++, p++) {
		struct rte_mbuf *m = b->mbuf[i];
		uint8_t *data;

		if (unlikely(m == NULL))
			continue;
		if (unlikely(!(p->flags & FCN_PACKET_CHECKED)))
			break;
		data = rte_pktmbuf_mtod(m, uint8_t *);
		if (unlikely(!find_cached_next_hop(w, p, data)))
			break;
		if (unlikely(!forward_usual(p, m, data, &next_hop[p->next_hop])))
			forward_found(w, b, (unsigned int)i);
	}
	return (unsigned int)i;
}

/* Forward a notice, whose route was found before it was made. */
static inline void
forward_notice(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_next_hop *nh = &w->snap->next_hop[p->next_hop];

	if (p->out_port != FCN_PORT_NONE) /* it was built with its Ethernet header */
		return;
	if (unlikely(nh->type != FCN_NEXT_HOP_FORWARD || p->info.ip_len > nh->mtu ||
			    !(p->info.flags & FCN_PKT_IPV6))) {
		forward(w, b, i);
		return;
	}
	fcn_rewrite_notice(b->mbuf[i], p, nh);
}

/* Look up and forward the collected packets. Only look-ups are grouped by table: the packets are
 * forwarded in their order. */
static void
route_some(struct fcn_worker *w, struct fcn_burst *b, struct some *packets)
{
	struct some left;

	check(w, b, packets);
	if (unlikely(packets->n == 0))
		return;
	look_up(w, b, packets, &left);
	while (unlikely(left.n != 0))
		look_up(w, b, &left, &left);
	for (unsigned int k = 0; k < packets->n; k++)
		forward(w, b, packets->at[k]);
	packets->n = 0;
}

void
fcn_reroute(struct fcn_worker *w, struct fcn_burst *b, const uint16_t *at, unsigned int n)
{
	struct some packets;

	packets.n = 0;
	for (unsigned int k = 0; k < n; k++) {
		b->pkt[at[k]].steering = 0;
		packets.at[packets.n++] = at[k];
		if (packets.n == LOOKUP_CHUNK)
			route_some(w, b, &packets);
	}
	if (packets.n > 0)
		route_some(w, b, &packets);
}

void
fcn_forward_again(struct fcn_worker *w, struct fcn_burst *b, const uint16_t *at, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		b->pkt[at[k]].steering = 0;
		forward(w, b, at[k]);
	}
}

/*
 * Route a burst. What is known of a packet that is forwarded alone need not be looked up. The
 * others are collected and looked up together.
 */
void
fcn_stage_route(struct fcn_worker *w, struct fcn_burst *b)
{
	struct some others;

	others.n = 0;
	fcn_dest_cache_begin(&w->dest_cache, w->snap->generation);
	fcn_dest_cache_begin(&w->sid_cache, w->snap->generation);
	for (unsigned int i = 0; i < b->n; i++) {
		i = forward_known(w, b, i);
		if (likely(i >= b->n))
			break;
		if (b->mbuf[i] == NULL || b->pkt[i].flags & FCN_PACKET_BRIDGED)
			continue;
		if (b->pkt[i].flags & (FCN_PACKET_NOTICE | FCN_PACKET_ARN)) {
			forward_notice(w, b, i);
			continue;
		}
		others.at[others.n++] = i;
		if (others.n == LOOKUP_CHUNK)
			route_some(w, b, &others);
	}
	if (others.n > 0)
		route_some(w, b, &others);
}
