/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_malloc.h>

#include "fcn_compat.h"
#include "fcn_fib.h"
#include "fcn_ranges.h"

/* A family of up to this many routes is searched as ranges: some KB instead of 64 MB. */
#define SMALL_ROUTES 256

/* DIR24_8 and TRIE index the first 24 bits directly and go on in groups of 8 bits. */
#define DIRECT_BITS 24

/* Room for "f6_0x" and 16 digits; a memory pool's name, "MP_" in front, ends after 25. */
#define DPDK_NAME_SIZE 22

/* Of each family at most one of the two is there. */
struct fcn_fib {
	struct fcn_ranges *small6;
	struct rte_fib6 *fib6;
	struct fcn_ranges *small4;
	struct rte_fib *fib4;
};

/*
 * DPDK's names are unique in the process and short. The address of the
 * snapshot is both, and leaves callers free to use one name for the old and
 * the new table.
 */
static void
dpdk_name(const struct fcn_fib *fib, int version, char name[DPDK_NAME_SIZE])
{
	snprintf(name, DPDK_NAME_SIZE, "f%d_%llx", version, (unsigned long long)(uintptr_t)fib);
}

static unsigned int
groups_of(unsigned int len)
{
	return len <= DIRECT_BITS ? 0 : (len - DIRECT_BITS + 7) / 8;
}

static unsigned int
common_bits(const struct fcn_range_prefix *a, const struct fcn_range_prefix *b)
{
	if (a->hi != b->hi)
		return (unsigned int)__builtin_clzll(a->hi ^ b->hi);
	if (a->lo != b->lo)
		return 64 + (unsigned int)__builtin_clzll(a->lo ^ b->lo);
	return 128;
}

/*
 * The groups of 256 entries that the sorted routes occupy (used), and the
 * number DPDK cannot exceed even if it reserves for each route alone (most).
 */
static void
groups_count(const struct fcn_range_prefix *routes, unsigned int n, uint64_t *used, uint64_t *most)
{
	unsigned int i;

	*used = 0;
	*most = 1;
	for (i = 0; i < n; i++) {
		unsigned int own = groups_of(routes[i].len);
		unsigned int shared = 0;

		if (i > 0) {
			unsigned int bits = common_bits(&routes[i - 1], &routes[i]);

			/* A group is shared by those equal in all bits in front of it. */
			if (bits >= DIRECT_BITS)
				shared = (bits - DIRECT_BITS) / 8 + 1;
			shared = RTE_MIN(shared, groups_of(routes[i - 1].len));
		}
		*used += own > shared ? own - shared : 0;
		*most += own;
	}
}

static void
prefix_bytes(const struct fcn_range_prefix *prefix, uint8_t bytes[16])
{
	uint64_t half[2] = {rte_cpu_to_be_64(prefix->hi), rte_cpu_to_be_64(prefix->lo)};

	memcpy(bytes, half, sizeof(half));
}

/* The lookup function DPDK chooses by default is the widest that the EAL's SIMD limit allows. */
static int
fib6_try(struct fcn_fib *fib, const struct fcn_range_prefix *routes, unsigned int n,
		uint32_t groups, int socket)
{
	struct rte_fib6_conf conf = {
			.type = RTE_FIB6_TRIE,
			.default_nh = FCN_FIB_NO_ROUTE,
			.max_routes = (int)n,
			.trie = {.nh_sz = RTE_FIB6_TRIE_4B, .num_tbl8 = groups},
	};
	char name[DPDK_NAME_SIZE];
	unsigned int i;
	int ret = 0;

	dpdk_name(fib, 6, name);
	fib->fib6 = rte_fib6_create(name, socket, &conf);
	if (fib->fib6 == NULL)
		return -ENOMEM; /* the one cause left, though 22.11 says EINVAL */
	for (i = 0; i < n && ret == 0; i++) {
		uint8_t bytes[16];

		prefix_bytes(&routes[i], bytes);
		ret = rte_fib6_add(fib->fib6, FCN_DPDK_IP6(bytes), routes[i].len, routes[i].value);
	}
	if (ret != 0) {
		rte_fib6_free(fib->fib6);
		fib->fib6 = NULL;
	}
	return ret;
}

static int
fib4_try(struct fcn_fib *fib, const struct fcn_range_prefix *routes, unsigned int n,
		uint32_t groups, int socket)
{
	struct rte_fib_conf conf = {
			.type = RTE_FIB_DIR24_8,
			.default_nh = FCN_FIB_NO_ROUTE,
			.max_routes = (int)n,
			.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = groups},
	};
	char name[DPDK_NAME_SIZE];
	unsigned int i;
	int ret = 0;

	dpdk_name(fib, 4, name);
	fib->fib4 = rte_fib_create(name, socket, &conf);
	if (fib->fib4 == NULL)
		return -ENOMEM;
	for (i = 0; i < n && ret == 0; i++)
		ret = rte_fib_add(fib->fib4, (uint32_t)(routes[i].hi >> 32), routes[i].len,
				routes[i].value);
	if (ret != 0) {
		rte_fib_free(fib->fib4);
		fib->fib4 = NULL;
	}
	return ret;
}

