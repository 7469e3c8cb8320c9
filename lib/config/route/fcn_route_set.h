/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The part of a snapshot that depends on routes and addresses only, and not on
 * which neighbours are known: the route table, gateways, and groups of equal
 * paths. A set is built only when routes change, and of the set before if few
 * changed. Snapshots share sets, which count their references.
 *
 * Not thread safe: all functions are for the control thread. Workers only read
 * the route table.
 */

#ifndef FCN_ROUTE_SET_H
#define FCN_ROUTE_SET_H

#include <string.h>

#include "fcn_config.h"
#include "fcn_fib.h"
#include "fcn_kernel_store.h"

/* Indices of next hops. These are always there; connected networks, local SIDs, steered prefixes,
 * gateways, groups and hosts follow, in this order. */
enum {
	FCN_NH_NO_ROUTE = FCN_FIB_NO_ROUTE,
	FCN_NH_BLACKHOLE,
	FCN_NH_LOCAL,
	FCN_NH_UNREACHABLE, /**< no route, although a shorter prefix may have one */
	FCN_NH_FIRST,
};

/** Value of fcn_gateway.port: it is a segment list, of an SRv6 policy or of the kernel, or a local
 * SID of the kernel. */
#define FCN_GATEWAY_SEGMENTS FCN_KERNEL_NO_PORT

/** The gateway of a path, or a configured neighbour, or a segment list of an SRv6 policy. */
struct fcn_gateway {
	uint16_t port;        /**< its interface, or FCN_GATEWAY_SEGMENTS */
	struct fcn_addr addr; /**< address; of a segment list its serial, version 0 */
};

/** Get the gateway that stands for a segment list. */
static inline struct fcn_gateway
fcn_gateway_of_segments(uint64_t serial)
{
	struct fcn_gateway g = {.port = FCN_GATEWAY_SEGMENTS};

	memcpy(g.addr.bytes, &serial, sizeof(serial));
	return g;
}

/** Get the serial of the segment list or local SID that a gateway stands for. */
static inline uint64_t
fcn_gateway_serial(const struct fcn_gateway *g)
{
	uint64_t serial;

	memcpy(&serial, g->addr.bytes, sizeof(serial));
	return serial;
}

/** Several equal paths: gateways among which flows are spread. */
struct fcn_path_group {
	uint32_t first; /**< index in member[] of the first path */
	uint32_t n;     /**< number of paths */
};

/** A prefix with steering rules into SRv6 policies, which are adjacent in the configuration. */
struct fcn_steered_prefix {
	uint32_t first; /**< index in fcn_config_srv6.steering of the first rule */
	uint32_t n;     /**< number of rules */
};

/** A set of routes: those of one table. */
struct fcn_route_set {
	unsigned int refs;      /**< references */
	unsigned int table;     /**< number of the table */
	struct fcn_fib *fib;    /**< the route table: from prefixes to indices of next hops */
	struct fcn_fib *normal; /**< the same without steered prefixes; NULL: there are none */
	uint32_t n_connected;
	/** port of each connected network: first one for each address, then one for each port that
	 * has an interface of the kernel */
	uint16_t *connected;
	uint32_t n_sids; /**< local SIDs, in the order of the configuration */
	uint32_t n_steered;
	struct fcn_steered_prefix *steered; /**< by ascending prefix */
	/** index of the next hop of the policy of each rule, from steered[0].first on */
	uint32_t *rule_next_hop;
	/* There is room for more gateways and groups, so that next hops keep their indices when a
	 * set is built of another. */
	uint32_t n_gateways, gateway_room;
	uint32_t n_sorted; /**< so many of the gateways, the first ones, are sorted */
	struct fcn_gateway *gateway;
	uint32_t n_groups, group_room;
	struct fcn_path_group *group;
	uint32_t n_members;
	uint32_t *member; /**< indices of gateways; those of one group are adjacent */
	bool is_changed;  /**< the set was built of another one */
	bool *used; /**< gateways in use, see fcn_route_set_is_used(); NULL: not computed yet */
};

/** Get the index of the next hop of a connected network, a local SID, a steered prefix, a gateway
 * or a group. */
static inline uint32_t
fcn_route_set_connected(const struct fcn_route_set *set, uint32_t i)
{
	(void)set;
	return FCN_NH_FIRST + i;
}

static inline uint32_t
fcn_route_set_sid(const struct fcn_route_set *set, uint32_t i)
{
	return FCN_NH_FIRST + set->n_connected + i;
}

