/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * ICMP for IPv4: echo, and errors in both directions (RFC 792, 1122, 1191,
 * 1812).
 *
 * Pure functions over bytes, from the IPv4 header on; safe from any thread.
 *
 * Packets are built without IP options. With an IP identification of 0 the packet has Don't
 * Fragment set and is an atomic datagram (RFC 6864 section 4.1).
 */

#ifndef FCN_ICMP4_H
#define FCN_ICMP4_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_msg_error.h"

#define FCN_ICMP4_ECHO_REPLY 0
#define FCN_ICMP4_UNREACHABLE 3
#define FCN_ICMP4_SOURCE_QUENCH 4 /**< deprecated (RFC 6633): read, never sent */
#define FCN_ICMP4_REDIRECT 5
#define FCN_ICMP4_ECHO_REQUEST 8
#define FCN_ICMP4_TIME_EXCEEDED 11
#define FCN_ICMP4_PARAM_PROBLEM 12

/* Codes of FCN_ICMP4_UNREACHABLE (RFC 1812 section 5.2.7.1) */
#define FCN_ICMP4_NET 0
#define FCN_ICMP4_HOST 1
#define FCN_ICMP4_PROTOCOL 2
#define FCN_ICMP4_PORT 3
#define FCN_ICMP4_FRAG_NEEDED 4
#define FCN_ICMP4_SOURCE_ROUTE 5
#define FCN_ICMP4_PROHIBITED 13

/* Codes of FCN_ICMP4_TIME_EXCEEDED */
#define FCN_ICMP4_TTL 0
#define FCN_ICMP4_REASSEMBLY 1

/* Codes of FCN_ICMP4_PARAM_PROBLEM */
#define FCN_ICMP4_POINTER 0
#define FCN_ICMP4_OPTION_MISSING 1

#define FCN_ICMP4_ERROR_MAX 576 /**< longest packet with an error, IPv4 header included */

/**
 * Fields of a message that was parsed. Offsets count from the IPv4 header; numbers are in host byte
 * order.
 */
struct fcn_icmp4 {
	uint8_t type, code;
	uint8_t tos, ttl;       /**< of the packet */
	uint8_t src[4], dst[4]; /**< of the packet */
	uint16_t id, seq;       /**< echo: identifier, sequence number */
	/**
	 * Fragmentation Needed: MTU, or 0 when the router gave none (RFC 1191 section 5); Parameter
	 * Problem: pointer into the quoted packet
	 */
	uint16_t param;
	uint32_t off; /**< offset of the message */
	uint32_t len; /**< bytes of the message, 8 at least */
	/** error: offset of the quoted packet, of which there may be only a part */
	uint32_t quote_off;
	/** bytes at quote_off; 0 when the message is no error, or quotes nothing */
	uint32_t quote_len;
};

/** An error to send. */
struct fcn_icmp4_error {
	uint8_t type, code;
	uint16_t param; /**< Fragmentation Needed: MTU; Parameter Problem: pointer; otherwise 0 */
};

/**
 * Read and validate a message, including its IPv4 header. The contents of a quoted packet are not
 * trustworthy, because anybody can send an error. The quote ends where extensions begin (RFC 4884
 * section 4).
 *
 * @param ip  the IPv4 header
 * @param len bytes readable at ip; those behind the total length are padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; FCN_MSG_IP_HEADER; FCN_MSG_TRUNCATED (the packet is incomplete, or the
 *         message is shorter than 8 bytes); FCN_MSG_IP_CHECKSUM; FCN_MSG_PROTOCOL;
 *         FCN_MSG_FRAGMENT; FCN_MSG_CHECKSUM; FCN_MSG_SOURCE (not the address of a station)
 */
enum fcn_msg_error fcn_icmp4_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp4 *out);

/**
 * Build the reply to an echo request (RFC 1122 section 3.2.2.6). Data, identifier, sequence number
 * and DSCP are those of the request; its IP options are left out.
 *
 * @param request the IPv4 header of the request
 * @param msg     result of fcn_icmp4_parse() for the request
 * @param src     source address; NULL: the destination of the request, if it is the address of a
 *                station
 * @param id      IP identification, or 0
 * @param buf     where the IPv4 header goes; may be request itself
 * @param room    bytes at buf; 20 + msg->len are needed
 * @return bytes of the packet; 0 when room is too small, msg is not an echo request, or src is NULL
 *         and the request was sent to a group
 */
uint32_t fcn_icmp4_build_echo_reply(const uint8_t *request, const struct fcn_icmp4 *msg,
		const uint8_t *src, uint8_t ttl, uint16_t id, uint8_t *buf, uint32_t room);

/**
 * Check whether an ICMP error may be sent about a packet (RFC 1122 section 3.2.2, RFC 1812 section
 * 4.3.2.7). An error may not be sent when the packet
 *
 * - is an ICMP error or redirect, or ICMP of a type that is not known to be a query or cannot be
 *   read;
 * - was sent to a group, by its IP address or by the MAC address of the frame;
 * - is a fragment other than the first;
 * - comes from an address that is not that of a single station.
 *
 * The caller limits the rate.
 *
 * @param ip    IPv4 header of the packet
 * @param len   bytes readable at ip
 * @param group the frame was sent to a multicast or broadcast MAC address, or the packet's source
 *              or destination is the broadcast address of a subnet
 */
bool fcn_icmp4_may_answer(const uint8_t *ip, uint32_t len, bool group);

/**
 * Build an error about a packet, addressed to the source of the packet. It quotes as much of the
 * packet as is available and FCN_ICMP4_ERROR_MAX allows (RFC 1812 section 4.3.2.3), without padding
 * behind its total length. The precedence is 6 (RFC 1812 section 4.3.2.5). The caller has checked
 * that fcn_icmp4_may_answer() is true.
 *
 * @param src  source address, 4 bytes
 * @param id   IP identification, or 0
 * @param ip   IPv4 header of the packet
 * @param len  bytes readable at ip
 * @param buf  where the IPv4 header goes; must not overlap ip
 * @param room bytes at buf; FCN_ICMP4_ERROR_MAX is always enough
 * @return bytes of the packet; 0 when room is too small or there is no whole IPv4 header at ip
 */
uint32_t fcn_icmp4_build_error(const struct fcn_icmp4_error *error, const uint8_t src[4],
		uint8_t ttl, uint16_t id, const uint8_t *ip, uint32_t len, uint8_t *buf,
		uint32_t room);

#endif /* FCN_ICMP4_H */
