/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of fcn_route_set.h share: a set in the making, made of all routes
 * (fcn_route_set.c) or of another set (fcn_route_change.c); its gateways and groups
 * of paths (route_paths.c), those of the kernel (route_kernel.c). Internal to lib/config.
 */

#ifndef FCN_ROUTE_SET_PRIVATE_H
#define FCN_ROUTE_SET_PRIVATE_H

#include "fcn_route_set.h"

/** Work in progress. */
struct fcn_route_builder {
	const struct fcn_config *cfg;
	const struct fcn_kernel_routes *kernel;
	struct fcn_route_set *set;
	struct fcn_fib_route *route; /* the later of equal prefixes wins */
	size_t n_routes;
	const struct fcn_config_route **sorted;
	size_t n_sorted;
	uint32_t *bucket; /* hash of the groups by their members: index + 1, 0: empty */
	uint32_t n_buckets;
	char *err;
	size_t err_size;
};

static inline bool
fcn_route_is_link_local(const struct fcn_addr *a)
{
	return a->version == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

/** Of pointers to routes of the configuration, for qsort(): by prefix, then by path. */
int fcn_route_compare(const void *va, const void *vb);
/** Of gateways, for qsort(). */
int fcn_route_compare_gateways(const void *va, const void *vb);

/** @param room for gateways, groups and members. @return NULL on lack of memory */
struct fcn_route_set *fcn_route_set_allocate(
		const struct fcn_config *cfg, size_t gateways, size_t groups, size_t members);

/** One more route, for which there is room. */
void fcn_route_builder_add(
		struct fcn_route_builder *b, const struct fcn_prefix *prefix, uint32_t next_hop);

/** One that is not there is added, behind the sorted ones. @return index, or -ENOSPC */
int fcn_route_builder_gateway(
		struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr);

/** Where groups are found by their members. @return 0, -1 on lack of memory */
int fcn_route_builder_make_buckets(struct fcn_route_builder *b);
/** The bucket of a group with the same members, or the empty one for it. */
uint32_t *fcn_route_builder_bucket(
		const struct fcn_route_builder *b, const struct fcn_path_group *group);
/** The group of the set's last members, which stand there once. @return its number, or -ENOSPC */
int fcn_route_builder_group(struct fcn_route_builder *b, const struct fcn_path_group *group);

/**
 * Paths of one prefix, sorted; a path given twice counts once.
 *
 * @return next hop, or -1
 */
int fcn_route_builder_paths(struct fcn_route_builder *b, size_t from, size_t to);
/**
 * Paths that the kernel has to one prefix.
 *
 * @return next hop; FCN_FIB_NO_ROUTE: none of them is by a port that is there; -1: no room
 */
int fcn_route_builder_kernel(
		struct fcn_route_builder *b, const struct fcn_kernel_path *path, size_t n);
/** The first route behind those to the prefix of this one. */
size_t fcn_route_builder_end_of_paths(const struct fcn_route_builder *b, size_t from);

#endif /* FCN_ROUTE_SET_PRIVATE_H */
