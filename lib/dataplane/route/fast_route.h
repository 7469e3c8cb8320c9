/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Conditions for FCN_PACKET_FAST_ROUTE and FCN_PACKET_FAST_IP4, with which a packet may take the
 * fast path of the stage `route`.
 */

#ifndef FAST_ROUTE_H
#define FAST_ROUTE_H

#include "fcn_burst.h"
#include "fcn_snapshot.h"
#include "route_check.h"

/**
 * Get the flags of a packet that meets these conditions, by the routed port or sub-interface that
 * it belongs to. The fast path uses the destination cache, which is for the main table only.
 */
static inline uint16_t
fcn_fast_route_flags(const struct fcn_snapshot_port *port)
{
	return port->table == FCN_TABLE_MAIN ? FCN_PACKET_FAST_ROUTE : 0;
}

/** The same of a packet for which fcn_is_fast_ip4() is true. */
static inline uint16_t
fcn_fast_ip4_flags(const struct fcn_snapshot_port *port)
{
	return port->table == FCN_TABLE_MAIN ? FCN_PACKET_FAST_IP4 : 0;
}

/** Convert a MAC address to a number for comparisons. Eight octets are read. */
static inline uint64_t
fcn_mac_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return word << 16;
#else
	return word >> 16;
#endif
}

/** Check whether a packet is untagged, well-formed IPv6. */
static inline bool
fcn_is_well_formed_ipv6(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_IPV6 && (info->error | info->n_vlans) == 0;
}

/**
 * Compare an IPv6 address with 2000::/3: what is from there and to there may be forwarded.
 *
 * @param first its first octet
 * @return 0: it is there
 */
static inline uint8_t
fcn_differs_from_global(uint8_t first)
{
	return (first ^ 0x20) & 0xe0;
}

/**
 * Check whether an untagged IPv6 packet is addressed to a MAC address, and both its IPv6 addresses
 * are in 2000::/3.
 *
 * @param mac fcn_mac_word() of the MAC address
 */
static inline bool
fcn_is_fast_route(const uint8_t *data, uint64_t mac)
{
	const uint8_t *ip = data + RTE_ETHER_HDR_LEN;
	uint8_t src = ip[offsetof(struct rte_ipv6_hdr, src_addr)];
	uint8_t dst = ip[offsetof(struct rte_ipv6_hdr, dst_addr)];

	return ((fcn_mac_word(data) ^ mac) | fcn_differs_from_global(src) |
			       fcn_differs_from_global(dst)) == 0;
}

/** Facts about a packet of RoCEv2 over IPv4 without a tunnel. */
#define FCN_ROCE_IP4 \
	(FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)

/**
 * Check whether a packet of RoCEv2 over IPv4, untagged and without defects, is addressed to a MAC
 * address, has no padding, and may be forwarded by its IPv4 addresses.
 *
 * @param mac fcn_mac_word() of the MAC address
 */
static inline bool
fcn_is_fast_ip4(const struct fcn_wire_info *info, const struct rte_mbuf *m, const uint8_t *data,
		uint64_t mac)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	return fcn_mac_word(data) == mac &&
	       m->pkt_len == (uint32_t)RTE_ETHER_HDR_LEN + info->ip_len &&
	       fcn_reach4(rte_be_to_cpu_32(ip->src_addr), rte_be_to_cpu_32(ip->dst_addr)) ==
			       FCN_REACH_ANY;
}

/** Check whether a packet that any parser has parsed may be one for fcn_is_fast_ip4(). */
static inline bool
fcn_is_roce_ip4(const struct fcn_wire_info *info)
{
	return ((info->flags ^ FCN_ROCE_IP4) | info->error | info->n_vlans) == 0 &&
	       info->l3_off == RTE_ETHER_HDR_LEN;
}

/**
 * Check whether a packet may have an IOAM trace to which a transit node adds data. With a tunnel,
 * that is a trace of the outer header.
 */
static inline bool
fcn_has_trace(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_TUNNEL ? info->flags & FCN_PKT_HBH
					    : info->flags & FCN_PKT_IOAM_TRACE;
}

#endif /* FAST_ROUTE_H */
