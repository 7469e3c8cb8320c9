/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_route_find.h"
#include "fcn_stages.h"

/* Packets looked up at a time: the addresses stay in the first-level cache. */
#define LOOKUP_CHUNK 64

/* Ethernet header with a tag */
#define TAGGED_LEN (RTE_ETHER_HDR_LEN + sizeof(struct rte_vlan_hdr))

#define IPV6_DST_OFF offsetof(struct rte_ipv6_hdr, dst_addr)

static bool
is_link_local6(const uint8_t *addr)
{
	return addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80;
}

static bool
is_loopback_or_unspecified6(const uint8_t *addr)
{
	static const uint8_t zero[15];

	return addr[15] <= 1 && memcmp(addr, zero, sizeof(zero)) == 0;
}

/* RFC 4291 sections 2.5 and 2.7: what a router must not forward. */
static enum fcn_drop_reason
check6(const uint8_t *src, const uint8_t *dst)
{
	if (src[0] == 0xff || is_loopback_or_unspecified6(src))
		return FCN_DROP_MARTIAN;
	if (dst[0] == 0xff)
		return FCN_DROP_MULTICAST;
	if (is_loopback_or_unspecified6(dst))
		return FCN_DROP_MARTIAN;
	if (is_link_local6(src) || is_link_local6(dst))
		return FCN_DROP_LINK_LOCAL;
	return FCN_DROP_NONE;
}

/* RFC 1812 section 5.3.7; addresses in host byte order. */
static enum fcn_drop_reason
check4(uint32_t src, uint32_t dst)
{
	if (src >> 28 >= 14 || src >> 24 == 127 || src >> 24 == 0)
		return FCN_DROP_MARTIAN;
	if (dst >> 28 >= 14)
		return FCN_DROP_MULTICAST;
	if (dst >> 24 == 127 || dst >> 24 == 0)
		return FCN_DROP_MARTIAN;
	if (src >> 16 == 0xa9fe || dst >> 16 == 0xa9fe)
		return FCN_DROP_LINK_LOCAL;
	return FCN_DROP_NONE;
}

/* Checks of a packet received on a routed port, before its route is known. */
static enum fcn_drop_reason
check(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const struct fcn_wire_info *info = &p->info;

	/* what its interface takes has no tag any more */
	if (unlikely(info->n_vlans > 0))
		return FCN_DROP_VLAN_UNEXPECTED;
	if (unlikely(rte_is_multicast_ether_addr(&eth->dst_addr)))
		return (info->flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) ? FCN_DROP_MULTICAST
								     : FCN_DROP_ETHER_TYPE;
	if (unlikely(!rte_is_same_ether_addr(&eth->dst_addr, &s->port[p->in_port].mac)))
		return FCN_DROP_NOT_MY_MAC;
	if (unlikely(fcn_wire_error_is_fatal(info->error)))
		return fcn_drop_of_wire_error(info->error);
	if (likely(info->flags & FCN_PKT_IPV6)) {
		const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)(data + info->l3_off);

		return check6((const uint8_t *)&ip->src_addr, (const uint8_t *)&ip->dst_addr);
	}
	if (info->flags & FCN_PKT_IPV4) {
		const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + info->l3_off);

		return check4(rte_be_to_cpu_32(ip->src_addr), rte_be_to_cpu_32(ip->dst_addr));
	}
	return FCN_DROP_ETHER_TYPE;
}

/* Packets of a burst, by their place in it. */
struct some {
	unsigned int n;
	uint16_t at[LOOKUP_CHUNK];
};

