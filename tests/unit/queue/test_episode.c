/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Congestion episodes: what is kept of them; and which flows a queue's bytes belong to. */

#include "fcn_detector.h"
#include "fcn_episode.h"
#include "fcn_flow_occupancy.h"
#include "fcn_test.h"

static struct fcn_episodes e;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	memset(&e, 0, sizeof(e));
	return 0;
}

TEST_FIXTURE(.setup = setup);

TEST(one_episode)
{
	fcn_episode_begin(&e, 1000);
	assert_int_equal(e.n_ended, 0);
	assert_int_equal(e.current.max_level, FCN_LEVEL_NONE);
	assert_int_equal(e.current.end_ns, 0);
	fcn_episode_arrival(&e, 5000, 1000, false, FCN_LEVEL_NONE, 1000);
	assert_int_equal(e.current.max_level, FCN_LEVEL_NONE);
	fcn_episode_arrival(&e, 5999, 999, false, 0, 1001);
	assert_int_equal(e.current.over_bytes, 0);
	fcn_episode_arrival(&e, 6000, 64, true, 3, 1002); /* at the threshold: over */
	fcn_episode_arrival(&e, 9000, 1500, true, 5, 1003);
	fcn_episode_arrival(&e, 9000, 1500, true, 4, 1004); /* as high, later */
	fcn_episode_arrival(&e, 8999, 200, true, FCN_LEVEL_NONE, 1005);
	fcn_episode_arrival(&e, 100, 100, false, 0, 1006);
	e.current.marked = 4;
	e.current.dropped = 2;
	fcn_episode_notice(&e, 7);
	fcn_episode_end(&e, 2000);

	assert_int_equal(e.n_ended, 1);
	assert_int_equal(e.kept[0].start_ns, 1000);
	assert_int_equal(e.kept[0].end_ns, 2000);
	assert_int_equal(e.kept[0].peak_bytes, 9000);
	assert_int_equal(e.kept[0].peak_ns, 1003);
	assert_int_equal(e.kept[0].max_level, 5);
	assert_int_equal(e.kept[0].packets, 7);
	assert_int_equal(e.kept[0].bytes, 1000 + 999 + 64 + 1500 + 1500 + 200 + 100);
	assert_int_equal(e.kept[0].over_bytes, 64 + 1500 + 1500 + 200);
	assert_int_equal(e.kept[0].notices, 1);
	assert_int_equal(e.kept[0].flows, 1);
	assert_int_equal(e.kept[0].marked, 4);
	assert_int_equal(e.kept[0].dropped, 2);

	/* Nothing is left of it in the next. */
	fcn_episode_begin(&e, 3000);
	assert_memory_equal(&e.current,
			&((struct fcn_episode){.start_ns = 3000, .max_level = FCN_LEVEL_NONE}),
			sizeof(e.current));
	fcn_episode_notice(&e, 7);
	assert_int_equal(e.current.flows, 1);
}

/* The last sixteen are kept, each at its number. */
TEST(kept)
{
	for (uint64_t k = 0; k < 2 * FCN_EPISODES_KEPT + 5; k++) {
		fcn_episode_begin(&e, 100 * k + 1);
		fcn_episode_end(&e, 100 * k + 50);
	}
	assert_int_equal(e.n_ended, 37);
	for (uint64_t k = 37 - 16; k < 37; k++) {
		assert_int_equal(e.kept[k % 16].start_ns, 100 * k + 1);
		assert_int_equal(e.kept[k % 16].end_ns, 100 * k + 50);
	}
}

/* Each flow counts once, whatever slots their hashes ask for, up to the size of the table. */
TEST(flows)
{
	uint64_t hash[FCN_EPISODE_FLOWS];
	uint64_t seed = 5;

	fcn_episode_begin(&e, 1);
	for (unsigned int i = 0; i < FCN_EPISODE_FLOWS; i++) {
		/* Of the first ones, all ask for the same slot. */
		hash[i] = i < 40 ? (uint64_t)(i + 1) * FCN_EPISODE_FLOWS : fcn_test_random(&seed);
		fcn_episode_notice(&e, hash[i]);
		assert_int_equal(e.current.flows, i + 1);
		fcn_episode_notice(&e, hash[fcn_test_random(&seed) % (i + 1)]);
		assert_int_equal(e.current.flows, i + 1);
	}
	for (unsigned int i = 0; i < FCN_EPISODE_FLOWS; i++)
		fcn_episode_notice(&e, hash[i]);
	assert_int_equal(e.current.flows, FCN_EPISODE_FLOWS);
	assert_false(e.current.more_flows);
	assert_int_equal(e.current.notices, 3 * FCN_EPISODE_FLOWS);
	fcn_episode_notice(&e, 1);
	assert_true(e.current.more_flows);
	assert_int_equal(e.current.flows, FCN_EPISODE_FLOWS);
	fcn_episode_notice(&e, 2);
	assert_int_equal(e.current.flows, FCN_EPISODE_FLOWS);
	assert_int_equal(e.current.notices, 3 * FCN_EPISODE_FLOWS + 2);
}

