/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Which packets get FCN_PACKET_FAST_ROUTE: those that the fast path of the stage `route` may take.
 */

#ifndef FAST_ROUTE_H
#define FAST_ROUTE_H

#include "fcn_burst.h"

/** Six octets as a number. Eight are read. */
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

/** Untagged, well-formed IPv6, whatever it carries. */
static inline bool
fcn_is_well_formed_ipv6(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_IPV6 && (info->error | info->n_vlans) == 0;
}

/** An untagged IPv6 packet to the MAC address of this fcn_mac_word(), from and to 2000::/3. */
static inline bool
fcn_is_fast_route(const uint8_t *data, uint64_t mac)
{
	const uint8_t *ip = data + RTE_ETHER_HDR_LEN;
	uint8_t src = ip[offsetof(struct rte_ipv6_hdr, src_addr)];
	uint8_t dst = ip[offsetof(struct rte_ipv6_hdr, dst_addr)];

	return ((fcn_mac_word(data) ^ mac) | (((src ^ 0x20) | (dst ^ 0x20)) & 0xe0)) == 0;
}

/** Whether a packet has an IOAM trace that a transit node writes to; in a tunnel, the outer header
 * may have one. */
static inline bool
fcn_has_trace(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_TUNNEL ? info->flags & FCN_PKT_HBH
					    : info->flags & FCN_PKT_IOAM_TRACE;
}

#endif /* FAST_ROUTE_H */
