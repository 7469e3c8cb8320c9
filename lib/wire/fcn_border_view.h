/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Find out whether a frame holds something that may not cross the border of the domain in which
 * notices are used (draft-xiao-rtgwg-rocev2-fast-cnp section 5,
 * draft-xiao-rtgwg-proxy-congestion-notification section 6, RFC 8754 section 5.1, RFC 9486 section
 * 4).
 *
 * This parser is stricter than fcn_parse(): it reads every options header at any position,
 * continues behind Fragment and Authentication headers and into one tunnel, and reports when it
 * could not read the headers to their end. Pure function over bytes: never reads past the bytes
 * given, keeps no state, safe from any thread.
 */

#ifndef FCN_BORDER_VIEW_H
#define FCN_BORDER_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"

/**
 * The parser reads at most this many bytes of a frame, counted from the Ethernet header. A frame
 * with headers after that is FCN_BORDER_UNREAD.
 */
#define FCN_BORDER_MAX_HEADERS 512
#define FCN_BORDER_MAX_VLANS 4 /**< VLAN tags read; a frame with more is FCN_BORDER_UNREAD */
#define FCN_BORDER_MAX_IP 2    /**< IP headers read; a third is FCN_BORDER_UNREAD */
#define FCN_BORDER_MAX_EXT 8   /**< extension headers read behind one IP header */
#define FCN_BORDER_MAX_SRH 2   /**< Segment Routing Headers read */

/**
 * Smallest offset, in bytes, at which a later fragment may begin: UDP header 8, BTH 12, reserved
 * field of a CNP 16, ICRC 4. A fragment that begins earlier could overwrite the headers of the
 * first fragment during reassembly (RFC 1858, RFC 5722).
 */
#define FCN_BORDER_MIN_FRAGMENT 40

/*
 * X(symbol, name, text): things that may not cross the border, which are also drop reasons. When a
 * frame holds several of these, the first in the list is its drop reason.
 */
#define FCN_BORDER_KINDS(X)                                                                        \
	X(BORDER_FAST_CNP, "border_fast_cnp", "Fast CNP at the domain's border")                   \
	X(BORDER_CNM, "border_cnm", "congestion notification message at the domain's border")      \
	X(BORDER_ARN, "border_arn", "adaptive routing notification at the domain's border")        \
	X(BORDER_PROXY, "border_proxy",                                                            \
			"Proxy Network Node Address option at the domain's border")                \
	X(BORDER_IOAM, "border_ioam", "IOAM option at the domain's border")                        \
	X(BORDER_SID_DESTINATION, "border_sid_destination",                                        \
			"destination address is a segment identifier of the domain, at "           \
			"its border")                                                              \
	X(BORDER_SID_SOURCE, "border_sid_source",                                                  \
			"source address is a segment identifier of the domain, at its border")     \
	X(BORDER_CNP, "border_cnp", "CNP of a peer that is not permitted, at the domain's border") \
	X(BORDER_FRAGMENT, "border_fragment",                                                      \
			"fragment that could overwrite headers on reassembly, at the "             \
			"domain's border")                                                         \
	X(BORDER_UNREAD, "border_unread",                                                          \
			"header chain that the switch cannot read to its end, at the "             \
			"domain's border")

enum fcn_border_kind {
#define FCN_BORDER_ENUM(sym, name, text) FCN_##sym,
	FCN_BORDER_KINDS(FCN_BORDER_ENUM)
#undef FCN_BORDER_ENUM
	FCN_BORDER_KIND_COUNT,
};

/** Code points that have no IANA assignment and are therefore configurable. */
struct fcn_border_codes {
	struct fcn_parse_codes options; /**< option types */
	uint16_t cnm_port; /**< UDP port of congestion notification messages, 0: none */
	uint16_t arn_port; /**< UDP port of adaptive routing notifications, 0: none */
};

/** An IP header that was read. */
struct fcn_border_ip {
	uint8_t version; /**< 4 or 6 */
	uint16_t src;    /**< offset of the source address in the frame */
	uint16_t dst;    /**< offset of the destination address in the frame */
};

/** What a frame holds. */
struct fcn_border_view {
	/**
	 * Bit set of 1 << FCN_BORDER_*. FCN_BORDER_SID_* are never set here, because the caller
	 * finds them by comparing addresses. FCN_BORDER_CNP is set for every CNP, whatever its
	 * addresses are. FCN_BORDER_IOAM is not set for IOAM options that ioam_outer reports.
	 */
	uint32_t found;
	bool ioam_outer; /**< there are IOAM options where fcn_ioam_remove() would find them */
	bool trace;      /**< there is a Fast CNP with option 2, which holds IOAM data */
	/** with FCN_BORDER_CNP: index in ip[] of the IP header that carries the CNP */
	uint8_t cnp;
	uint8_t n_ip;
	uint8_t n_srh;
	struct fcn_border_ip ip[FCN_BORDER_MAX_IP]; /**< outermost first */
	/**
	 * Segments that the packet has still to visit: offset of the first one in the frame, and
	 * their number.
	 */
	struct {
		uint16_t off;
		uint8_t n;
	} srh[FCN_BORDER_MAX_SRH];
};

/**
 * Parse a frame.
 *
 * @param data    first byte of the Ethernet header
 * @param len     bytes readable at data: the whole frame, or its first segment
 * @param pkt_len bytes of the whole frame, at least len
 * @param codes   option types and ports
 * @param view    every field is written. A frame that is not IP yields nothing, unless it has more
 *                VLAN tags than the parser reads.
 */
void fcn_border_parse(const uint8_t *data, uint32_t len, uint32_t pkt_len,
		const struct fcn_border_codes *codes, struct fcn_border_view *view);

#endif /* FCN_BORDER_VIEW_H */
