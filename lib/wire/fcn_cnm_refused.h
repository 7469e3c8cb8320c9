/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * ICMP errors by which a node says that it is no proxy: nobody listens to the UDP port of
 * Congestion Notification Messages (RFC 792; RFC 4443 section 3.1).
 *
 * Pure function over bytes, safe from any thread.
 */

#ifndef FCN_CNM_REFUSED_H
#define FCN_CNM_REFUSED_H

#include "fcn_cnm.h"
#include "fcn_param_problem.h"

/**
 * Check whether a packet is an ICMP Destination Unreachable with the code for ports, about a
 * Congestion Notification Message. It has to meet these conditions:
 *
 * - The message is valid. Its source is the destination of the quoted packet, and its destination
 *   is the source of the quoted packet.
 * - The quoted packet is UDP to `port`, without extension headers or options.
 * - So much of it is quoted that its five-tuple and the headers of the packet that it quotes can be
 *   read, and both agree.
 *
 * Who may send it, and whether the switch has sent that message, the caller finds out.
 *
 * @param ip    IPv4 or IPv6 header of the packet
 * @param len   bytes readable at ip
 * @param port  UDP port of the messages
 * @param codes option types
 * @param out   written when the result is true: `sender` is the proxy, `data_source` and `receiver`
 *              the ends of the flow, each IPv6 or IPv4-mapped; `dest_qp` as fcn_cnm_flow_number()
 */
bool fcn_cnm_is_refused(const uint8_t *ip, uint32_t len, uint16_t port,
		const struct fcn_parse_codes *codes, struct fcn_refused_notice *out);

#endif /* FCN_CNM_REFUSED_H */
