/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * No flow is reordered, whatever its packets are like and whatever comes between them, with workers
 * that have their turns in any order, and ports that take what they like.
 */

#include "group_mix.h"

#define STEPS 400

/* Check whether there is room for the packets of a step. */
static bool
has_room(void)
{
	for (unsigned int p = 0; p < OUTCOME_QUEUES; p++) {
		if (bench.port[p].n_in + MIX_BURST > RTE_DIM(bench.port[p].in))
			return false;
	}
	return rte_mempool_avail_count(bench.pool) > 800;
}

/*
 * Each step brings more packets, of which the workers take what they come to. In every fourth
 * stretch of steps one worker is away, and what comes for it has to wait.
 */
static void
run(unsigned int workers, uint64_t seed, struct mix *mix, struct outcome *o)
{
	group_begin(workers);
	mix_configure();
	mix_begin(mix, seed);
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		const unsigned int stretch = step / 20;

		group.away = workers > 1 && stretch % 4 == 3 ? 1u << stretch % workers : 0;
		group.now += mix_below(mix, 1000);
		for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
			bench.port[p].accept = (uint16_t)mix_below(
					mix, p < MIX_CONGESTED ? 200 : 30);
		if (has_room())
			mix_arrive(mix);
		group_turns(2 * workers);
	}
	group.away = 0;
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		bench.port[p].accept = UINT16_MAX;
	group_settle();
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	mix_unconfigure();
	group_end();
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(order)
{
	for (unsigned int n = 1; n <= GROUP_WORKERS; n++) {
		static struct outcome o;
		static struct mix mix;

		for (uint64_t seed = 1; seed <= fcn_test_effort(2); seed++) {
			run(n, 10 * n + seed, &mix, &o);
			outcome_check_order(&o);
			assert_true(o.n_frames > 20000);
			assert_int_equal(o.conservation.queued, 0);
			assert_int_equal(o.conservation.between, 0);
			assert_true(o.sums.port[6].drop[FCN_DROP_QUEUE_BYTES] +
							o.sums.port[0].drop[FCN_DROP_QUEUE_BYTES] >
					0);
			outcome_reset(&o);
		}
	}
}
