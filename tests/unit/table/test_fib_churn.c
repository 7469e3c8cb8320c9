/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Tables made of others by many changes, compared with a model. */

#include "fcn_fib.h"
#include "table_test.h"
#include "fib_util.h"

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

	if (m->n > 0 && fcn_test_random(seed) % 2 == 0)
		r = m->route[fcn_test_random(seed) % m->n];
	else
		random_routes(&r, 1, seed, fcn_test_random(seed) % 2 ? 64 : 128);
	if (fcn_test_random(seed) % 4 == 0)
		r.prefix.addr.version = 4; /* of an IPv6 prefix: random_routes() begins with one */
	if (r.prefix.addr.version == 4 && r.prefix.len > 32)
		r.prefix.len = 8 + r.prefix.len % 25;
	if (fcn_test_random(seed) % 50 == 0)
		r.prefix.len = (uint8_t)(fcn_test_random(seed) % 4);
	r.next_hop = fcn_test_random(seed) % 2 ? 1 + (uint32_t)(fcn_test_random(seed) % 50)
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

TEST_FIXTURE(FCN_TEST_EAL);

TEST(churn_small)
{
	static struct model m;
	size_t before = table_heap_used();

	for (uint64_t seed = 10; seed < 30; seed++)
		churn(&m, (unsigned int)seed * 10 % 300, 100, 1 + (unsigned int)seed % 5, seed);
	assert_int_equal(table_heap_used(), before);
}

TEST(churn_large)
{
	static struct model m;
	size_t before = table_heap_used();

	churn(&m, MANY, 100, 1, 40);
	churn(&m, MANY, 100, 60, 41);
	assert_int_equal(table_heap_used(), before);
}

/* Down to nothing, one route at a time, and up again: pages become fewer, then more. */
TEST(drain_and_fill)
{
	static struct model m;
	static struct fcn_fib_route routes[MANY];
	size_t before = table_heap_used(), full;
	struct fcn_fib *fib, *next;
	uint64_t seed = 50;

	random_routes(routes, MANY, &seed, 64);
	m.n = 0;
	for (unsigned int i = 0; i < MANY; i++)
		model_change(&m, &routes[i]);
	fib = fib_create(m.route, m.n);
	full = table_heap_used() - before;
	while (m.n > 0) {
		struct fcn_fib_route gone = m.route[fcn_test_random(&seed) % m.n];

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
TEST(fall_back)
{
	static struct fcn_fib_route routes[3 * MANY];
	const struct fcn_fib_route gone[] = {route("2001:db8:100::/40", FCN_FIB_NO_ROUTE),
			route("2001:db8::/32", FCN_FIB_NO_ROUTE), route("::/0", FCN_FIB_NO_ROUTE)};
	struct fcn_fib *fib[4];
	unsigned int n = 0;

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
