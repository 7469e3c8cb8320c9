/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * SRv6 headend: packets whose next hop is a segment list of a policy enter a tunnel (RFC 8986
 * sections 5.1 and 5.2). Used by the stage `route` only.
 */

#ifndef ENCAPS_H
#define ENCAPS_H

#include "fcn_stages.h"

/**
 * Select the next hop towards the first segment: one path of several by the flow hash.
 *
 * @param nh   a next hop of the type FCN_NEXT_HOP_ENCAPS
 * @param hash flow hash of the packet
 * @return index of a next hop that is not a group
 */
uint32_t fcn_encaps_via(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint32_t hash);

/**
 * Put the outer headers in front of a packet, whose hop limit was decremented already, and adapt
 * its metadata. The packet keeps its Ethernet header, with the EtherType of IPv6.
 *
 * @param nh   a next hop of the type FCN_NEXT_HOP_ENCAPS, whose MTU the packet does not exceed
 * @param hash flow hash of the packet, of which a flow label is made where one is computed
 * @return false when the mbuf has no room for the headers; the packet is unchanged
 */
bool fcn_encaps_push(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh, uint32_t hash);

/**
 * Forward an IPv6 packet with FCN_PACKET_FAST_ROUTE, and those behind it whose destinations have
 * the same next hop, if they are usual ones and their destinations are in the destination cache.
 *
 * @param from  first packet
 * @param found index of the next hop of the destinations: a segment list, or a group that has some
 * @param nh    segment list of the first packet: of the type FCN_NEXT_HOP_ENCAPS
 * @return number of packets; the one behind them is unchanged
 */
unsigned int fcn_encaps_forward_fast(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		uint32_t found, const struct fcn_next_hop *nh);

/**
 * The same for a packet that a steering rule has selected. Those behind it go with it only if the
 * rule selects them, too, as what its conditions are about is the same.
 *
 * @param found  index of the next hop of the destinations: of the type FCN_NEXT_HOP_SELECT
 * @param chosen index of the next hop of the policy: a segment list, or a group that has some
 */
unsigned int fcn_encaps_forward_steered(struct fcn_worker *w, struct fcn_burst *b,
		unsigned int from, uint32_t found, uint32_t chosen, const struct fcn_next_hop *nh);

#endif /* ENCAPS_H */
