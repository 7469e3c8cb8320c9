/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* QCN: levels from the formula, and every edge of its states. */

#include "test_detector.h"

/* floor(8 * |Fb| / (qeq * (2w + 1))), at most 7, in whole numbers; -1 when Fb >= 0. */
static int
formula_level(uint32_t qeq, uint32_t w, uint32_t q, uint32_t q_old)
{
	__int128 fb = -(((__int128)q - qeq) + (__int128)w * ((__int128)q - q_old));
	__int128 full = (__int128)qeq * (2 * w + 1);
	int level = 0;

	if (fb >= 0)
		return -1;
	while (level < 7 && 8 * -fb >= (level + 1) * full)
		level++;
	return level;
}

TEST(table)
{
	static const uint32_t qeqs[] = {1, 1500, 26000, 50000, 1000000000};
	static const uint32_t weights[] = {0, 1, 2, 64};

	for (size_t e = 0; e < RTE_DIM(qeqs); e++) {
		for (size_t k = 0; k < RTE_DIM(weights); k++) {
			struct fcn_detector_conf conf = {.qeq = qeqs[e], .weight = weights[k]};
			uint64_t step = RTE_MAX(qeqs[e] / 13, 1u);

			for (uint64_t q = 0; q <= 4ull * qeqs[e] && q <= UINT32_MAX; q += step) {
				for (uint64_t o = 0; o <= 4ull * qeqs[e] && o <= UINT32_MAX;
						o += step) {
					int want = formula_level(qeqs[e], weights[k], q, o);
					uint32_t x = fcn_qcn_quantise(&conf, q, o);

					assert_int_equal(fcn_qcn_is_negative(&conf, q, o),
							want >= 0);
					assert_int_equal(x >> 3, RTE_MAX(want, 0));
					assert_true(x <= 63);
				}
			}
		}
	}
}

/*
 * All edges of the 6-bit value: x holds from |Fb| = ceil(x * full / 64) on, and
 * level l from x = 8 * l on. A queue that stands has |Fb| = q - qeq.
 */
TEST(edges)
{
	static const uint32_t qeqs[] = {64, 1500, 26000, 33333, 1000000000};
	static const uint32_t weights[] = {0, 1, 2};

	for (size_t e = 0; e < RTE_DIM(qeqs); e++) {
		for (size_t k = 0; k < RTE_DIM(weights); k++) {
			struct fcn_detector_conf conf = {.qeq = qeqs[e], .weight = weights[k]};
			uint64_t full = (uint64_t)conf.qeq * (2 * conf.weight + 1);

			for (uint64_t x = 1; x <= 64; x++) {
				uint64_t fb = (x * full + 63) / 64, q = conf.qeq + fb;

				if (q > UINT32_MAX)
					continue;
				assert_int_equal(fcn_qcn_quantise(&conf, q, q),
						RTE_MIN(x, UINT64_C(63)));
				assert_int_equal(fcn_qcn_quantise(&conf, q - 1, q - 1), x - 1);
				assert_int_equal(formula_level(conf.qeq, conf.weight, q, q),
						RTE_MIN(x / 8, UINT64_C(7)));
			}
		}
	}
}

/* Worked on paper: qeq 26000, w 2, full scale 130000. */
TEST(paper)
{
	const struct fcn_detector_conf conf = {.qeq = 26000, .weight = 2};

	assert_false(fcn_qcn_is_negative(&conf, 26000, 26000)); /* Fb = 0 */
	assert_int_equal(fcn_qcn_quantise(&conf, 26000, 26000), 0);
	assert_true(fcn_qcn_is_negative(&conf, 26001, 26001));      /* Fb = -1 */
	assert_true(fcn_qcn_is_negative(&conf, 10000, 1999));       /* 16000 - 2 * 8001 = -2 */
	assert_false(fcn_qcn_is_negative(&conf, 10000, 2000));      /* 16000 - 2 * 8000 = 0 */
	assert_int_equal(fcn_qcn_quantise(&conf, 42250, 42250), 8); /* 64 * 16250 / 130000 */
	assert_int_equal(fcn_qcn_quantise(&conf, 42249, 42249), 7);
	assert_int_equal(fcn_qcn_quantise(&conf, 52000, 0), 63); /* |Fb| = 130000: past the end */
	assert_int_equal(fcn_qcn_quantise(&conf, 52000, 1016), 62); /* 127968: 62.9996 */
}

/* w 0: Fb = qeq - q and full scale qeq = 6400, so q = 6400 + 100 * x has the 6-bit value x. */
static const struct fcn_detector_conf qcn = {
		.type = FCN_DETECTOR_QCN,
		.qeq = 6400,
		.weight = 0,
		.sample = 1000,
		.leave = 3200,
		.hold_ns = 500,
		.level_hold_ns = 4000,
};

static uint32_t
q_of(uint32_t x)
{
	return 6400 + 100 * x;
}

/* An arrival that completes a sample. */
static int
sample(struct fcn_detector *d, uint32_t x, uint64_t now)
{
	return arrive(d, &qcn, q_of(x), 1000, now);
}

TEST(sampling)
{
	struct fcn_detector d;

	fcn_detector_reset(&d);
	/* 999 bytes are no sample, whatever the occupancy; the 1000th is. */
	assert_int_equal(arrive(&d, &qcn, q_of(63), 999, 0), NONE);
	assert_int_equal(d.q_old, 0);
	assert_int_equal(arrive(&d, &qcn, q_of(16), 1, 1), 2);
	assert_int_equal(d.q_old, q_of(16));
	assert_int_equal(d.arrived, 0);
	/* Congested: every arrival is told the level of the last sample. */
	assert_int_equal(arrive(&d, &qcn, q_of(63), 999, 2), 2);
	assert_int_equal(arrive(&d, &qcn, q_of(63), 1, 3), 7);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.entered_ns, 1);
}

