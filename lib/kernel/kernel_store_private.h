/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Structures and functions shared by the source files of fcn_kernel_store.h. There is a file each
 * for routes, nexthop objects, neighbours, and the computation of paths. Internal to lib/kernel.
 */

#ifndef KERNEL_STORE_PRIVATE_H
#define KERNEL_STORE_PRIVATE_H

#include "kernel_hash.h"
#include "kernel_pool.h"
#include "fcn_kernel_store.h"

/* A route to a prefix; the one with the lowest metric is used. */
struct fcn_kernel_route {
	struct fcn_kernel_route *next; /* with the next higher metric */
	uint32_t metric;
	uint32_t nexthop; /* id of the nexthop object; 0: path[] is used */
	uint32_t epoch;   /* synchronisation in which the kernel last sent it */
	uint8_t protocol;
	uint8_t type;
	uint8_t n_paths;
	bool others; /* the kernel has further routes with the same metric */
	bool has_source;
	uint16_t left_out;
	struct fcn_rtnl_path path[];
};

struct fcn_kernel_dest {
	struct fcn_kernel_node node;
	struct fcn_prefix prefix;
	uint8_t table; /* of the switch */
	/* NULL: removed; the structure is kept until the change has been reported */
	struct fcn_kernel_route *routes;
	bool changed;      /* is in the store's list of changed destinations */
	uint32_t left_out; /* number of paths left out when it was last reported */
};

/*
 * A nexthop object. It is also stored when only routes refer to it and the kernel has not sent it
 * yet.
 */
struct fcn_kernel_nexthop {
	struct fcn_kernel_node node;
	uint32_t id;
	uint32_t refs; /* number of routes that refer to it */
	uint32_t epoch;
	bool there;
	bool blackhole;
	/* it has changed; while changes are being reported: or one of its members has */
	bool changed;
	struct fcn_rtnl_path path;
	uint8_t n_members;
	uint16_t left_out;
	struct fcn_rtnl_member *member;
};

/* A kernel interface: its last known state, and the number of paths through it. */
struct fcn_kernel_link {
	struct fcn_kernel_node node;
	uint32_t ifindex;
	uint32_t refs; /* number of paths of routes and nexthop objects */
	uint32_t state;
	uint32_t epoch;
	bool there;                 /* the kernel has sent it */
	bool is_own;                /* its addresses are those of the node itself */
	uint32_t vrf_table, master; /* see struct fcn_rtnl_link */
};

struct fcn_kernel_store {
	struct fcn_kernel_hash dests, nexthops, neighbours, links, addresses;
	uint32_t number[FCN_MAX_TABLES]; /* of the kernel's table, by table; 0: none */
	uint32_t ifindex[FCN_MAX_PORTS];
	/* of the current or last synchronisation; of the last one that was completed */
	uint32_t epoch, ended_epoch;
	uint32_t n_routes, n_nexthops;
	uint32_t n_table_routes[FCN_MAX_TABLES];
	uint32_t n_sources; /* routes with a preferred source address */
	/* a limit was reached, so the number of paths through some interfaces is unknown */
	bool links_full;
	/* Changes since the last report. */
	struct fcn_kernel_dest **changed;
	size_t n_changed, changed_room;
	bool nexthops_changed;
	bool all_changed;
	uint64_t left_out; /* number of paths left out, as last reported */
	uint64_t version;
	uint64_t unusable[FCN_RTNL_UNUSABLE_KINDS]; /* paths of routes and nexthop objects */
	FCN_KERNEL_STORE_COUNTERS(FCN_COUNTER_MEMBER)
	struct fcn_kernel_pool lists, sids; /* segment lists and local SIDs of paths */
};

/* Which entries to remove after a synchronisation. */
enum fcn_kernel_sweep {
	FCN_KERNEL_UNSAID, /* those that the kernel did not send in it */
	/* those that it sent neither in it nor in the previous complete one */
	FCN_KERNEL_UNSAID_TWICE,
	FCN_KERNEL_ALL,
};

/** Whether an entry that was last sent in this epoch is to be removed. */
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

/** Port whose kernel interface this is, or -1. */
static inline int
fcn_kernel_store_port(const struct fcn_kernel_store *s, uint32_t ifindex)
{
	for (unsigned int p = 0; ifindex != 0 && p < FCN_MAX_PORTS; p++) {
		if (s->ifindex[p] == ifindex)
			return (int)p;
	}
	return -1;
}

