/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Look-ups of many destinations at once, when there are more of them than the cache has room for,
 * and what is stored in the cache. Used by the stages `route` and `fast_path`, and for notices.
 */

#ifndef ROUTE_AHEAD_H
#define ROUTE_AHEAD_H

#include "fcn_stages.h"

/** Offset of the destination address of a packet with FCN_PACKET_FAST_IP4. */
#define FCN_FAST_IP4_DST_OFF (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, dst_addr))

/** Number of packets looked up at a time, so that their addresses stay in the first-level cache. */
#define FCN_LOOKUP_CHUNK 64

/**
 * Store a destination in the cache of all, or in that of local SIDs: all packets of a tunnel have
 * the same destination, and another one in its place would make all of them slow.
 *
 * @param index index of the next hop
 * @return its entry in the cache of all; NULL: it is a local SID
 */
static inline const struct fcn_dest_cache_entry *
fcn_route_remember(struct fcn_worker *w, const uint8_t addr[16], uint32_t index)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[index];
	struct fcn_dest_cache_entry *e;

	if (unlikely(nh->type == FCN_NEXT_HOP_LOCAL && nh->local == FCN_LOCAL_SRV6)) {
		fcn_dest_cache_add(&w->sid_cache, addr, nh->first_member);
		return NULL;
	}
	e = fcn_dest_cache_add(&w->dest_cache, addr, index);
	fcn_dest_cache_set_fast(e, nh, &w->snap->port[nh->port].mac);
	return e;
}

/** Store an IPv4 address of 4 bytes in network byte order. @return its entry */
static inline const struct fcn_dest_cache_entry *
fcn_route_remember4(struct fcn_worker *w, const uint8_t *addr, uint32_t index)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[index];
	struct fcn_dest_cache_entry *e = fcn_dest_cache_add4(&w->dest_cache, addr, index);

	fcn_dest_cache_set_fast(e, nh, &w->snap->port[nh->port].mac);
	return e;
}

/**
 * Set the next hops of consecutive packets with FCN_PACKET_FAST_ROUTE, from one on whose
 * destination the cache does not have. While there are too many for it, this function neither asks
 * nor changes it.
 *
 * @return index behind these packets, at most FCN_LOOKUP_CHUNK ones; that of the first other packet
 */
unsigned int fcn_route_look_ahead(struct fcn_worker *w, struct fcn_burst *b, unsigned int from);

/** The same for packets with FCN_PACKET_FAST_IP4. */
unsigned int fcn_route_look_ahead_ip4(struct fcn_worker *w, struct fcn_burst *b, unsigned int from);

#endif /* ROUTE_AHEAD_H */
