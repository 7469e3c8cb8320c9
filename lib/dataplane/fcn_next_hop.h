/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Where a routed packet goes: egress port and the Ethernet header it leaves
 * with, finished by control. The route table yields an index into an array of
 * these; index 0 is "no route".
 *
 * What is routed to is an interface: a port, or a sub-interface of one, whose
 * packets leave by that port with an 802.1Q tag.
 */

#ifndef FCN_NEXT_HOP_H
#define FCN_NEXT_HOP_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_ether.h>

enum fcn_next_hop_type {
	FCN_NEXT_HOP_NO_ROUTE,
	FCN_NEXT_HOP_BLACKHOLE,
	FCN_NEXT_HOP_LOCAL,        /**< the switch itself, by a local behaviour */
	FCN_NEXT_HOP_NO_NEIGHBOUR, /**< via a gateway whose MAC address is unknown */
	FCN_NEXT_HOP_CONNECTED, /**< on the port's network: the neighbour table has the host, or not
				 */
	FCN_NEXT_HOP_FORWARD,
	FCN_NEXT_HOP_FORWARD_TAGGED, /**< the same, with a VLAN tag: interface is a sub-interface */
	FCN_NEXT_HOP_GROUP,          /**< equal-cost paths: one of several others, by flow hash */
};

#define FCN_NEXT_HOP_MAX_MEMBERS 64

struct fcn_next_hop {
	uint8_t type;            /**< enum fcn_next_hop_type */
	uint8_t n_members;       /**< group: paths, 1..FCN_NEXT_HOP_MAX_MEMBERS */
	uint16_t port;           /**< egress port, whose queues the packet meets */
	uint16_t mtu;            /**< longest IP packet, bytes */
	uint16_t interface;      /**< number of the port, or of the sub-interface, routed to */
	uint32_t first_member;   /**< group: index of the first path in the table of members */
	struct rte_ether_hdr l2; /**< header of an IPv6 packet; IPv4 differs in the EtherType */
	uint16_t vlan;           /**< tagged: VLAN ID, host byte order */
	uint8_t local;           /**< local: enum fcn_local, what is done with the packet */
} __rte_aligned(32);

/** Whether packets can be sent to it. */
static inline bool
fcn_next_hop_is_forward(const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_FORWARD || nh->type == FCN_NEXT_HOP_FORWARD_TAGGED;
}

#endif /* FCN_NEXT_HOP_H */
