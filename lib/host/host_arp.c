/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_arp.h"
#include "host_state.h"

#define VLAN_LEN 4
#define MAX_VLANS 2

static const struct rte_ether_addr broadcast = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};

/* Send an ARP message. */
static void
send_arp(struct fcn_host *h, struct rte_mbuf *m, uint32_t len, uint16_t port,
		const struct rte_ether_addr *dst)
{
	if (len == 0) {
		fcn_host_discard(h, m, FCN_HOST_NO_MBUF);
		return;
	}
	fcn_host_count(h, FCN_HOST_ARP_TX);
	fcn_host_send_link(h, m, len, port, dst, RTE_ETHER_TYPE_ARP);
}

/* Send a request for target; with sender_ip NULL it is a probe. */
static void
ask(struct fcn_host *h, uint16_t port, const uint8_t *sender_ip, const struct rte_ether_addr *mac,
		const uint8_t target[4])
{
	struct rte_mbuf *m = fcn_host_alloc(h);
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_arp_build_request(&h->conf.port[port].mac, sender_ip, mac, target, buf, room);
	send_arp(h, m, len, port, mac != NULL ? mac : &broadcast);
}

void
fcn_host_arp_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac)
{
	const struct fcn_addr *src = fcn_host_address_asking(h, port, target);

	/* without a usable address the request has no sender address; it is tried again later */
	if (src != NULL)
		ask(h, port, src->bytes, mac, target->bytes);
}

void
fcn_host_arp_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	ask(h, port, NULL, NULL, addr->bytes);
}

void
fcn_host_arp_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr)
{
	ask(h, port, addr->bytes, NULL, addr->bytes);
}

static void
answer(struct fcn_host *h, uint16_t port, const struct fcn_arp *arp)
{
	struct rte_mbuf *m = fcn_host_alloc(h);
	uint32_t room, len;
	uint8_t *buf;

	if (m == NULL)
		return;
	buf = fcn_host_room(m, &room);
	len = fcn_arp_build_reply(arp, &h->conf.port[port].mac, buf, room);
	send_arp(h, m, len, port, &arp->sender_mac);
}

/*
 * Whether another station uses, or is about to use, an address of the switch. If so, the conflict
 * is handled.
 */
static bool
is_conflict(struct fcn_host *h, uint16_t port, const struct fcn_arp *arp, uint64_t now)
{
	bool probe = fcn_arp_is_probe(arp);
	struct fcn_addr addr = fcn_host_addr4(probe ? arp->target_ip : arp->sender_ip);
	struct fcn_own_address *a = fcn_host_address_find(h, port, &addr);

	if (a == NULL)
		return false;
	/*
	 * a probe for an address that is in use is answered, and is no conflict
	 */
	if (probe && a->state != FCN_HOST_ADDRESS_TENTATIVE)
		return false;
	fcn_host_address_conflict(h, a, &arp->sender_mac, now);
	return true;
}

static void
understand(struct fcn_host *h, uint16_t port, const struct fcn_arp *arp, uint64_t now)
{
	struct fcn_addr sender = fcn_host_addr4(arp->sender_ip);
	struct fcn_addr target = fcn_host_addr4(arp->target_ip);
	const struct fcn_own_address *a;
	const struct fcn_neighbour *n;
	const bool in_bridge = h->conf.port[port].in_bridge;
	bool to_us, asked;

	if (rte_is_same_ether_addr(&arp->sender_mac, &h->conf.port[port].mac) ||
			is_conflict(h, port, arp, now))
		return;
	a = fcn_host_address_find(h, port, &target);
	/* as for Neighbour Discovery: the interface of a bridge answers for the loopback */
	if (a == NULL && in_bridge)
		a = fcn_host_address_find(h, FCN_HOST_LOOPBACK, &target);
	to_us = a != NULL && a->state == FCN_HOST_ADDRESS_USABLE;
	if (arp->opcode == FCN_ARP_REQUEST && to_us) {
		if (!fcn_arp_is_probe(arp)) {
			if (!fcn_host_on_link(h, port, &sender) && !in_bridge) {
				fcn_host_count(h, FCN_HOST_ARP_BAD);
				return;
			}
			fcn_neighbour_heard(h, port, &sender, &arp->sender_mac, now);
		}
		answer(h, port, arp);
		return;
	}
	if (fcn_arp_is_probe(arp))
		return;
	/*
	 * ARP has no Solicited flag: a reply to the switch counts as solicited if a request was
	 * sent
	 */
	n = fcn_neighbour_find(h, port, &sender);
	asked = arp->opcode == FCN_ARP_REPLY && to_us && n != NULL &&
		n->state != FCN_NEIGHBOUR_REACHABLE;
	fcn_neighbour_advertised(h, port, &sender, &arp->sender_mac, asked, true, now);
}

void
fcn_host_arp_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now)
{
	struct rte_mbuf *m = punt->mbuf;
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t off = FCN_HOST_L2_LEN;
	struct fcn_arp arp;

	fcn_host_count(h, FCN_HOST_ARP_RX);
	/* skip a priority tag */
	for (unsigned int i = 0; i < MAX_VLANS && off + VLAN_LEN <= m->data_len; i++) {
		uint16_t type = fcn_get_be16(data + off - 2);

		if (type != RTE_ETHER_TYPE_VLAN && type != RTE_ETHER_TYPE_QINQ)
			break;
		off += VLAN_LEN;
	}
	if (off > m->data_len || fcn_get_be16(data + off - 2) != RTE_ETHER_TYPE_ARP ||
			fcn_arp_parse(data + off, m->data_len - off, &arp) != FCN_MSG_OK)
		fcn_host_count(h, FCN_HOST_ARP_BAD);
	else if (fcn_host_port_up(h, punt->in_port)) {
		/*
		 * The kernel only gets messages from which it learns. It would answer a request for
		 * a second time.
		 */
		if (arp.opcode == FCN_ARP_REPLY ||
				memcmp(arp.sender_ip, arp.target_ip, sizeof(arp.sender_ip)) == 0)
			fcn_host_show_kernel(h, punt);
		understand(h, punt->in_port, &arp, now);
	}
	rte_pktmbuf_free(m);
}
