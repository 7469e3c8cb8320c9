/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_inet.h"
#include "fcn_mld.h"
#include "fcn_nd.h"
#include "fcn_punt.h"
#include "fcn_stages.h"

/* Protocol numbers and ports of routing protocols, by IANA's registries. */
#define PROTO_OSPF 89
#define PROTO_VRRP 112
#define PORT_BGP 179
#define PORT_RIP 520
#define PORT_RIPNG 521
#define PORT_BFD 3784
#define PORT_BFD_ECHO 3785
#define PORT_BFD_MULTIHOP 4784

#define LLC_MAX_LENGTH 1500 /* in place of an EtherType: a length (IEEE 802.3) */

/* Groups of IS-IS (ISO 10589 8.4.8, RFC 5309): all level 1, all level 2, all systems. */
static bool
is_isis_group(const struct rte_ether_addr *mac)
{
	static const struct rte_ether_addr groups[] = {
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x14}},
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x15}},
			{{0x09, 0x00, 0x2B, 0x00, 0x00, 0x05}},
	};

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		if (rte_is_same_ether_addr(mac, &groups[i]))
			return true;
	}
	return false;
}

/* What routing protocols send: to a group of this link, between link-local addresses, by LLC. */
static bool
is_control(const struct fcn_packet *p, const uint8_t *data, enum fcn_drop_reason why)
{
	static const uint8_t group4[] = {224, 0, 0};
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const uint8_t *ip = data + p->info.l3_off;

	if (p->info.n_vlans > 0)
		return false;
	switch (why) {
	case FCN_DROP_MULTICAST:
		if (p->info.flags & FCN_PKT_IPV6)
			return ip[24] == 0xFF && (ip[25] & 0x0F) == 2;
		return p->info.flags & FCN_PKT_IPV4 && memcmp(ip + 16, group4, sizeof(group4)) == 0;
	case FCN_DROP_LINK_LOCAL:
		return true;
	case FCN_DROP_ETHER_TYPE:
		return p->info.ether_type <= LLC_MAX_LENGTH && is_isis_group(&eth->dst_addr);
	default:
		return false;
	}
}

/* Of ARP and ND, what the host functions may want; of the rest, what they can answer. */
static int
host_reason(const struct fcn_packet *p, const uint8_t *data, enum fcn_drop_reason why)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const bool icmp6 = p->info.flags & FCN_PKT_IPV6 && p->info.proto == IPPROTO_ICMPV6;

	if (p->flags & FCN_PACKET_NOTICE) /* made here: nobody is to be told */
		return -1;
	switch (why) {
	case FCN_DROP_LOCAL:
		return FCN_PUNT_LOCAL;
	case FCN_DROP_MULTICAST:
		return icmp6 && (data[p->info.l3_off + 25] & 0x0F) == 2 ? FCN_PUNT_LINK : -1;
	case FCN_DROP_MARTIAN: /* the unspecified address asks whether another is taken */
	case FCN_DROP_LINK_LOCAL:
		return icmp6 ? FCN_PUNT_LINK : -1;
	case FCN_DROP_ETHER_TYPE:
		return p->info.ether_type == RTE_ETHER_TYPE_ARP && p->info.n_vlans == 0 &&
						       (rte_is_broadcast_ether_addr(
									&eth->dst_addr) ||
								       !rte_is_multicast_ether_addr(
										       &eth->dst_addr))
				       ? FCN_PUNT_ARP
				       : -1;
	case FCN_DROP_NO_NEIGHBOUR:
		return FCN_PUNT_NO_NEIGHBOUR;
	case FCN_DROP_NO_ROUTE:
		return FCN_PUNT_NO_ROUTE;
	case FCN_DROP_HOP_LIMIT:
		return FCN_PUNT_HOP_LIMIT;
	case FCN_DROP_MTU:
		return FCN_PUNT_MTU;
	default:
		return -1;
	}
}

static int
punt_reason(const struct fcn_worker *w, const struct fcn_packet *p, const uint8_t *data,
		enum fcn_drop_reason why)
{
	int reason = host_reason(p, data, why);

	if (reason < 0 && w->snap->port[p->in_port].kernel && is_control(p, data, why))
		return FCN_PUNT_CONTROL;
	return reason;
}

/*
 * Neighbour Discovery as RFC 4861 section 6.1 has it, where a hop limit of 255 says that the packet
 * is from this link, and queries of MLD (RFC 3810 section 6.2), where the hop limit is 1, the
 * source address is link-local, and a Hop-by-Hop Options header says Router Alert.
 */
static bool
is_discovery(const struct fcn_packet *p, const struct rte_mbuf *m, const uint8_t *data)
{
	const uint32_t off = p->info.l4_off;

	if (p->info.proto != IPPROTO_ICMPV6 || off == 0 || off >= m->data_len)
		return false;
	if (p->info.ttl == FCN_ND_HOP_LIMIT)
		return data[off] >= FCN_ND_ROUTER_SOLICIT && data[off] <= FCN_ND_NEIGHBOUR_ADVERT;
	return p->info.ttl == FCN_MLD_HOP_LIMIT && data[off] == FCN_MLD_QUERY &&
	       p->info.flags & FCN_PKT_HBH && fcn_ip6_is_link_local(data + p->info.l3_off + 8);
}

