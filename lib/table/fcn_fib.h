/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Route tables as immutable snapshots: control builds one from its list of
 * routes, or from another table and what is to be different, publishes it under
 * RCU, and frees it when no worker reads it any more. Not rte_fib and rte_fib6:
 * their churn ends in a permanent -ENOSPC in DPDK 22.11, and one built anew for
 * each change takes 64 MB and 20 ms or more.
 *
 * A family of up to 256 routes is a sorted array of address ranges: some KB,
 * searched in bursts in 4 to 16 cycles an address. A larger one is cut into
 * pages of that size and a search for the page goes before, 20 to 45 cycles in
 * all; some 100 bytes a route. A change makes the pages anew that it lies in
 * and shares the others, which takes some tens of microseconds whatever the
 * size of the table; only that of a prefix which holds half of all costs as
 * much as half a table.
 */

#ifndef FCN_FIB_H
#define FCN_FIB_H

#include <stdint.h>

#include "fcn_addr.h"

/** Result of a lookup that matched no route. */
#define FCN_FIB_NO_ROUTE 0

/** Greatest index of a next hop. */
#define FCN_FIB_NEXT_HOP_MAX INT32_MAX

/** One route: the index of its next hop, 1..FCN_FIB_NEXT_HOP_MAX. */
struct fcn_fib_route {
	struct fcn_prefix prefix;
	uint32_t next_hop;
};

struct fcn_fib;

/**
 * Build a route table. Prefixes are normalised; of two equal ones the later wins.
 * A family without routes takes no memory. For the control thread: it
 * allocates.
 *
 * @param name   for those who look at the heap; need not be unique, so that a
 *               new snapshot may bear the name of the old one
 * @param routes both families mixed, any order
 * @param socket NUMA node of the tables, or SOCKET_ID_ANY
 * @return NULL with rte_errno on failure: EINVAL a prefix or next hop is none,
 *         ENOMEM no memory
 */
struct fcn_fib *fcn_fib_create(const char *name, const struct fcn_fib_route *routes,
		unsigned int n_routes, int socket);

/**
 * Build the table that another one becomes by changes; that one stays as it is,
 * and either may be freed first. For the thread that made the other.
 *
 * @param changes prefixes with their new next hops, FCN_FIB_NO_ROUTE: removed,
 *                whether it was there or not; of two equal ones the later wins
 * @return as fcn_fib_create()
 */
struct fcn_fib *fcn_fib_change(const struct fcn_fib *fib, const char *name,
		const struct fcn_fib_route *changes, unsigned int n_changes, int socket);

/** Free a table that no worker reads any more. NULL is allowed. */
void fcn_fib_free(struct fcn_fib *fib);

/**
 * Look up many IPv6 addresses; next_hop[i] is FCN_FIB_NO_ROUTE where none
 * matches. Any number of readers, no allocation.
 *
 * @param addrs n addresses of 16 bytes in network byte order, one behind the other
 */
void fcn_fib6_lookup(const struct fcn_fib *fib, const uint8_t (*addrs)[16], uint64_t *next_hop,
		unsigned int n);

/** The same for IPv4 addresses in host byte order. */
void fcn_fib4_lookup(const struct fcn_fib *fib, const uint32_t *addrs, uint64_t *next_hop,
		unsigned int n);

#endif /* FCN_FIB_H */
