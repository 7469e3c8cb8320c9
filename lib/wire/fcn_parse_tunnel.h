/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The fast path of fcn_parse() for RoCEv2 in an SRv6 tunnel.
 */

#ifndef FCN_PARSE_TUNNEL_H
#define FCN_PARSE_TUNNEL_H

#include "fcn_parse.h"

/** Do the work of fcn_parse_tunnel() for a frame that is long enough. */
bool fcn_parse_tunnel_headers(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_wire_info *info);

/**
 * Parse a frame if it is a well-formed data packet of RoCEv2 over IPv6, both without extension
 * headers, in an untagged IPv6 packet that has a Segment Routing Header without TLVs, or no
 * extension header at all. For a frame that both can parse, the result is that of fcn_parse_slow().
 * The parameters are those of fcn_parse_fast().
 *
 * @param info written in full when the result is true, otherwise not at all
 * @return whether the frame is such a packet
 */
static inline bool
fcn_parse_tunnel(
		const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, struct fcn_wire_info *info)
{
	const uint32_t ip_off = sizeof(struct rte_ether_hdr);
	const uint32_t least = ip_off + 2 * sizeof(struct rte_ipv6_hdr) +
			       sizeof(struct rte_udp_hdr) + sizeof(struct fcn_bth_hdr);
	uint8_t next_header;

	if (seg_len < least)
		return false;
	next_header = data[ip_off + offsetof(struct rte_ipv6_hdr, proto)];
	return (next_header == IPPROTO_IPV6 || next_header == IPPROTO_ROUTING) &&
	       fcn_parse_tunnel_headers(data, seg_len, pkt_len, info);
}

#endif /* FCN_PARSE_TUNNEL_H */
