/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a frame holds that may not cross the border of the domain in which
 * notices are used (draft-xiao-rtgwg-rocev2-fast-cnp section 5,
 * draft-xiao-rtgwg-proxy-congestion-notification section 6, RFC 8754 section
 * 5.1, RFC 9486 section 4).
 *
 * This walk is stricter than that of fcn_parse(): it looks into every options
 * header wherever it stands, behind Fragment and Authentication headers, and
 * into one tunnel, and it says so when it could not read the headers to their
 * end. Pure function over bytes: never reads past the bytes given, keeps no
 * state, safe from any thread.
 */

#ifndef FCN_BORDER_H
#define FCN_BORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"

/**
 * Bytes of a frame the walk reads at most, from the Ethernet header on. A frame whose headers
 * go on behind them is FCN_BORDER_UNREAD.
 */
#define FCN_BORDER_MAX_HEADERS 512
#define FCN_BORDER_MAX_VLANS 4 /**< VLAN tags read; a frame with more is FCN_BORDER_UNREAD */
#define FCN_BORDER_MAX_IP 2    /**< IP headers read; a third is FCN_BORDER_UNREAD */
#define FCN_BORDER_MAX_EXT 8   /**< extension headers read behind one IP header */
#define FCN_BORDER_MAX_SRH 2   /**< Segment Routing Headers read */

/**
 * A later fragment has to begin at least so many octets behind its first: 8 of UDP, 12 of BTH and
 * the 16 reserved of a CNP, 4 of ICRC. One that begins earlier could be laid over the headers that
 * the first fragment showed (RFC 1858, RFC 5722).
 */
#define FCN_BORDER_MIN_FRAGMENT 40

/*
 * X(symbol, name, text): what is found, and the name under which it is dropped. The first of the
 * list that a frame holds is the one it is dropped under.
 */
#define FCN_BORDER_KINDS(X)                                                                        \
	X(BORDER_FAST_CNP, "border_fast_cnp", "Fast CNP at the domain's border")                   \
	X(BORDER_CNM, "border_cnm", "congestion notification message at the domain's border")      \
	X(BORDER_ARN, "border_arn", "adaptive routing notification at the domain's border")        \
	X(BORDER_PROXY, "border_proxy",                                                            \
			"Proxy Network Node Address option at the domain's border")                \
	X(BORDER_IOAM, "border_ioam", "IOAM option at the domain's border")                        \
	X(BORDER_SID_DESTINATION, "border_sid_destination",                                        \
			"to a segment identifier of the domain, at its border")                    \
	X(BORDER_SID_SOURCE, "border_sid_source",                                                  \
			"from a segment identifier of the domain, at its border")                  \
	X(BORDER_CNP, "border_cnp", "CNP of a peer that is not permitted, at the domain's border") \
	X(BORDER_FRAGMENT, "border_fragment",                                                      \
			"fragment that could be laid over headers, at the domain's border")        \
	X(BORDER_UNREAD, "border_unread",                                                          \
			"headers that cannot be read to their end, at the domain's border")

enum fcn_border_kind {
#define FCN_BORDER_ENUM(sym, name, text) FCN_##sym,
	FCN_BORDER_KINDS(FCN_BORDER_ENUM)
#undef FCN_BORDER_ENUM
	FCN_BORDER_KIND_COUNT,
};

/** Code points without an assignment: configuration. */
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
	 * Bit set of FCN_BORDER_*. The SIDs are never among them, as they are known by address.
	 * A CNP is, whatever its peer is. IOAM options that ioam_outer tells of are not.
	 */
	uint32_t found;
	bool ioam_outer; /**< IOAM options where fcn_ioam_edge_strip() looks for them */
	bool trace;      /**< a Fast CNP's option 2: it holds IOAM data */
	uint8_t cnp;     /**< with FCN_BORDER_CNP: index of the IP header it is behind */
	uint8_t n_ip;
	uint8_t n_srh;
	struct fcn_border_ip ip[FCN_BORDER_MAX_IP]; /**< outermost first */
	/** Segments that packets have still to visit: offset of the first, and how many. */
	struct {
		uint16_t off;
		uint8_t n;
	} srh[FCN_BORDER_MAX_SRH];
};

/**
 * Walk a frame.
 *
 * @param data    first byte of the Ethernet header
 * @param len     bytes readable at data, all of the frame or the first of it
 * @param pkt_len bytes of the whole frame, at least len
 * @param codes   option types and ports
 * @param view    written in full. A frame that is not IP holds nothing, unless its EtherType stands
 *                behind more tags than are read.
 */
void fcn_border_look(const uint8_t *data, uint32_t len, uint32_t pkt_len,
		const struct fcn_border_codes *codes, struct fcn_border_view *view);

#endif /* FCN_BORDER_H */
