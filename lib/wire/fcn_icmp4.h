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
 * Packets are built without options. Where an IP identification is asked for, 0 stands for none:
 * the packet then goes with Don't Fragment, as an atomic datagram (RFC 6864 section 4.1).
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

/** A message, read. Offsets count from the IPv4 header that was given; host byte order. */
struct fcn_icmp4 {
	uint8_t type, code;
	uint8_t tos, ttl;       /**< of the packet */
	uint8_t src[4], dst[4]; /**< of the packet */
	uint16_t id, seq;       /**< echo: identifier, sequence number */
	uint16_t param;         /**< fragmentation needed: MTU, 0 when it is not said (RFC 1191
				   section 5); Parameter Problem: pointer into the quote */
	uint32_t off;           /**< the message */
	uint32_t len;           /**< bytes of the message, 8 at least */
	uint32_t quote_off;     /**< error: the packet it is about, as much of it as there is */
	uint32_t quote_len;     /**< bytes at quote_off, perhaps 0; 0 when it is no error */
};

/** An error to send. */
struct fcn_icmp4_error {
	uint8_t type, code;
	uint16_t param; /**< fragmentation needed: MTU; Parameter Problem: pointer; otherwise 0 */
};

/**
 * Read and validate a message, its IPv4 header included.
 *
 * @param ip  the IPv4 header
 * @param len bytes readable at ip; behind the total length is padding
 * @param out written when the result is FCN_MSG_OK
 * @return FCN_MSG_OK; FCN_MSG_IP_HEADER; FCN_MSG_TRUNCATED (not all of the packet is
 *         there, or a message below 8 bytes); FCN_MSG_IP_CHECKSUM;
 *         FCN_MSG_PROTOCOL; FCN_MSG_FRAGMENT; FCN_MSG_CHECKSUM; FCN_MSG_SOURCE
 *         (no address of a station). What is quoted is anybody's word; it ends where extensions
 *         begin (RFC 4884).
 */
enum fcn_msg_error fcn_icmp4_parse(const uint8_t *ip, uint32_t len, struct fcn_icmp4 *out);

/**
 * Build the answer to an echo request, data and identifiers as they came, DSCP
 * too; without the IP options of the request.
 *
 * @param request the IPv4 header of the request
 * @param msg     what fcn_icmp4_parse() made of it
 * @param src     source address; NULL: the one that was asked, if a station's
 * @param id      IP identification, or 0
 * @param buf     where the IPv4 header goes; may be request itself
 * @param room    bytes at buf; 20 + msg->len are needed
 * @return bytes of the packet; 0 when room is too small, msg is no request, or
 *         it was asked of a group and src is NULL
 */
uint32_t fcn_icmp4_build_echo_reply(const uint8_t *request, const struct fcn_icmp4 *msg,
		const uint8_t *src, uint8_t ttl, uint16_t id, uint8_t *buf, uint32_t room);

/** What an echo request carries besides its data. */
struct fcn_icmp4_echo {
	uint8_t src[4], dst[4];
	uint8_t ttl;
	uint16_t ip_id;   /**< IP identification, or 0 */
	uint16_t id, seq; /**< identifier, sequence number */
};

/** Build an echo request with data_len bytes of data. @return bytes of the packet, 0: no room. */
uint32_t fcn_icmp4_build_echo_request(const struct fcn_icmp4_echo *echo, const uint8_t *data,
		uint32_t data_len, uint8_t *buf, uint32_t room);

/**
 * Whether an error may answer a packet (RFC 1122 section 3.2.2, RFC 1812
 * section 4.3.2.7). No: an ICMP error or redirect, or ICMP of a type that is not
 * known to be a query, or cannot be read; to a group, by its address or that of
 * the frame; a fragment other than the first; from an address of no single
 * station. Rate is the caller's.
 *
 * @param ip    IPv4 header of the packet
 * @param len   bytes readable at ip
 * @param group the frame came to a multicast or broadcast MAC address, or the packet's source or
 *              destination is the broadcast address of a subnet
 */
bool fcn_icmp4_may_answer(const uint8_t *ip, uint32_t len, bool group);

/**
 * Build an error about a packet: to its source, with as much of it as there is
 * and FCN_ICMP4_ERROR_MAX allows (RFC 1812 section 4.3.2.3); without what
 * stands behind its total length. Precedence 6. Asks nothing of
 * fcn_icmp4_may_answer().
 *
 * @param src  source address, 4 bytes
 * @param id   IP identification, or 0
 * @param ip   IPv4 header of the packet
 * @param len  bytes readable at ip
 * @param buf  where the IPv4 header goes; apart from ip
 * @param room bytes at buf; FCN_ICMP4_ERROR_MAX is always enough
 * @return bytes of the packet; 0: room too small, or no whole IPv4 header at ip
 */
uint32_t fcn_icmp4_build_error(const struct fcn_icmp4_error *error, const uint8_t src[4],
		uint8_t ttl, uint16_t id, const uint8_t *ip, uint32_t len, uint8_t *buf,
		uint32_t room);

#endif /* FCN_ICMP4_H */
