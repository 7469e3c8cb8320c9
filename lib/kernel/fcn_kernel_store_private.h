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
	bool has_source;
	uint16_t left_out;
	struct fcn_rtnl_path path[];
};

struct fcn_kernel_dest {
	struct fcn_kernel_node node;
	struct fcn_prefix prefix;
	struct fcn_kernel_route *routes; /* NULL: gone, and kept until that was told */
	bool changed;                    /* in the store's list of those that changed */
	uint32_t left_out;               /* paths, when it was last told */
};

/* A nexthop object; known by routes that name it even when it is not there. */
struct fcn_kernel_nexthop {
	struct fcn_kernel_node node;
	uint32_t id;
	uint32_t refs; /* routes that name it */
	uint32_t epoch;
	bool there;
	bool blackhole;
	bool changed; /* or, while that is being told: a member did */
	struct fcn_rtnl_path path;
	uint8_t n_members;
	uint16_t left_out;
	struct fcn_rtnl_member *member;
};

/* An interface: of which state it was said to be, and how much goes by it. */
struct fcn_kernel_link {
	struct fcn_kernel_node node;
	uint32_t ifindex;
	uint32_t refs; /* paths of routes and of nexthop objects */
	uint32_t state;
	uint32_t epoch;
	bool there; /* it was said */
};

struct fcn_kernel_store {
	struct fcn_kernel_hash dests, nexthops, neighbours, links;
	uint32_t table;
	uint32_t ifindex[FCN_MAX_PORTS];
	uint32_t epoch, ended_epoch; /* of the reading at hand or the last; of the last that ended
				      */
	uint32_t n_routes, n_nexthops;
	uint32_t n_sources; /* routes that name the kernel's own address */
	bool links_full;    /* of some interfaces it is not known what goes by them */
	/* What changed since that was last told. */
	struct fcn_kernel_dest **changed;
	size_t n_changed, changed_room;
	bool nexthops_changed;
	bool all_changed;
	uint64_t left_out; /* paths, as told */
	uint64_t version;
	uint64_t full;
};

/* What a synchronisation did not say. */
enum fcn_kernel_sweep {
	FCN_KERNEL_UNSAID,       /* in it */
	FCN_KERNEL_UNSAID_TWICE, /* in it and the one that ended before */
	FCN_KERNEL_ALL,
};

/** @return whether something that was last said then is to be forgotten */
static inline bool
fcn_kernel_store_is_stale(
		const struct fcn_kernel_store *s, uint32_t epoch, enum fcn_kernel_sweep what)
{
	if (what == FCN_KERNEL_UNSAID_TWICE)
		return (int32_t)(epoch - s->ended_epoch) < 0;
	return what == FCN_KERNEL_ALL || epoch != s->epoch;
}

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
enum fcn_kernel_effect fcn_kernel_link_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);
enum fcn_kernel_effect fcn_kernel_address_apply(
		const struct fcn_kernel_store *store, const struct fcn_rtnl *msg);

/** Forget what was not said. @return how much that was */
uint32_t fcn_kernel_route_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
uint32_t fcn_kernel_nexthop_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
uint32_t fcn_kernel_neighbour_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
void fcn_kernel_link_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);

/** One more path goes by the interface, or one less. 0 is no interface. */
void fcn_kernel_link_ref(struct fcn_kernel_store *store, uint32_t ifindex);
void fcn_kernel_link_unref(struct fcn_kernel_store *store, uint32_t ifindex);

/** The paths to a prefix may have changed. @return FCN_KERNEL_CHANGED */
enum fcn_kernel_effect fcn_kernel_dest_changed(
		struct fcn_kernel_store *store, struct fcn_kernel_dest *dest);
/** Those to any may. */
enum fcn_kernel_effect fcn_kernel_store_all_changed(struct fcn_kernel_store *store);

/** A list of paths being made. */
struct fcn_kernel_listing {
	const struct fcn_kernel_store *store;
	struct fcn_kernel_path *item;
	size_t n, room;
	uint64_t left_out;
	bool failed; /* no memory */
	/* of the prefix at hand */
	const struct fcn_kernel_dest *dest;
	size_t first;
	uint32_t weight[FCN_RTNL_MAX_PATHS];
};

/** Add the paths to a prefix. */
void fcn_kernel_listing_add(struct fcn_kernel_listing *l, const struct fcn_kernel_dest *dest);
/** Paths to a prefix that its route has too many. */
uint32_t fcn_kernel_dest_left_out(
		const struct fcn_kernel_store *store, const struct fcn_kernel_dest *dest);
/** Of pointers to destinations, for qsort(): by prefix. */
int fcn_kernel_dest_compare(const void *va, const void *vb);

/** Freed if no route is left, and that was told. */
void fcn_kernel_dest_put(struct fcn_kernel_store *store, struct fcn_kernel_dest *dest);

/** @return NULL when nobody ever spoke of it */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_find(
		const struct fcn_kernel_store *store, uint32_t id);
/** Found, or made as one that is not there. @return NULL when there is no room, which is counted */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_get(struct fcn_kernel_store *store, uint32_t id);
/** Freed if it is not there, no route names it, and that it changed was told. */
void fcn_kernel_nexthop_put(struct fcn_kernel_store *store, struct fcn_kernel_nexthop *nexthop);

#endif /* FCN_KERNEL_STORE_PRIVATE_H */
