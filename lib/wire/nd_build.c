/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "icmp6_common.h"
#include "fcn_inet.h"
#include "fcn_nd.h"
#include "nd_option.h"

const uint8_t fcn_nd_all_nodes[16] = {0xFF, 0x02, [15] = 1};
const uint8_t fcn_nd_all_routers[16] = {0xFF, 0x02, [15] = 2};

static const uint8_t unspecified[16];
static const uint8_t solicited_node[16] = {0xFF, 0x02, [11] = 1, [12] = 0xFF};
#define SOLICITED_NODE_BYTES 13 /* bytes of the prefix ff02::1:ff00:0/104 */

void
fcn_nd_solicited_node(const uint8_t addr[16], uint8_t out[16])
{
	uint8_t tail[16 - SOLICITED_NODE_BYTES];

	memcpy(tail, addr + SOLICITED_NODE_BYTES, sizeof(tail));
	memcpy(out, solicited_node, SOLICITED_NODE_BYTES);
	memcpy(out + SOLICITED_NODE_BYTES, tail, sizeof(tail));
}

bool
fcn_nd_is_solicited_node(const uint8_t addr[16])
{
	return memcmp(addr, solicited_node, SOLICITED_NODE_BYTES) == 0;
}

void
fcn_nd_multicast_mac(const uint8_t addr[16], struct rte_ether_addr *mac)
{
	mac->addr_bytes[0] = 0x33;
	mac->addr_bytes[1] = 0x33;
	memcpy(mac->addr_bytes + 2, addr + 12, 4);
}

void
fcn_nd_link_local(const struct rte_ether_addr *mac, uint8_t out[16])
{
	const uint8_t *m = mac->addr_bytes;

	memset(out, 0, 16);
	out[0] = 0xFE;
	out[1] = 0x80;
	out[8] = m[0] ^ 0x02; /* universal/local bit, inverted */
	out[9] = m[1];
	out[10] = m[2];
	out[11] = 0xFF;
	out[12] = 0xFE;
	out[13] = m[3];
	out[14] = m[4];
	out[15] = m[5];
}

/*
 * Write the IPv6 header and the message type; the rest of the message is zero. Returns the message.
 */
static uint8_t *
begin(uint8_t *buf, uint8_t type, const uint8_t *src, const uint8_t *dst, uint32_t icmp_len)
{
	uint8_t *icmp = buf + FCN_IP6_LEN;

	fcn_icmp6_put_ip(buf, src, dst, FCN_CONTROL_TCLASS, FCN_ND_HOP_LIMIT, icmp_len);
	memset(icmp, 0, icmp_len);
	icmp[0] = type;
	return icmp;
}

static uint8_t *
put_lladdr(uint8_t *p, uint8_t type, const struct rte_ether_addr *mac)
{
	p[0] = type;
	p[1] = ND_LLADDR_LEN / 8;
	memcpy(p + 2, mac, RTE_ETHER_ADDR_LEN);
	return p + ND_LLADDR_LEN;
}

uint32_t
fcn_nd_build_ns(const uint8_t *src, const struct rte_ether_addr *mac, const uint8_t *dst,
		const uint8_t target[16], uint8_t *buf, uint32_t room)
{
	uint32_t len = ND_NEIGHBOUR_LEN + (src != NULL ? ND_LLADDR_LEN : 0);
	uint8_t group[16], *icmp;

	if (room < FCN_IP6_LEN + len)
		return 0;
	fcn_nd_solicited_node(target, group);
	icmp = begin(buf, FCN_ND_NEIGHBOUR_SOLICIT, src != NULL ? src : unspecified,
			dst != NULL ? dst : group, len);
	memcpy(icmp + 8, target, 16);
	if (src != NULL)
		put_lladdr(icmp + ND_NEIGHBOUR_LEN, ND_OPT_SOURCE_LLADDR, mac);
	return fcn_icmp6_put_checksum(buf, len);
}

