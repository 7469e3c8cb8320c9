/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Keys of hash functions: the fixed one, and secret ones, under which other things meet. */

#include "fcn_hash_key.h"
#include "table_test.h"

#define N 4096
#define PLACES 1024

#define PAIR 0x0070da00f5e264bc
#define OTHER_PAIR 0xcd2b7ce6f21a303f

TEST(fixed)
{
	struct fcn_hash_key fixed, other;

	fcn_hash_key_make(&fixed, 0);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(fixed.word[i], 0);
	/* as it has always been: (a ^ word 0) * (b ^ word 1), by Python */
	assert_true(fcn_hash_pair(&fixed, 0x0123456789abcdef, 0xfedcba9876543210) == PAIR);
	assert_true(fcn_hash_other_pair(&fixed, 0x0123456789abcdef, 0xfedcba9876543210) ==
			OTHER_PAIR);
	fcn_hash_key_make(&other, 1);
	assert_true(fcn_hash_pair(&other, 0x0123456789abcdef, 0xfedcba9876543210) != PAIR);
}

/* What meets in one place under one key is spread under another: as many meet as by chance. */
TEST(spread)
{
	struct fcn_hash_key one, two;
	unsigned int n = 0, met = 0;
	uint64_t place = 0, where = 0;

	fcn_hash_key_make(&one, 1);
	fcn_hash_key_make(&two, 2);
	place = fcn_hash_pair(&one, 0, 7) % PLACES;
	for (uint64_t i = 0; n < N; i++) {
		if (fcn_hash_pair(&one, i, 7) % PLACES != place)
			continue;
		if (n++ == 0)
			where = fcn_hash_pair(&two, i, 7) % PLACES;
		met += fcn_hash_pair(&two, i, 7) % PLACES == where;
	}
	assert_in_range(met, 1, 5 * N / PLACES);
}
