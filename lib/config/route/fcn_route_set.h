/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What follows from routes alone, whatever neighbours are known: the route
 * table, gateways and groups of paths. Made only when routes change, of the one
 * before where few did; snapshots share it. Owned by the control thread.
 */

#ifndef FCN_ROUTE_SET_H
#define FCN_ROUTE_SET_H

#include "fcn_config.h"
#include "fcn_fib.h"
#include "fcn_kernel_store.h"

/* Next hops that are always there; then come connected networks, gateways, groups, hosts. */
enum {
	FCN_NH_NO_ROUTE = FCN_FIB_NO_ROUTE,
	FCN_NH_BLACKHOLE,
	FCN_NH_LOCAL,
	FCN_NH_UNREACHABLE, /**< as no route, where a lesser prefix has one */
	FCN_NH_FIRST,
};

/** Where packets of some routes go: a router, or a host outside every connected network. */
struct fcn_gateway {
	uint16_t port;
	struct fcn_addr addr;
};

/** Paths to one prefix. */
struct fcn_path_group {
	uint32_t first; /**< in member */
	uint32_t n;
};

struct fcn_route_set {
	unsigned int refs;
	struct fcn_fib *fib;
	uint32_t n_connected;
	uint16_t *connected; /**< port of each: of each address, then ports that have an interface
				of the kernel */
	/* Room for more: next hops keep their numbers from one set to the next made of it. */
	uint32_t n_gateways, gateway_room;
	uint32_t n_sorted; /**< of the gateways */
	struct fcn_gateway *gateway;
	uint32_t n_groups, group_room;
	struct fcn_path_group *group;
	uint32_t n_members;
	uint32_t *member; /**< gateways of the groups, in runs */
	bool is_changed;  /**< made by changes, not whole */
	bool *used;       /**< fcn_route_set_is_used(); NULL: nobody asked */
};

/** Index of a next hop. */
static inline uint32_t
fcn_route_set_connected(const struct fcn_route_set *set, uint32_t i)
{
	(void)set;
	return FCN_NH_FIRST + i;
}

static inline uint32_t
fcn_route_set_gateway(const struct fcn_route_set *set, uint32_t i)
{
	return FCN_NH_FIRST + set->n_connected + i;
}

static inline uint32_t
fcn_route_set_group(const struct fcn_route_set *set, uint32_t i)
{
	return FCN_NH_FIRST + set->n_connected + set->gateway_room + i;
}

/** The first behind all of the set's. */
static inline uint32_t
fcn_route_set_end(const struct fcn_route_set *set)
{
	return fcn_route_set_group(set, set->group_room);
}

/** Routes of the kernel; a route configured to the same prefix hides them. */
struct fcn_kernel_routes {
	const struct fcn_kernel_path *path; /**< prefixes ascend */
	size_t n;
	const struct fcn_prefix *changed; /**< fcn_route_set_change(): those that are not as before
					   */
	size_t n_changed;
};

/**
 * @param name of the route table
 * @param err  one line, on failure
 * @return a set with one reference, NULL on failure
 */
struct fcn_route_set *fcn_route_set_create(const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, const char *name, int socket, char *err,
		size_t err_size);

/** Whether the kernel's path goes by a port that is there for it, or by none. */
bool fcn_route_set_has_path(const struct fcn_config *cfg, const struct fcn_kernel_path *path);

/** Index of the gateway's next hop; FCN_NH_NO_ROUTE: no route names it. */
uint32_t fcn_route_set_find(
		const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr);

/**
 * The set of a configuration and of routes of the kernel, made of that of others
 * from which they differ in a few routes. Costs what the changes cost, and a look
 * at each route of the configuration.
 *
 * @param set    of the configuration before
 * @param before may be cfg itself
 * @return as fcn_route_set_create(); NULL also where the difference is more than that: then it is
 *         to be made whole, which finds what is wrong
 */
struct fcn_route_set *fcn_route_set_change(const struct fcn_route_set *set,
		const struct fcn_config *before, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, const char *name, int socket);

/**
 * Whether a route or a neighbour still names a gateway: a set made by changes keeps those that
 * none does. The first time it is asked of such a set it looks at each route.
 *
 * @param kernel routes that the set was made of
 */
bool fcn_route_set_is_used(struct fcn_route_set *set, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, uint32_t gateway);

/** Whether the set of one configuration is that of another. */
bool fcn_route_set_is_same(const struct fcn_config *a, const struct fcn_config *b);

/** Give a reference back; the last frees it. NULL is allowed. */
void fcn_route_set_release(struct fcn_route_set *set);

#endif /* FCN_ROUTE_SET_H */