uint32_t
fcn_nd_build_na(const uint8_t *dst, const struct rte_ether_addr *mac, const uint8_t target[16],
		uint8_t flags, uint8_t *buf, uint32_t room)
{
	const uint32_t len = ND_NEIGHBOUR_LEN + ND_LLADDR_LEN;
	uint8_t *icmp;

	if (room < FCN_IP6_LEN + len)
		return 0;
	if (dst == NULL)
		dst = fcn_nd_all_nodes;
	if (fcn_ip6_is_multicast(dst))
		flags &= ~FCN_ND_SOLICITED;
	icmp = begin(buf, FCN_ND_NEIGHBOUR_ADVERT, target, dst, len);
	icmp[4] = flags & (FCN_ND_ROUTER | FCN_ND_SOLICITED | FCN_ND_OVERRIDE);
	memcpy(icmp + 8, target, 16);
	put_lladdr(icmp + ND_NEIGHBOUR_LEN, ND_OPT_TARGET_LLADDR, mac);
	return fcn_icmp6_put_checksum(buf, len);
}

uint32_t
fcn_nd_build_na_reply(const struct fcn_nd *ns, const struct rte_ether_addr *mac, bool router,
		uint8_t *buf, uint32_t room)
{
	uint8_t flags = FCN_ND_OVERRIDE | FCN_ND_SOLICITED | (router ? FCN_ND_ROUTER : 0);

	return fcn_nd_build_na(ns->dad ? NULL : ns->src, mac, ns->target, flags, buf, room);
}

/* Write a Prefix Information option. Its bytes are zero before the call. */
static uint8_t *
put_prefix(uint8_t *p, const struct fcn_nd_prefix *prefix)
{
	uint32_t whole = prefix->len / 8, bits = prefix->len % 8;

	p[0] = ND_OPT_PREFIX;
	p[1] = ND_PREFIX_LEN / 8;
	p[2] = prefix->len;
	p[3] = prefix->flags & (FCN_ND_ON_LINK | FCN_ND_AUTONOMOUS);
	fcn_put_be32(p + 4, prefix->valid_s);
	fcn_put_be32(p + 8, prefix->preferred_s);
	memcpy(p + 16, prefix->addr, whole);
	if (bits != 0)
		p[16 + whole] = prefix->addr[whole] & (0xFF00 >> bits);
	return p + ND_PREFIX_LEN;
}

uint32_t
fcn_nd_build_ra(const uint8_t src[16], const uint8_t *dst, const struct rte_ether_addr *mac,
		const struct fcn_nd_ra *ra, uint8_t *buf, uint32_t room)
{
	uint32_t len = ND_RA_LEN + (mac != NULL ? ND_LLADDR_LEN : 0) +
		       (ra->mtu != 0 ? ND_MTU_LEN : 0) + ra->n_prefixes * ND_PREFIX_LEN;
	uint8_t *icmp, *p;

	if (ra->n_prefixes > FCN_ND_MAX_PREFIXES || room < FCN_IP6_LEN + len)
		return 0;
	for (unsigned int i = 0; i < ra->n_prefixes; i++) {
		if (ra->prefix[i].len > 128)
			return 0;
	}
	icmp = begin(buf, FCN_ND_ROUTER_ADVERT, src, dst != NULL ? dst : fcn_nd_all_nodes, len);
	icmp[4] = ra->hop_limit;
	icmp[5] = ra->flags & (FCN_ND_MANAGED | FCN_ND_OTHER);
	fcn_put_be16(icmp + 6, ra->lifetime_s);
	fcn_put_be32(icmp + 8, ra->reachable_ms);
	fcn_put_be32(icmp + 12, ra->retrans_ms);
	p = icmp + ND_RA_LEN;
	if (mac != NULL)
		p = put_lladdr(p, ND_OPT_SOURCE_LLADDR, mac);
	if (ra->mtu != 0) {
		p[0] = ND_OPT_MTU;
		p[1] = ND_MTU_LEN / 8;
		fcn_put_be32(p + 4, ra->mtu);
		p += ND_MTU_LEN;
	}
	for (unsigned int i = 0; i < ra->n_prefixes; i++)
		p = put_prefix(p, &ra->prefix[i]);
	return fcn_icmp6_put_checksum(buf, len);
}
