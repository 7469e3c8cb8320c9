/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_fib.h"
#include "range_pages.h"

/* A pointer is NULL when the family has no route. */
struct fcn_fib {
	struct fcn_range_pages *ip6;
	struct fcn_range_pages *ip4;
};

/*
 * Collect the prefixes of one family, sorted and without duplicates.
 *
 * @return their number, or -EINVAL
 */
static int
family_collect(const struct fcn_fib_route *routes, unsigned int n, int version,
		struct fcn_range_prefix *out)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (routes[i].prefix.addr.version != version)
			continue;
		if (fcn_range_prefix_set(&out[used++], &routes[i].prefix, routes[i].next_hop, i) !=
				0)
			return -EINVAL;
	}
	return (int)fcn_range_prefix_sort(out, used);
}

/*
 * Build the table of one address family.
 *
 * @param old table to change; NULL builds one from the routes alone
 */
static int
family_build(struct fcn_range_pages **family, const struct fcn_range_pages *old,
		const struct fcn_fib_route *routes, unsigned int n, int version,
		struct fcn_range_prefix *scratch, int socket)
{
	int used = family_collect(routes, n, version, scratch), kept = 0;

	if (used < 0)
		return used;
	if (old != NULL) {
		*family = fcn_range_pages_change(
				old, scratch, (unsigned int)used, FCN_FIB_NO_ROUTE, socket);
	} else {
		for (int i = 0; i < used; i++) {
			if (scratch[i].value != FCN_FIB_NO_ROUTE)
				scratch[kept++] = scratch[i];
		}
		if (kept == 0)
			return 0;
		*family = fcn_range_pages_create(
				scratch, (unsigned int)kept, FCN_FIB_NO_ROUTE, socket);
	}
	if (*family == NULL)
		return -ENOMEM;
	if ((*family)->n_items == 0) {
		fcn_range_pages_free(*family);
		*family = NULL;
	}
	return 0;
}

static int
fib_fill(struct fcn_fib *fib, const struct fcn_fib *old, const struct fcn_fib_route *routes,
		unsigned int n, int socket)
{
	struct fcn_range_prefix *scratch;
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t version = routes[i].prefix.addr.version;

		if ((version != 4 && version != 6) || routes[i].next_hop > FCN_FIB_NEXT_HOP_MAX)
			return -EINVAL;
	}
	scratch = calloc((size_t)n + 1, sizeof(*scratch));
	if (scratch == NULL)
		return -ENOMEM;
	ret = family_build(&fib->ip6, old != NULL ? old->ip6 : NULL, routes, n, 6, scratch, socket);
	if (ret == 0)
		ret = family_build(&fib->ip4, old != NULL ? old->ip4 : NULL, routes, n, 4, scratch,
				socket);
	free(scratch);
	return ret;
}

static struct fcn_fib *
fib_build(const char *name, const struct fcn_fib *old, const struct fcn_fib_route *routes,
		unsigned int n, int socket)
{
	struct fcn_fib *fib;
	int ret;

	fib = rte_zmalloc_socket(name, sizeof(*fib), RTE_CACHE_LINE_SIZE, socket);
	if (fib == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	ret = fib_fill(fib, old, routes, n, socket);
	if (ret != 0) {
		fcn_fib_free(fib);
		rte_errno = -ret;
		return NULL;
	}
	return fib;
}

struct fcn_fib *
fcn_fib_create(const char *name, const struct fcn_fib_route *routes, unsigned int n_routes,
		int socket)
{
	for (unsigned int i = 0; i < n_routes; i++) {
		if (routes[i].next_hop == FCN_FIB_NO_ROUTE) {
			rte_errno = EINVAL;
			return NULL;
		}
	}
	return fib_build(name, NULL, routes, n_routes, socket);
}

struct fcn_fib *
fcn_fib_change(const struct fcn_fib *fib, const char *name, const struct fcn_fib_route *changes,
		unsigned int n_changes, int socket)
{
	return fib_build(name, fib, changes, n_changes, socket);
}

void
fcn_fib_free(struct fcn_fib *fib)
{
	if (fib == NULL)
		return;
	fcn_range_pages_free(fib->ip6);
	fcn_range_pages_free(fib->ip4);
	rte_free(fib);
}

void
fcn_fib6_lookup(const struct fcn_fib *fib, const uint8_t (*addrs)[16], uint64_t *next_hop,
		unsigned int n)
{
	if (unlikely(fib->ip6 == NULL))
		memset(next_hop, 0, n * sizeof(*next_hop));
	else
		fib->ip6->find6(fib->ip6, addrs, next_hop, n);
}

void
fcn_fib4_lookup(const struct fcn_fib *fib, const uint32_t *addrs, uint64_t *next_hop,
		unsigned int n)
{
	if (unlikely(fib->ip4 == NULL))
		memset(next_hop, 0, n * sizeof(*next_hop));
	else
		fib->ip4->find4(fib->ip4, addrs, next_hop, n);
}
