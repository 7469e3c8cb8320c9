/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_inet.h"
#include "fcn_link_protocol.h"
#include "fcn_mld.h"
#include "fcn_nd.h"
#include "fcn_punt.h"
#include "fcn_stages.h"
#include "proxy_edge.h"
#include "route_check.h"
#include "route_find.h"

/* Protocol numbers and ports of routing protocols, by IANA's registries. */
#define PROTO_OSPF 89
#define PROTO_VRRP 112
#define PORT_BGP 179
#define PORT_RIP 520
#define PORT_RIPNG 521
#define PORT_BFD 3784
#define PORT_BFD_ECHO 3785
#define PORT_BFD_MULTIHOP 4784

/*
 * Check whether a packet is Neighbour Discovery, whose hop limit of 255 proves that it comes from
 * this link (RFC 4861 section 6.1), or an MLD query, which has hop limit 1, a link-local source
 * address, and a Router Alert option in a Hop-by-Hop Options header (RFC 3810 section 6.2).
 */
static bool
is_discovery(const struct fcn_packet *p, const struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint32_t off = p->info.l4_off;

	if (p->info.proto != IPPROTO_ICMPV6 || off == 0 || off >= m->data_len)
		return false;
	if (p->info.ttl == FCN_ND_HOP_LIMIT)
		return data[off] >= FCN_ND_ROUTER_SOLICIT && data[off] <= FCN_ND_NEIGHBOUR_ADVERT;
	return p->info.ttl == FCN_MLD_HOP_LIMIT && data[off] == FCN_MLD_QUERY &&
	       p->info.flags & FCN_PKT_HBH && fcn_ip6_is_link_local(data + p->info.l3_off + 8);
}

/* Check whether a packet to an address of the switch belongs to a routing protocol. */
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

/* Get the kind of a packet of a control protocol: routing protocols over IP, or what the list of
 * protocols of a link says. */
static enum fcn_punt_kind
control_kind(const struct fcn_worker *w, const struct fcn_packet *p, const struct rte_mbuf *m)
{
	const struct rte_ether_addr *dst =
			&rte_pktmbuf_mtod(m, const struct rte_ether_hdr *)->dst_addr;
	const bool own = rte_is_same_ether_addr(dst, &w->snap->port[p->in_port].mac);
	enum fcn_link_protocol protocol;

	if (fcn_is_ip(&p->info))
		return FCN_PUNT_KIND_CONTROL;
	protocol = fcn_link_protocol_of(dst, p->info.ether_type, own);
	return protocol < FCN_LINK_PROTOCOL_COUNT ? fcn_link_protocols[protocol].kind
						  : FCN_PUNT_KIND_CONTROL;
}

/* Get the kind of a packet that is punted, which selects its limits and its queue. */
static enum fcn_punt_kind
kind_of(const struct fcn_worker *w, const struct fcn_packet *p, const struct rte_mbuf *m,
		enum fcn_punt_reason reason)
{
	switch (reason) {
	case FCN_PUNT_ARP:
		return FCN_PUNT_KIND_NEIGHBOUR;
	case FCN_PUNT_CONTROL:
		return control_kind(w, p, m);
	case FCN_PUNT_NO_NEIGHBOUR:
		return FCN_PUNT_KIND_RESOLVE;
	case FCN_PUNT_MTU:
		return FCN_PUNT_KIND_MTU;
	case FCN_PUNT_NO_ROUTE:
		return FCN_PUNT_KIND_NO_ROUTE;
	case FCN_PUNT_HOP_LIMIT:
		return FCN_PUNT_KIND_HOP_LIMIT;
	case FCN_PUNT_ERROR:
	case FCN_PUNT_ENDCON:
		return FCN_PUNT_KIND_SRV6;
	default:
		break;
	}
	if (is_discovery(p, m))
		return FCN_PUNT_KIND_NEIGHBOUR;
	return w->snap->port[p->in_port].kernel && is_routing_protocol(&p->info)
			       ? FCN_PUNT_KIND_CONTROL
			       : FCN_PUNT_KIND_LOCAL;
}

/* Take a token from the bucket of a port and kind. @return false when there is none */
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

/*
 * Limit the time by which a bucket is ahead of the clock to the size of the bucket at the new rate.
 * Otherwise tokens that were taken at another rate could delay packets for long.
 */
void
fcn_punt_reconfigure(struct fcn_worker *w, uint16_t port)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct fcn_punt_limit *limit = &w->snap->port[port].punt[k];
		const uint64_t most = w->now + limit->spare_ns + limit->cost_ns;

		w->punt_tat[port][k] = RTE_MIN(w->punt_tat[port][k], most);
	}
}

