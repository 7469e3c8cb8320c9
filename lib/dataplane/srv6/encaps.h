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

#include "route_find.h"
#include "fcn_stages.h"

/**
 * Select the next hop towards the first segment: one path of several by the flow hash.
 *
 * @param nh   a next hop of the type FCN_NEXT_HOP_ENCAPS
 * @param hash flow hash of the packet
 * @return index of a next hop that is not a group
 */
static inline uint32_t
fcn_encaps_via(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint32_t hash)
{
	const uint32_t via = s->srv6.encaps[nh->first_member].via;
	const struct fcn_next_hop *to = &s->next_hop[via];

	return likely(to->type != FCN_NEXT_HOP_GROUP) ? via : fcn_route_member(s, to, hash);
}

/**
 * Get the fields of the outer header of a packet.
 *
 * @param inner those of its own header, whose hop limit was decremented already
 * @param hash  flow hash of the packet, of which a flow label is made where one is computed
 */
static inline struct fcn_srv6_encaps_fields
fcn_encaps_fields(const struct fcn_encaps *e, struct fcn_srv6_encaps_fields inner, uint32_t hash)
{
	inner.flow_label = fcn_srv6_flow_label(e->flow_label, inner.flow_label, hash);
	inner.tclass = (inner.tclass & e->tclass_copied) | e->tclass;
	if (likely(e->hop_limit != FCN_SRV6_INNER))
		inner.hop_limit = (uint8_t)e->hop_limit;
	return inner;
}

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

#endif /* ENCAPS_H */
