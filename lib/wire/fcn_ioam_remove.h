/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The edge of an IOAM domain: search for IOAM options, and their removal from a packet. IOAM data
 * must not leave the domain (RFC 9486 section 4).
 */

#ifndef FCN_IOAM_REMOVE_H
#define FCN_IOAM_REMOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_parse.h"

/**
 * Check whether the outermost IPv6 header is followed by a Hop-by-Hop or Destination Options header
 * that holds an IOAM option, whatever its Opt-Type, valid or not. The search continues behind
 * Routing headers, but not behind Fragment, AH and ESP headers. Nothing past seg_len is read.
 */
bool fcn_ioam_has_option(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info);

/** Result of removing IOAM options. */
enum fcn_ioam_remove_result {
	/** there is no IOAM option, as fcn_ioam_has_option() says; the packet is unchanged */
	FCN_IOAM_REMOVE_NONE,
	FCN_IOAM_REMOVE_DONE, /**< all IOAM options have been removed */
	/**
	 * There are IOAM options, but an options header is malformed or not in the first segment,
	 * or there are more than FCN_PARSE_MAX_EXT extension headers. The packet is unchanged.
	 */
	FCN_IOAM_REMOVE_FAILED,
};

/**
 * Remove all IOAM options from the Hop-by-Hop and Destination Options headers of the outermost IPv6
 * packet (RFC 9486 section 4).
 *
 * The other options keep their order and each its offset modulo 8, so every alignment requirement
 * still holds. Padding is replaced, and never longer than 7 octets at one place (RFC 8200 section
 * 4.2), because hosts drop packets with more. A header that would hold only padding is removed; a
 * header without IOAM options is not touched. Payload Length and Next Header are adjusted. The
 * packet does not always become shorter.
 *
 * Where octets change that the ICRC of a RoCEv2 packet covers, the ICRC and the UDP checksum are
 * corrected by the difference; a packet that was damaged before still has a wrong ICRC afterwards.
 * In mode FCN_ICRC_SKIP the ICRC covers Payload Length and Next Header, in FCN_ICRC_COVER the
 * extension headers as well, and in FCN_ICRC_NORM nothing that changes here. The ICRC of a packet
 * in a tunnel covers nothing of the outer headers. A UDP checksum of 0 stays 0.
 *
 * The headers move towards the payload, so the frame begins *removed bytes later. The ICRC of a
 * chained mbuf is in its last segment and is therefore a parameter of its own.
 *
 * @param data    first byte of the Ethernet header, writable
 * @param seg_len bytes at data
 * @param info    result of fcn_parse() for the frame. It is updated when the result is
 *                FCN_IOAM_REMOVE_DONE: offsets count from the new beginning, ip_len is the new
 *                length, FCN_PKT_IOAM_TRACE and FCN_PKT_IOAM_INVALID are cleared (with a tunnel
 *                they are about the inner packet and stay), FCN_PKT_HBH is cleared unless such a
 *                header is still there. The error stays.
 * @param mode    how extension headers enter the ICRC
 * @param icrc    the ICRC, writable; NULL when the packet is not RoCEv2
 * @param removed written: bytes to cut off the front of the frame; 0 unless the result is
 *                FCN_IOAM_REMOVE_DONE
 */
enum fcn_ioam_remove_result fcn_ioam_remove(uint8_t *data, uint32_t seg_len,
		struct fcn_wire_info *info, enum fcn_icrc_mode mode, uint8_t *icrc,
		uint32_t *removed);

#endif /* FCN_IOAM_REMOVE_H */
