/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages of BGP (RFC 4271, RFC 4760) and of the BGP Monitoring Protocol (RFC 7854) with routes
 * that have Proxy Node Capability, for tests and for a person who wants to send some.
 *
 * Pure functions over bytes: they keep no state and are safe from any thread.
 */

#ifndef FCN_BMP_BUILD_H
#define FCN_BMP_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"

#define FCN_BMP_BUILD_MAX 512 /**< longest message that these functions make, in bytes */

/** A route, announced or withdrawn. */
struct fcn_bgp_route {
	struct fcn_prefix prefix;
	struct fcn_addr next_hop; /**< not used if it is withdrawn */
	bool is_withdrawn;
	bool has_pnc;      /**< with the attribute of Next Hop Dependent Characteristics */
	bool is_partial;   /**< the attribute has the flag Partial */
	uint8_t nhc_type;  /**< type of the attribute */
	uint16_t pnc_code; /**< code of PNC */
	uint32_t as;       /**< the only AS of AS_PATH, in 4 bytes; 0: AS_PATH is empty */
};

/** A peer as its router reports it. */
struct fcn_bmp_peer {
	struct fcn_addr addr;
	uint32_t as;
	uint32_t identifier;
	bool is_post_policy;
};

/**
 * Write an UPDATE message with one route. An IPv4 prefix with an IPv4 next hop, and its withdrawal,
 * use the fields of RFC 4271; others MP_REACH_NLRI and MP_UNREACH_NLRI.
 *
 * @param out FCN_BMP_BUILD_MAX bytes
 * @return number of bytes written
 */
size_t fcn_bgp_update_build(const struct fcn_bgp_route *route, uint8_t *out);

/**
 * Write an Initiation message.
 *
 * @param name name of the router, at most 64 bytes; longer ones are cut
 */
size_t fcn_bmp_initiation_build(const char *name, uint8_t *out);

/** Write a Peer Up message, whose OPEN messages have the capabilities of multiple protocols and
 * AS numbers of 4 bytes. */
size_t fcn_bmp_peer_up_build(const struct fcn_bmp_peer *peer, uint8_t *out);

/** Write a Peer Down message: the peer has ended its session without a notification. */
size_t fcn_bmp_peer_down_build(const struct fcn_bmp_peer *peer, uint8_t *out);

/** Write a Route Monitoring message with an UPDATE of one route. */
size_t fcn_bmp_route_build(
		const struct fcn_bmp_peer *peer, const struct fcn_bgp_route *route, uint8_t *out);

#endif /* FCN_BMP_BUILD_H */
