/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Proxy Network Node Address option in data packets
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.2): insertion at the edge of the
 * domain, where the packets of a sender enter it, and removal where they leave. fcn_parse() reads
 * the option.
 *
 * Pure functions over bytes, safe from any thread.
 */

#ifndef FCN_PROXY_OPTION_H
#define FCN_PROXY_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_parse.h"

/** Longest growth of a packet by the option, in bytes. */
#define FCN_PROXY_OPTION_GROWTH 24

/** Whether the option can be inserted into a packet. */
enum fcn_proxy_option_fit {
	FCN_PROXY_OPTION_FITS,    /**< it can be inserted */
	FCN_PROXY_OPTION_PRESENT, /**< the packet has an option of this type, valid or not */
	/**
	 * The packet is not IPv6, is a fragment or in a tunnel, has an Authentication Header, has
	 * a defect, or its headers would become longer than FCN_PARSE_MAX_HEADERS or more than
	 * FCN_PARSE_MAX_EXT.
	 */
	FCN_PROXY_OPTION_UNFIT,
};

/** Where the option is inserted. Offsets count from the start of the frame, before the change. */
struct fcn_proxy_option_place {
	uint16_t next;   /**< Next Header octet in front of a new header */
	uint16_t header; /**< the Destination Options header, or the place of a new one */
	uint16_t kept;   /**< bytes of that header that stay; 0: a new header is inserted */
	uint16_t behind; /**< first byte behind that header, or the place of a new one */
	uint16_t growth; /**< bytes by which the packet becomes longer: 16 or 24 */
};

/**
 * Find the place for the option: in a Destination Options header of its own, behind a Hop-by-Hop
 * Options header and in front of a Routing header, which nodes on the way may read
 * (RFC 8200 section 4.1). If the packet has a Destination Options header there, the option is
 * appended to it, in place of the padding at its end.
 *
 * @param data    first byte of the Ethernet header
 * @param seg_len bytes readable at data; nothing past them is read
 * @param info    result of fcn_parse() for the frame
 * @param type    option type
 * @param place   written if the result is FCN_PROXY_OPTION_FITS
 */
enum fcn_proxy_option_fit fcn_proxy_option_find_place(const uint8_t *data, uint32_t seg_len,
		const struct fcn_wire_info *info, uint8_t type,
		struct fcn_proxy_option_place *place);

/**
 * Insert the option at the place that fcn_proxy_option_find_place() found. Its address begins at a
 * multiple of 8 octets from the start of its header. The headers in front of it move towards the
 * front by place->growth bytes. Payload Length and Next Header are adjusted, and ICRC and UDP
 * checksum of a RoCEv2 packet, as fcn_ioam_remove() describes it.
 *
 * @param data first byte of the frame as it will be: place->growth bytes, then the frame as it is
 * @param info result of fcn_parse() for the frame, which is updated
 * @param type option type
 * @param addr IPv6 address of the proxy, 16 octets
 * @param mode how extension headers enter the ICRC
 * @param icrc the ICRC, writable; NULL when the packet is not RoCEv2
 */
void fcn_proxy_option_insert(uint8_t *data, struct fcn_wire_info *info,
		const struct fcn_proxy_option_place *place, uint8_t type, const uint8_t *addr,
		enum fcn_icrc_mode mode, uint8_t *icrc);

/**
 * Check whether a Destination Options header of the outermost IPv6 packet has an option of this
 * type, of any length. The search continues behind Routing headers, but not behind Fragment, AH and
 * ESP headers. Nothing past seg_len is read.
 */
bool fcn_proxy_option_is_there(const uint8_t *data, uint32_t seg_len,
		const struct fcn_wire_info *info, uint8_t type);

/**
 * Remove all options of this type from the Destination Options headers of the outermost IPv6
 * packet. A header that would hold only padding is removed. The parameters, and everything else,
 * are those of fcn_ioam_remove().
 *
 * @param info updated: without a tunnel, FCN_PKT_PROXY is cleared
 * @return false: a header is malformed or not in the first segment, and the packet is unchanged.
 *         Without such an option the packet is unchanged, too, and *removed is 0
 */
bool fcn_proxy_option_remove(uint8_t *data, uint32_t seg_len, struct fcn_wire_info *info,
		uint8_t type, enum fcn_icrc_mode mode, uint8_t *icrc, uint32_t *removed);

#endif /* FCN_PROXY_OPTION_H */
