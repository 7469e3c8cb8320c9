/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What an SRv6 endpoint does with a packet to one of its SIDs: End with its flavors PSP, USP and
 * USD, decapsulation (RFC 8986 sections 4.1, 4.6 to 4.8 and 4.16), and the NEXT-CSID flavor
 * (RFC 9800 section 4.1).
 *
 * Pure functions over bytes, which change the packet in place: they never touch bytes past those
 * given, keep no state, and are safe from any thread. Routing the packet on is the caller's.
 */

#ifndef FCN_SRV6_END_H
#define FCN_SRV6_END_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_srv6_error.h"
#include "fcn_srv6_headers.h"

/* What a behavior decapsulates; bits that may be combined. */
#define FCN_SRV6_INNER_IPV6 0x1 /**< End.DX6, End.DT6; with IPv4: End.DT46, USD */
#define FCN_SRV6_INNER_IPV4 0x2 /**< End.DX4, End.DT4 */

/**
 * Lengths of the parts of a SID with the NEXT-CSID flavor, in bits (RFC 9800 section 4). What is
 * left of the 128 bits is the argument, which holds the following compressed SIDs.
 */
struct fcn_srv6_csid {
	uint8_t block_bits;         /**< LBL: locator block */
	uint8_t node_function_bits; /**< LNFL: locator node and function */
};

/**
 * Go on to the next segment (RFC 8986 section 4.1 lines S05 to S14): Hop Limit and Segments Left
 * are decremented, the destination address is the segment at Segments Left.
 *
 * @param ip the IPv6 header
 * @param h  result of fcn_srv6_headers_find(), with segments left; segments_left is updated, and
 *           after an error pointer
 * @return FCN_SRV6_OK; FCN_SRV6_HOP_LIMIT; FCN_SRV6_SRH_LENGTH, _LAST_ENTRY or _SEGMENTS_LEFT.
 *         After an error the packet is unchanged.
 */
enum fcn_srv6_error fcn_srv6_end(uint8_t *ip, struct fcn_srv6_headers *h);

/**
 * Remove the Segment Routing Header: the flavors PSP (RFC 8986 section 4.16.1, after fcn_srv6_end()
 * when no segments are left) and USP (section 4.16.2). Next Header and Payload Length are adjusted.
 * The headers in front of it move towards the payload.
 *
 * @param data   first byte of the frame
 * @param l3_off offset of the IPv6 header in the frame
 * @param h      headers of the packet, with a Segment Routing Header. Afterwards there is none, and
 *               offsets count from the IPv6 header's new place.
 * @return bytes to cut off the front of the frame
 */
uint32_t fcn_srv6_remove_srh(uint8_t *data, uint32_t l3_off, struct fcn_srv6_headers *h);

/**
 * Check that a packet may be decapsulated by a behavior that ends a policy (RFC 8986 sections 4.4
 * to 4.8) or by End with the flavor USD (section 4.16.3). Nothing is changed: the inner packet
 * begins at h->upper_off, and everything in front of it is to be cut off.
 *
 * @param ip    the IPv6 header
 * @param len   bytes readable at ip
 * @param inner FCN_SRV6_INNER_*: what the behavior decapsulates
 * @param h     result of fcn_srv6_headers_find(); after an error, pointer is written
 * @return FCN_SRV6_OK; FCN_SRV6_SEGMENTS_LEFT; FCN_SRV6_UPPER_LAYER (what follows is not what the
 *         behavior decapsulates); FCN_SRV6_INNER_HEADER (the inner header is cut short, of another
 *         version, or says that its packet is longer than the outer one)
 */
enum fcn_srv6_error fcn_srv6_decaps_check(
		const uint8_t *ip, uint32_t len, unsigned int inner, struct fcn_srv6_headers *h);

/** Whether the lengths leave at least one bit of argument, and no part but it may be empty. */
static inline bool
fcn_srv6_csid_is_valid(unsigned int block_bits, unsigned int node_function_bits)
{
	return block_bits >= 1 && node_function_bits >= 1 && block_bits <= 126 &&
	       node_function_bits <= 127 - block_bits;
}

/**
 * Whether the argument of a destination address is other than 0: more compressed SIDs follow
 * (RFC 9800 section 4.1.1 line N01).
 */
bool fcn_srv6_csid_has_argument(const uint8_t dst[16], const struct fcn_srv6_csid *csid);

/**
 * Go on to the next compressed SID (RFC 9800 section 4.1.1 lines N02 to N07): the argument is moved
 * to directly behind the locator block, zeros fill the end of the address, and the Hop Limit is
 * decremented. To be called when fcn_srv6_csid_has_argument() says so, before the Segment Routing
 * Header or the upper layer is processed.
 *
 * @param ip the IPv6 header
 * @return FCN_SRV6_OK; FCN_SRV6_HOP_LIMIT with the packet unchanged
 */
enum fcn_srv6_error fcn_srv6_csid_next(uint8_t *ip, const struct fcn_srv6_csid *csid);

#endif /* FCN_SRV6_END_H */
