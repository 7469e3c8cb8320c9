/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Virtual time: events run by time, rank, and the order in which they were made. */

#include "fcn_sim.h"
#include "fcn_test.h"

#define N 200

static struct {
	unsigned int id[4096];
	uint64_t time[4096];
	unsigned int n;
} ran;

static void
note(void *arg, uint64_t now)
{
	ran.id[ran.n] = (unsigned int)(uintptr_t)arg;
	ran.time[ran.n++] = now;
}

static void
add(struct fcn_sim *sim, struct fcn_sim_event *ev, enum fcn_sim_rank rank, unsigned int id)
{
	assert_int_equal(fcn_sim_event_init(sim, ev, rank, note, (void *)(uintptr_t)id), 0);
}

TEST(time_rank_order)
{
	struct fcn_sim *sim = fcn_sim_create();
	struct fcn_sim_event ev[5];
	const unsigned int expected[] = {3, 2, 1, 4, 0};

	ran.n = 0;
	add(sim, &ev[0], FCN_SIM_ACTION, 0);
	add(sim, &ev[1], FCN_SIM_NODE, 1);
	add(sim, &ev[2], FCN_SIM_ARRIVAL, 2);
	add(sim, &ev[3], FCN_SIM_ACTION, 3);
	add(sim, &ev[4], FCN_SIM_NODE, 4);
	fcn_sim_schedule(sim, &ev[4], 10); /* made later than 1, which is scheduled later */
	fcn_sim_schedule(sim, &ev[1], 10);
	fcn_sim_schedule(sim, &ev[2], 10);
	fcn_sim_schedule(sim, &ev[3], 10);
	fcn_sim_schedule(sim, &ev[0], 11);
	assert_true(fcn_sim_next(sim) == 10);
	assert_false(fcn_sim_step(sim, 9));
	while (fcn_sim_step(sim, 11))
		;
	assert_int_equal(ran.n, 5);
	assert_memory_equal(ran.id, expected, sizeof(expected));
	assert_true(fcn_sim_now(sim) == 11 && fcn_sim_count(sim) == 5);
	assert_true(fcn_sim_next(sim) == FCN_SIM_NEVER);
	fcn_sim_free(sim);
}

TEST(moved_and_taken_back)
{
	struct fcn_sim *sim = fcn_sim_create();
	struct fcn_sim_event ev[3];
	const unsigned int expected[] = {2, 0};

	ran.n = 0;
	for (unsigned int i = 0; i < 3; i++) {
		add(sim, &ev[i], FCN_SIM_NODE, i);
		fcn_sim_schedule(sim, &ev[i], 10 + i);
	}
	fcn_sim_schedule(sim, &ev[0], 20);
	fcn_sim_schedule(sim, &ev[1], FCN_SIM_NEVER);
	fcn_sim_schedule(sim, &ev[1], FCN_SIM_NEVER);
	assert_true(fcn_sim_scheduled(sim, &ev[0]) == 20);
	assert_true(fcn_sim_scheduled(sim, &ev[1]) == FCN_SIM_NEVER);
	while (fcn_sim_step(sim, 100))
		;
	assert_int_equal(ran.n, 2);
	assert_memory_equal(ran.id, expected, sizeof(expected));
	/* not before now */
	fcn_sim_schedule(sim, &ev[1], 3);
	assert_true(fcn_sim_scheduled(sim, &ev[1]) == 20);
	fcn_sim_event_fini(sim, &ev[1]);
	assert_false(fcn_sim_step(sim, 100));
	fcn_sim_advance(sim, 50);
	assert_true(fcn_sim_now(sim) == 50);
	fcn_sim_free(sim);
}

/* Any schedule: what runs is the least of a plain list. */
TEST(as_a_sorted_list)
{
	struct fcn_sim *sim = fcn_sim_create();
	static struct fcn_sim_event ev[N];
	uint64_t time[N], order[N], seed = 1;

	for (unsigned int i = 0; i < N; i++) {
		add(sim, &ev[i], i % 3, i);
		time[i] = FCN_SIM_NEVER;
		order[i] = i % 3 * N + i;
	}
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int i = fcn_test_random(&seed) % N, least = 0;
		uint64_t at = fcn_sim_now(sim) + fcn_test_random(&seed) % 64;

		if (fcn_test_random(&seed) % 8 == 0)
			at = FCN_SIM_NEVER;
		fcn_sim_schedule(sim, &ev[i], at);
		time[i] = at;
		if (round % 2 == 0)
			continue;
		for (i = 1; i < N; i++) {
			if (time[i] < time[least] ||
					(time[i] == time[least] && time[i] != FCN_SIM_NEVER &&
							order[i] < order[least]))
				least = i;
		}
		ran.n = 0;
		if (time[least] == FCN_SIM_NEVER) {
			assert_false(fcn_sim_step(sim, FCN_SIM_NEVER - 1));
			continue;
		}
		assert_true(fcn_sim_step(sim, FCN_SIM_NEVER - 1));
		assert_int_equal(ran.n, 1);
		assert_int_equal(ran.id[0], least);
		assert_true(ran.time[0] == time[least]);
		time[least] = FCN_SIM_NEVER;
	}
	fcn_sim_free(sim);
}

/* Events that schedule themselves and others while they run, as nodes do. */
static struct {
	struct fcn_sim *sim;
	struct fcn_sim_event ev[8];
	uint64_t due[8], seed, last;
	unsigned int n;
} net;

static void
busy(void *arg, uint64_t now)
{
	unsigned int me = (unsigned int)(uintptr_t)arg;

	assert_true(net.due[me] == now && now >= net.last);
	net.last = now;
	net.due[me] = FCN_SIM_NEVER;
	for (unsigned int n = fcn_test_random(&net.seed) % 4; n > 0; n--) {
		unsigned int i = fcn_test_random(&net.seed) % RTE_DIM(net.ev);
		uint64_t least = FCN_SIM_NEVER;

		net.due[i] = fcn_test_random(&net.seed) % 10 == 0
					     ? FCN_SIM_NEVER
					     : now + fcn_test_random(&net.seed) % 5;
		fcn_sim_schedule(net.sim, &net.ev[i], net.due[i]);
		for (i = 0; i < RTE_DIM(net.ev); i++) {
			least = RTE_MIN(least, net.due[i]);
			assert_true(fcn_sim_scheduled(net.sim, &net.ev[i]) == net.due[i]);
		}
		assert_true(fcn_sim_next(net.sim) == least);
	}
	net.n++;
}

TEST(scheduled_from_within)
{
	memset(&net, 0, sizeof(net));
	net.sim = fcn_sim_create();
	for (unsigned int i = 0; i < RTE_DIM(net.ev); i++)
		assert_int_equal(fcn_sim_event_init(net.sim, &net.ev[i], i % 3, busy,
						 (void *)(uintptr_t)i),
				0);
	for (unsigned int round = 0; round < 1000; round++) {
		for (unsigned int i = 0; i < RTE_DIM(net.ev); i++) {
			net.due[i] = fcn_sim_now(net.sim) + 1 + i;
			fcn_sim_schedule(net.sim, &net.ev[i], net.due[i]);
		}
		for (unsigned int i = 0; i < 50 && fcn_sim_step(net.sim, FCN_SIM_NEVER - 1); i++)
			;
	}
	assert_true(net.n > 20000);
	fcn_sim_free(net.sim);
}
