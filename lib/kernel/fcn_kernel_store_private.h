/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of fcn_kernel_store.h share: a room each for routes, nexthop
 * objects, neighbours, and for the paths they come to. Internal to lib/kernel.
 */

#ifndef FCN_KERNEL_STORE_PRIVATE_H
#define FCN_KERNEL_STORE_PRIVATE_H

#include "fcn_kernel_hash.h"
#include "fcn_kernel_store.h"

/* One of the routes to a prefix; the least metric is in use. */
struct fcn_kernel_route {
	struct fcn_kernel_route *next; /* metrics ascend */
	uint32_t metric;
	uint32_t nexthop; /* id, 0: paths count */
	uint32_t epoch;   /* when it was last said */
	uint8_t protocol;
	uint8_t type;
	uint8_t n_paths;
	bool others; /* of the same metric stand behind it in the kernel */
	uint16_t left_out;
	struct fcn_rtnl_path path[];
};

struct fcn_kernel_dest {
	struct fcn_kernel_node node;
	struct fcn_prefix prefix;
	struct fcn_kernel_route *routes;
};

/* A nexthop object; known by routes that name it even when it is not there. */
struct fcn_kernel_nexthop {
	struct fcn_kernel_node node;
	uint32_t id;
	uint32_t refs; /* routes that name it */
	uint32_t epoch;
	bool there;
	bool blackhole;
	struct fcn_rtnl_path path;
	uint8_t n_members;
	uint16_t left_out;
	struct fcn_rtnl_member *member;
};

struct fcn_kernel_store {
	struct fcn_kernel_hash dests, nexthops, neighbours;
	uint32_t table;
	uint32_t ifindex[FCN_MAX_PORTS];
	uint32_t epoch;
	uint32_t n_routes, n_nexthops;
	uint64_t version;
	uint64_t full;
};

static inline enum fcn_kernel_effect
fcn_kernel_store_changed(struct fcn_kernel_store *s)
{
	s->version++;
	return FCN_KERNEL_CHANGED;
}

/** @return the port that an interface stands for, or -1 */
static inline int
fcn_kernel_store_port(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	for (unsigned int p = 0; ifindex != 0 && p < FCN_MAX_PORTS; p++) {
		if (s->ifindex[p] == ifindex)
			return (int)p;
	}
	return -1;
}

/** The messages of a kind. @param dumped as for fcn_kernel_store_apply() */
enum fcn_kernel_effect fcn_kernel_route_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);
enum fcn_kernel_effect fcn_kernel_nexthop_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg);
enum fcn_kernel_effect fcn_kernel_neighbour_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg);

/** Forget what was not said since the synchronisation began; or, with all, everything. */
void fcn_kernel_route_sweep(struct fcn_kernel_store *store, bool all);
void fcn_kernel_nexthop_sweep(struct fcn_kernel_store *store, bool all);
void fcn_kernel_neighbour_sweep(struct fcn_kernel_store *store, bool all);

/** @return NULL when nobody ever spoke of it */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_find(
		const struct fcn_kernel_store *store, uint32_t id);
/** Found, or made as one that is not there. @return NULL when there is no room, which is counted */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_get(struct fcn_kernel_store *store, uint32_t id);
/** Freed if it is not there and no route names it. */
void fcn_kernel_nexthop_put(struct fcn_kernel_store *store, struct fcn_kernel_nexthop *nexthop);

#endif /* FCN_KERNEL_STORE_PRIVATE_H */
