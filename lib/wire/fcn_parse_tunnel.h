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

/**
 * Parse a frame if it is a well-formed data packet of RoCEv2 over IPv6, both without extension
 * headers, in an untagged IPv6 packet that has a Segment Routing Header without TLVs, or no
 * extension header at all. For a frame that both can parse, the result is that of fcn_parse_slow().
 * The parameters are those of fcn_parse_fast().
 *
 * @param info written in full when the result is true, otherwise not at all
 * @return whether the frame is such a packet
 */
bool fcn_parse_tunnel(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len,
		struct fcn_wire_info *info);

#endif /* FCN_PARSE_TUNNEL_H */
