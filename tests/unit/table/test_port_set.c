/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Sets of ports against arrays of bool. */

#include "fcn_port_set.h"
#include "table_test.h"

#define ROUNDS 20000

/* The first and the last ports of words of 64 bits; those that there are not are left out. */
static const unsigned int edges[] = {0, 1, 62, 63, 64, 65, 127, 128, 191, 192, 254, 255};

/* A set, and which ports it should have. */
struct model {
	struct fcn_port_set set;
	bool has[FCN_MAX_PORTS];
};

static void
check(const struct model *m)
{
	unsigned int n = 0, last = FCN_MAX_PORTS, at = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		assert_int_equal(fcn_port_set_has(&m->set, p), m->has[p]);
		n += m->has[p];
		if (m->has[p])
			last = p;
	}
	assert_int_equal(fcn_port_set_count(&m->set), n);
	assert_int_equal(fcn_port_set_is_empty(&m->set), n == 0);
	assert_int_equal(fcn_port_set_is_empty_atomic(&m->set), n == 0);
	assert_int_equal(fcn_port_set_last(&m->set), last);
	FCN_PORT_SET_FOREACH (p, &m->set) {
		for (; at < p; at++)
			assert_false(m->has[at]);
		assert_true(m->has[at++]);
		n--;
	}
	assert_int_equal(n, 0);
	for (; at < FCN_MAX_PORTS; at++)
		assert_false(m->has[at]);
}

/* Change one port, at random or at an edge of a word. */
static void
change(struct model *m, uint64_t *seed)
{
	unsigned int p = fcn_test_below(seed, FCN_MAX_PORTS);

	if (fcn_test_below(seed, 2) == 0)
		p = edges[fcn_test_below(seed, RTE_DIM(edges))] % FCN_MAX_PORTS;
	switch (fcn_test_below(seed, 5)) {
	case 0:
		fcn_port_set_add(&m->set, p);
		m->has[p] = true;
		break;
	case 1:
		fcn_port_set_add_atomic(&m->set, p);
		m->has[p] = true;
		break;
	case 2:
		fcn_port_set_flip(&m->set, p);
		m->has[p] = !m->has[p];
		break;
	default: /* more often than it is added, so that it becomes empty again */
		fcn_port_set_remove(&m->set, p);
		m->has[p] = false;
		break;
	}
}

/* Combine two sets. */
static void
combine(struct model *a, const struct model *b, uint64_t *seed)
{
	const unsigned int how = fcn_test_below(seed, 3);
	bool meets = false, same = true;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		meets |= a->has[p] && b->has[p];
		same &= a->has[p] == b->has[p];
	}
	assert_int_equal(fcn_port_set_meets(&a->set, &b->set), meets);
	assert_int_equal(fcn_port_set_is_same(&a->set, &b->set), same);
	if (how == 0)
		fcn_port_set_or(&a->set, &b->set);
	else if (how == 1)
		fcn_port_set_and(&a->set, &b->set);
	else
		fcn_port_set_and_not(&a->set, &b->set);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (how == 0)
			a->has[p] = a->has[p] || b->has[p];
		else
			a->has[p] = a->has[p] && b->has[p] == (how == 1);
	}
}

TEST(as_bool_array)
{
	static struct model m[2];
	uint64_t seed = 33;

	check(&m[0]);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct model *a = &m[fcn_test_below(&seed, 2)];

		change(a, &seed);
		if (fcn_test_below(&seed, 20) == 0)
			combine(a, a == &m[0] ? &m[1] : &m[0], &seed);
		check(a);
	}
}

TEST(one_and_all)
{
	struct model m = {.set = fcn_port_set_all()};

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		m.has[p] = true;
	check(&m);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct model one = {.set = fcn_port_set_of(p)};

		one.has[p] = true;
		check(&one);
		assert_int_equal(fcn_port_set_next(&m.set, p), p);
	}
	assert_int_equal(fcn_port_set_next(&m.set, FCN_MAX_PORTS), FCN_MAX_PORTS);
}

TEST(taken)
{
	for (unsigned int i = 0; i < RTE_DIM(edges) && edges[i] < FCN_MAX_PORTS; i++) {
		struct fcn_port_set set = fcn_port_set_of(edges[i]), taken;

		fcn_port_set_add_atomic(&set, 7);
		taken = fcn_port_set_take_atomic(&set);
		assert_true(fcn_port_set_is_empty(&set));
		assert_int_equal(fcn_port_set_count(&taken), 2);
		assert_true(fcn_port_set_has(&taken, 7));
		assert_true(fcn_port_set_has(&taken, edges[i]));
	}
}

/* What the statement of a loop removes is not visited, and the loop goes on. */
TEST(removed_within_loop)
{
	struct fcn_port_set set = fcn_port_set_all();
	unsigned int n = 0;

	FCN_PORT_SET_FOREACH (p, &set) {
		assert_int_equal(p, 2 * n);
		n++;
		fcn_port_set_remove(&set, p);
		fcn_port_set_remove(&set, p + 1);
	}
	assert_int_equal(n, FCN_MAX_PORTS / 2);
	assert_true(fcn_port_set_is_empty(&set));
}
