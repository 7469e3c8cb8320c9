/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Proxies from OSPFv3: the Proxy Node Capability is a bit of the Prefix Extended Flags (RFC 9792)
 * in the TLVs of prefixes in extended LSAs (RFC 8362): E-Intra-Area-Prefix, E-Inter-Area-Prefix,
 * E-AS-External, E-Type-7. LSAs of the original format have no place for it. Instances 64 to 95
 * have IPv4 prefixes (RFC 5838), and those of multicast are ignored.
 *
 * END.CON SIDs are End SIDs (sub-TLV 1) with the configured behavior in SRv6 Locator LSAs (RFC 9513
 * sections 7 and 8) of any scope, in instances with IPv6 prefixes. A SID that is not in its
 * locator, and those of a locator that is not reachable or has an unknown route type, do not count.
 *
 * All else is as for OSPFv2 (fcn_pnc_ospf.h), with the Router IPv6 Address TLV (RFC 5329), the bits
 * N and LA of the prefix options (LA in intra-area prefixes only), and the authentication trailer
 * (RFC 7166), whose Cryptographic Protocol ID may have its octets in either order: FRRouting writes
 * it in that of the host. Packets that IPsec encrypts cannot be read.
 */

#ifndef FCN_PNC_OSPF3_H
#define FCN_PNC_OSPF3_H

#include "fcn_pnc_ospf.h"

struct fcn_pnc_ospf3;

#define FCN_PNC_OSPF3_DEFAULTS                                                        \
	{                                                                             \
		.limits = FCN_PNC_DEFAULT_LIMITS, .flags_sub_tlv = 37, .flag_bit = 2, \
	}

/** Create a reader. Parameters and result are those of fcn_pnc_ospf_create(). */
int fcn_pnc_ospf3_create(const struct fcn_pnc_ospf_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_ospf3 **ospf, const char **error);

/** Free a reader. The sink is not told. NULL is allowed. */
void fcn_pnc_ospf3_destroy(struct fcn_pnc_ospf3 *ospf);

/**
 * Read a packet. Each LSA in it is counted.
 *
 * @param link   number of the link that it was read on, for LSAs with link scope
 * @param ip6    the IPv6 header, whose addresses the checksum covers
 * @param packet the payload of next header 89, without padding of the frame
 * @return what the packet was counted as, or its last LSA
 */
enum fcn_pnc_counter fcn_pnc_ospf3_input(struct fcn_pnc_ospf3 *ospf, uint32_t link,
		const uint8_t ip6[40], const uint8_t *packet, size_t len, uint64_t now_ns);

/** Remove LSAs at the end of their lifetime, as fcn_pnc_ospf_tick() does. */
uint64_t fcn_pnc_ospf3_tick(struct fcn_pnc_ospf3 *ospf, uint64_t now_ns);

/** Get numbers and counters. */
void fcn_pnc_ospf3_state(const struct fcn_pnc_ospf3 *ospf, struct fcn_pnc_state *state);

#endif /* FCN_PNC_OSPF3_H */
