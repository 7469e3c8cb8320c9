/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Proxies from OSPFv2: the Proxy Node Capability is a bit of the Prefix Extended Flags (RFC 9792)
 * in the Extended Prefix TLV (RFC 7684) of opaque LSAs (RFC 5250) with link, area or AS scope. The
 * reader is passive: it reads the LSAs in Link State Update packets, and has no adjacencies.
 *
 * An LSA counts until it is 3600 seconds old, a newer one replaces it (RFC 2328 section 13.1), or
 * it is flushed. An LSA with a TLV whose length cannot be is malformed: nothing in it counts, but
 * it replaces an older one. An LSA that does not age (RFC 1793) counts for 3600 seconds from the
 * last time that it was read.
 *
 * The proxy of a prefix is, in this order: the Prefix Source Router Address in it (RFC 9084); the
 * Router Address TLV (RFC 3630) of the originator, else its lowest host prefix with the N-flag; the
 * router ID of the originator, where that is configured to be an address; the prefix itself, if it
 * is a host prefix. The originator is the router that the Prefix Source Router ID names, else the
 * advertising router; it is not known of an inter-area prefix without such a sub-TLV.
 */

#ifndef FCN_PNC_OSPF_H
#define FCN_PNC_OSPF_H

#include "fcn_hash_key.h"
#include "fcn_pnc_auth.h"

struct fcn_pnc_ospf;

/** Configuration of a reader of either version of OSPF. */
struct fcn_pnc_ospf_conf {
	struct fcn_pnc_limits limits;
	struct fcn_pnc_auth auth;
	struct fcn_hash_key hash_key; /**< secret of the program */
	uint16_t flags_sub_tlv;       /**< type of the Prefix Extended Flags */
	uint8_t flag_bit;             /**< bit of the capability in them, from the first one on */
	bool router_id_is_address;    /**< router IDs are IPv4 addresses of the routers */
	/** OSPFv3: code of the behavior END.CON; 0: SIDs are not read */
	uint16_t endcon_code;
};

#define FCN_PNC_OSPF_DEFAULTS                                                         \
	{                                                                             \
		.limits = FCN_PNC_DEFAULT_LIMITS, .flags_sub_tlv = 11, .flag_bit = 2, \
	}

/**
 * Create a reader.
 *
 * @param error written when the result is -EINVAL: what is wrong, one line
 * @return 0, -EINVAL, -ENOMEM
 */
int fcn_pnc_ospf_create(const struct fcn_pnc_ospf_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_ospf **ospf, const char **error);

/** Free a reader. The sink is not told. NULL is allowed. */
void fcn_pnc_ospf_destroy(struct fcn_pnc_ospf *ospf);

/**
 * Read a packet. Each LSA in it is counted.
 *
 * @param link   number of the link that it was read on, for LSAs with link scope
 * @param packet the payload of IP protocol 89, without padding of the frame: the authentication may
 *               follow the packet
 * @return what the packet was counted as, or its last LSA
 */
enum fcn_pnc_counter fcn_pnc_ospf_input(struct fcn_pnc_ospf *ospf, uint32_t link,
		const uint8_t *packet, size_t len, uint64_t now_ns);

/**
 * Remove what has reached the end of its lifetime; a bounded number of LSAs in a call.
 *
 * @return when to call it again; UINT64_MAX: not before the next packet
 */
uint64_t fcn_pnc_ospf_tick(struct fcn_pnc_ospf *ospf, uint64_t now_ns);

/** Get numbers and counters. */
void fcn_pnc_ospf_state(const struct fcn_pnc_ospf *ospf, struct fcn_pnc_state *state);

#endif /* FCN_PNC_OSPF_H */
