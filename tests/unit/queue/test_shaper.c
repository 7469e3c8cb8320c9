/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* One shaper: octets on the wire, rates to the bit, what idling and late polls give back. */

#include "fcn_shaper.h"
#include "fcn_test.h"

/* Frames below 60 are padded on the wire; FCS, preamble and gap as one likes to count them. */
TEST(bytes)
{
	static const struct {
		uint32_t overhead;
		uint32_t len;
		uint32_t bytes;
	} v[] = {
			{24, 14, 84},
			{24, 59, 84},
			{24, 60, 84},
			{24, 61, 85},
			{24, 1514, 1538},
			{20, 60, 80}, /* FCS counted by others, or lengths that include it */
			{20, 1518, 1538},
			{0, 14, 60},
			{0, 60, 60},
			{0, 65535, 65535},
	};

	for (unsigned int i = 0; i < RTE_DIM(v); i++) {
		const struct fcn_shaper_conf conf = {.bps = 1, .overhead = v[i].overhead};

		assert_int_equal(fcn_shaper_bytes(&conf, v[i].len), v[i].bytes);
	}
	assert_int_equal(FCN_SHAPER_OVERHEAD, 24);
}

/* No rate: always ready, never charged. */
TEST(off)
{
	const struct fcn_shaper_conf conf = {.overhead = 24};
	struct fcn_shaper s = {0};

	fcn_shaper_charge(&s, &conf, 1514, 1000);
	assert_true(fcn_shaper_ready(&s, &conf, 0));
	assert_int_equal(fcn_shaper_next(&s, &conf, 7), 7);
	assert_int_equal(s.next_ns, 0);
}

/*
 * Back to back, polled when it says: packet k starts at ceil(octets before it
 * * 8 / rate), for 10 ms or 2000 packets and rates from a bit to 400 Gbit a second.
 */
TEST(exact)
{
	static const uint64_t bps[] = {1, 999, 64000, 1000000, 123456789, 1000000000, 2999999999,
			3000000000, 7777777777, 10000000000, 25000000001, 99999999999,
			400000000000};
	static const uint32_t overhead[] = {0, 20, 24};
	uint64_t seed = 3;

	for (unsigned int r = 0; r < RTE_DIM(bps); r++) {
		const struct fcn_shaper_conf conf = {.bps = bps[r], .overhead = overhead[r % 3]};
		unsigned __int128 octets = 0;
		struct fcn_shaper s = {0};
		uint64_t now = 0;

		for (unsigned int k = 0; k < 2000 || now < 10000000; k++) {
			uint32_t len = 60 + fcn_test_random(&seed) % 1455;
			uint64_t start = (octets * 8000000000 + bps[r] - 1) / bps[r];

			now = fcn_shaper_next(&s, &conf, now);
			assert_int_equal(now, start);
			assert_true(fcn_shaper_ready(&s, &conf, now));
			assert_true(now == 0 || !fcn_shaper_ready(&s, &conf, now - 1));
			fcn_shaper_charge(&s, &conf, len, now);
			octets += len + conf.overhead;
		}
	}
}

/* 1 Gbit/s, 125 octets a microsecond: a frame of 226 takes 2 us. */
TEST(slack)
{
	const struct fcn_shaper_conf conf = {.bps = 1000000000, .slack_ns = 10000, .overhead = 24};
	struct fcn_shaper s = {0};
	unsigned int n = 0;

	/* Fresh, at the beginning of time: 10 us are made up for, 5 frames; then one that is due.
	 */
	for (n = 0; fcn_shaper_ready(&s, &conf, 0); n++)
		fcn_shaper_charge(&s, &conf, 226, 0);
	assert_int_equal(n, 6);
	assert_int_equal(fcn_shaper_next(&s, &conf, 0), 2000);
	/* Idle for long: the same, no more. */
	for (n = 0; fcn_shaper_ready(&s, &conf, 1000000); n++)
		fcn_shaper_charge(&s, &conf, 226, 1000000);
	assert_int_equal(n, 6);
	assert_false(fcn_shaper_ready(&s, &conf, 1001999));
	assert_int_equal(fcn_shaper_next(&s, &conf, 1001999), 1002000);
	fcn_shaper_charge(&s, &conf, 226, 1002000);
	/* 9 us late: all made up for. Starts at 1004000, 6000, 8000, 10000, 12000. */
	for (n = 0; fcn_shaper_ready(&s, &conf, 1013000); n++)
		fcn_shaper_charge(&s, &conf, 226, 1013000);
	assert_int_equal(n, 5);
	assert_int_equal(fcn_shaper_next(&s, &conf, 1013000), 1014000);
}

