/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * ICMPv6: echo, and errors in both directions (RFC 4443).
 *
 * Pure functions over bytes, from the IPv6 header on; safe from any thread. Extension headers in
 * front of the message are skipped. The inside of a tunnel is not read.
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

/**
 * Fields of a message that was parsed. Offsets count from the IPv6 header; numbers are in host byte
 * order.
 */
struct fcn_icmp6 {
	uint8_t type, code;
	uint8_t tclass, hop_limit; /**< of the packet */
	uint8_t src[16], dst[16];  /**< of the packet */
	uint16_t id, seq;          /**< echo: identifier, sequence number */
	/** Packet Too Big: MTU; Parameter Problem: pointer into the quoted packet */
	uint32_t param;
	uint32_t off; /**< offset of the message */
	uint32_t len; /**< bytes of the message, 8 at least */
	/** error: offset of the quoted packet, of which there may be only a part */
	uint32_t quote_off;
	/** bytes at quote_off; 0 when the message is no error, or quotes nothing */
	uint32_t quote_len;
};

/** An error to send. */
struct fcn_icmp6_error {
	uint8_t type, code;
	uint32_t param; /**< Packet Too Big: MTU; Parameter Problem: pointer; otherwise 0 */
};

/**
 * Read and validate a message. The contents of a quoted packet are not trustworthy, because anybody
 * can send an error. In Destination Unreachable and Time Exceeded the quote ends where extensions
 * begin (RFC 4884 section 4). The caller refuses an MTU below 1280 in a Packet Too Big (RFC 8201
 * section 4).
 *
 * @param ip  the IPv6 header
 * @param len bytes readable at ip; those behind the payload length are padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; FCN_MSG_IP_HEADER; FCN_MSG_TRUNCATED (the packet is incomplete, or the
 *         message is shorter than 8 bytes); FCN_MSG_PROTOCOL; FCN_MSG_FRAGMENT (there is a Fragment
 *         header, even if the one fragment is the whole packet); FCN_MSG_CHECKSUM; FCN_MSG_SOURCE
 *         (multicast)
 */
enum fcn_msg_error fcn_icmp6_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp6 *out);

/**
 * Build the reply to an echo request (RFC 4443 section 4.2). Data, identifier, sequence number and
 * DSCP are those of the request; its extension headers are left out.
 *
 * @param request   the IPv6 header of the request
 * @param msg       result of fcn_icmp6_parse() for the request
 * @param src       source address; NULL: the destination of the request, if it is not multicast
 * @param buf       where the IPv6 header goes; may be request itself
 * @param room      bytes at buf; 40 + msg->len are needed
 * @return bytes of the packet; 0 when room is too small, msg is not an echo request, its source is
 *         not the address of a station, or src is NULL and the request was sent to a group
 */
uint32_t fcn_icmp6_build_echo_reply(const uint8_t *request, const struct fcn_icmp6 *msg,
		const uint8_t *src, uint8_t hop_limit, uint8_t *buf, uint32_t room);

/**
 * Check whether an ICMPv6 error may be sent about a packet (RFC 4443 section 2.4 (e)). An error may
 * not be sent when the packet
 *
 * - is an ICMPv6 error (e.1) or redirect (e.2), or may be one, because its ICMPv6 type cannot be
 *   read or its headers extend beyond the bytes given or beyond 512 bytes;
 * - was sent to a group, by its IPv6 address (e.3) or by the MAC address of the frame (e.4, e.5).
 *   Exceptions are Packet Too Big, and Parameter Problem code 2 that points at an option with
 *   action 10;
 * - comes from an address that is not that of a single station (e.6): ::, multicast, ::1.
 *
 * The caller limits the rate (f) and excludes sources that it knows to be anycast addresses.
 *
 * @param ip         IPv6 header of the packet
 * @param len        bytes readable at ip
 * @param link_group the frame was sent to a multicast or broadcast MAC address
 */
bool fcn_icmp6_may_answer(const struct fcn_icmp6_error *error, const uint8_t *ip, uint32_t len,
		bool link_group);

/**
 * Build an error about a packet, addressed to the source of the packet. It quotes as much of the
 * packet as is available and FCN_ICMP6_ERROR_MAX allows (RFC 4443 section 2.4 (c)), without padding
 * behind its payload length. The DSCP is 48. The caller has checked that fcn_icmp6_may_answer() is
 * true.
 *
 * @param src  source address, 16 bytes
 * @param ip   IPv6 header of the packet
 * @param len  bytes readable at ip
 * @param buf  where the IPv6 header goes; must not overlap ip
 * @param room bytes at buf; FCN_ICMP6_ERROR_MAX is always enough
 * @return bytes of the packet; 0 when room is too small or there is no IPv6 header at ip
 */
uint32_t fcn_icmp6_build_error(const struct fcn_icmp6_error *error, const uint8_t src[16],
		uint8_t hop_limit, const uint8_t *ip, uint32_t len, uint8_t *buf, uint32_t room);

#endif /* FCN_ICMP6_H */
