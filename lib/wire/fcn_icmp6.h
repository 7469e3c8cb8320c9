/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * ICMPv6: echo, and errors in both directions (RFC 4443).
 *
 * Pure functions over bytes, from the IPv6 header on; safe from any thread.
 * Extension headers in front of the message are stepped over, tunnels are not
 * looked into.
 */

#ifndef FCN_ICMP6_H
#define FCN_ICMP6_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_msg_error.h"

/* Types; those below 128 are errors. */
#define FCN_ICMP6_UNREACHABLE 1
#define FCN_ICMP6_TOO_BIG 2
#define FCN_ICMP6_TIME_EXCEEDED 3
#define FCN_ICMP6_PARAM_PROBLEM 4
#define FCN_ICMP6_INFORMATIONAL 128 /**< the first type that is no error */
#define FCN_ICMP6_ECHO_REQUEST 128
#define FCN_ICMP6_ECHO_REPLY 129
#define FCN_ICMP6_REDIRECT 137

/* Codes of FCN_ICMP6_UNREACHABLE */
#define FCN_ICMP6_NO_ROUTE 0
#define FCN_ICMP6_PROHIBITED 1
#define FCN_ICMP6_BEYOND_SCOPE 2
#define FCN_ICMP6_NO_ADDRESS 3
#define FCN_ICMP6_NO_PORT 4
#define FCN_ICMP6_SOURCE_POLICY 5
#define FCN_ICMP6_REJECT_ROUTE 6

/* Codes of FCN_ICMP6_TIME_EXCEEDED */
#define FCN_ICMP6_HOP_LIMIT 0
#define FCN_ICMP6_REASSEMBLY 1

/* Codes of FCN_ICMP6_PARAM_PROBLEM */
#define FCN_ICMP6_BAD_FIELD 0
#define FCN_ICMP6_BAD_NEXT_HEADER 1
#define FCN_ICMP6_BAD_OPTION 2

#define FCN_ICMP6_ERROR_MAX 1280 /**< longest packet with an error, IPv6 header included */

/** A message, read. Offsets count from the IPv6 header that was given; host byte order. */
struct fcn_icmp6 {
	uint8_t type, code;
	uint8_t tclass, hop_limit; /**< of the packet */
	uint8_t src[16], dst[16];  /**< of the packet */
	uint16_t id, seq;          /**< echo: identifier, sequence number */
	uint32_t param;     /**< Packet Too Big: MTU; Parameter Problem: pointer into the quote */
	uint32_t off;       /**< the message */
	uint32_t len;       /**< bytes of the message, 8 at least */
	uint32_t quote_off; /**< error: the packet it is about, as much of it as there is */
	uint32_t quote_len; /**< bytes at quote_off, perhaps 0; 0 when it is no error */
};

/** An error to send. */
struct fcn_icmp6_error {
	uint8_t type, code;
	uint32_t param; /**< Packet Too Big: MTU; Parameter Problem: pointer; otherwise 0 */
};

/**
 * Read and validate a message.
 *
 * @param ip  the IPv6 header
 * @param len bytes readable at ip; behind the payload length is padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; FCN_MSG_IP_HEADER; FCN_MSG_TRUNCATED (not all of the
 *         packet is there, or a message below 8 bytes); FCN_MSG_PROTOCOL;
 *         FCN_MSG_FRAGMENT (not even a whole packet in one fragment);
 *         FCN_MSG_CHECKSUM; FCN_MSG_SOURCE (multicast). What is quoted is
 *         anybody's word. A packet quoted by Destination Unreachable or Time Exceeded
 *         ends where extensions begin (RFC 4884). An MTU below 1280 in a Packet
 *         Too Big is the caller's to refuse (RFC 8201 section 4).
 */
enum fcn_msg_error fcn_icmp6_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp6 *out);

/**
 * Build the answer to an echo request, data and identifiers as they came, DSCP
 * too; without the extension headers of the request.
 *
 * @param request   the IPv6 header of the request
 * @param msg       what fcn_icmp6_parse() made of it
 * @param src       source address; NULL: the one that was asked, if not multicast
 * @param buf       where the IPv6 header goes; may be request itself
 * @param room      bytes at buf; 40 + msg->len are needed
 * @return bytes of the packet; 0 when room is too small, msg is no request, it
 *         came from no station, or it was asked of a group and src is NULL
 */
uint32_t fcn_icmp6_build_echo_reply(const uint8_t *request, const struct fcn_icmp6 *msg,
		const uint8_t *src, uint8_t hop_limit, uint8_t *buf, uint32_t room);

/** Build an echo request with data_len bytes of data. @return bytes of the packet, 0: no room. */
uint32_t fcn_icmp6_build_echo_request(const uint8_t src[16], const uint8_t dst[16],
		uint8_t hop_limit, uint16_t id, uint16_t seq, const uint8_t *data,
		uint32_t data_len, uint8_t *buf, uint32_t room);

/**
 * Whether an error may answer a packet (RFC 4443 section 2.4 (e)). No:
 *
 * - an ICMPv6 error (e.1) or redirect (e.2), or what may be one: ICMPv6 whose
 *   type cannot be read, headers beyond the bytes given or beyond 512;
 * - to a group, by its address (e.3) or that of the frame (e.4, e.5), except
 *   Packet Too Big, and Parameter Problem code 2 pointing at an option of
 *   action 10;
 * - from an address of no single station (e.6): ::, multicast, ::1.
 *
 * Rate (f) and addresses known to be anycast are the caller's.
 *
 * @param ip         IPv6 header of the packet
 * @param len        bytes readable at ip
 * @param link_group the frame came to a multicast or broadcast MAC address
 */
bool fcn_icmp6_may_answer(const struct fcn_icmp6_error *error, const uint8_t *ip, uint32_t len,
		bool link_group);

/**
 * Build an error about a packet: to its source, with as much of it as there is
 * and FCN_ICMP6_ERROR_MAX allows; without what stands behind its payload
 * length. DSCP 48. Asks nothing of fcn_icmp6_may_answer().
 *
 * @param src  source address, 16 bytes
 * @param ip   IPv6 header of the packet
 * @param len  bytes readable at ip
 * @param buf  where the IPv6 header goes; apart from ip
 * @param room bytes at buf; FCN_ICMP6_ERROR_MAX is always enough
 * @return bytes of the packet; 0: room too small, or no IPv6 header at ip
 */
uint32_t fcn_icmp6_build_error(const struct fcn_icmp6_error *error, const uint8_t src[16],
		uint8_t hop_limit, const uint8_t *ip, uint32_t len, uint8_t *buf, uint32_t room);

#endif /* FCN_ICMP6_H */
