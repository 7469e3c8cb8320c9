/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The headers of a packet to a SID of this node, between the IPv6 header and the upper layer
 * (RFC 8986 section 4): where the Segment Routing Header is, and what follows the extension
 * headers.
 */

#ifndef FCN_SRV6_HEADERS_H
#define FCN_SRV6_HEADERS_H

#include <stdint.h>

#include "fcn_srh.h"
#include "fcn_srv6_error.h"

/** Offsets are in bytes from the IPv6 header. */
struct fcn_srv6_headers {
	uint16_t srh_off;         /**< Segment Routing Header; 0 when there is none */
	uint16_t srh_len;         /**< bytes of it */
	uint16_t next_header_off; /**< octet that says that a Routing header follows */
	uint8_t segments_left;    /**< of the Segment Routing Header; 0 when there is none */
	uint8_t upper_proto;      /**< protocol number at upper_off, if that is not 0 */
	/**
	 * First header that is no Hop-by-Hop Options, Destination Options or Routing header. It may
	 * equal the end of the packet. 0 when there are segments left: what follows the Segment
	 * Routing Header then does not concern this node and is not read.
	 */
	uint16_t upper_off;
	/**
	 * Field that caused the result of this function, or of one that was given this structure
	 * later, for the Pointer of a Parameter Problem.
	 */
	uint16_t pointer;
};

/**
 * Find the headers of a packet. Only the first Segment Routing Header counts. A Routing header of
 * another type, or a second one, is skipped when it has no segments left (RFC 8200 section 4.4).
 * The segment list is not checked here, as RFC 8986 section 4.1 does not require a valid one when
 * no segments are left. Pure, safe from any thread.
 *
 * @param ip  the IPv6 header, with a Payload Length that was checked
 * @param len bytes readable at ip; those behind the Payload Length are padding. Nothing past len is
 *            read.
 * @param h   every field is written
 * @return FCN_SRV6_OK; FCN_SRV6_EXT_TRUNCATED; FCN_SRV6_EXT_LIMIT (more than FCN_PARSE_MAX_EXT
 *         headers); FCN_SRV6_SRH_TRUNCATED; FCN_SRV6_ROUTING_TYPE
 */
enum fcn_srv6_error fcn_srv6_headers_find(
		const uint8_t *ip, uint32_t len, struct fcn_srv6_headers *h);

#endif /* FCN_SRV6_HEADERS_H */
