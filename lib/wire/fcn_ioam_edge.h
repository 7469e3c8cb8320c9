/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * IOAM options at the edge of their domain: found, and taken out of a packet
 * (RFC 9486 section 4: IOAM data must not leave the domain).
 */

#ifndef FCN_IOAM_EDGE_H
#define FCN_IOAM_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_parse.h"

/**
 * Whether the outermost IPv6 header is followed by a Hop-by-Hop or Destination Options header
 * that holds an IOAM option, of whatever Opt-Type, valid or not. Looked for in front of and
 * behind Routing headers, not behind Fragment, AH and ESP. Never reads past seg_len.
 */
bool fcn_ioam_edge_has_option(
		const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info);

/** What became of a packet at the edge. */
enum fcn_ioam_edge_result {
	FCN_IOAM_EDGE_NONE,     /**< fcn_ioam_edge_has_option() is false: unchanged */
	FCN_IOAM_EDGE_STRIPPED, /**< all IOAM options are gone */
	/** IOAM options, but an options header malformed, beyond the first segment or one of more
	 * than FCN_PARSE_MAX_EXT headers: unchanged. */
	FCN_IOAM_EDGE_STUCK,
};

/**
 * Take all IOAM options out of the Hop-by-Hop and Destination Options headers
 * of the outermost IPv6 packet.
 *
 * The other options stay, in order, each at its offset modulo 8, so every
 * alignment holds; padding is made anew, never longer than 7 octets at a
 * place (RFC 8200 section 4.2; hosts drop more). A header with nothing left
 * but padding goes altogether, one without IOAM options stays as it is.
 * Payload Length and Next Header follow. It may be that nothing gets shorter.
 *
 * Where that changes what the ICRC of a RoCEv2 packet covers, the ICRC and
 * the UDP checksum are corrected by the difference, so a packet that was
 * damaged before stays visibly so. By mode: `skip` covers Payload Length and Next Header,
 * `cover` the extension headers too, `norm` nothing that changes; that of a
 * packet in a tunnel covers nothing of the outer headers. A UDP checksum of 0 stays 0.
 *
 * The headers move towards the payload: the frame then begins *removed bytes
 * later. A chained packet's ICRC lies in its last segment: hence icrc.
 *
 * @param data    first byte of the Ethernet header, writable
 * @param seg_len bytes at data
 * @param info    of the frame; brought up to date when the result is STRIPPED: offsets from the
 *                new beginning, ip_len, and no FCN_PKT_IOAM_TRACE, FCN_PKT_IOAM_INVALID
 *                (FCN_PKT_HBH only if such a header is still there). In a tunnel these two
 *                speak of the packet inside, and stay. The error that was met stays too.
 * @param mode    convention of the ICRC of packets with extension headers
 * @param icrc    the packet's last four bytes of RoCEv2, writable, or NULL when it is not RoCEv2
 * @param removed bytes to cut off the front; 0 unless the result is STRIPPED
 */
enum fcn_ioam_edge_result fcn_ioam_edge_strip(uint8_t *data, uint32_t seg_len,
		struct fcn_wire_info *info, enum fcn_icrc_mode mode, uint8_t *icrc,
		uint32_t *removed);

#endif /* FCN_IOAM_EDGE_H */
