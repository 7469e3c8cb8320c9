/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "fcn_fib.h"
#include "table_test.h"

#define BURST 32
#define FEW 60    /* routes of a family in a table that stays small */
#define MANY 2000 /* routes of a family in one that does not */

static struct fcn_fib_route
route(const char *text, uint32_t next_hop)
{
	struct fcn_fib_route result = {.next_hop = next_hop};

	assert_int_equal(fcn_prefix_parse(text, &result.prefix), 0);
	return result;
}

static struct fcn_fib *
fib_create(const struct fcn_fib_route *routes, unsigned int n)
{
	struct fcn_fib *fib = fcn_fib_create("fib", routes, n, SOCKET_ID_ANY);

	assert_non_null(fib);
	return fib;
}

static uint64_t
lookup_bytes(const struct fcn_fib *fib, uint8_t version, const uint8_t *bytes)
{
	uint64_t next_hop = UINT64_MAX;
	uint8_t addr6[1][16];
	uint32_t addr4;

	if (version == 6) {
		memcpy(addr6[0], bytes, 16);
		fcn_fib6_lookup(fib, (const uint8_t(*)[16])addr6, &next_hop, 1);
	} else {
		addr4 = table_ip4(bytes);
		fcn_fib4_lookup(fib, &addr4, &next_hop, 1);
	}
	return next_hop;
}

static uint64_t
lookup(const struct fcn_fib *fib, const char *text)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(text, &addr), 0);
	return lookup_bytes(fib, addr.version, addr.bytes);
}

static void
test_empty(void **state)
{
	size_t before = table_heap_used();
	struct fcn_fib *fib = fib_create(NULL, 0);

	RTE_SET_USED(state);
	assert_in_range(table_heap_used() - before, 1, 1024);
	assert_int_equal(lookup(fib, "::"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "ffff::"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "0.0.0.0"), FCN_FIB_NO_ROUTE);
	assert_int_equal(lookup(fib, "255.255.255.255"), FCN_FIB_NO_ROUTE);
	fcn_fib_free(fib);
	fcn_fib_free(NULL);
}