/* Packets to our own addresses that routing protocols exchange. */
static bool
is_routing_protocol(const struct fcn_wire_info *info)
{
	switch (info->proto) {
	case IPPROTO_TCP:
		return info->src_port == PORT_BGP || info->dst_port == PORT_BGP;
	case IPPROTO_UDP:
		return info->dst_port == PORT_BFD || info->dst_port == PORT_BFD_ECHO ||
		       info->dst_port == PORT_BFD_MULTIHOP || info->dst_port == PORT_RIP ||
		       info->dst_port == PORT_RIPNG;
	case PROTO_OSPF:
	case IPPROTO_PIM:
	case PROTO_VRRP:
		return true;
	default:
		return false;
	}
}

static enum fcn_punt_kind
kind_of(const struct fcn_worker *w, const struct fcn_packet *p, const struct rte_mbuf *m,
		const uint8_t *data, enum fcn_punt_reason reason)
{
	switch (reason) {
	case FCN_PUNT_ARP:
		return FCN_PUNT_KIND_NEIGHBOUR;
	case FCN_PUNT_CONTROL:
		return FCN_PUNT_KIND_CONTROL;
	case FCN_PUNT_NO_NEIGHBOUR:
		return FCN_PUNT_KIND_RESOLVE;
	case FCN_PUNT_MTU:
		return FCN_PUNT_KIND_MTU;
	case FCN_PUNT_NO_ROUTE:
		return FCN_PUNT_KIND_NO_ROUTE;
	case FCN_PUNT_HOP_LIMIT:
		return FCN_PUNT_KIND_HOP_LIMIT;
	default:
		break;
	}
	if (is_discovery(p, m, data))
		return FCN_PUNT_KIND_NEIGHBOUR;
	return w->snap->port[p->in_port].kernel && is_routing_protocol(&p->info)
			       ? FCN_PUNT_KIND_CONTROL
			       : FCN_PUNT_KIND_LOCAL;
}

/*
 * A packet that is not left to the host functions. What is addressed to the switch was dropped by
 * the policer; what was to be forwarded could not be, and its sender is only not told.
 */
static enum fcn_drop_reason
reason_of_limited(enum fcn_punt_kind kind, enum fcn_drop_reason why)
{
	switch (kind) {
	case FCN_PUNT_KIND_NEIGHBOUR:
	case FCN_PUNT_KIND_CONTROL:
	case FCN_PUNT_KIND_LOCAL:
		return FCN_DROP_PUNT_LIMITED;
	default:
		return why;
	}
}

static bool
take_token(struct fcn_worker *w, uint16_t port, enum fcn_punt_kind kind)
{
	const struct fcn_punt_limit *limit = &w->snap->port[port].punt[kind];
	uint64_t tat = RTE_MAX(w->punt_tat[port][kind], w->now);

	if (limit->cost_ns == 0 || tat - w->now > limit->spare_ns)
		return false;
	w->punt_tat[port][kind] = tat + limit->cost_ns;
	return true;
}

/* What another rate, or none, took of a bucket is not to be paid back at the rate of now: a bucket
 * is at most as far ahead of the clock as this rate can bring it. */
void
fcn_punt_reconfigure(struct fcn_worker *w, uint16_t port)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct fcn_punt_limit *limit = &w->snap->port[port].punt[k];
		const uint64_t most = w->now + limit->spare_ns + limit->cost_ns;

		w->punt_tat[port][k] = RTE_MIN(w->punt_tat[port][k], most);
	}
}

void
fcn_punt_or_drop(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_drop_reason why)
{
	const struct fcn_packet *p = &b->pkt[i];
	struct fcn_port_counters *c = &w->counters[p->in_port];
	enum fcn_punt_kind kind;
	struct fcn_punt punt;
	const uint8_t *data;
	int reason;

	if (likely(w->punts == NULL)) {
		fcn_drop(w, b, i, why);
		return;
	}
	data = rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *);
	reason = punt_reason(w, p, data, why);
	if (reason < 0 || !(w->snap->punt >> reason & 1)) {
		fcn_drop(w, b, i, why);
		return;
	}
	kind = kind_of(w, p, b->mbuf[i], data, reason);
	if (!take_token(w, p->in_port, kind)) {
		c->punt_limited[kind]++;
		fcn_drop(w, b, i, reason_of_limited(kind, why));
		return;
	}
	punt = (struct fcn_punt){
			.mbuf = b->mbuf[i],
			.in_port = p->in_port,
			.interface = p->flags & FCN_PACKET_BRIDGED ? p->out_port : p->in_port,
			.reason = reason,
			.class = p->class,
			.l3_off = p->info.l3_off,
			.mtu = reason == FCN_PUNT_MTU ? w->snap->port[p->out_port].mtu : 0,
	};
	if (!fcn_punt_put(w->punts, kind, &punt)) {
		c->punt_backlog[kind]++;
		fcn_drop(w, b, i, reason_of_limited(kind, why));
		return;
	}
	c->punted[kind]++;
	c->consumed++;
	b->mbuf[i] = NULL;
}
