/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_common.h>
#include <rte_ip.h>

#include "host_state.h"
#include "fcn_nd.h"

#define FRAME_MIN 60 /* without FCS */

#define IP4_TOTAL_OFF 2
#define IP4_TTL_OFF 8
#define IP4_CKSUM_OFF 10
#define IP4_DST_OFF 16
#define IP6_PLEN_OFF 4
#define IP6_NEXT_HEADER_OFF 6
#define IP6_HOP_LIMIT_OFF 7
#define IP6_DST_OFF 24

struct rte_mbuf *
fcn_host_alloc(struct fcn_host *h)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(h->pool);

	if (m == NULL) {
		fcn_host_count(h, FCN_HOST_NO_MBUF);
		return NULL;
	}
	if (rte_pktmbuf_tailroom(m) < FRAME_MIN) {
		fcn_host_discard(h, m, FCN_HOST_NO_MBUF);
		return NULL;
	}
	return m;
}

uint8_t *
fcn_host_room(struct rte_mbuf *m, uint32_t *room)
{
	*room = rte_pktmbuf_tailroom(m) - FCN_HOST_L2_LEN;
	return rte_pktmbuf_mtod_offset(m, uint8_t *, FCN_HOST_L2_LEN);
}

/*
 * Whether a frame is ARP or Neighbour Discovery. Among the frames sent here, only Neighbour
 * Discovery has a hop limit of 255.
 */
static bool
is_discovery(const struct rte_mbuf *m)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	const uint8_t *ip = (const uint8_t *)(eth + 1);

	if (eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_ARP))
		return true;
	return eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV6) &&
	       m->data_len > FCN_HOST_L2_LEN + FCN_IP6_LEN &&
	       ip[IP6_NEXT_HEADER_OFF] == IPPROTO_ICMPV6 &&
	       ip[IP6_HOP_LIMIT_OFF] == FCN_ND_HOP_LIMIT &&
	       ip[FCN_IP6_LEN] >= FCN_ND_ROUTER_SOLICIT &&
	       ip[FCN_IP6_LEN] <= FCN_ND_NEIGHBOUR_ADVERT;
}

static void
send_frame(struct fcn_host *h, struct rte_mbuf *m, uint16_t port, uint8_t class)
{
	const bool discovery = is_discovery(m);

	if (h->env.send(h->env.arg, m, port, class, discovery))
		return;
	fcn_host_count(h, FCN_HOST_SEND_REFUSED);
	if (discovery)
		fcn_host_count(h, FCN_HOST_DISCOVERY_REFUSED);
}

void
fcn_host_send_link(struct fcn_host *h, struct rte_mbuf *m, uint32_t len, uint16_t port,
		const struct rte_ether_addr *dst, uint16_t ether_type)
{
	struct rte_ether_hdr *eth;
	uint32_t frame = FCN_HOST_L2_LEN + len;

	eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	eth->dst_addr = *dst;
	eth->src_addr = h->conf.port[port].mac;
	eth->ether_type = rte_cpu_to_be_16(ether_type);
	if (frame < FRAME_MIN) {
		memset((uint8_t *)eth + frame, 0, FRAME_MIN - frame);
		frame = FRAME_MIN;
	}
	rte_pktmbuf_append(m, (uint16_t)frame);
	send_frame(h, m, port, h->conf.class);
}

uint32_t
fcn_host_ip_len(const struct rte_mbuf *m, uint16_t l3_off, uint8_t *version)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, l3_off);
	uint32_t seen = m->data_len > l3_off ? (uint32_t)m->data_len - l3_off : 0;
	uint32_t len;

	if (seen < FCN_IP4_LEN)
		return 0;
	*version = ip[0] >> 4;
	if (*version == 4) {
		len = fcn_get_be16(ip + IP4_TOTAL_OFF);
		if ((ip[0] & 0x0F) * 4u < FCN_IP4_LEN || len < (ip[0] & 0x0F) * 4u)
			return 0;
	} else if (*version == 6 && seen >= FCN_IP6_LEN) {
		len = FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + IP6_PLEN_OFF);
	} else {
		return 0;
	}
	return len <= m->pkt_len - l3_off ? len : 0;
}

struct fcn_addr
fcn_host_ip_dst(const struct rte_mbuf *m, uint16_t l3_off)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, l3_off);

	return ip[0] >> 4 == 6 ? fcn_host_addr6(ip + IP6_DST_OFF)
			       : fcn_host_addr4(ip + IP4_DST_OFF);
}