static void
test_one_family_empty(void **state)
{
	struct fcn_fib_route all6 = route("::/0", 6);
	struct fcn_fib_route all4 = route("0.0.0.0/0", 4);
	struct fcn_fib *fib6 = fib_create(&all6, 1);
	struct fcn_fib *fib4 = fib_create(&all4, 1);

	RTE_SET_USED(state);
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

static void
test_edges_small(void **state)
{
	RTE_SET_USED(state);
	edges_check(0);
}

static void
test_edges_large(void **state)
{
	RTE_SET_USED(state);
	edges_check(1000);
}

static void
test_replace(void **state)
{
	const struct fcn_fib_route routes[] = {
			route("2001:db8::/32", 1),
			route("10.0.0.0/8", 2),
			route("2001:db8::1/32", 3), /* host bits are cleared: equal to the first */
			route("10.1.2.3/8", 4),
			route("2001:db8::/31", 5),
	};
	struct fcn_fib *fib = fib_create(routes, RTE_DIM(routes));

	RTE_SET_USED(state);
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

static void
test_bad_routes(void **state)
{
	size_t before = table_heap_used();
	struct fcn_fib_route bad;

	RTE_SET_USED(state);
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

static uint64_t
slow_lookup(const struct fcn_fib_route *routes, unsigned int n, uint8_t version,
		const uint8_t *bytes)
{
	uint64_t next_hop = FCN_FIB_NO_ROUTE;
	int longest = -1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct fcn_prefix *prefix = &routes[i].prefix;

		if (prefix->addr.version == version && prefix->len >= longest &&
				table_match(prefix->addr.bytes, bytes, prefix->len)) {
			longest = prefix->len;
			next_hop = routes[i].next_hop;
		}
	}
	return next_hop;
}

/*
 * Addresses at and beside the edges of every route, in bursts of changing
 * length, against linear search. Returns how many had a route.
 */
static unsigned int
compare(const struct fcn_fib *fib, const struct fcn_fib_route *routes, unsigned int n)
{
	uint8_t addr6[BURST][16];
	uint32_t addr4[BURST];
	uint64_t wanted6[BURST], wanted4[BURST], got[BURST];
	unsigned int n6 = 0, n4 = 0, length = 1, found = 0;
	unsigned int i, j;

	for (i = 0; i < n * TABLE_EDGES; i++) {
		const struct fcn_prefix *prefix = &routes[i / TABLE_EDGES].prefix;
		uint8_t bytes[16];

		table_edge_address(prefix, i % TABLE_EDGES, bytes);
		if (prefix->addr.version == 6) {
			wanted6[n6] = slow_lookup(routes, n, 6, bytes);
			memcpy(addr6[n6++], bytes, 16);
		} else {
			wanted4[n4] = slow_lookup(routes, n, 4, bytes);
			addr4[n4++] = table_ip4(bytes);
		}
		if (n6 == length) {
			fcn_fib6_lookup(fib, (const uint8_t(*)[16])addr6, got, n6);
			for (j = 0; j < n6; j++)
				assert_int_equal(got[j], wanted6[j]);
			for (j = 0; j < n6; j++)
				found += got[j] != FCN_FIB_NO_ROUTE;
			n6 = 0;
		}
		if (n4 == length) {
			fcn_fib4_lookup(fib, addr4, got, n4);
			for (j = 0; j < n4; j++)
				assert_int_equal(got[j], wanted4[j]);
			for (j = 0; j < n4; j++)
				found += got[j] != FCN_FIB_NO_ROUTE;
			n4 = 0;
		}
		if (n6 == 0 && n4 == 0)
			length = length % BURST + 1;
	}
	return found;
}

static void
random_routes(struct fcn_fib_route *routes, unsigned int n, uint64_t *seed, uint8_t len6_max)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		routes[i].prefix = table_random_prefix(seed, i % 2 ? 4 : 6);
		if (routes[i].prefix.addr.version == 6 && routes[i].prefix.len > len6_max)
			routes[i].prefix.len = len6_max;
		routes[i].next_hop = 1 + (uint32_t)table_random(seed) % 50;
	}
}

