/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Senders that do not understand Fast CNP: the ICMPv6 Parameter Problem by
 * which a host refuses the option (RFC 4443 section 3.4, code 2; the option's
 * type has action 10, RFC 8200 section 4.2).
 *
 * Anybody can send such a message and quote whatever they like. Here it is only
 * made sure that it is whole, that it comes from the station the notice would
 * have gone to, and that all it quotes is a Fast CNP as this switch builds it.
 * Whether the notice was really sent is for the caller to find out.
 */

#ifndef FCN_PARAM_PROBLEM_H
#define FCN_PARAM_PROBLEM_H

#include <stdint.h>

#include "fcn_msg_error.h"
#include "fcn_parse.h"

/** A refused Fast CNP. Addresses in network byte order, numbers in host byte order. */
struct fcn_refused_notice {
	uint8_t sender[16];   /**< whom the notice went to: the RoCEv2 sender, who refuses it */
	uint8_t receiver[16]; /**< receiver of the data, from the option */
	uint32_t dest_qp;     /**< queue pair at the receiver */
	uint16_t src_port;    /**< UDP source port of notice and data */
	uint16_t p_key;
	uint8_t option; /**< 1 or 2 */
};

/**
 * Whether a packet is a Parameter Problem that refuses a Fast CNP of this
 * switch. Time is bounded by the length of the message, 1280 bytes if honest;
 * pure, safe from any thread.
 *
 * Required beyond a valid ICMPv6 message: type 4, code 2; the message is to
 * source and from the destination of the quoted packet, a unicast address; the quoted
 * packet is whole: IPv6, one Destination Options header with one of the two
 * options and else only zero padding, UDP of 40 octets to port 4791 with the
 * right checksum, BTH of a CNP; the pointer is at the Option Type.
 * Traffic class, flow label and hop limit of the quoted packet may be any:
 * routers change them. Its ICRC is not checked.
 *
 * @param ip     IPv6 header of the packet
 * @param len    bytes readable at ip
 * @param codes  option types of ours
 * @param source IPv6 source of our Fast CNPs, 16 bytes
 * @param out    written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; what fcn_icmp6_parse() says; FCN_MSG_TYPE or _CODE: another
 *         ICMPv6 message; FCN_MSG_DESTINATION: not to source; FCN_MSG_QUOTE;
 *         FCN_MSG_REPORTER; FCN_MSG_POINTER
 */
enum fcn_msg_error fcn_param_problem_check(const uint8_t *ip, uint32_t len,
		const struct fcn_parse_codes *codes, const uint8_t source[16],
		struct fcn_refused_notice *out);

#endif /* FCN_PARAM_PROBLEM_H */
