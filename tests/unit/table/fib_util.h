/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Tables of routes for tests, and a lookup that shares nothing with them.
 */

#ifndef FIB_UTIL_H
#define FIB_UTIL_H

#include "fcn_fib.h"
#include "table_test.h"

#define BURST 32
#define FEW 60    /* routes of a family in a table that stays small */
#define MANY 2000 /* routes of a family in one that does not */

/** Make a route from the text of its prefix. */
struct fcn_fib_route route(const char *text, uint32_t next_hop);

/** Make a table; the test fails without memory. */
struct fcn_fib *fib_create(const struct fcn_fib_route *routes, unsigned int n);

/** Look one address up, in network byte order. @return the next hop */
uint64_t lookup_bytes(const struct fcn_fib *fib, uint8_t version, const uint8_t *bytes);

/** The same of the text of an address. */
uint64_t lookup(const struct fcn_fib *fib, const char *text);

/** Find the next hop of an address by trying all routes. */
uint64_t slow_lookup(const struct fcn_fib_route *routes, unsigned int n, uint8_t version,
		const uint8_t *bytes);

/**
 * Addresses at and beside the edges of every route, in bursts of changing
 * length, against linear search. Returns how many had a route.
 */
unsigned int compare(const struct fcn_fib *fib, const struct fcn_fib_route *routes, unsigned int n);

/** Fill in routes of both families at random; the prefixes of IPv6 have at most len6_max bits. */
void random_routes(struct fcn_fib_route *routes, unsigned int n, uint64_t *seed, uint8_t len6_max);

#endif /* FIB_UTIL_H */
