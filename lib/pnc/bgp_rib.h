/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The BGP routes with Proxy Node Capability, of all routers that report theirs. Of several routes
 * to one prefix the best one is reported to the sink: one that is not stale before one that is,
 * then a router's choice before what its peers offer, then as in RFC 4271 section 9.1.2.2: the
 * higher LOCAL_PREF, the shorter AS_PATH, the lower BGP identifier of the peer, the lower next hop.
 */

#ifndef BGP_RIB_H
#define BGP_RIB_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_pnc.h"
#include "fcn_hash_key.h"

#define BGP_RIB_NONE UINT32_MAX

/* Which routes of a router: the better choice is the higher one. */
enum bgp_rib_view {
	BGP_RIB_PRE_POLICY,  /* what a peer offers */
	BGP_RIB_POST_POLICY, /* what the router accepts of it */
	BGP_RIB_LOCAL,       /* what the router has chosen (RFC 9069) */
	BGP_RIB_VIEWS,
};

/* Lists of routes. */
enum bgp_rib_list {
	BGP_RIB_CURRENT,
	BGP_RIB_STALE4, /* IPv4, not reported again since the session ended */
	BGP_RIB_STALE6,
	BGP_RIB_LISTS,
};

/* The routes of the routers of one address. */
struct bgp_rib_share {
	uint32_t count;
};

/* The routes of one peer of one router in one view. The caller has it, and only reads it. */
struct bgp_rib_owner {
	uint32_t first[BGP_RIB_LISTS], count[BGP_RIB_LISTS];
	struct bgp_rib_share *share;
	uint32_t identifier; /* BGP identifier of the peer */
	uint8_t view;        /* enum bgp_rib_view */
};

struct bgp_rib_route {
	struct fcn_prefix prefix;
	struct fcn_addr proxy;
	uint32_t path_id, local_pref, as_hops;
};

struct bgp_rib;

/* One address has this part of a limit at most, so that the routers of others have the rest. */
static inline uint32_t
bgp_rib_part(uint32_t limit)
{
	return limit - limit / 4;
}

/*
 * @param max_routes number of routes that are kept
 * @param max_paths  number of routes to one prefix that are kept
 * @param is_shared  whether several routers share them: one address has bgp_rib_part() at most
 * @return NULL on lack of memory
 */
struct bgp_rib *bgp_rib_create(uint32_t max_routes, uint32_t max_paths, bool is_shared,
		const struct fcn_hash_key *key, const struct fcn_pnc_sink *sink);
void bgp_rib_destroy(struct bgp_rib *rib);

void bgp_rib_owner_init(struct bgp_rib_owner *owner, enum bgp_rib_view view, uint32_t identifier,
		struct bgp_rib_share *share);

/*
 * Add a route, or replace that of the same owner, prefix and path.
 * @return 0; -ENOSPC: there are too many routes; -EDQUOT: of this router; -EMLINK: too many to this
 * prefix; -ENOMEM
 */
int bgp_rib_set(struct bgp_rib *rib, struct bgp_rib_owner *owner,
		const struct bgp_rib_route *route);

/* Remove a route. @return whether it was there */
bool bgp_rib_remove(struct bgp_rib *rib, struct bgp_rib_owner *owner,
		const struct fcn_prefix *prefix, uint32_t path_id);

/*
 * All current routes of an owner become stale: they are used until then, unless there are others.
 * Those that are stale already keep their time.
 */
void bgp_rib_make_stale(struct bgp_rib *rib, struct bgp_rib_owner *owner, uint64_t until);

/* Remove the routes of one list of an owner. @return their number */
uint32_t bgp_rib_sweep(struct bgp_rib *rib, struct bgp_rib_owner *owner, enum bgp_rib_list list);

/* Remove the stale routes of an owner whose time is over. @return their number */
uint32_t bgp_rib_expire(struct bgp_rib *rib, struct bgp_rib_owner *owner, uint64_t now);

/* Number of routes, and of prefixes that are reported. */
uint32_t bgp_rib_routes(const struct bgp_rib *rib);
uint32_t bgp_rib_prefixes(const struct bgp_rib *rib);

#endif /* BGP_RIB_H */