TEST(entry_level)
{
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 0, 0), NONE);
	assert_int_equal(sample(&d, 7, 1), NONE); /* level 0 does not enter */
	assert_false(d.congested);
	assert_int_equal(sample(&d, 8, 2), 1);
	assert_true(d.congested);
}

TEST(level_hold)
{
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 16, 100), 2);
	assert_int_equal(sample(&d, 24, 101), 3); /* a rise counts at once */
	assert_int_equal(sample(&d, 63, 102), 7);
	/* A fall does not before 4000 ns, counted from the last change. */
	assert_int_equal(sample(&d, 8, 102 + 3999), 7);
	assert_int_equal(sample(&d, 8, 102 + 4000), 1);
	assert_int_equal(sample(&d, 1, 102 + 4000 + 3999), 1);
	assert_int_equal(sample(&d, 1, 102 + 4000 + 4000), 0); /* level 0 is one, too */
	/* That nothing is asked for counts at once. */
	assert_int_equal(sample(&d, 0, 102 + 4000 + 4001), NONE);
	assert_true(d.congested);
}

/* The value just below a level's lower edge is still in the level; the next one is not. */
TEST(one_step)
{
	struct fcn_detector d;

	for (int level = 1; level <= 7; level++) {
		uint64_t now = 1000000;

		fcn_detector_reset(&d);
		assert_int_equal(sample(&d, 8 * level, now), level);
		assert_int_equal(sample(&d, 8 * level - 1, now += 10000), level);
		assert_int_equal(sample(&d, 8 * level - 2, now += 10000), level - 1);
		/* From below, the same value is the lower level. */
		assert_int_equal(sample(&d, 8 * level - 1, now += 10000), level - 1);
	}
}

TEST(nothing_asked)
{
	struct fcn_detector d;
	uint64_t now = 0;

	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 16, now), 2);
	/* Fb >= 0 with occupancy above leave: congested, but nothing is asked for. */
	now += 4000;
	assert_int_equal(arrive(&d, &qcn, 6400, 1000, now), NONE);
	assert_true(d.congested);
	assert_int_equal(d.leaves, 0);
	assert_int_equal(sample(&d, 3, now + 1), 0); /* asked again: still congested, level 0 */
	assert_int_equal(d.enters, 1);
}

TEST(hold)
{
	struct fcn_detector d;
	uint64_t now = 10000;

	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 63, now), 7);
	assert_int_equal(arrive(&d, &qcn, 3199, 1, now + 100), 7);
	assert_int_equal(arrive(&d, &qcn, 3199, 1, now + 599), 7); /* 499 ns */
	/* Once not below: it starts anew. */
	assert_int_equal(arrive(&d, &qcn, 3200, 1, now + 599), 7);
	assert_int_equal(arrive(&d, &qcn, 3199, 1, now + 600), 7);
	assert_int_equal(arrive(&d, &qcn, 1, 1, now + 1099), 7);
	assert_true(d.congested);
	assert_int_equal(arrive(&d, &qcn, 3199, 1, now + 1100), NONE);
	assert_false(d.congested);
	assert_int_equal(d.leaves, 1);
	assert_int_equal(d.level, NONE);
	/* It was over before this packet came; sampling began afresh with what it found. */
	assert_int_equal(d.q_old, 3198);
	assert_int_equal(d.arrived, 1);
	/* And in again, at once. */
	assert_int_equal(sample(&d, 63, now + 1101), 7);
	assert_int_equal(d.enters, 2);
	assert_int_equal(d.entered_ns, now + 1101);
}

/* Where sampling begins afresh when congestion ends otherwise. */
TEST(restart)
{
	struct fcn_detector_conf conf = qcn;
	struct fcn_detector d;

	/* By a tick: with what is left behind. */
	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 63, 0), 7);
	assert_int_equal(arrive(&d, &conf, 12700, 77, 1), 7);
	assert_int_equal(d.arrived, 77);
	fcn_detector_tick(&d, &conf, 3000, 0, 10);
	fcn_detector_tick(&d, &conf, 2900, 0, 510);
	assert_false(d.congested);
	assert_int_equal(d.q_old, 2900);
	assert_int_equal(d.arrived, 0);
	/* Without a hold, by an arrival: with that packet. */
	conf.hold_ns = 0;
	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 63, 0), 7);
	assert_int_equal(arrive(&d, &conf, 3199, 1000, 1), NONE);
	assert_false(d.congested);
	assert_int_equal(d.q_old, 3199);
	assert_int_equal(d.arrived, 0);
}

/*
 * Growth alone may enter below leave: w 64, q 2000 from 0 is
 * |Fb| = 2000 - 6400 + 64 * 2000 = 123600, full scale 6400 * 129, level 1.2.
 * Occupancy is below leave from that very moment.
 */
TEST(enter_below_leave)
{
	struct fcn_detector_conf conf = qcn;
	struct fcn_detector d;

	conf.weight = 64;
	fcn_detector_reset(&d);
	assert_int_equal(arrive(&d, &conf, 2000, 1000, 100), 1);
	assert_int_equal(fcn_detector_next(&d, &conf), 600);
	fcn_detector_tick(&d, &conf, 2000, 0, 599);
	assert_true(d.congested);
	fcn_detector_tick(&d, &conf, 2000, 0, 600);
	assert_false(d.congested);
	assert_int_equal(d.left_ns, 600);
}