/* Without slack what was missed is missed. */
TEST(no_slack)
{
	const struct fcn_shaper_conf conf = {.bps = 1000000000, .overhead = 24};
	struct fcn_shaper s = {0};

	fcn_shaper_charge(&s, &conf, 226, 1000);
	assert_int_equal(fcn_shaper_next(&s, &conf, 1000), 3000);
	fcn_shaper_charge(&s, &conf, 226, 3001);
	assert_int_equal(fcn_shaper_next(&s, &conf, 3001), 5001);
}

/* Another rate: what is owed stays owed in octets. A frame of 976 counts 1000. */
TEST(reconfigure)
{
	const struct fcn_shaper_conf slow = {.bps = 1000, .overhead = 24};
	const struct fcn_shaper_conf fast = {.bps = UINT64_C(10000000000), .overhead = 24};
	const struct fcn_shaper_conf odd = {.bps = 3, .overhead = 24};
	const struct fcn_shaper_conf off = {0};
	struct fcn_shaper s = {0};

	fcn_shaper_reconfigure(&s, &slow, 0);
	fcn_shaper_charge(&s, &slow, 976, 5);
	assert_int_equal(fcn_shaper_next(&s, &slow, 5), 5 + UINT64_C(8000000000));
	/* 7 s later 125 octets are left: 100 ns at 10G. Then back: one second. */
	fcn_shaper_reconfigure(&s, &slow, 5 + UINT64_C(7000000000));
	fcn_shaper_reconfigure(&s, &fast, 5 + UINT64_C(7000000000));
	assert_int_equal(fcn_shaper_next(&s, &fast, 0), 5 + UINT64_C(7000000100));
	fcn_shaper_reconfigure(&s, &slow, 5 + UINT64_C(7000000000));
	assert_int_equal(fcn_shaper_next(&s, &slow, 0), 5 + UINT64_C(8000000000));
	/* 1000 bits at 3 bits/s: 333.3 s, and exactly that at 1000 again. */
	fcn_shaper_reconfigure(&s, &odd, 5 + UINT64_C(7000000000));
	assert_int_equal(fcn_shaper_next(&s, &odd, 0),
			5 + UINT64_C(7000000000) + UINT64_C(333333333334));
	fcn_shaper_reconfigure(&s, &slow, 5 + UINT64_C(7000000000));
	assert_int_equal(fcn_shaper_next(&s, &slow, 0), 5 + UINT64_C(8000000000));
	/* Without a shaper nothing is owed, and nothing when one comes again. */
	fcn_shaper_reconfigure(&s, &off, 5 + UINT64_C(7000000000));
	fcn_shaper_reconfigure(&s, &slow, 5 + UINT64_C(7000000000));
	assert_true(fcn_shaper_ready(&s, &slow, 5 + UINT64_C(7000000000)));
	/* What was paid long ago is not owed anew. */
	fcn_shaper_charge(&s, &slow, 976, UINT64_C(20000000000));
	fcn_shaper_reconfigure(&s, &fast, UINT64_C(40000000000));
	assert_true(fcn_shaper_ready(&s, &fast, UINT64_C(40000000000)));
}

/* In no span of time more than the rate allows and the burst, polled at any times. */
TEST(never_more)
{
	const struct fcn_shaper_conf conf = {.bps = 3000000000, .slack_ns = 5000, .overhead = 24};
	static uint64_t at[4000], before[4000];
	uint64_t now = 123456, octets = 0, seed = 9;
	struct fcn_shaper s = {0};
	unsigned int n = 0;

	while (n < RTE_DIM(at)) {
		while (n < RTE_DIM(at) && fcn_shaper_ready(&s, &conf, now)) {
			uint32_t len = 60 + fcn_test_random(&seed) % 1455;

			at[n] = now;
			before[n++] = octets;
			fcn_shaper_charge(&s, &conf, len, now);
			octets += len + 24;
		}
		now += fcn_test_random(&seed) % (fcn_test_random(&seed) % 8 == 0 ? 20000 : 1000);
	}
	/* From the start of any to that of any later: 3 bits a nanosecond, the burst, and the bit
	 * that a fraction of a nanosecond may hold. */
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = i; k < n; k++)
			assert_true((before[k] - before[i]) * 8 <=
					(at[k] - at[i] + conf.slack_ns) * 3 + 3);
	assert_true(octets > 1000000);
}