/* Fills next_hop of these packets; drops what may not be forwarded. */
static void
look_up(struct fcn_worker *w, struct fcn_burst *b, const struct some *packets)
{
	const struct fcn_snapshot *s = w->snap;
	uint8_t addr6[LOOKUP_CHUNK][16];
	uint32_t addr4[LOOKUP_CHUNK];
	uint64_t nh[LOOKUP_CHUNK];
	uint16_t at6[LOOKUP_CHUNK], at4[LOOKUP_CHUNK];
	unsigned int n6 = 0, n4 = 0;

	for (unsigned int k = 0; k < packets->n; k++) {
		unsigned int i = packets->at[k];
		struct fcn_packet *p = &b->pkt[i];
		const uint8_t *data = rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *);

		if (!(p->flags & FCN_PACKET_COMMON)) {
			enum fcn_drop_reason r = check(s, p, data);

			if (unlikely(r != FCN_DROP_NONE)) {
				fcn_punt_or_drop(w, b, i, r);
				continue;
			}
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
		fcn_fib6_lookup(s->fib, addr6, nh, n6);
		for (unsigned int k = 0; k < n6; k++) {
			uint32_t index = fcn_route_host(s, nh[k], 6, addr6[k]);

			b->pkt[at6[k]].next_hop = index;
			fcn_route_memo_keep(&w->routes, addr6[k], index);
		}
	}
	if (n4 > 0) {
		fcn_fib4_lookup(s->fib, addr4, nh, n4);
		for (unsigned int k = 0; k < n4; k++) {
			uint32_t be = rte_cpu_to_be_32(addr4[k]);
			uint8_t addr[16] = {0};

			memcpy(addr, &be, sizeof(be));
			b->pkt[at4[k]].next_hop = fcn_route_host(s, nh[k], 4, addr);
		}
	}
}

/*
 * Addresses and ports, which RoCEv2 senders vary per queue pair: a flow keeps
 * its path. Only the first fragment of a packet has ports; they count in none.
 */
static uint32_t
flow_hash(const struct fcn_hash_key *key, const uint8_t *data, const struct fcn_wire_info *info)
{
	const uint8_t *ip = data + info->l3_off;
	uint32_t ports = info->flags & FCN_PKT_FRAGMENT
					 ? 0
					 : fcn_route_ports(info->src_port, info->dst_port);

	if (info->flags & FCN_PKT_IPV6)
		return fcn_route_hash6(key, ip + offsetof(struct rte_ipv6_hdr, src_addr),
				ip + offsetof(struct rte_ipv6_hdr, dst_addr), ports);
	return fcn_route_hash4(key, ip + offsetof(struct rte_ipv4_hdr, src_addr), ports);
}

static enum fcn_drop_reason
drop_of_next_hop(const struct fcn_snapshot *s, const struct fcn_next_hop *nh)
{
	switch (nh->type) {
	case FCN_NEXT_HOP_BLACKHOLE:
		return FCN_DROP_BLACKHOLE;
	case FCN_NEXT_HOP_LOCAL:
		return FCN_DROP_LOCAL;
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
	case FCN_NEXT_HOP_CONNECTED: /* nobody can be asked behind a port without link */
		return s->port[nh->port].down ? FCN_DROP_PORT_DOWN : FCN_DROP_NO_NEIGHBOUR;
	default:
		return FCN_DROP_NO_ROUTE;
	}
}

/*
 * RFC 1141: one less in the upper octet of a word adds 0x0100 to the checksum.
 * A sum of 0xFFFF is 0 (RFC 1624 section 3).
 */
static void
decrement_ttl(struct rte_ipv4_hdr *ip)
{
	uint32_t sum = rte_be_to_cpu_16(ip->hdr_checksum) + 0x0100u;

	ip->time_to_live--;
	ip->hdr_checksum = rte_cpu_to_be_16(sum + (sum >= 0xFFFF));
}

/* Ethernet header and tag of a packet that leaves by a sub-interface. */
static inline void
write_tagged(uint8_t *data, struct fcn_packet *p, const struct fcn_next_hop *nh,
		rte_be16_t ether_type)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)data;
	struct rte_vlan_hdr *tag = (struct rte_vlan_hdr *)(eth + 1);

	*eth = nh->l2;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_VLAN);
	p->info.n_vlans = 1;
	p->info.vlan_tci = fcn_vlan_tci(p->class, nh->vlan);
	tag->vlan_tci = rte_cpu_to_be_16(p->info.vlan_tci);
	tag->eth_proto = ether_type;
}

