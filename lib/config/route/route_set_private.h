/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files that build a set of routes share. It is built of all routes
 * (fcn_route_set.c) or of another set (route_change.c), from gateways and groups of
 * paths (route_paths.c), also those of the kernel (route_kernel.c). Internal to
 * lib/config.
 */

#ifndef FCN_ROUTE_SET_PRIVATE_H
#define FCN_ROUTE_SET_PRIVATE_H

#include "fcn_route_set.h"

/** A set that is being built. */
struct fcn_route_builder {
	const struct fcn_config *cfg;
	unsigned int table; /**< number of its table */
	const struct fcn_kernel_routes *kernel;
	struct fcn_route_set *set;
	struct fcn_fib_route
			*route; /**< for the route table: of equal prefixes the last one counts */
	size_t n_routes;
	size_t first_steered;                   /**< index in route[] of the first steered prefix */
	const struct fcn_config_route **sorted; /**< configured routes, see fcn_route_compare() */
	size_t n_sorted;
	uint32_t *bucket; /**< hash table of groups by their members: index + 1; 0: empty */
	uint32_t n_buckets;
	char *err;
	size_t err_size;
};

static inline bool
fcn_route_is_link_local(const struct fcn_addr *a)
{
	return a->version == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

/** Compare pointers to configured routes for qsort(): by prefix, then a blackhole before paths,
 * then by port and gateway. */
int fcn_route_compare(const void *va, const void *vb);
/** Compare gateways for qsort(): by port, then by address. */
int fcn_route_compare_gateways(const void *va, const void *vb);

/** Allocate a set with room for so many gateways, groups and members. @return a set with one
 * reference; NULL when memory is exhausted */
struct fcn_route_set *fcn_route_set_allocate(
		const struct fcn_config *cfg, size_t gateways, size_t groups, size_t members);

/** Get the next hop for a policy, by its slot. A segment list of weight w is w times in its group.
 * @return index of the next hop; -1: there is no room */
int fcn_route_builder_policy(struct fcn_route_builder *b, unsigned int policy);

/** Count the steered prefixes of the table: they have indices in front of those of gateways.
 * @return 0; -1 when memory is exhausted */
int fcn_route_builder_count_steered(struct fcn_route_builder *b);
/** Add the steered prefixes to b->route, and find the next hops of their rules. @return 0; -1:
 * there is no room */
int fcn_route_builder_add_steered(struct fcn_route_builder *b);
/** Make the route tables of a set whose b->route is complete. @return 0; -1 when memory is
 * exhausted
 */
int fcn_route_builder_tables(struct fcn_route_builder *b, const char *name, int socket);
/** Make the route tables of a set from those of another one, and b->route. @return as above */
int fcn_route_builder_change_tables(struct fcn_route_builder *b, const struct fcn_route_set *from,
		const char *name, int socket);

/** Add a route to b->route, where there must be room. */
void fcn_route_builder_add(
		struct fcn_route_builder *b, const struct fcn_prefix *prefix, uint32_t next_hop);

/** Find a gateway; if there is none, it is added behind the sorted ones. @return its index; -ENOSPC
 */
int fcn_route_builder_gateway(
		struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr);

/** Allocate the hash table of groups. @return 0; -1 when memory is exhausted */
int fcn_route_builder_make_buckets(struct fcn_route_builder *b);
/** Get the bucket of a group with the same members, or else the empty bucket where it belongs. */
uint32_t *fcn_route_builder_bucket(
		const struct fcn_route_builder *b, const struct fcn_path_group *group);
/**
 * Find the group with the same members as this one, whose members are the last ones of the set. If
 * there is one, these members are removed again; otherwise the group is added.
 *
 * @return its index; -ENOSPC
 */
int fcn_route_builder_group(struct fcn_route_builder *b, const struct fcn_path_group *group);

/**
 * Get the next hop for the configured routes b->sorted[from] to b->sorted[to - 1], which all are to
 * one prefix. A path that was configured twice counts once.
 *
 * @return index of the next hop; -1: there is no room, or there are too many paths, and then a
 *  message is in b->err
 */
int fcn_route_builder_paths(struct fcn_route_builder *b, size_t from, size_t to);
/**
 * Get the next hop for the n paths that the kernel has to one prefix. A gateway of weight w is w
 * times in its group.
 *
 * @return index of the next hop; FCN_FIB_NO_ROUTE: none of the paths can be used; -1: there is no
 *  room
 */
int fcn_route_builder_kernel(
		struct fcn_route_builder *b, const struct fcn_kernel_path *path, size_t n);
/** Get the index in b->sorted of the first route behind those to the same prefix as
 * b->sorted[from].
 */
size_t fcn_route_builder_end_of_paths(const struct fcn_route_builder *b, size_t from);

#endif /* FCN_ROUTE_SET_PRIVATE_H */