/* A hash of nothing but zeros, or one that folds to zero, is a flow like any other. */
TEST(flow_of_zeros)
{
	fcn_episode_begin(&e, 1);
	fcn_episode_notice(&e, 0);
	assert_int_equal(e.current.flows, 1);
	fcn_episode_notice(&e, 0);
	assert_int_equal(e.current.flows, 1);
	/* Both halves of a hash tell flows apart. */
	fcn_episode_notice(&e, UINT64_C(5));
	fcn_episode_notice(&e, UINT64_C(6));
	fcn_episode_notice(&e, UINT64_C(5) << 32 | 0x100);
	fcn_episode_notice(&e, UINT64_C(9) << 32 | 5);
	assert_int_equal(e.current.flows, 5);
}

static uint64_t
hash_of_slot(uint32_t slot)
{
	return (uint64_t)slot << 32 | 0x12345678;
}

TEST_WITH(share_on_paper, NULL, NULL)
{
	static struct fcn_flow_occupancy s;
	uint32_t a = fcn_flow_slot(hash_of_slot(1)), b = fcn_flow_slot(hash_of_slot(2)),
		 c = fcn_flow_slot(hash_of_slot(3));

	assert_true(a != b && b != c && a != c);
	memset(&s, 0, sizeof(s));
	/* Alone in the queue, it is all of it. */
	assert_true(fcn_flow_is_heavy(&s, a, 60, 60));
	fcn_flow_occupancy_add(&s, a, 9000);
	fcn_flow_occupancy_add(&s, b, 800);
	assert_int_equal(s.n, 2);
	/* Two flows: a quarter of the queue is asked for. */
	assert_true(fcn_flow_is_heavy(&s, a, 100, 9900));
	assert_false(fcn_flow_is_heavy(&s, b, 100, 9900));  /* 3600 */
	assert_false(fcn_flow_is_heavy(&s, b, 1674, 9900)); /* 9896 */
	assert_true(fcn_flow_is_heavy(&s, b, 1675, 9900));  /* 9900 */
	/* A new flow counts itself: a sixth. */
	assert_false(fcn_flow_is_heavy(&s, c, 1649, 9900));
	assert_true(fcn_flow_is_heavy(&s, c, 1650, 9900));
	assert_int_equal(s.n, 2);
	/* Gone is gone. */
	fcn_flow_occupancy_remove(&s, a, 4000);
	assert_int_equal(s.n, 2);
	fcn_flow_occupancy_remove(&s, a, 5000);
	assert_int_equal(s.n, 1);
	assert_true(fcn_flow_is_heavy(&s, b, 60, 860));
	/* Beyond 32 bits. */
	fcn_flow_occupancy_add(&s, b, 3000000000u);
	assert_true(fcn_flow_is_heavy(&s, b, 60, UINT32_MAX));
}

/* At least one of the flows in a queue holds its part of it: somebody can be told, always. */
TEST_WITH(share_model, NULL, NULL)
{
	static struct fcn_flow_occupancy s;
	static uint64_t held[FCN_FLOW_SLOTS];
	uint32_t slot[500], len[500], n = 0;
	uint64_t seed = 3, bytes = 0;

	memset(&s, 0, sizeof(s));
	for (unsigned int i = 0; i < 20000; i++) {
		if (n < 500 && fcn_test_random(&seed) % 100 < ((i / 700) % 2 ? 60u : 45u)) {
			slot[n] = fcn_flow_slot(fcn_test_random(&seed)) % 40;
			len[n] = 60 + fcn_test_random(&seed) % 1455;
			fcn_flow_occupancy_add(&s, slot[n], len[n]);
			bytes += len[n];
			held[slot[n]] += len[n];
			n++;
		} else if (n > 0) {
			uint32_t k = fcn_test_random(&seed) % n;

			fcn_flow_occupancy_remove(&s, slot[k], len[k]);
			bytes -= len[k];
			held[slot[k]] -= len[k];
			slot[k] = slot[--n];
			len[k] = len[n];
		}
		if (i % 10 == 0) {
			uint32_t flows = 0, some = 0;

			for (unsigned int f = 0; f < FCN_FLOW_SLOTS; f++) {
				assert_int_equal(s.bytes[f], held[f]);
				flows += held[f] != 0;
			}
			assert_int_equal(s.n, flows);
			for (unsigned int f = 0; f < 40; f++) {
				uint32_t with = flows + (held[f] == 0);
				bool want = (double)(held[f] + 64) >=
					    (double)(bytes + 64) / (2.0 * with);

				assert_int_equal(fcn_flow_is_heavy(&s, f, 64, bytes + 64), want);
				some += want;
			}
			assert_true(some > 0);
		}
	}
}
