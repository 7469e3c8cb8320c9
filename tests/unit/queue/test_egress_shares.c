/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Deficit round robin: shares by weight over long runs, for many weights and lengths. */

#include "test_egress.h"

/* Below a multiple of the least quantum all are multiples: turns end with nothing left. */
static uint32_t
random_len(uint32_t most, uint64_t *seed)
{
	if (most % FCN_DRR_QUANTUM == 0)
		return FCN_DRR_QUANTUM * (1 + fcn_test_random(seed) % (most / FCN_DRR_QUANTUM));
	return 60 + fcn_test_random(seed) % (most - 59);
}

/*
 * While all are backlogged a packet leaves in the round whose quanta cover
 * all bytes of its class up to its own: in round ceil(bytes / quantum), the
 * classes of a round one after the other. So who is next follows from sums
 * alone, and after r rounds a class has sent r quanta less a part of a packet.
 *
 * @return whole rounds
 */
static uint64_t
check_shares(const uint16_t weight[FCN_CLASSES], const uint32_t max_len[FCN_CLASSES],
		unsigned int packets, uint64_t *seed)
{
	uint32_t quantum[FCN_CLASSES], head[FCN_CLASSES];
	uint64_t sent[FCN_CLASSES] = {0}, rounds = 0;

	fcn_egress_quanta(weight, 0, quantum);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		conf.queue[c].quantum = quantum[c];
		head[c] = random_len(max_len[c], seed);
		fill(c, 1, head[c]);
	}
	for (unsigned int i = 0; i < packets; i++) {
		uint64_t best = UINT64_MAX;
		unsigned int next = 0;
		uint32_t len;

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			uint64_t round = (sent[c] + head[c] + quantum[c] - 1) / quantum[c];

			if (round < best) {
				best = round;
				next = c;
			}
		}
		/* Whole rounds are over: the shares are exact to less than a packet. */
		for (unsigned int c = 0; best > rounds + 1 && c < FCN_CLASSES; c++) {
			assert_true(sent[c] <= (best - 1) * quantum[c]);
			assert_true(sent[c] + max_len[c] > (best - 1) * quantum[c]);
		}
		rounds = best - 1;
		len = random_len(max_len[next], seed);
		fill(next, 1, len);
		assert_int_equal(pull(0), next);
		sent[next] += head[next];
		head[next] = len;
	}
	return rounds;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST(shares)
{
	static const uint16_t weight[][FCN_CLASSES] = {
			{1, 1, 1, 1, 1, 1, 1, 1},
			{1, 2, 3, 4, 5, 6, 7, 8},
			{10, 20, 30, 40, 50, 60, 70, 80},
			{100, 1, 1, 1, 1, 1, 1, 1},
			{3, 5, 7, 11, 13, 17, 19, 23},
			{2, 2, 4, 4, 8, 8, 16, 16},
	};
	static const uint32_t max_len[][FCN_CLASSES] = {
			{60, 60, 60, 60, 60, 60, 60, 60},
			{1514, 1514, 1514, 1514, 1514, 1514, 1514, 1514},
			{60, 1514, 9214, 60, 1514, 9214, 65535, 777},
			{65535, 60, 60, 60, 60, 60, 60, 65535},
			{64000, 64000, 64000, 64000, 64000, 64000, 64000, 64000},
			{9600, 8000, 1600, 64000, 1514, 16000, 9214, 4800},
	};
	uint64_t seed = 1;

	for (unsigned int w = 0; w < RTE_DIM(weight); w++) {
		for (unsigned int l = 0; l < RTE_DIM(max_len); l++) {
			assert_true(check_shares(weight[w], max_len[l], 30000, &seed) > 5);
			teardown(state);
			setup(state);
		}
	}
}

TEST(shares_random)
{
	uint64_t seed = 2, rounds = 0;

	for (unsigned int i = 0; i < 100; i++) {
		uint16_t weight[FCN_CLASSES];
		uint32_t max_len[FCN_CLASSES];

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			weight[c] = 1 + fcn_test_random(&seed) % (1u << fcn_test_random(&seed) % 7);
			max_len[c] = 60 + fcn_test_random(&seed) %
							  (1u << (6 + fcn_test_random(&seed) % 10));
		}
		rounds += check_shares(weight, max_len, 20000, &seed);
		teardown(state);
		setup(state);
	}
	assert_true(rounds > 5000);
}
