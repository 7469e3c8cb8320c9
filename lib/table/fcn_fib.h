/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Route tables as immutable snapshots: control builds one from its list of
 * routes, publishes it under RCU, and frees it when no worker reads it any
 * more. Never changed in place: churn of rte_fib and rte_fib6 ends in a
 * permanent -ENOSPC in DPDK 22.11.
 *
 * A family of up to 256 routes is a sorted array of address ranges: some KB,
 * built in 50 us at most, searched in bursts in 4 to 16 cycles an address. A larger one is
 * rte_fib6 (trie) or rte_fib (DIR24_8) with next hops of 4 bytes: 64 MB and
 * more, 20 ms to build, and for some thousand IPv6 routes 6 to 25 cycles with
 * AVX-512 (EAL: --force-max-simd-bitwidth=512), 17 to 60 without, for IPv4 2 to 5.
 */

#ifndef FCN_FIB_H
#define FCN_FIB_H

#include <stdint.h>

#include "fcn_addr.h"

/** Result of a lookup that matched no route. */
#define FCN_FIB_NO_ROUTE 0

/** Greatest index of a next hop: DPDK keeps one bit of 32 for itself. */
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
 *         ENOMEM no memory, ENOSPC more routes than DPDK can hold
 */
struct fcn_fib *fcn_fib_create(const char *name, const struct fcn_fib_route *routes,
		unsigned int n_routes, int socket);

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
