/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "neighbour.h"

#include <string.h>

#include <netinet/in.h>
#include <rte_byteorder.h>
#include <rte_ip.h>

#include "fcn_icmp6.h"
#include "fcn_inet.h"
#include "fcn_nd.h"

#define NEVER UINT64_MAX
#define IP_OFF sizeof(struct rte_ether_hdr)

void
live_nd_init(struct live_nd *nd, const uint8_t addr[16], const struct rte_ether_addr *mac,
		uint8_t hop_limit)
{
	*nd = (struct live_nd){.mac = *mac, .hop_limit = hop_limit};
	memcpy(nd->addr, addr, sizeof(nd->addr));
}

void
live_nd_want(struct live_nd *nd, const uint8_t hop[16], uint64_t now)
{
	memcpy(nd->hop, hop, sizeof(nd->hop));
	nd->wanted = true;
	nd->next_ns = now;
}

uint64_t
live_nd_next(const struct live_nd *nd)
{
	if (!nd->probed || !nd->announced)
		return 0;
	return nd->wanted && !nd->known ? nd->next_ns : NEVER;
}

/*
 * Write the Ethernet header before an IPv6 packet of len bytes.
 *
 * @return length of the frame in bytes
 */
static uint32_t
enframe(const struct live_nd *nd, const struct rte_ether_addr *to, uint8_t *buf, uint32_t len)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)(void *)buf;

	if (len == 0)
		return 0;
	if (to != NULL)
		eth->dst_addr = *to;
	else
		fcn_nd_multicast_mac(buf + IP_OFF + 24, &eth->dst_addr);
	eth->src_addr = nd->mac;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	return IP_OFF + len;
}

/*
 * Build a probe for duplicate address detection (RFC 4862 section 5.4). It is sent once, and the
 * address is used without waiting for an answer, similar to optimistic DAD (RFC 4429).
 */
static uint32_t
probe(struct live_nd *nd, uint8_t *buf, uint32_t room)
{
	nd->probed = true;
	nd->n.nd_asked++;
	return enframe(nd, NULL, buf,
			fcn_nd_build_ns(NULL, NULL, NULL, nd->addr, buf + IP_OFF, room - IP_OFF));
}

/*
 * Build an unsolicited neighbour advertisement without the Override flag: if another station has
 * the address, the entries for it in the caches of neighbours stay.
 */
static uint32_t
announce(struct live_nd *nd, uint8_t *buf, uint32_t room)
{
	nd->announced = true;
	return enframe(nd, NULL, buf,
			fcn_nd_build_na(NULL, &nd->mac, nd->addr, 0, buf + IP_OFF, room - IP_OFF));
}

uint32_t
live_nd_poll(struct live_nd *nd, uint8_t *buf, uint32_t room, uint64_t now)
{
	if (!nd->probed)
		return probe(nd, buf, room);
	if (!nd->announced)
		return announce(nd, buf, room);
	if (!nd->wanted || nd->known || now < nd->next_ns)
		return 0;
	nd->next_ns = now + LIVE_ND_RETRY_NS;
	nd->asked++;
	nd->n.nd_asked++;
	return enframe(nd, NULL, buf,
			fcn_nd_build_ns(nd->addr, &nd->mac, NULL, nd->hop, buf + IP_OFF,
					room - IP_OFF));
}

/* Learn the MAC address of a neighbour from its solicitation or advertisement. */
static void
learn(struct live_nd *nd, const uint8_t addr[16], const struct rte_ether_addr *mac)
{
	if (!nd->wanted || nd->known || memcmp(addr, nd->hop, 16) != 0)
		return;
	nd->hop_mac = *mac;
	nd->known = true;
}

static void
note_duplicate(struct live_nd *nd, const struct rte_ether_addr *other)
{
	if (rte_is_same_ether_addr(other, &nd->mac))
		return; /* this is our own packet, looped back */
	nd->duplicate = true;
	nd->duplicate_mac = *other;
}