/*
 * Let the host functions find the neighbour of a packet that a local SID sends to a station, and
 * which the route to its destination need not lead to. SIDs with the same next hop have the same
 * station.
 */
static void
add_via(const struct fcn_worker *w, const struct fcn_packet *p, struct fcn_punt *punt)
{
	const struct fcn_srv6_conf *conf = &w->snap->srv6;

	for (uint32_t i = 0; i < conf->n_sids; i++) {
		if (conf->sid[i].argument != FCN_SRV6_ARGUMENT_VIA ||
				conf->sid[i].next_hop != p->next_hop)
			continue;
		punt->via = conf->sid[i].via;
		punt->via_port = conf->sid[i].port;
		return;
	}
}

/* Give a packet back the hop that a local SID has counted: the host functions count one, too. */
static void
uncount_hop(const struct fcn_packet *p, struct rte_mbuf *m)
{
	rte_pktmbuf_mtod_offset(m, struct rte_ipv6_hdr *, p->info.l3_off)->hop_limits++;
}

/* Get the table of a packet: of one to the switch itself, the table that has its address. */
static uint8_t
table_of(const struct fcn_worker *w, const struct fcn_packet *p)
{
	if (!(p->flags & FCN_PACKET_LOCAL))
		return (uint8_t)fcn_route_table(w->snap, p);
	if (!(p->flags & FCN_PACKET_REROUTE))
		return w->snap->port[p->in_port].table;
	return p->local == FCN_LOCAL_SRV6 ? FCN_TABLE_MAIN : (uint8_t)p->own_table;
}

static enum fcn_punt_result
punt_packet(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_punt_reason reason,
		const struct fcn_icmp6_error *error, enum fcn_drop_reason why)
{
	const struct fcn_packet *p = &b->pkt[i];
	struct fcn_port_counters *c = &w->counters[p->in_port];
	enum fcn_punt_kind kind;
	uint16_t added = 0;
	struct fcn_punt punt;

	/* Of packets that the switch itself made, there is no sender to inform. */
	if (likely(w->punts == NULL) || !(w->snap->punt >> reason & 1) ||
			p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN))
		return FCN_PUNT_UNWANTED;
	kind = kind_of(w, p, b->mbuf[i], reason);
	if (!take_token(w, p->in_port, kind)) {
		c->punt_limited[kind]++;
		return FCN_PUNT_OVER_RATE;
	}
	/* The host functions get packets as they were received. */
	if (unlikely(p->flags & FCN_PACKET_PROXY_ADDED))
		added = fcn_proxy_take_back(w, b, i);
	punt = (struct fcn_punt){
			.mbuf = b->mbuf[i],
			.in_port = p->in_port,
			.interface = p->flags & FCN_PACKET_BRIDGED ? p->out_port : p->in_port,
			.reason = reason,
			.class = p->class,
			.table = table_of(w, p),
			.l3_off = p->info.l3_off,
			.mtu = reason == FCN_PUNT_MTU ? w->snap->next_hop[p->next_hop].mtu - added
						      : 0,
			.drop = why,
	};
	if (error != NULL)
		punt.error = *error;
	if (unlikely(p->flags & FCN_PACKET_VIA_SID && reason == FCN_PUNT_NO_NEIGHBOUR))
		add_via(w, p, &punt);
	if (unlikely(p->flags & FCN_PACKET_HOP_COUNTED))
		uncount_hop(p, b->mbuf[i]);
	if (!fcn_punt_enqueue(w->punts, kind, &punt, w->snap->budget.control_shift)) {
		c->punt_backlog[kind]++;
		return FCN_PUNT_OVER_BACKLOG;
	}
	c->punted[kind]++;
	c->consumed++;
	b->mbuf[i] = NULL;
	return FCN_PUNTED;
}

enum fcn_punt_result
fcn_punt(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_punt_reason reason)
{
	return punt_packet(w, b, i, reason, NULL, FCN_DROP_NONE);
}

enum fcn_punt_result
fcn_punt_error(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_icmp6_error *error, enum fcn_drop_reason why)
{
	return punt_packet(w, b, i, FCN_PUNT_ERROR, error, why);
}

enum fcn_punt_result
fcn_punt_endcon(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_icmp6_error *error, enum fcn_drop_reason why)
{
	return punt_packet(w, b, i, FCN_PUNT_ENDCON, error, why);
}
