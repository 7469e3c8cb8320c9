/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_errno.h>

#include "fcn_fib.h"
#include "table_test.h"
#include "fib_util.h"

TEST_FIXTURE(FCN_TEST_EAL);

TEST(empty)
{
	size_t before = table_heap_used();
	struct fcn_fib *fib = fib_create(NULL, 0);

	assert_in_range(table_heap_used() - before, 1, 1024);
	assert_int_equal(lookup(fib, "::"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "ffff::"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "0.0.0.0"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "255.255.255.255"), FCN_FIB_NO_ROUTE);
	fcn_fib_free(fib);
	fcn_fib_free(NULL);
}

TEST(one_family_empty)
{
	struct fcn_fib_route all6 = route("::/0", 6);
	struct fcn_fib_route all4 = route("0.0.0.0/0", 4);
	struct fcn_fib *fib6 = fib_create(&all6, 1);
	struct fcn_fib *fib4 = fib_create(&all4, 1);

	assert_int_equal(lookup(fib6, "::"), 6);
	assert_int_equal(lookup(fib6, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), 6);
	assert_int_equal(lookup(fib6, "0.0.0.0"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib4, "::"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib4, "0.0.0.0"), 4);
	assert_int_equal(lookup(fib4, "255.255.255.255"), 4);
	fcn_fib_free(fib6);
	fcn_fib_free(fib4);
}

