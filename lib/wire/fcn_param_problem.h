/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Recognition of senders that do not support Fast CNP. The type of the Fast CNP option has action
 * 10 (RFC 8200 section 4.2), so a host that does not know it answers with an ICMPv6 Parameter
 * Problem, code 2 (RFC 4443 section 3.4).
 *
 * Anybody can spoof such a message. This function only verifies that the message is complete, that
 * it comes from the station to which the notice would have gone, and that it quotes nothing but a
 * Fast CNP as this switch builds it. The caller checks whether the switch really sent that notice.
 */

#ifndef FCN_PARAM_PROBLEM_H
#define FCN_PARAM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_msg_error.h"
#include "fcn_parse.h"

/** A refused notice: a Fast CNP, or another one. Addresses in network byte order, numbers in host
 * byte order. */
struct fcn_refused_notice {
	uint8_t sender[16];      /**< who refuses it: the RoCEv2 sender */
	uint8_t data_source[16]; /**< source of the data: the same */
	uint8_t receiver[16];    /**< receiver of the data, read from the option */
	uint32_t dest_qp;        /**< queue pair at the receiver */
	uint16_t src_port;       /**< UDP source port of notice and data */
	uint16_t p_key;
	uint8_t option;  /**< 1 or 2 */
	bool is_trimmed; /**< it has returned the headers of a packet (fcn_trimmed_option.h) */
	/** who refuses it is known as a receiver of notices from the configuration or a routing
	 * protocol; the functions of this library leave it false */
	bool is_trusted;
	/** another node passed the notice on to who refuses it, so the refusal may come by a port
	 * by which no notice has left; the functions of this library leave it false */
	bool is_passed_on;
};

/**
 * Check whether a packet is a Parameter Problem that refuses a Fast CNP of this switch. The run
 * time grows with the length of the message, which RFC 4443 limits to 1280 bytes. Pure function,
 * safe from any thread.
 *
 * A valid ICMPv6 message has to meet these conditions:
 *
 * - It has type 4 and code 2.
 * - Its destination is source. Its source is the destination of the quoted packet, a unicast
 *   address.
 * - The quoted packet is complete: IPv6, one Destination Options header that holds one of the two
 *   options, perhaps a Trimmed Packet option behind option 1, and zero padding, UDP of 40 octets
 *   to port 4791 with the correct checksum, BTH of a CNP.
 * - The pointer is the offset of the Option Type of one of them.
 *
 * Traffic class, flow label and hop limit of the quoted packet are not checked, because routers
 * change them. Neither is its ICRC.
 *
 * @param ip     IPv6 header of the packet
 * @param len    bytes readable at ip
 * @param codes  option types that this switch uses
 * @param source IPv6 source address of this switch's Fast CNPs, 16 bytes
 * @param out    written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; an error of fcn_icmp6_parse(); FCN_MSG_TYPE or _CODE for another ICMPv6
 *         message; FCN_MSG_DESTINATION when the destination is not source; FCN_MSG_QUOTE;
 *         FCN_MSG_REPORTER; FCN_MSG_POINTER
 */
enum fcn_msg_error fcn_param_problem_check(const uint8_t *ip, uint32_t len,
		const struct fcn_parse_codes *codes, const uint8_t source[16],
		struct fcn_refused_notice *out);

/**
 * Check whether a packet is a Parameter Problem that refuses a Fast CNP to END.CON (fcn_endcon.h),
 * because the node that has the address is no END.CON. It is like fcn_param_problem_check(), except
 * for these conditions:
 *
 * - It has code 1 (unrecognised Next Header, of a host) and points to the Next Header field of the
 *   outer header, or code 4 (SR Upper-layer Header Error, of another SID) and points to the inner
 *   header.
 * - The quoted packet is an IPv6 header from source, without extension headers, with the Fast CNP
 *   in it.
 * - Its source is any address, for a router has several. The caller checks it.
 *
 * @param endcon written as out: destination of the outer header, 16 bytes
 */
enum fcn_msg_error fcn_param_problem_check_endcon(const uint8_t *ip, uint32_t len,
		const struct fcn_parse_codes *codes, const uint8_t source[16],
		struct fcn_refused_notice *out, uint8_t endcon[16]);

#endif /* FCN_PARAM_PROBLEM_H */