void
fcn_host_trim(struct rte_mbuf *m, uint32_t len)
{
	struct rte_mbuf *last = m;
	uint32_t left = len;
	uint16_t segs = 1;

	if (m->pkt_len <= len)
		return;
	for (; left > last->data_len; segs++) {
		left -= last->data_len;
		last = last->next;
	}
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	last->data_len = (uint16_t)left;
	m->nb_segs = segs;
	m->pkt_len = len;
}

/*
 * Decrement the hop limit. One less in the upper octet of a word adds 0x0100 to the checksum (RFC
 * 1141).
 */
static void
count_down(uint8_t *ip)
{
	uint32_t sum;

	if (ip[0] >> 4 == 6) {
		ip[IP6_HOP_LIMIT_OFF]--;
		return;
	}
	ip[IP4_TTL_OFF]--;
	sum = fcn_get_be16(ip + IP4_CKSUM_OFF) + 0x0100u;
	fcn_put_be16(ip + IP4_CKSUM_OFF, (uint16_t)(sum + (sum >= 0xFFFF)));
}

void
fcn_host_transmit(struct fcn_host *h, const struct fcn_host_packet *p, uint16_t port,
		const struct rte_ether_addr *dst)
{
	struct rte_mbuf *m = p->mbuf;
	uint8_t *ip = rte_pktmbuf_mtod_offset(m, uint8_t *, p->l3_off);
	bool ip6 = ip[0] >> 4 == 6;
	struct rte_ether_hdr *eth;

	if (!p->own)
		count_down(ip);
	if (p->l3_off < FCN_HOST_L2_LEN) {
		if (rte_pktmbuf_prepend(m, FCN_HOST_L2_LEN - p->l3_off) == NULL) {
			fcn_host_drop(h, p, FCN_HOST_NO_MBUF, FCN_DROP_HEADROOM);
			return;
		}
	} else {
		rte_pktmbuf_adj(m, p->l3_off - FCN_HOST_L2_LEN);
	}
	eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	eth->dst_addr = *dst;
	eth->src_addr = h->conf.port[port].mac;
	eth->ether_type = ip6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6) : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	if (!p->left || h->env.forward == NULL)
		send_frame(h, m, port, p->class);
	else if (!h->env.forward(h->env.arg, m, port, p->in_port, p->class))
		fcn_host_count(h, FCN_HOST_SEND_REFUSED);
}

/* Drop a packet whose destination cannot be reached, and send an ICMP error. */
static void
unreachable(struct fcn_host *h, const struct fcn_host_packet *p, enum fcn_drop_reason why,
		uint64_t now)
{
	if (!p->own)
		fcn_host_error(h, p->mbuf, p->l3_off, p->in_port, FCN_HOST_ERROR_ADDRESS, 0, now);
	fcn_host_drop(h, p, FCN_HOST_UNSENDABLE, why);
}

/* Send a packet by this route, or queue it until the neighbour is resolved. */
static void
output(struct fcn_host *h, const struct fcn_host_packet *p, const struct fcn_host_route *route,
		uint64_t now)
{
	struct fcn_neighbour *n;

	if (!fcn_host_port_up(h, route->port)) {
		unreachable(h, p, FCN_DROP_PORT_DOWN, now);
		return;
	}
	if (route->resolved) {
		fcn_host_transmit(h, p, route->port, &route->mac);
		return;
	}
	n = fcn_neighbour_find(h, route->port, &route->next_hop);
	if (n != NULL && fcn_neighbour_resolved(n)) {
		fcn_host_transmit(h, p, route->port, &n->mac);
		return;
	}
	if (n == NULL) {
		if (!fcn_host_on_link(h, route->port, &route->next_hop)) {
			unreachable(h, p, FCN_DROP_NO_NEIGHBOUR, now);
			return;
		}
		n = fcn_neighbour_ask(h, route->port, &route->next_hop, p->in_port, now);
		if (n == NULL) {
			fcn_host_drop(h, p, FCN_HOST_UNSENDABLE, FCN_DROP_NEIGHBOUR_LIMIT);
			return;
		}
	}
	if (n->state == FCN_NEIGHBOUR_FAILED)
		unreachable(h, p, FCN_DROP_NEIGHBOUR_FAILED, now);
	else
		fcn_host_wait_add(h, n, p);
}

static uint8_t
dscp_of(const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_HOST_L2_LEN);

	return ip[0] >> 4 == 6 ? (fcn_get_be16(ip) >> 4 & 0xFF) >> 2 : ip[1] >> 2;
}