static inline uint32_t
fcn_route_set_steered(const struct fcn_route_set *set, uint32_t i)
{
	return FCN_NH_FIRST + set->n_connected + set->n_sids + i;
}

static inline uint32_t
fcn_route_set_gateway(const struct fcn_route_set *set, uint32_t i)
{
	return FCN_NH_FIRST + set->n_connected + set->n_sids + set->n_steered + i;
}

static inline uint32_t
fcn_route_set_group(const struct fcn_route_set *set, uint32_t i)
{
	return fcn_route_set_gateway(set, set->gateway_room + i);
}

/** Get the first index behind all next hops of the set: from there on, snapshots have those of
 * neighbours. */
static inline uint32_t
fcn_route_set_end(const struct fcn_route_set *set)
{
	return fcn_route_set_group(set, set->group_room);
}

/** Routes of the kernel for one table. A configured route to the same prefix hides them. */
struct fcn_kernel_routes {
	const struct fcn_kernel_path *path; /**< by ascending prefix */
	size_t n;
	/** for fcn_route_set_change() only: prefixes whose paths have changed, all of this table */
	const struct fcn_kernel_prefix *changed;
	size_t n_changed;
	const struct fcn_kernel_sid *sid; /**< local SIDs that paths name, by ascending serial */
	size_t n_sids;
	/** the kernel's own addresses; of all tables. For fcn_route_set_change() they are those
	 * that the set was made of */
	const struct fcn_kernel_own *own;
	size_t n_own;
};

/** Find a local SID of the kernel by its serial. @return NULL: there is none */
const struct fcn_kernel_sid *fcn_kernel_sid_find(
		const struct fcn_kernel_sid *list, size_t n, uint64_t serial);

/**
 * Get the station that a local SID of the kernel sends packets to, as a gateway.
 *
 * @return false: its behavior has none, or the port of the station is not known
 */
bool fcn_kernel_sid_station(const struct fcn_config *cfg, const struct fcn_kernel_sid *sid,
		struct fcn_gateway *station);

/**
 * Build the set of a table: of its routes, addresses, neighbours and local SIDs in a configuration,
 * and of routes of the kernel. Local SIDs and the loopback are in the main table.
 *
 * @param name   name of the route table
 * @param socket NUMA node of the route table
 * @param err    one line without full stop, on failure
 * @return a set with one reference; NULL when memory is exhausted, or a route has more than
 *         FCN_NEXT_HOP_MAX_MEMBERS paths
 */
struct fcn_route_set *fcn_route_set_create(const struct fcn_config *cfg, unsigned int table,
		const struct fcn_kernel_routes *kernel, const char *name, int socket, char *err,
		size_t err_size);

/** Tell whether a path of the kernel can be used: it goes by a routed port that has an interface of
 * the kernel, or it drops packets. */
bool fcn_route_set_has_path(const struct fcn_config *cfg, const struct fcn_kernel_path *path);

/** Get the index of the next hop of a gateway; FCN_NH_NO_ROUTE if the set does not have it. */
uint32_t fcn_route_set_find(
		const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr);

/**
 * Build a set of another one that differs in a few routes. The time that this takes depends on the
 * number of changes, except that each route of the configuration is looked at once.
 *
 * @param set    set of the configuration `before`; if nothing of it has changed, it is the result,
 *               with one more reference
 * @param before may be cfg itself, if only routes of the kernel changed
 * @return a set with one reference; NULL when more than a few routes have changed, or on failure.
 *         Then fcn_route_set_create() is to be called, which says what is wrong.
 */
struct fcn_route_set *fcn_route_set_change(struct fcn_route_set *set,
		const struct fcn_config *before, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, const char *name, int socket);

/**
 * Tell whether a route or a configured neighbour still names a gateway, since a set that was built
 * of another one keeps gateways that are not used any more. The first call for such a set looks at
 * all routes. When memory is exhausted, all gateways count as used.
 *
 * @param kernel  routes that the set was built of
 * @param gateway index in set->gateway[]
 */
bool fcn_route_set_is_used(struct fcn_route_set *set, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, uint32_t gateway);

/** Tell whether two configurations have the same sets of all tables, if the routes of the kernel
 * are the same. It may return false although they have. */
bool fcn_route_set_is_same(const struct fcn_config *a, const struct fcn_config *b);

/** Give back a reference to a set, which is freed with the last one. NULL is allowed. */
void fcn_route_set_release(struct fcn_route_set *set);

#endif /* FCN_ROUTE_SET_H */