/** Process a message of one kind. @param dumped as for fcn_kernel_store_apply() */
enum fcn_kernel_effect fcn_kernel_route_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);
enum fcn_kernel_effect fcn_kernel_nexthop_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg);
enum fcn_kernel_effect fcn_kernel_neighbour_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg);
enum fcn_kernel_effect fcn_kernel_link_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);
enum fcn_kernel_effect fcn_kernel_address_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);

/** Remove the entries of a kind that the kernel did not send. @return number removed */
uint32_t fcn_kernel_route_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
/** Remove all routes of a table. */
void fcn_kernel_route_clear(struct fcn_kernel_store *store, unsigned int table);
uint32_t fcn_kernel_nexthop_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
uint32_t fcn_kernel_neighbour_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
uint32_t fcn_kernel_address_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);
void fcn_kernel_link_sweep(struct fcn_kernel_store *store, enum fcn_kernel_sweep what);

/** Count one more, or one less, path through an interface. An ifindex of 0 is ignored. */
void fcn_kernel_link_ref(struct fcn_kernel_store *store, uint32_t ifindex);
void fcn_kernel_link_unref(struct fcn_kernel_store *store, uint32_t ifindex);

/** Find an interface. @return NULL when neither the kernel nor a path has named it */
struct fcn_kernel_link *fcn_kernel_link_find(
		const struct fcn_kernel_store *store, uint32_t ifindex);
/** Whether paths go by an interface, or it is that of a port. */
bool fcn_kernel_link_is_used(const struct fcn_kernel_store *store, uint32_t ifindex);

/**
 * Count a path, its interface, and its segment list or local SID, which is stored.
 *
 * @param prefix to which the path leads; NULL: it is that of a nexthop object
 * @return false: there was no room, which is counted, and nothing else is
 */
bool fcn_kernel_path_ref(struct fcn_kernel_store *store, const struct fcn_prefix *prefix,
		struct fcn_rtnl_path *path);
/** Count a path no longer. */
void fcn_kernel_path_unref(struct fcn_kernel_store *store, const struct fcn_rtnl_path *path);

/** Note that the paths to a prefix may have changed. @return FCN_KERNEL_CHANGED */
enum fcn_kernel_effect fcn_kernel_dest_changed(
		struct fcn_kernel_store *store, struct fcn_kernel_dest *dest);
/** Note that the paths to all prefixes may have changed. @return FCN_KERNEL_CHANGED */
enum fcn_kernel_effect fcn_kernel_store_all_changed(struct fcn_kernel_store *store);

/** A list of paths that is being built. */
struct fcn_kernel_listing {
	const struct fcn_kernel_store *store;
	struct fcn_kernel_path *item;
	size_t n, room;
	uint64_t left_out;
	bool failed; /* no memory */
	/* about the current prefix */
	const struct fcn_kernel_dest *dest;
	size_t first;
	uint32_t weight[FCN_RTNL_MAX_PATHS];
};

/** Append the paths to a prefix. */
void fcn_kernel_listing_add(struct fcn_kernel_listing *l, const struct fcn_kernel_dest *dest);
/** Tell whether a prefix is of 240.0.0.0/4: nothing is forwarded to it, whatever routes there are.
 */
bool fcn_kernel_prefix_is_reserved(const struct fcn_prefix *p);
/** Number of paths to a prefix that its route has beyond FCN_RTNL_MAX_PATHS. */
uint32_t fcn_kernel_dest_left_out(
		const struct fcn_kernel_store *store, const struct fcn_kernel_dest *dest);
/** Compare pointers to destinations by table and prefix, for qsort(). */
int fcn_kernel_dest_compare(const void *va, const void *vb);

/** Free a destination if it has no route left and that change has been reported. */
void fcn_kernel_dest_put(struct fcn_kernel_store *store, struct fcn_kernel_dest *dest);

/**
 * Find a nexthop object by its id.
 *
 * @return NULL when neither the kernel nor a route has named it
 */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_find(
		const struct fcn_kernel_store *store, uint32_t id);
/**
 * Find a nexthop object, or create it as one that the kernel has not sent yet.
 *
 * @return NULL when there is no room, which is counted
 */
struct fcn_kernel_nexthop *fcn_kernel_nexthop_get(struct fcn_kernel_store *store, uint32_t id);
/**
 * Free a nexthop object if it does not exist in the kernel, no route refers to it, and its change
 * has been reported.
 */
void fcn_kernel_nexthop_put(struct fcn_kernel_store *store, struct fcn_kernel_nexthop *nexthop);

#endif /* KERNEL_STORE_PRIVATE_H */
