/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* When the frames on a serializer leave, compared with the closed forms of the arithmetic. */

#include "fcn_serializer.h"
#include "fcn_test.h"

#define GBPS UINT64_C(1000000000)

/*
 * Frames of 1000 bytes take (1000 + 24) * 8 = 8192 bits each. The last bit of the n-th of them
 * leaves at n * 8192 / bps seconds, rounded up to a whole nanosecond, without an error that grows.
 */
TEST(back_to_back)
{
	const uint64_t rates[] = {3 * GBPS, 7 * GBPS, 25 * GBPS, 400 * GBPS, 999999937};

	for (unsigned int r = 0; r < RTE_DIM(rates); r++) {
		struct fcn_serializer serializer = {.bps = rates[r]};

		for (uint64_t n = 1; n <= 100000; n++) {
			uint64_t whole = n * 8192 * GBPS / rates[r];
			uint64_t rest = n * 8192 * GBPS % rates[r];

			assert_true(fcn_serializer_send(&serializer, 1000,
						    fcn_serializer_ready(&serializer)) ==
					whole + (rest > 0));
		}
	}
}

/* Ethernet's shortest frame is 60 bytes without FCS: 84 with the overhead, 672 ns at 1 Gbit/s. */
TEST(padded)
{
	struct fcn_serializer serializer = {.bps = GBPS};

	assert_true(fcn_serializer_send(&serializer, 1, 0) == 672);
	assert_true(fcn_serializer_send(&serializer, 60, 672) == 2 * 672);
	assert_true(fcn_serializer_send(&serializer, 61, 2 * 672) == 2 * 672 + 680);
}

/* A serializer that was idle starts at the time of the frame, and the old fraction is forgotten. */
TEST(idle)
{
	struct fcn_serializer serializer = {.bps = 3 * GBPS};

	assert_true(fcn_serializer_send(&serializer, 1000, 0) == 2731); /* 2730 2/3 */
	assert_true(fcn_serializer_send(&serializer, 1000, 5000) == 7731);
	assert_true(fcn_serializer_send(&serializer, 1000, 7731) == 10462); /* 5000 + 5461 1/3 */
}

/*
 * The bits of 3000000000 bytes, times 10^9, do not fit into 64 bits: (3000000000 + 24) * 8 bits
 * take 8000000064 ns at 3 Gbit/s. Then a short frame continues with the exact fraction.
 */
TEST(huge)
{
	struct fcn_serializer serializer = {.bps = 3 * GBPS};

	assert_true(fcn_serializer_send(&serializer, 3000000000, 0) == 8000000064);
	assert_true(fcn_serializer_send(&serializer, 3000000001, 8000000064) ==
			16000000131); /* 130 2/3 */
	assert_true(fcn_serializer_send(&serializer, 1000, 16000000131) ==
			16000002862); /* 2861 1/3 */
}

/* The frame on its way ends at the old speed; the next of the same length takes the new time. */
TEST(speed)
{
	struct fcn_serializer serializer = {.bps = 3 * GBPS};

	assert_true(fcn_serializer_send(&serializer, 1000, 0) == 2731);
	fcn_serializer_speed(&serializer, 3 * GBPS); /* the speed it has: the fraction stays */
	fcn_serializer_speed(&serializer, 0);        /* ignored */
	assert_true(fcn_serializer_send(&serializer, 1000, 2731) == 5462); /* 5461 1/3 */
	fcn_serializer_speed(&serializer, GBPS);
	assert_true(fcn_serializer_ready(&serializer) == 5462);
	assert_true(fcn_serializer_send(&serializer, 1000, 5462) == 5462 + 8192);
}