/* Put the next hop's Ethernet header in front of the IP header, in place of what stands there. */
static int
rewrite_l2(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	const bool tagged = nh->type == FCN_NEXT_HOP_FORWARD_TAGGED;
	const int len = tagged ? TAGGED_LEN : (int)sizeof(nh->l2);
	const rte_be16_t ether_type = p->info.flags & FCN_PKT_IPV6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6)
								   : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	int shift = len - p->info.l3_off;
	struct rte_ether_hdr *eth;

	if (unlikely(shift > 0)) {
		if (rte_pktmbuf_prepend(m, shift) == NULL)
			return -ENOSPC;
	} else if (unlikely(shift < 0)) {
		rte_pktmbuf_adj(m, -shift);
	}
	if (unlikely(shift != 0)) {
		fcn_wire_info_shift(&p->info, shift);
		p->info.l3_off = len; /* a notice comes without any header in front */
		p->info.n_vlans = 0;
	}
	eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	if (tagged) {
		write_tagged((uint8_t *)eth, p, nh, ether_type);
	} else {
		*eth = nh->l2;
		eth->ether_type = ether_type;
	}
	return 0;
}

/* The same for a chain: segments behind the end are given back. */
static void
trim_chain(struct rte_mbuf *m, uint32_t len)
{
	struct rte_mbuf *last = m;
	uint32_t left = len;
	uint16_t segs = 1;

	for (; left > last->data_len; segs++) {
		left -= last->data_len;
		last = last->next;
	}
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	last->data_len = left;
	m->nb_segs = segs;
	m->pkt_len = len;
}

/* Octets behind the IP packet (Ethernet padding) stay behind. */
static void
trim(struct rte_mbuf *m, const struct fcn_wire_info *info)
{
	uint32_t len = (uint32_t)info->l3_off + info->ip_len;

	if (likely(m->pkt_len <= len))
		return;
	if (likely(m->nb_segs == 1))
		rte_pktmbuf_trim(m, m->pkt_len - len);
	else
		trim_chain(m, len);
}

static void
forward(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_snapshot *s = w->snap;
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *) + p->info.l3_off;
	const struct fcn_next_hop *nh = &s->next_hop[p->next_hop];

	if (nh->type == FCN_NEXT_HOP_GROUP) {
		p->next_hop = fcn_route_member(s, nh,
				flow_hash(&w->notify.key, rte_pktmbuf_mtod(m, const uint8_t *),
						&p->info));
		nh = &s->next_hop[p->next_hop];
	}
	if (unlikely(!fcn_next_hop_is_forward(nh))) {
		fcn_punt_or_drop(w, b, i, drop_of_next_hop(s, nh));
		return;
	}
	if (unlikely(p->info.ip_len > nh->mtu)) {
		p->out_port = nh->interface; /* whose MTU it is */
		fcn_punt_or_drop(w, b, i, FCN_DROP_MTU);
		return;
	}
	if (likely(!(p->flags & FCN_PACKET_NOTICE))) {
		if (unlikely(p->info.ttl <= 1)) {
			fcn_punt_or_drop(w, b, i, FCN_DROP_HOP_LIMIT);
			return;
		}
		if (likely(p->info.flags & FCN_PKT_IPV6))
			((struct rte_ipv6_hdr *)ip)->hop_limits--;
		else
			decrement_ttl((struct rte_ipv4_hdr *)ip);
		p->info.ttl--;
	}
	trim(m, &p->info);
	if (unlikely(rewrite_l2(m, p, nh) != 0)) {
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
		return;
	}
	p->out_port = nh->port;
	if (nh->type == FCN_NEXT_HOP_FORWARD_TAGGED)
		fcn_sub_interface_sent(w, nh->interface, m->pkt_len - sizeof(struct rte_vlan_hdr));
}

