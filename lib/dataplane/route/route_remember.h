/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What of a route is stored in the cache of destinations. Used by the stages `route` and
 * `fast_path`, and for notices.
 */

#ifndef ROUTE_REMEMBER_H
#define ROUTE_REMEMBER_H

#include "fcn_stages.h"

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

#endif /* ROUTE_REMEMBER_H */
