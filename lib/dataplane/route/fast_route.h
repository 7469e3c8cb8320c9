/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Conditions for FCN_PACKET_FAST_ROUTE, with which a packet needs no further checks, and the stage
 * `route` asks the cache of destinations first.
 */

#ifndef FAST_ROUTE_H
#define FAST_ROUTE_H

#include "fcn_burst.h"
#include "fcn_snapshot.h"
#include "route_check.h"
#include "fcn_source_check.h"

/**
 * Get the flags of a packet that meets these conditions, by the routed port or sub-interface that
 * it belongs to. The cache of destinations is for the main table only, and the stage `route` checks
 * sources.
 */
static inline uint16_t
fcn_fast_route_flags(const struct fcn_snapshot_port *port)
{
	return port->table == FCN_TABLE_MAIN && port->source_check == FCN_SOURCE_CHECK_OFF
			       ? FCN_PACKET_FAST_ROUTE
			       : 0;
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

/* The first octet of IPv6 addresses in 2000::/3: what is from there and to there may be forwarded,
 * so most packets need no other check. */
#define FCN_GLOBAL_FIRST 0x20
#define FCN_GLOBAL_MASK 0xe0 /**< of its bits */

/**
 * Compare an IPv6 address with 2000::/3.
 *
 * @param first its first octet
 * @return 0: it is there
 */
static inline uint8_t
fcn_differs_from_global(uint8_t first)
{
	return (first ^ FCN_GLOBAL_FIRST) & FCN_GLOBAL_MASK;
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

/**
 * Check whether a packet that any parser has parsed meets these conditions.
 *
 * @param mac fcn_mac_word() of the MAC address of its ingress port
 * @param own hull of the addresses of the switch
 */
static inline bool
fcn_passes_checks(const struct fcn_wire_info *info, const uint8_t *data, uint64_t mac,
		const struct fcn_own_hull *own)
{
	if (unlikely((info->error | info->n_vlans) != 0))
		return false;
	if (info->flags & FCN_PKT_IPV6) {
		if (!fcn_is_fast_route(data, mac))
			return false;
	} else if (!(info->flags & FCN_PKT_IPV4) || fcn_mac_word(data) != mac ||
			fcn_reach_of(info, data) != FCN_REACH_ANY) {
		return false;
	}
	return likely(!fcn_source_may_be_own(own, info, data));
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
