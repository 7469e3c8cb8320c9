/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Next Hop Dependent Characteristics attribute of BGP (draft-ietf-idr-nhc), and in it the Proxy
 * Node Capability (PNC): the route's next hop is the congestion notification proxy of the senders
 * in the route's prefix.
 *
 * The attribute's value is AFI (2 bytes), SAFI (1), length of the next hop (1), the next hop, and
 * characteristics: code (2 bytes), length (2), value. The type of the attribute and the code of PNC
 * are not assigned finally, so both are parameters.
 *
 * Pure functions over bytes: they never read past the bytes given, keep no state, and are safe from
 * any thread.
 */

#ifndef FCN_BGP_NHC_H
#define FCN_BGP_NHC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"

#define FCN_BGP_AFI_IP4 1 /**< IANA's number of the address family IPv4 */
#define FCN_BGP_AFI_IP6 2 /**< IANA's number of the address family IPv6 */
#define FCN_BGP_SAFI_UNICAST 1

#define FCN_BGP_OPTIONAL 0x80   /**< flag of an attribute: not every router knows it */
#define FCN_BGP_TRANSITIVE 0x40 /**< flag: routers that do not know it pass it on */
#define FCN_BGP_PARTIAL 0x20    /**< flag: a router that did not know it has passed it on */
#define FCN_BGP_EXTENDED 0x10   /**< flag: the length of the attribute has two bytes */

#define FCN_BGP_NHC_TYPE 39    /**< type of the attribute (temporary assignment) */
#define FCN_BGP_PNC_CODE 65500 /**< default code of PNC: none is assigned */
/** longest attribute that fcn_bgp_nhc_build() makes, in bytes: 3 + 4 + 16 + 4 */
#define FCN_BGP_NHC_MAX_LEN 27

/** What the attribute says. */
struct fcn_bgp_nhc {
	uint16_t afi;
	uint8_t safi;
	struct fcn_addr next_hop; /**< the global address, if there is a link-local one, too */
	bool has_pnc;
	bool has_bad_pnc; /**< there is also a PNC with a value, which says nothing */
};

/**
 * Read the value of an attribute. Characteristics can have any order, can be repeated, and unknown
 * ones are skipped.
 *
 * @param data     value of the attribute, without flags, type and length
 * @param pnc_code code of PNC
 * @return 0; -EBADMSG if it is malformed: it is cut short, has no characteristic, its next hop has
 *         a length other than 4, 16 or 32 bytes, or PNC has a value and is not there without one
 */
int fcn_bgp_nhc_parse(const uint8_t *data, size_t len, uint16_t pnc_code, struct fcn_bgp_nhc *nhc);

/**
 * Write an attribute that holds only PNC, with flags, type and length.
 *
 * @param partial  whether to set the flag Partial, as a router does that does not know the type
 * @param afi      address family of the route's prefix, FCN_BGP_AFI_IP4 or FCN_BGP_AFI_IP6
 * @param next_hop next hop of the route
 * @param out      FCN_BGP_NHC_MAX_LEN bytes
 * @return number of bytes written
 */
size_t fcn_bgp_nhc_build(uint8_t type, uint16_t pnc_code, bool partial, uint16_t afi,
		const struct fcn_addr *next_hop, uint8_t *out);

#endif /* FCN_BGP_NHC_H */
