/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "host_timer.h"
#include "fcn_test.h"

#define N 100

/* The heap against an array that is searched. */
TEST(against_a_model)
{
	struct fcn_host_timer timer[N] = {{0}};
	struct fcn_host_timers t = {.heap = NULL};
	bool set[N] = {false};
	uint64_t due[N] = {0}, seed = 3;

	assert_int_equal(fcn_host_timers_reserve(&t, N), 0);
	assert_null(fcn_host_timer_first(&t));
	for (unsigned int step = 0; step < 200000; step++) {
		uint64_t r = fcn_test_random(&seed), min = UINT64_MAX;
		unsigned int i = r % N;
		const struct fcn_host_timer *first;

		if (r >> 32 & 3) {
			due[i] = r >> 40 & 0xFF;
			set[i] = true;
			fcn_host_timer_set(&t, &timer[i], due[i]);
		} else {
			set[i] = false;
			fcn_host_timer_stop(&t, &timer[i]);
		}
		for (unsigned int k = 0; k < N; k++) {
			assert_int_equal(timer[k].pos != 0, set[k]);
			if (set[k])
				min = RTE_MIN(min, due[k]);
		}
		first = fcn_host_timer_first(&t);
		if (first == NULL)
			assert_true(min == UINT64_MAX);
		else
			assert_int_equal(first->due, min);
		/* no timer is due before the one above it */
		for (uint32_t k = 2; k <= t.n; k++)
			assert_true(t.heap[k / 2]->due <= t.heap[k]->due);
	}
	fcn_host_timers_free(&t);
}

TEST(in_order)
{
	struct fcn_host_timer timer[N] = {{0}}, *first;
	struct fcn_host_timers t = {.heap = NULL};
	uint64_t last = 0, seed = 4;
	unsigned int n = 0;

	assert_int_equal(fcn_host_timers_reserve(&t, N / 2), 0);
	for (unsigned int i = 0; i < N / 2; i++)
		fcn_host_timer_set(&t, &timer[i], fcn_test_random(&seed));
	assert_int_equal(fcn_host_timers_reserve(&t, N), 0);
	for (unsigned int i = N / 2; i < N; i++)
		fcn_host_timer_set(&t, &timer[i], fcn_test_random(&seed));
	while ((first = fcn_host_timer_first(&t)) != NULL) {
		assert_true(first->due >= last);
		last = first->due;
		fcn_host_timer_stop(&t, first);
		fcn_host_timer_stop(&t, first);
		n++;
	}
	assert_int_equal(n, N);
	fcn_host_timers_free(&t);
}