/* The same questions to a small table and to one filled up with routes elsewhere. */
static void
edges_check(unsigned int filling)
{
	static struct fcn_fib_route routes[2 * MANY + 16];
	const struct fcn_fib_route head[] = {
			route("::/0", 1),
			route("2001:db8::/32", 2),
			route("2001:db8:0:1::/64", 3),
			route("2001:db8:0:1::1/128", 4),
			route("2001:db8:0:1::3/128", FCN_FIB_NEXT_HOP_MAX),
			route("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 6),
			route("0.0.0.0/0", 11),
			route("10.0.0.0/8", 12),
			route("10.0.0.0/24", 13),
			route("10.0.0.1/32", 14),
			route("10.0.0.3/32", FCN_FIB_NEXT_HOP_MAX),
			route("255.255.255.255/32", 16),
	};
	unsigned int n = RTE_DIM(head);
	struct fcn_fib *fib;
	unsigned int i;

	memcpy(routes, head, sizeof(head));
	for (i = 0; i < filling; i++) {
		routes[n] = route("2002::/64", 20);
		routes[n].prefix.addr.bytes[6] = (uint8_t)(i >> 8);
		routes[n++].prefix.addr.bytes[7] = (uint8_t)i;
		routes[n] = route("11.0.0.0/28", 20);
		routes[n].prefix.addr.bytes[1] = (uint8_t)(i >> 8);
		routes[n++].prefix.addr.bytes[2] = (uint8_t)i;
	}
	fib = fib_create(routes, n);
	assert_int_equal(lookup(fib, "::"), 1);
	assert_int_equal(lookup(fib, "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"), 1);
	assert_int_equal(lookup(fib, "2001:db8::"), 2);
	assert_int_equal(lookup(fib, "2001:db8::ffff:ffff:ffff:ffff"), 2);
	assert_int_equal(lookup(fib, "2001:db8:0:1::"), 3);
	assert_int_equal(lookup(fib, "2001:db8:0:1::1"), 4);
	assert_int_equal(lookup(fib, "2001:db8:0:1::2"), 3);
	assert_int_equal(lookup(fib, "2001:db8:0:1::3"), FCN_FIB_NEXT_HOP_MAX);
	assert_int_equal(lookup(fib, "2001:db8:0:1::4"), 3);
	assert_int_equal(lookup(fib, "2001:db8:0:2::"), 2);
	assert_int_equal(lookup(fib, "2001:db9::"), 1);
	assert_int_equal(lookup(fib, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"), 1);
	assert_int_equal(lookup(fib, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), 6);
	assert_int_equal(lookup(fib, "0.0.0.0"), 11);
	assert_int_equal(lookup(fib, "10.0.1.0"), 12);
	assert_int_equal(lookup(fib, "10.0.0.0"), 13);
	assert_int_equal(lookup(fib, "10.0.0.1"), 14);
	assert_int_equal(lookup(fib, "10.0.0.2"), 13);
	assert_int_equal(lookup(fib, "10.0.0.3"), FCN_FIB_NEXT_HOP_MAX);
	assert_int_equal(lookup(fib, "10.0.0.4"), 13);
	assert_int_equal(lookup(fib, "9.255.255.255"), 11);
	assert_int_equal(lookup(fib, "255.255.255.254"), 11);
	assert_int_equal(lookup(fib, "255.255.255.255"), 16);
	fcn_fib_free(fib);
}

TEST(edges_small)
{
	edges_check(0);
}

TEST(edges_large)
{
	edges_check(1000);
}

TEST(replace)
{
	const struct fcn_fib_route routes[] = {
			route("2001:db8::/32", 1),
			route("10.0.0.0/8", 2),
			route("2001:db8::1/32", 3), /* host bits are cleared: equal to the first */
			route("10.1.2.3/8", 4),
			route("2001:db8::/31", 5),
	};
	struct fcn_fib *fib = fib_create(routes, RTE_DIM(routes));

	assert_int_equal(lookup(fib, "2001:db8::1"), 3);
	assert_int_equal(lookup(fib, "2001:db9::1"), 5);
	assert_int_equal(lookup(fib, "10.0.0.1"), 4);
	fcn_fib_free(fib);
}

static void
bad_route(struct fcn_fib_route bad)
{
	struct fcn_fib_route routes[] = {route("::/0", 1), bad, route("0.0.0.0/0", 1)};

	rte_errno = 0;
	assert_null(fcn_fib_create("fib", routes, RTE_DIM(routes), SOCKET_ID_ANY));
	assert_int_equal(rte_errno, EINVAL);
}

TEST(bad_routes)
{
	size_t before = table_heap_used();
	struct fcn_fib_route bad;

	bad_route(route("2001:db8::/32", FCN_FIB_NO_ROUTE));
	bad_route(route("10.0.0.0/8", (uint32_t)FCN_FIB_NEXT_HOP_MAX + 1));
	bad = route("10.0.0.0/8", 1);
	bad.prefix.len = 33;
	bad_route(bad);
	bad = route("2001:db8::/32", 1);
	bad.prefix.len = 129;
	bad_route(bad);
	bad = route("2001:db8::/32", 1);
	bad.prefix.addr.version = 5;
	bad_route(bad);
	assert_int_equal(table_heap_used(), before);
}

TEST(linear_search_small)
{
	static struct fcn_fib_route routes[2 * FEW];
	uint64_t seed = 1;
	unsigned int i;

	for (i = 0; i < 60; i++) {
		unsigned int n = 2 + (unsigned int)(fcn_test_random(&seed) % (2 * FEW - 1));
		struct fcn_fib *fib;

		random_routes(routes, n, &seed, i % 2 ? 128 : 64);
		fib = fib_create(routes, n);
		compare(fib, routes, n);
		fcn_fib_free(fib);
	}
}

static void
linear_search_large(uint64_t seed)
{
	static struct fcn_fib_route routes[2 * MANY];
	size_t before = table_heap_used();
	struct fcn_fib *fib;
	unsigned int found;

	random_routes(routes, RTE_DIM(routes), &seed, 128);
	fib = fib_create(routes, RTE_DIM(routes));
	/* At most two ranges a route, start and value of each: no tables of fixed size. */
	assert_in_range(table_heap_used() - before, RTE_DIM(routes) * 16, RTE_DIM(routes) * 150);
	found = compare(fib, routes, RTE_DIM(routes));
	assert_in_range(found, RTE_DIM(routes), RTE_DIM(routes) * TABLE_EDGES - 500);
	fcn_fib_free(fib);
	assert_int_equal(table_heap_used(), before);
}

TEST(linear_search_large)
{
	linear_search_large(2);
}

/* Prefixes of full length that all begin alike, over several pages. */
TEST(many_hosts)
{
	static struct fcn_fib_route routes[1500];
	size_t before = table_heap_used();
	struct fcn_fib *fib;
	unsigned int i;

	for (i = 0; i < RTE_DIM(routes); i++) {
		routes[i] = route("2001:db8::/128", i + 1);
		routes[i].prefix.addr.bytes[14] = (uint8_t)(i >> 8);
		routes[i].prefix.addr.bytes[15] = (uint8_t)i;
	}
	fib = fib_create(routes, RTE_DIM(routes));
	for (i = 0; i < RTE_DIM(routes); i++)
		assert_int_equal(lookup_bytes(fib, 6, routes[i].prefix.addr.bytes), i + 1);
	assert_int_equal(lookup(fib, "2001:db8::ffff"), FCN_FIB_NO_ROUTE);
	fcn_fib_free(fib);
	assert_int_equal(table_heap_used(), before);
}

/* As during a change of snapshots: several tables live, all of one name. */
TEST(several_tables)
{
	static struct fcn_fib_route routes[3][600];
	struct fcn_fib *fib[3];
	unsigned int n[3] = {20, 600, 600};
	uint64_t seed = 3;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		random_routes(routes[i], n[i], &seed, 128);
		fib[i] = fib_create(routes[i], n[i]);
	}
	for (i = 0; i < 3; i++)
		compare(fib[i], routes[i], n[i]);
	fcn_fib_free(fib[1]);
	compare(fib[0], routes[0], n[0]);
	compare(fib[2], routes[2], n[2]);
	fcn_fib_free(fib[0]);
	fcn_fib_free(fib[2]);
}

TEST(small_no_leak)
{
	const struct fcn_fib_route routes[] = {route("2001:db8::/32", 1), route("10.0.0.0/8", 2),
			route("2001:db8:1::/48", 3), route("::1/128", 4)};
	size_t before = table_heap_used();
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		struct fcn_fib *fib = fib_create(routes, RTE_DIM(routes));

		assert_int_equal(lookup(fib, "2001:db8:1::1"), 3);
		if (i == 0)
			assert_in_range(table_heap_used() - before, 1, 4096);
		fcn_fib_free(fib);
	}
	assert_int_equal(table_heap_used(), before);
}

/* What is left of the heap, taken in pieces. @return how many */
static unsigned int
take_memory(void **piece, unsigned int max, size_t size)
{
	unsigned int n = 0;

	while (n < max && (piece[n] = rte_malloc(NULL, size, 0)) != NULL)
		n++;
	return n;
}

/* No memory for a table, or for a changed one: an error, and all of it comes back. */
TEST(out_of_memory)
{
	static struct fcn_fib_route routes[30000];
	static void *piece[16384];
	size_t before = table_heap_used();
	struct fcn_fib *fib;
	unsigned int n, i;

	for (i = 0; i < RTE_DIM(routes); i++) {
		routes[i] = route("2001:db8::/64", i + 1);
		routes[i].prefix.addr.bytes[6] = (uint8_t)(i >> 8);
		routes[i].prefix.addr.bytes[7] = (uint8_t)i;
	}
	fib = fib_create(routes, 1000);
	n = take_memory(piece, RTE_DIM(piece), 64 << 10);
	assert_in_range(n, 100, RTE_DIM(piece) - 1);
	rte_errno = 0;
	assert_null(fcn_fib_create("fib", routes, RTE_DIM(routes), SOCKET_ID_ANY));
	assert_int_equal(rte_errno, ENOMEM);
	rte_errno = 0;
	assert_null(fcn_fib_change(fib, "fib", routes, RTE_DIM(routes), SOCKET_ID_ANY));
	assert_int_equal(rte_errno, ENOMEM);
	compare(fib, routes, 1000);
	while (n > 0)
		rte_free(piece[--n]);
	fcn_fib_free(fib);
	assert_int_equal(table_heap_used(), before);
}