static void
test_linear_search_small(void **state)
{
	static struct fcn_fib_route routes[2 * FEW];
	uint64_t seed = 1;
	unsigned int i;

	RTE_SET_USED(state);
	for (i = 0; i < 60; i++) {
		unsigned int n = 2 + (unsigned int)(table_random(&seed) % (2 * FEW - 1));
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

static void
test_linear_search_large(void **state)
{
	RTE_SET_USED(state);
	linear_search_large(2);
}

/* Prefixes of full length that all begin alike, over several pages. */
static void
test_many_hosts(void **state)
{
	static struct fcn_fib_route routes[1500];
	size_t before = table_heap_used();
	struct fcn_fib *fib;
	unsigned int i;

	RTE_SET_USED(state);
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
static void
test_several_tables(void **state)
{
	static struct fcn_fib_route routes[3][600];
	struct fcn_fib *fib[3];
	unsigned int n[3] = {20, 600, 600};
	uint64_t seed = 3;
	unsigned int i;

	RTE_SET_USED(state);
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

static void
test_small_no_leak(void **state)
{
	const struct fcn_fib_route routes[] = {route("2001:db8::/32", 1), route("10.0.0.0/8", 2),
			route("2001:db8:1::/48", 3), route("::1/128", 4)};
	size_t before = table_heap_used();
	unsigned int i;

	RTE_SET_USED(state);
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
static void
test_out_of_memory(void **state)
{
	static struct fcn_fib_route routes[30000];
	static void *piece[16384];
	size_t before = table_heap_used();
	struct fcn_fib *fib;
	unsigned int n, i;

	RTE_SET_USED(state);
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

/* ---- tables made of others ---- */

/* The routes that a changing table should have. */
struct model {
	struct fcn_fib_route route[4 * MANY];
	unsigned int n;
};

static void
model_change(struct model *m, const struct fcn_fib_route *change)
{
	struct fcn_prefix wanted = change->prefix;
	unsigned int i;

	fcn_prefix_normalise(&wanted);
	for (i = 0; i < m->n && !fcn_prefix_equal(&m->route[i].prefix, &wanted); i++)
		;
	if (change->next_hop == FCN_FIB_NO_ROUTE) {
		if (i < m->n)
			m->route[i] = m->route[--m->n];
		return;
	}
	m->route[i] = *change;
	m->route[i].prefix = wanted;
	if (i == m->n)
		m->n++;
}

/* A route that is there goes or is changed, or one comes; sometimes one that holds half of all. */
static struct fcn_fib_route
random_change(const struct model *m, uint64_t *seed)
{
	struct fcn_fib_route r;

	if (m->n > 0 && table_random(seed) % 2 == 0)
		r = m->route[table_random(seed) % m->n];
	else
		random_routes(&r, 1, seed, table_random(seed) % 2 ? 64 : 128);
	if (table_random(seed) % 4 == 0)
		r.prefix.addr.version = 4; /* of an IPv6 prefix: random_routes() begins with one */
	if (r.prefix.addr.version == 4 && r.prefix.len > 32)
		r.prefix.len = 8 + r.prefix.len % 25;
	if (table_random(seed) % 50 == 0)
		r.prefix.len = (uint8_t)(table_random(seed) % 4);
	r.next_hop = table_random(seed) % 2 ? 1 + (uint32_t)(table_random(seed) % 50)
					    : FCN_FIB_NO_ROUTE;
	return r;
}

/* Steps of so many changes each, begun with n routes; the table before each step stays as it was.
 */
static void
churn(struct model *m, unsigned int n, unsigned int steps, unsigned int changes, uint64_t seed)
{
	static struct model was;
	struct fcn_fib_route change[64];
	struct fcn_fib *fib;

	m->n = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_fib_route r;

		random_routes(&r, 1, &seed, 64);
		if (i % 2) {
			r.prefix = table_random_prefix(&seed, 4);
			r.prefix.len = 8 + r.prefix.len % 25;
		}
		model_change(m, &r);
	}
	fib = fib_create(m->route, m->n);
	for (unsigned int step = 0; step < steps; step++) {
		struct fcn_fib *next;

		was = *m;
		for (unsigned int k = 0; k < changes; k++) {
			change[k] = random_change(m, &seed);
			model_change(m, &change[k]);
		}
		next = fcn_fib_change(fib, "fib", change, changes, SOCKET_ID_ANY);
		assert_non_null(next);
		if (step % 16 == 0 || step + 1 == steps) {
			compare(next, m->route, m->n);
			compare(fib, was.route, was.n);
		}
		fcn_fib_free(fib);
		fib = next;
	}
	fcn_fib_free(fib);
}

static void
test_churn_small(void **state)
{
	static struct model m;
	size_t before = table_heap_used();

	RTE_SET_USED(state);
	for (uint64_t seed = 10; seed < 30; seed++)
		churn(&m, (unsigned int)seed * 10 % 300, 100, 1 + (unsigned int)seed % 5, seed);
	assert_int_equal(table_heap_used(), before);
}

static void
test_churn_large(void **state)
{
	static struct model m;
	size_t before = table_heap_used();

	RTE_SET_USED(state);
	churn(&m, MANY, 100, 1, 40);
	churn(&m, MANY, 100, 60, 41);
	assert_int_equal(table_heap_used(), before);
}

/* Down to nothing, one route at a time, and up again: pages become fewer, then more. */
static void
test_drain_and_fill(void **state)
{
	static struct model m;
	static struct fcn_fib_route routes[MANY];
	size_t before = table_heap_used(), full;
	struct fcn_fib *fib, *next;
	uint64_t seed = 50;

	RTE_SET_USED(state);
	random_routes(routes, MANY, &seed, 64);
	m.n = 0;
	for (unsigned int i = 0; i < MANY; i++)
		model_change(&m, &routes[i]);
	fib = fib_create(m.route, m.n);
	full = table_heap_used() - before;
	while (m.n > 0) {
		struct fcn_fib_route gone = m.route[table_random(&seed) % m.n];

		gone.next_hop = FCN_FIB_NO_ROUTE;
		model_change(&m, &gone);
		next = fcn_fib_change(fib, "fib", &gone, 1, SOCKET_ID_ANY);
		assert_non_null(next);
		fcn_fib_free(fib);
		fib = next;
		if (m.n % 200 == 0)
			compare(fib, m.route, m.n);
		if (m.n == MANY / 20)
			assert_in_range(table_heap_used() - before, 1, full / 4);
	}
	assert_in_range(table_heap_used() - before, 1, 1024);
	for (unsigned int i = 0; i < MANY; i++) {
		model_change(&m, &routes[i]);
		next = fcn_fib_change(fib, "fib", &routes[i], 1, SOCKET_ID_ANY);
		assert_non_null(next);
		fcn_fib_free(fib);
		fib = next;
	}
	compare(fib, m.route, m.n);
	assert_in_range(table_heap_used() - before, full / 2, 2 * full);
	fcn_fib_free(fib);
	assert_int_equal(table_heap_used(), before);
}

/* The more particular route goes: packets follow the next shorter one, whatever page that is in. */
static void
test_fall_back(void **state)
{
	static struct fcn_fib_route routes[3 * MANY];
	const struct fcn_fib_route gone[] = {route("2001:db8:100::/40", FCN_FIB_NO_ROUTE),
			route("2001:db8::/32", FCN_FIB_NO_ROUTE), route("::/0", FCN_FIB_NO_ROUTE)};
	struct fcn_fib *fib[4];
	unsigned int n = 0;

	RTE_SET_USED(state);
	routes[n++] = route("::/0", 1);
	routes[n++] = route("2001:db8::/32", 2);
	routes[n++] = route("2001:db8:100::/40", 3);
	while (n < RTE_DIM(routes)) {
		routes[n] = route("2001:db8:100::/56", 9);
		routes[n].prefix.addr.bytes[5] = (uint8_t)(n >> 8);
		routes[n].prefix.addr.bytes[6] = (uint8_t)n;
		n++;
	}
	fib[0] = fib_create(routes, n);
	for (unsigned int i = 0; i < RTE_DIM(gone); i++) {
		fib[i + 1] = fcn_fib_change(fib[i], "fib", &gone[i], 1, SOCKET_ID_ANY);
		assert_non_null(fib[i + 1]);
	}
	for (unsigned int i = 0; i < RTE_DIM(fib); i++) {
		assert_int_equal(lookup(fib[i], "2001:db8:1ff:ff00::1"), 3 - i);
		assert_int_equal(lookup(fib[i], "2001:db8:110:500::1"), 9);
		fcn_fib_free(fib[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_empty),
			cmocka_unit_test(test_one_family_empty),
			cmocka_unit_test(test_edges_small),
			cmocka_unit_test(test_edges_large),
			cmocka_unit_test(test_replace),
			cmocka_unit_test(test_bad_routes),
			cmocka_unit_test(test_linear_search_small),
			cmocka_unit_test(test_linear_search_large),
			cmocka_unit_test(test_many_hosts),
			cmocka_unit_test(test_several_tables),
			cmocka_unit_test(test_small_no_leak),
			cmocka_unit_test(test_out_of_memory),
			cmocka_unit_test(test_churn_small),
			cmocka_unit_test(test_churn_large),
			cmocka_unit_test(test_drain_and_fill),
			cmocka_unit_test(test_fall_back),
	};

	return cmocka_run_group_tests_name("fib", tests, table_eal_init, table_eal_cleanup);
}
