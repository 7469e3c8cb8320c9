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
 * Store a destination in the cache of all, while that is in use.
 *
 * @param key   of the cache
 * @param index index of the next hop
 * @return its entry; NULL: it was not stored
 */
static inline const struct fcn_dest_cache_entry *
fcn_route_remember_key(struct fcn_worker *w, const uint64_t key[2], uint32_t index)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[index];
	struct fcn_dest_cache_entry *e;

	if (unlikely(w->dest_cache.skip != 0))
		return NULL;
	e = fcn_dest_cache_add_key(&w->dest_cache, key, index);
	fcn_dest_cache_set_fast(e, nh, &w->snap->port[nh->port].mac);
	return e;
}

/**
 * The same for an IPv6 address. Local SIDs have a cache of their own: all packets of a tunnel have
 * the same destination, and another one in its place would make all of them slow.
 */
static inline const struct fcn_dest_cache_entry *
fcn_route_remember(struct fcn_worker *w, const uint8_t addr[16], uint32_t index)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[index];
	uint64_t key[2];

	if (unlikely(nh->type == FCN_NEXT_HOP_LOCAL && nh->local == FCN_LOCAL_SRV6)) {
		fcn_dest_cache_add(&w->sid_cache, addr, nh->first_member);
		return NULL;
	}
	memcpy(key, addr, sizeof(key));
	return fcn_route_remember_key(w, key, index);
}

/** The same for an IPv4 address of 4 bytes in network byte order. */
static inline const struct fcn_dest_cache_entry *
fcn_route_remember4(struct fcn_worker *w, const uint8_t *addr, uint32_t index)
{
	uint64_t key[2];

	fcn_dest_cache_key4(addr, key);
	return fcn_route_remember_key(w, key, index);
}

#endif /* ROUTE_REMEMBER_H */