/*
 * DPDK reserves more groups than it uses: twice the true number is enough for
 * most sets of routes, the sum over all routes for every one.
 */
static int
family_create_large(struct fcn_fib *fib, const struct fcn_range_prefix *routes, unsigned int n,
		int version, int socket)
{
	uint64_t used, most, groups;
	int ret;

	groups_count(routes, n, &used, &most);
	if (n > INT32_MAX / 2 || most > INT32_MAX)
		return -ENOSPC;
	for (groups = RTE_MIN(2 * used + 64, most);; groups = RTE_MIN(2 * groups, most)) {
		ret = version == 6 ? fib6_try(fib, routes, n, (uint32_t)groups, socket)
				   : fib4_try(fib, routes, n, (uint32_t)groups, socket);
		if (ret != -ENOSPC || groups == most)
			return ret;
	}
}

static int
family_create(struct fcn_fib *fib, const struct fcn_fib_route *routes, unsigned int n, int version,
		struct fcn_range_prefix *scratch, int socket)
{
	struct fcn_ranges *small;
	unsigned int used = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (routes[i].prefix.addr.version != version)
			continue;
		if (fcn_range_prefix_set(&scratch[used++], &routes[i].prefix, routes[i].next_hop,
				    i) != 0)
			return -EINVAL;
	}
	if (used == 0)
		return 0;
	used = fcn_range_prefix_sort(scratch, used);
	if (used > SMALL_ROUTES)
		return family_create_large(fib, scratch, used, version, socket);
	small = fcn_ranges_create(scratch, used, FCN_FIB_NO_ROUTE, socket);
	if (version == 6)
		fib->small6 = small;
	else
		fib->small4 = small;
	return small == NULL ? -ENOMEM : 0;
}

static int
fib_fill(struct fcn_fib *fib, const struct fcn_fib_route *routes, unsigned int n, int socket)
{
	struct fcn_range_prefix *scratch;
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		uint8_t version = routes[i].prefix.addr.version;

		if ((version != 4 && version != 6) || routes[i].next_hop == FCN_FIB_NO_ROUTE ||
				routes[i].next_hop > FCN_FIB_NEXT_HOP_MAX)
			return -EINVAL;
	}
	scratch = calloc((size_t)n + 1, sizeof(*scratch));
	if (scratch == NULL)
		return -ENOMEM;
	ret = family_create(fib, routes, n, 6, scratch, socket);
	if (ret == 0)
		ret = family_create(fib, routes, n, 4, scratch, socket);
	free(scratch);
	return ret;
}

struct fcn_fib *
fcn_fib_create(const char *name, const struct fcn_fib_route *routes, unsigned int n_routes,
		int socket)
{
	struct fcn_fib *fib;
	int ret;

	fib = rte_zmalloc_socket(name, sizeof(*fib), RTE_CACHE_LINE_SIZE, socket);
	if (fib == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	ret = fib_fill(fib, routes, n_routes, socket);
	if (ret != 0) {
		fcn_fib_free(fib);
		rte_errno = -ret;
		return NULL;
	}
	return fib;
}

void
fcn_fib_free(struct fcn_fib *fib)
{
	if (fib == NULL)
		return;
	fcn_ranges_free(fib->small6);
	fcn_ranges_free(fib->small4);
	rte_fib6_free(fib->fib6);
	rte_fib_free(fib->fib4);
	rte_free(fib);
}

void
fcn_fib6_lookup(const struct fcn_fib *fib, const uint8_t (*addrs)[16], uint64_t *next_hop,
		unsigned int n)
{
	const struct fcn_ranges *small = fib->small6;

	if (fib->fib6 != NULL) {
		rte_fib6_lookup_bulk(fib->fib6, FCN_DPDK_IP6_ARRAY(addrs), next_hop, (int)n);
		return;
	}
	if (small == NULL) {
		memset(next_hop, 0, n * sizeof(*next_hop));
		return;
	}
	fcn_ranges_find6(small, addrs, next_hop, n);
}

void
fcn_fib4_lookup(const struct fcn_fib *fib, const uint32_t *addrs, uint64_t *next_hop,
		unsigned int n)
{
	const struct fcn_ranges *small = fib->small4;

	if (fib->fib4 != NULL) {
		/* Declared without const before 24.11, yet only read. */
		rte_fib_lookup_bulk(fib->fib4, (uint32_t *)(uintptr_t)addrs, next_hop, (int)n);
		return;
	}
	if (small == NULL) {
		memset(next_hop, 0, n * sizeof(*next_hop));
		return;
	}
	fcn_ranges_find4(small, addrs, next_hop, n);
}