/* forward_common() by a sub-interface, once it has said yes to everything else. */
static __rte_noinline bool
forward_common_tagged(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_next_hop *nh)
{
	const uint32_t len = RTE_ETHER_HDR_LEN + p->info.ip_len;
	uint8_t *data;

	if (unlikely(p->info.ip_len > nh->mtu || p->info.ttl <= 1 || m->pkt_len != len))
		return false;
	data = (uint8_t *)rte_pktmbuf_prepend(m, sizeof(struct rte_vlan_hdr));
	if (unlikely(data == NULL))
		return false;
	((struct rte_ipv6_hdr *)(data + TAGGED_LEN))->hop_limits = --p->info.ttl;
	fcn_wire_info_shift(&p->info, sizeof(struct rte_vlan_hdr));
	write_tagged(data, p, nh, RTE_BE16(RTE_ETHER_TYPE_IPV6));
	p->out_port = nh->port;
	fcn_sub_interface_sent(w, nh->interface, len);
	return true;
}

/*
 * FCN_PACKET_COMMON to a destination met lately: 14 octets of Ethernet stand
 * before IPv6, of which the last two remain.
 *
 * @return false: there is more to it
 */
static inline bool
forward_common(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *), *ip = data + RTE_ETHER_HDR_LEN;
	const struct fcn_next_hop *nh;

	if (unlikely(!fcn_route_memo_find(&w->routes, ip + IPV6_DST_OFF, &p->next_hop)))
		return false;
	nh = &w->snap->next_hop[p->next_hop];
	if (unlikely(nh->type != FCN_NEXT_HOP_FORWARD || p->info.ip_len > nh->mtu ||
			    p->info.ttl <= 1 ||
			    m->pkt_len != (uint32_t)RTE_ETHER_HDR_LEN + p->info.ip_len))
		return nh->type == FCN_NEXT_HOP_FORWARD_TAGGED &&
		       forward_common_tagged(w, p, m, nh);
	((struct rte_ipv6_hdr *)ip)->hop_limits = --p->info.ttl;
	memcpy(data, &nh->l2, 2 * RTE_ETHER_ADDR_LEN);
	p->out_port = nh->port;
	return true;
}

/*
 * A notice. The way back was found before it was made, and it has no Ethernet
 * header yet; a fresh buffer has room for one.
 */
static inline void
forward_notice(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	const struct fcn_next_hop *nh = &w->snap->next_hop[p->next_hop];

	if (unlikely(nh->type != FCN_NEXT_HOP_FORWARD || p->info.ip_len > nh->mtu)) {
		forward(w, b, i);
		return;
	}
	memcpy(rte_pktmbuf_prepend(m, sizeof(nh->l2)), &nh->l2, sizeof(nh->l2));
	p->info.l3_off = sizeof(nh->l2);
	p->out_port = nh->port;
}

static void
route_some(struct fcn_worker *w, struct fcn_burst *b, struct some *packets)
{
	look_up(w, b, packets);
	for (unsigned int k = 0; k < packets->n; k++) {
		if (likely(b->mbuf[packets->at[k]] != NULL))
			forward(w, b, packets->at[k]);
	}
	packets->n = 0;
}

/* Most packets take the short way at once; the others are gathered for the long one. */
void
fcn_stage_route(struct fcn_worker *w, struct fcn_burst *b)
{
	struct some others = {.n = 0};

	fcn_route_memo_begin(&w->routes, w->snap->generation);
	for (unsigned int i = 0; i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];

		if (unlikely(b->mbuf[i] == NULL))
			continue;
		if (likely(p->flags & FCN_PACKET_COMMON) &&
				likely(forward_common(w, p, b->mbuf[i])))
			continue;
		if (p->flags & FCN_PACKET_BRIDGED)
			continue;
		if (p->flags & FCN_PACKET_NOTICE) {
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
