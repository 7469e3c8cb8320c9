/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "host_state.h"
#include "fcn_nd.h"

/* Send a message that has been built behind the room for the Ethernet header. */
static void
send_nd(struct fcn_host *h, struct rte_mbuf *m, uint32_t len, uint16_t port,
		const struct rte_ether_addr *dst)
{
	if (len == 0) {
		fcn_host_discard(h, m, FCN_HOST_NO_MBUF);
		return;
	}
	fcn_host_count(h, FCN_HOST_ND_TX);
	fcn_host_send_link(h, m, len, port, dst, RTE_ETHER_TYPE_IPV6);
}

/* On the interface of a bridge the switch is a host, not a router. */
static bool
is_router(const struct fcn_host *h, uint16_t port)
{
	return !h->conf.port[port].in_bridge;
}

static void
solicited_node_mac(const uint8_t target[16], struct rte_ether_addr *mac)
{
	uint8_t group[16];

	fcn_nd_solicited_node(target, group);
	fcn_nd_multicast_mac(group, mac);
}

void
fcn_host_nd_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac)
{
	const struct fcn_addr *src = fcn_host_address_asking(h, port, target);
	struct rte_ether_addr dst;
	struct rte_mbuf *m;
	uint32_t room, len;
	uint8_t *buf;

	/* a solicitation from :: would be duplicate address detection */
	if (src == NULL)
		return;
	m = fcn_host_alloc(h);
	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_nd_build_ns(src->bytes, &h->conf.port[port].mac,
			mac != NULL ? target->bytes : NULL, target->bytes, buf, room);
	if (mac != NULL)
		dst = *mac;
	else
		solicited_node_mac(target->bytes, &dst);
	send_nd(h, m, len, port, &dst);
}

void
fcn_host_nd_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	struct rte_mbuf *m = fcn_host_alloc(h);
	struct rte_ether_addr dst;
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_nd_build_ns(NULL, &h->conf.port[port].mac, NULL, addr->bytes, buf, room);
	solicited_node_mac(addr->bytes, &dst);
	send_nd(h, m, len, port, &dst);
}

void
fcn_host_nd_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	struct rte_mbuf *m = fcn_host_alloc(h);
	struct rte_ether_addr dst;
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_nd_build_na(NULL, &h->conf.port[port].mac, addr->bytes,
			(is_router(h, port) ? FCN_ND_ROUTER : 0) | FCN_ND_OVERRIDE, buf, room);
	fcn_nd_multicast_mac(fcn_nd_all_nodes, &dst);
	send_nd(h, m, len, port, &dst);
}

static void
answer(struct fcn_host *h, uint16_t port, const struct fcn_nd *ns, uint64_t now)
{
	struct fcn_addr asker = fcn_host_addr6(ns->src);
	const struct fcn_neighbour *n;
	struct rte_mbuf *m = fcn_host_alloc(h);
	struct rte_ether_addr dst;
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_nd_build_na_reply(ns, &h->conf.port[port].mac, is_router(h, port), buf, room);
	n = ns->dad ? NULL : fcn_neighbour_find(h, port, &asker);
	if (ns->dad) {
		fcn_nd_multicast_mac(fcn_nd_all_nodes, &dst);
	} else if (ns->has_lladdr) {
		dst = ns->lladdr;
	} else if (n != NULL && fcn_neighbour_resolved(n)) {
		dst = n->mac;
	} else if (len != 0) {
		/* a unicast solicitation from a sender that did not give its MAC address */
		rte_pktmbuf_append(m, (uint16_t)(FCN_HOST_L2_LEN + len));
		fcn_host_count(h, FCN_HOST_ND_TX);
		fcn_host_send_via(h, m, port, &asker, now);
		return;
	}
	send_nd(h, m, len, port, &dst);
}

static void
solicited(struct fcn_host *h, uint16_t port, const struct fcn_nd *ns,
		const struct rte_ether_addr *from, uint64_t now)
{
	struct fcn_addr target = fcn_host_addr6(ns->target), asker = fcn_host_addr6(ns->src);
	struct fcn_own_address *a = fcn_host_address_find(h, port, &target);

	/*
	 * A sender that received a notice replies to the loopback address, and may take it for a
	 * station on its link.
	 */
	if (a == NULL && h->conf.port[port].in_bridge)
		a = fcn_host_address_find(h, FCN_HOST_LOOPBACK, &target);
	if (a == NULL)
		return;
	if (ns->dad) {
		if (a->state == FCN_HOST_ADDRESS_TENTATIVE)
			fcn_host_address_conflict(h, a, from, now);
		else if (a->state == FCN_HOST_ADDRESS_USABLE)
			answer(h, port, ns, now);
		return;
	}
	if (a->state != FCN_HOST_ADDRESS_USABLE)
		return;
	/* The interface of a bridge need not have an address in each prefix that is used there. */
	if (!fcn_host_on_link(h, port, &asker) && !h->conf.port[port].in_bridge) {
		fcn_host_count(h, FCN_HOST_ND_BAD);
		return;
	}
	if (ns->has_lladdr)
		fcn_neighbour_heard(h, port, &asker, &ns->lladdr, now);
	answer(h, port, ns, now);
}

static void
advertised(struct fcn_host *h, uint16_t port, const struct fcn_nd *na,
		const struct rte_ether_addr *from, uint64_t now)
{
	struct fcn_addr target = fcn_host_addr6(na->target);
	struct fcn_own_address *a = fcn_host_address_find(h, port, &target);

	if (a != NULL) {
		fcn_host_address_conflict(h, a, na->has_lladdr ? &na->lladdr : from, now);
		return;
	}
	fcn_neighbour_advertised(h, port, &target, na->has_lladdr ? &na->lladdr : NULL,
			na->flags & FCN_ND_SOLICITED, na->flags & FCN_ND_OVERRIDE, now);
}

void
fcn_host_nd_receive(struct fcn_host *h, const struct fcn_punt *punt, const uint8_t *ip,
		uint32_t len, uint64_t now)
{
	const struct rte_ether_addr *from =
			&rte_pktmbuf_mtod(punt->mbuf, const struct rte_ether_hdr *)->src_addr;
	uint16_t port = punt->in_port;
	struct fcn_addr src;
	struct fcn_nd nd;

	fcn_host_count(h, FCN_HOST_ND_RX);
	if (fcn_nd_parse(ip, len, &nd) != FCN_MSG_OK) {
		fcn_host_count(h, FCN_HOST_ND_BAD);
		return;
	}
	/* the switch's own message, looped back */
	if (!fcn_host_port_up(h, port) || rte_is_same_ether_addr(from, &h->conf.port[port].mac))
		return;
	switch (nd.type) {
	case FCN_ND_NEIGHBOUR_SOLICIT:
		solicited(h, port, &nd, from, now);
		break;
	case FCN_ND_NEIGHBOUR_ADVERT:
		advertised(h, port, &nd, from, now);
		break;
	case FCN_ND_ROUTER_SOLICIT:
		src = fcn_host_addr6(nd.src);
		if (nd.has_lladdr)
			fcn_neighbour_heard(h, port, &src, &nd.lladdr, now);
		fcn_host_advert_asked(h, port, now);
		break;
	default: /* advertisements of other routers are ignored */
		break;
	}
}
