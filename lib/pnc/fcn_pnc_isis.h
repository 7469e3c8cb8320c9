/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Proxies from IS-IS: the Proxy Node Capability is a bit of the Prefix Attribute Flags (RFC 7794)
 * in the prefixes of link state PDUs of either level: TLVs 135 (RFC 5305), 235 and 237 (RFC 5120),
 * 236 (RFC 5308). The reader is passive, and has no adjacencies.
 *
 * END.CON SIDs are End SIDs (sub-TLV 5) with the configured behavior in SRv6 Locators (TLV 27, RFC
 * 9352 section 7), of all topologies and algorithms, also where the locator was propagated between
 * levels. A SID that is not in its locator, and those of a locator that is not reachable, do not
 * count.
 *
 * An LSP counts until its remaining lifetime ends, a newer one replaces it, or it is purged. As ISO
 * 10589 section 7.2.5 wants it, nothing of a system counts without its fragment 0.
 *
 * The proxy of a prefix is, in this order: the IPv4 or IPv6 Source Router ID in the prefix (RFC
 * 7794), that of the version of the prefix first; a TE router ID (TLVs 134, 140) of the system,
 * else its lowest host prefix with the N-flag, both of the version of the prefix first; the prefix
 * itself, if it is a host prefix. For a prefix that was propagated between levels (R-flag or
 * up/down bit), the addresses of the advertising system are not those of the originator, and not
 * used.
 */

#ifndef FCN_PNC_ISIS_H
#define FCN_PNC_ISIS_H

#include "fcn_hash_key.h"
#include "fcn_pnc_auth.h"

struct fcn_pnc_isis;

struct fcn_pnc_isis_conf {
	struct fcn_pnc_limits limits;
	struct fcn_pnc_auth auth;
	struct fcn_hash_key hash_key; /**< secret of the program */
	uint8_t flags_sub_tlv;        /**< type of the Prefix Attribute Flags */
	uint8_t flag_bit;             /**< bit of the capability in them, from the first one on */
	uint16_t endcon_code;         /**< code of the behavior END.CON; 0: SIDs are not read */
};

#define FCN_PNC_ISIS_DEFAULTS                                                        \
	{                                                                            \
		.limits = FCN_PNC_DEFAULT_LIMITS, .flags_sub_tlv = 4, .flag_bit = 7, \
	}

/**
 * Create a reader.
 *
 * @param error written when the result is -EINVAL: what is wrong, one line
 * @return 0, -EINVAL, -ENOMEM
 */
int fcn_pnc_isis_create(const struct fcn_pnc_isis_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_isis **isis, const char **error);

/** Free a reader. The sink is not told. NULL is allowed. */
void fcn_pnc_isis_destroy(struct fcn_pnc_isis *isis);

/**
 * Read a PDU.
 *
 * @param pdu from the Intradomain Routeing Protocol Discriminator on; padding of the frame may
 * follow
 * @return what it was counted as
 */
enum fcn_pnc_counter fcn_pnc_isis_input(
		struct fcn_pnc_isis *isis, const uint8_t *pdu, size_t len, uint64_t now_ns);

/**
 * Remove what has reached the end of its lifetime; a bounded number of LSPs in a call.
 *
 * @return when to call it again; UINT64_MAX: not before the next PDU
 */
uint64_t fcn_pnc_isis_tick(struct fcn_pnc_isis *isis, uint64_t now_ns);

/** Get numbers and counters. */
void fcn_pnc_isis_state(const struct fcn_pnc_isis *isis, struct fcn_pnc_state *state);

#endif /* FCN_PNC_ISIS_H */