/* Let a worker route a packet, whose destination an SRv6 policy leads to. */
static void
send_by_policy(struct fcn_host *h, const struct fcn_host_packet *p)
{
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(p->mbuf, struct rte_ether_hdr *);
	const bool ip6 = *(const uint8_t *)(eth + 1) >> 4 == 6;

	memset(eth, 0, sizeof(*eth));
	eth->ether_type = ip6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6) : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	if (!h->env.route_own(h->env.arg, p->mbuf, p->in_port, p->table, p->class))
		fcn_host_count(h, FCN_HOST_SEND_REFUSED);
}

void
fcn_host_send_own(struct fcn_host *h, struct rte_mbuf *m, uint16_t in_port,
		const struct fcn_addr *dst, uint64_t now)
{
	struct fcn_host_packet p = {.mbuf = m,
			.l3_off = FCN_HOST_L2_LEN,
			.in_port = in_port,
			.class = h->conf.class,
			.table = h->table,
			.own = true};
	struct fcn_host_route route = {.dscp = dscp_of(m), .port = in_port, .next_hop = *dst};
	const bool found = fcn_host_is_link_local(dst) ||
			   h->env.route(h->env.arg, h->table, dst, &route);

	if (found && route.by_policy) {
		send_by_policy(h, &p);
		return;
	}
	if (!found || !fcn_host_port_up(h, route.port) ||
			m->pkt_len - FCN_HOST_L2_LEN > h->conf.port[route.port].mtu) {
		fcn_host_discard(h, m, FCN_HOST_UNSENDABLE);
		return;
	}
	output(h, &p, &route, now);
}

void
fcn_host_send_via(struct fcn_host *h, struct rte_mbuf *m, uint16_t port,
		const struct fcn_addr *neighbour, uint64_t now)
{
	struct fcn_host_packet p = {.mbuf = m,
			.l3_off = FCN_HOST_L2_LEN,
			.in_port = port,
			.class = h->conf.class,
			.own = true};
	struct fcn_host_route route = {.port = port, .next_hop = *neighbour};

	output(h, &p, &route, now);
}

void
fcn_host_forward(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now)
{
	struct fcn_host_packet p = {.mbuf = punt->mbuf,
			.l3_off = punt->l3_off,
			.in_port = punt->in_port,
			.class = punt->class,
			.table = punt->table,
			.left = true};
	const uint8_t *ip;
	struct fcn_host_route route = {.is_left = true};
	struct fcn_addr dst;
	uint8_t version;
	uint32_t len;

	len = fcn_host_ip_len(p.mbuf, p.l3_off, &version);
	if (len == 0) {
		fcn_host_drop(h, &p, FCN_HOST_LOCAL_UNHANDLED, FCN_DROP_NO_NEIGHBOUR);
		return;
	}
	fcn_host_trim(p.mbuf, p.l3_off + len);
	dst = fcn_host_ip_dst(p.mbuf, p.l3_off);
	ip = rte_pktmbuf_mtod_offset(p.mbuf, const uint8_t *, p.l3_off);
	if (ip[version == 6 ? IP6_HOP_LIMIT_OFF : IP4_TTL_OFF] <= 1) {
		fcn_host_error(h, p.mbuf, p.l3_off, p.in_port, FCN_HOST_ERROR_HOP_LIMIT, 0, now);
		fcn_host_drop(h, &p, FCN_HOST_UNFORWARDED, FCN_DROP_HOP_LIMIT);
		return;
	}
	if (punt->via.version != 0)
		route = (struct fcn_host_route){.port = punt->via_port, .next_hop = punt->via};
	/* Packets are not routed to the interface of a bridge. A policy may be the only path since
	 * the worker left the packet. */
	if ((punt->via.version == 0 && !h->env.route(h->env.arg, punt->table, &dst, &route)) ||
			route.by_policy || h->conf.port[route.port].in_bridge) {
		fcn_host_error(h, p.mbuf, p.l3_off, p.in_port, FCN_HOST_ERROR_NO_ROUTE, 0, now);
		fcn_host_drop(h, &p, FCN_HOST_UNSENDABLE, FCN_DROP_NO_ROUTE);
		return;
	}
	if (fcn_host_port_up(h, route.port) && len > h->conf.port[route.port].mtu) {
		fcn_host_error(h, p.mbuf, p.l3_off, p.in_port, FCN_HOST_ERROR_MTU,
				h->conf.port[route.port].mtu, now);
		fcn_host_drop(h, &p, FCN_HOST_UNSENDABLE, FCN_DROP_MTU);
		return;
	}
	output(h, &p, &route, now);
}
