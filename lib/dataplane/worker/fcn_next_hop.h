/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Next hop of routed packets: the egress port and the new Ethernet header, which the control thread
 * prepares. The result of a route lookup is an index into the part of an array of next hops that
 * belongs to the route table; index 0 of each part is "no route".
 *
 * Packets are routed to an interface: a port, or a sub-interface, whose packets are sent by its
 * port with an 802.1Q tag.
 */

#ifndef FCN_NEXT_HOP_H
#define FCN_NEXT_HOP_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_ether.h>

enum fcn_next_hop_type {
	FCN_NEXT_HOP_NO_ROUTE,     /**< there is no route */
	FCN_NEXT_HOP_BLACKHOLE,    /**< the route says to drop packets */
	FCN_NEXT_HOP_LOCAL,        /**< the switch itself, with a local behaviour */
	FCN_NEXT_HOP_NO_NEIGHBOUR, /**< a gateway whose MAC address is unknown */
	/** The destination itself, on a connected network: it is looked up in the neighbour table.
	 */
	FCN_NEXT_HOP_CONNECTED,
	FCN_NEXT_HOP_FORWARD,        /**< a station with known MAC address */
	FCN_NEXT_HOP_FORWARD_TAGGED, /**< the same, by a sub-interface, with a VLAN tag */
	FCN_NEXT_HOP_ENCAPS, /**< a segment list of an SRv6 policy, by which packets enter a tunnel
			      */
	FCN_NEXT_HOP_GROUP,  /**< equal-cost paths, of which the flow hash selects one */
	FCN_NEXT_HOP_SELECT, /**< steering rules into SRv6 policies, of which one may match */
};

/** Maximum number of paths of a group: by all ports that a switch can have but one. */
#define FCN_NEXT_HOP_MAX_MEMBERS 255
/** The same of paths that have weights, each of which is as often in the group as these say. */
#define FCN_NEXT_HOP_MAX_SLOTS 64

struct fcn_next_hop {
	uint8_t type; /**< enum fcn_next_hop_type */
	/** group: number of paths, 1 to FCN_NEXT_HOP_MAX_MEMBERS; FCN_NEXT_HOP_SELECT: of rules */
	uint8_t n_members;
	uint16_t port;      /**< egress port */
	uint16_t mtu;       /**< longest IP packet, bytes */
	uint16_t interface; /**< number of the port or sub-interface that is routed to */
	/** group: index of the first path in fcn_snapshot.member; FCN_LOCAL_SRV6: of the SID;
	 * FCN_NEXT_HOP_ENCAPS: in fcn_srv6_conf.encaps; FCN_NEXT_HOP_SELECT: of the first rule in
	 * fcn_srv6_conf.select */
	uint32_t first_member;
	struct rte_ether_hdr l2; /**< header of an IPv6 packet; IPv4 differs in the EtherType */
	uint16_t vlan;           /**< tagged: VLAN ID, host byte order */
	uint8_t local;           /**< local: enum fcn_local */
} __rte_aligned(32);

/** Check whether packets can be sent to a next hop. */
static inline bool
fcn_next_hop_is_forward(const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_FORWARD || nh->type == FCN_NEXT_HOP_FORWARD_TAGGED;
}

#endif /* FCN_NEXT_HOP_H */
