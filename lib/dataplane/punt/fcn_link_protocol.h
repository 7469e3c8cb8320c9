/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Protocols of a link that are not IP, and that the kernel interface of a port receives. A frame
 * that no line of the list describes is not for the control plane. The list is the one source of
 * the check of received frames, of the kind that limits them, of the counters of the host
 * functions, and of the table in doc/kernel.md.
 *
 * Pure functions over bytes; safe from any thread.
 */

#ifndef FCN_LINK_PROTOCOL_H
#define FCN_LINK_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_punt.h"

/**
 * In place of an EtherType: the field is the length of an LLC frame, and so below 1536. The values
 * from 1501 to 1535 are undefined in IEEE 802.3 clause 3.2.6; Linux sends and reads them as
 * lengths, and IS-IS uses them where the MTU is that large.
 */
#define FCN_LINK_LLC 0
#define FCN_LINK_TYPES 2  /**< maximum number of types of a protocol */
#define FCN_LINK_GROUPS 4 /**< maximum number of group addresses of a protocol */

/*
 * X(symbol, name, kind, groups, types, own, title, text). A frame is of a protocol if its EtherType
 * is one of the types and its destination one of the groups, or, if own is true, the port's own
 * address. Groups are numbers, as in 0x0180C200000E for 01:80:c2:00:00:0e. kind is the kind in
 * which the policer counts it.
 */
#define FCN_LINK_PROTOCOLS_FOR(X, arg)                                                           \
	X(arg, ISIS, "isis", CONTROL,                                                            \
			(0x0180C2000014, 0x0180C2000015, 0x09002B000004, 0x09002B000005),        \
			(FCN_LINK_LLC, 0x8870), false, "IS-IS",                                  \
			"IS-IS and ES-IS (ISO 10589 section 8.4.8, RFC 5309); 0x8870 is for "    \
			"frames that are too long for a length field")                           \
	X(arg, LLDP, "lldp", LINK, (0x0180C200000E, 0x0180C2000003, 0x0180C2000000), (0x88CC),   \
			true, "LLDP", "LLDP, also with DCBX (IEEE 802.1AB clause 7.1)")          \
	X(arg, SLOW, "slow", LINK, (0x0180C2000002, 0x0180C2000003, 0x0180C2000000), (0x8809),   \
			true, "slow protocols such as LACP",                                     \
			"slow protocols: LACP, Ethernet OAM, ESMC (IEEE 802.3 annex 57A, IEEE "  \
			"802.1AX clause 6.2.11)")                                                \
	X(arg, EAPOL, "eapol", LINK, (0x0180C2000003, 0x0180C2000000, 0x0180C200000E), (0x888E), \
			true, "802.1X",                                                          \
			"802.1X and MACsec key agreement (IEEE 802.1X clause 11.1)")             \
	X(arg, PTP, "ptp", LINK, (0x011B19000000, 0x0180C200000E), (0x88F7), true, "PTP",        \
			"PTP over Ethernet (IEEE 1588)")                                         \
	X(arg, STP, "stp", LINK, (0x0180C2000000), (FCN_LINK_LLC), false,                        \
			"the spanning tree protocol",                                            \
			"spanning tree protocol (IEEE 802.1Q clause 14)")

#define FCN_LINK_PROTOCOLS(X) FCN_LINK_PROTOCOLS_FOR(FCN_LINK_PROTOCOL_LINE, X)
#define FCN_LINK_PROTOCOL_LINE(X, ...) X(__VA_ARGS__)

/** A protocol of a link. */
enum fcn_link_protocol {
#define FCN_LINK_PROTOCOL_ENUM(sym, ...) FCN_LINK_##sym,
	FCN_LINK_PROTOCOLS(FCN_LINK_PROTOCOL_ENUM)
#undef FCN_LINK_PROTOCOL_ENUM
	FCN_LINK_PROTOCOL_COUNT, /**< none of the list */
};

/** A line of the list. */
struct fcn_link_protocol_info {
	const char *name; /**< short, for counters */
	const char *text; /**< what it is, for the documentation */
	enum fcn_punt_kind kind;
	bool own; /**< also to the port's own address */
	uint8_t n_groups, n_types;
	uint64_t group[FCN_LINK_GROUPS]; /**< most significant octet first */
	uint16_t type[FCN_LINK_TYPES];   /**< EtherTypes, or FCN_LINK_LLC */
};

/** The list, by enum fcn_link_protocol. */
extern const struct fcn_link_protocol_info fcn_link_protocols[FCN_LINK_PROTOCOL_COUNT];

/**
 * Find the protocol of a frame.
 *
 * @param dst  destination of the frame
 * @param type value of the EtherType field, behind VLAN tags
 * @param own  whether dst is the port's own address
 * @return FCN_LINK_PROTOCOL_COUNT: the frame is not for the control plane
 */
enum fcn_link_protocol fcn_link_protocol_of(
		const struct rte_ether_addr *dst, uint16_t type, bool own);

#endif /* FCN_LINK_PROTOCOL_H */
