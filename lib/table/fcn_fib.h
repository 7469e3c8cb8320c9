/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Forwarding tables as immutable snapshots. The control thread builds one from its list of routes,
 * or from another table and a list of changes, publishes it under RCU, and frees it when no worker
 * reads it any more. rte_fib and rte_fib6 are not used, because in DPDK 22.11 many changes end in a
 * permanent -ENOSPC, and a new table for each change would take 64 MB and 20 ms or more.
 *
 * The table of an address family with up to 256 routes is a search tree over sorted address ranges.
 * It takes some KB, and a lookup in bursts takes some 10 cycles an address with AVX-512. A larger
 * table is cut into pages of that size, and a lookup searches for the page first; it takes 20 to 35
 * cycles an address and some 100 bytes a route. The width that EAL allows decides whether AVX-512,
 * AVX2 or neither is used. A change copies the pages that it affects and shares the others, which
 * takes some tens of microseconds whatever the size of the table. Only a change of a prefix that
 * contains much of the table affects many pages, and costs as much as building that part of the
 * table.
 */

#ifndef FCN_FIB_H
#define FCN_FIB_H

#include <stdint.h>

#include "fcn_addr.h"

/** Result of a lookup that matched no route. */
#define FCN_FIB_NO_ROUTE 0

/** Greatest index of a next hop. */
#define FCN_FIB_NEXT_HOP_MAX INT32_MAX

/** A route; next_hop is the index of its next hop, 1..FCN_FIB_NEXT_HOP_MAX. */
struct fcn_fib_route {
	struct fcn_prefix prefix;
	uint32_t next_hop;
};

struct fcn_fib;

/**
 * Build a table. Prefixes are normalised; of two equal ones the later wins. A family without routes
 * takes no memory. To be called by the control thread, as it allocates.
 *
 * @param name   name of the allocation; need not be unique, so a new snapshot may have the name of
 *               the old one
 * @param routes routes of both families, in any order
 * @param socket NUMA node of the tables, or SOCKET_ID_ANY
 * @return NULL with rte_errno on failure: EINVAL for an invalid prefix or next hop, ENOMEM
 */
struct fcn_fib *fcn_fib_create(const char *name, const struct fcn_fib_route *routes,
		unsigned int n_routes, int socket);

/**
 * Build a new table from another table and a list of changes. The other table does not change, and
 * either may be freed first. To be called by the thread that created the other table.
 *
 * @param changes prefixes with their new next hops; FCN_FIB_NO_ROUTE removes a route, which need
 *                not exist; of two equal prefixes the later wins
 * @return as fcn_fib_create()
 */
struct fcn_fib *fcn_fib_change(const struct fcn_fib *fib, const char *name,
		const struct fcn_fib_route *changes, unsigned int n_changes, int socket);

/** Free a table that no worker reads any more. NULL is allowed. */
void fcn_fib_free(struct fcn_fib *fib);

/**
 * Look up a burst of IPv6 addresses. Safe for any number of concurrent readers; does not allocate.
 *
 * @param addrs    n addresses of 16 bytes in network byte order, contiguous
 * @param next_hop written: indexes of the next hops; FCN_FIB_NO_ROUTE where no route matches
 */
void fcn_fib6_lookup(const struct fcn_fib *fib, const uint8_t (*addrs)[16], uint64_t *next_hop,
		unsigned int n);

/** Look up a burst of IPv4 addresses in host byte order, like fcn_fib6_lookup(). */
void fcn_fib4_lookup(const struct fcn_fib *fib, const uint32_t *addrs, uint64_t *next_hop,
		unsigned int n);

#endif /* FCN_FIB_H */