static uint32_t
solicited(struct live_nd *nd, const struct fcn_nd *msg, const struct rte_ether_addr *from,
		uint8_t *buf, uint32_t room)
{
	uint32_t len;

	if (msg->has_lladdr)
		learn(nd, msg->src, &msg->lladdr);
	if (memcmp(msg->target, nd->addr, 16) != 0) {
		nd->n.icmp_other++;
		return 0;
	}
	if (msg->dad && rte_is_same_ether_addr(from, &nd->mac))
		return 0; /* this is our own probe, looped back */
	len = fcn_nd_build_na_reply(msg, &nd->mac, false, buf + IP_OFF, room - IP_OFF);
	nd->n.nd_answered++;
	return enframe(nd, msg->dad ? NULL : from, buf, len);
}

static uint32_t
discovery(struct live_nd *nd, const uint8_t *frame, uint32_t len, uint8_t *buf, uint32_t room)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	struct fcn_nd msg;

	if (fcn_nd_parse(frame + IP_OFF, len - IP_OFF, &msg) != FCN_MSG_OK) {
		nd->n.icmp_other++;
		return 0;
	}
	if (msg.type == FCN_ND_NEIGHBOUR_SOLICIT)
		return solicited(nd, &msg, &eth->src_addr, buf, room);
	if (msg.type != FCN_ND_NEIGHBOUR_ADVERT) {
		/* Messages of routers are ignored, because the gateway is configured. */
		nd->n.icmp_other++;
		return 0;
	}
	if (memcmp(msg.target, nd->addr, 16) == 0)
		note_duplicate(nd, msg.has_lladdr ? &msg.lladdr : &eth->src_addr);
	else
		learn(nd, msg.target, msg.has_lladdr ? &msg.lladdr : &eth->src_addr);
	return 0;
}

static uint32_t
echo(struct live_nd *nd, const uint8_t *frame, const struct fcn_icmp6 *msg, uint8_t *buf,
		uint32_t room)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	uint32_t len = fcn_icmp6_build_echo_reply(
			frame + IP_OFF, msg, nd->addr, nd->hop_limit, buf + IP_OFF, room - IP_OFF);

	if (len == 0) {
		nd->n.echo_dropped++;
		return 0;
	}
	nd->n.echo_answered++;
	return enframe(nd, &eth->src_addr, buf, len);
}

static uint32_t
other(struct live_nd *nd, const uint8_t *frame, uint32_t len, uint8_t *buf, uint32_t room)
{
	struct fcn_icmp6 msg;

	if (fcn_icmp6_parse(frame + IP_OFF, len - IP_OFF, &msg) != FCN_MSG_OK) {
		nd->n.icmp_other++;
		return 0;
	}
	if (msg.type == FCN_ICMP6_ECHO_REQUEST)
		return echo(nd, frame, &msg, buf, room);
	if (msg.type < FCN_ICMP6_INFORMATIONAL)
		nd->n.icmp_errors++;
	else
		nd->n.icmp_other++;
	return 0;
}

/*
 * Whether a destination is the address of the endpoint, the group of all nodes, or the
 * solicited-node group of the address.
 */
static bool
is_for_us(const struct live_nd *nd, const uint8_t *dst)
{
	uint8_t group[16];

	fcn_nd_solicited_node(nd->addr, group);
	return memcmp(dst, nd->addr, 16) == 0 || memcmp(dst, group, 16) == 0 ||
	       memcmp(dst, fcn_nd_all_nodes, 16) == 0;
}

bool
live_nd_receive(struct live_nd *nd, const uint8_t *frame, uint32_t len, uint8_t *buf, uint32_t room,
		uint32_t *answer)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	const uint8_t *ip = frame + IP_OFF;

	*answer = 0;
	if (len < IP_OFF + FCN_IP6_LEN + 1 || eth->ether_type != RTE_BE16(RTE_ETHER_TYPE_IPV6) ||
			ip[6] != IPPROTO_ICMPV6)
		return false;
	if (!rte_is_same_ether_addr(&eth->dst_addr, &nd->mac) &&
			!rte_is_multicast_ether_addr(&eth->dst_addr))
		return false;
	if (!fcn_mac_is_station(&eth->src_addr) || !is_for_us(nd, ip + 24)) {
		nd->n.icmp_other++;
		return true;
	}
	if (ip[FCN_IP6_LEN] >= FCN_ND_ROUTER_SOLICIT && ip[FCN_IP6_LEN] <= FCN_ND_NEIGHBOUR_ADVERT)
		*answer = discovery(nd, frame, len, buf, room);
	else
		*answer = other(nd, frame, len, buf, room);
	return true;
}
