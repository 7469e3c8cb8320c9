/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Levels from the formulas, and every edge of the detectors' states. */

#include <math.h>

#include "fcn_detector.h"
#include "fcn_test.h"

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

static void
test_qcn_table(void **state)
{
	static const uint32_t qeqs[] = {1, 1500, 26000, 50000, 1000000000};
	static const uint32_t weights[] = {0, 1, 2, 64};

	RTE_SET_USED(state);
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

/* Worked on paper: qeq 26000, w 2, full scale 130000. */
static void
test_qcn_paper(void **state)
{
	const struct fcn_detector_conf conf = {.qeq = 26000, .weight = 2};

	RTE_SET_USED(state);
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
	return fcn_detector_arrival(d, &qcn, q_of(x), 1000, now);
}

static void
test_qcn_sampling(void **state)
{
	struct fcn_detector d;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	/* 999 bytes are no sample, whatever the occupancy; the 1000th is. */
	assert_int_equal(fcn_detector_arrival(&d, &qcn, q_of(63), 999, 0), FCN_LEVEL_NONE);
	assert_int_equal(d.q_old, 0);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, q_of(16), 1, 1), 2);
	assert_int_equal(d.q_old, q_of(16));
	assert_int_equal(d.arrived, 0);
	/* Congested: every arrival is told the level of the last sample. */
	assert_int_equal(fcn_detector_arrival(&d, &qcn, q_of(63), 999, 2), 2);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, q_of(63), 1, 3), 7);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.entered_ns, 1);
}

static void
test_qcn_entry_level(void **state)
{
	struct fcn_detector d;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 0, 0), FCN_LEVEL_NONE);
	assert_int_equal(sample(&d, 7, 1), FCN_LEVEL_NONE); /* level 0 does not enter */
	assert_false(d.congested);
	assert_int_equal(sample(&d, 8, 2), 1);
	assert_true(d.congested);
}

static void
test_qcn_level_hold(void **state)
{
	struct fcn_detector d;

	RTE_SET_USED(state);
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
	assert_int_equal(sample(&d, 0, 102 + 4000 + 4001), FCN_LEVEL_NONE);
	assert_true(d.congested);
}

/* The value just below a level's lower edge is still in the level; the next one is not. */
static void
test_qcn_one_step(void **state)
{
	struct fcn_detector d;

	RTE_SET_USED(state);
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

static void
test_qcn_nothing_asked(void **state)
{
	struct fcn_detector d;
	uint64_t now = 0;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 16, now), 2);
	/* Fb >= 0 with occupancy above leave: congested, but nothing is asked for. */
	now += 4000;
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 6400, 1000, now), FCN_LEVEL_NONE);
	assert_true(d.congested);
	assert_int_equal(d.leaves, 0);
	assert_int_equal(sample(&d, 3, now + 1), 0); /* asked again: still congested, level 0 */
	assert_int_equal(d.enters, 1);
}

static void
test_qcn_hold(void **state)
{
	struct fcn_detector d;
	uint64_t now = 10000;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	assert_int_equal(sample(&d, 63, now), 7);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 3199, 1, now + 100), 7);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 3199, 1, now + 599), 7); /* 499 ns */
	/* Once not below: it starts anew. */
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 3200, 1, now + 599), 7);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 3199, 1, now + 600), 7);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 0, 1, now + 1099), 7);
	assert_true(d.congested);
	assert_int_equal(fcn_detector_arrival(&d, &qcn, 3199, 1, now + 1100), FCN_LEVEL_NONE);
	assert_false(d.congested);
	assert_int_equal(d.leaves, 1);
	assert_int_equal(d.level, FCN_LEVEL_NONE);
	assert_int_equal(d.q_old, 3199);
	assert_int_equal(d.arrived, 0);
	/* And in again, at once. */
	assert_int_equal(sample(&d, 63, now + 1101), 7);
	assert_int_equal(d.enters, 2);
	assert_int_equal(d.entered_ns, now + 1101);
}

static struct fcn_detector_conf
step_conf(uint32_t enter, uint32_t leave, uint32_t limit)
{
	struct fcn_detector_conf conf = {
			.type = FCN_DETECTOR_STEP, .enter = enter, .leave = leave, .limit = limit};

	fcn_step_levels(&conf);
	return conf;
}

static void
test_step_states(void **state)
{
	struct fcn_detector_conf conf = step_conf(20000, 10000, 100000);
	struct fcn_detector d;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 19999, 1, 1), FCN_LEVEL_NONE);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 20000, 1, 2), 0);
	assert_int_equal(d.entered_ns, 2);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 10000, 1, 3), 0); /* not below leave */
	assert_int_equal(fcn_detector_arrival(&d, &conf, 9999, 1, 4), FCN_LEVEL_NONE);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 19999, 1, 5), FCN_LEVEL_NONE);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.leaves, 1);
	/* leave = enter is allowed: no hysteresis */
	conf = step_conf(20000, 20000, 100000);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 20000, 1, 6), 0);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 19999, 1, 7), FCN_LEVEL_NONE);
}

static void
test_step_hold(void **state)
{
	struct fcn_detector_conf conf = step_conf(20000, 10000, 100000);
	struct fcn_detector d;

	RTE_SET_USED(state);
	conf.hold_ns = 1000;
	conf.level_hold_ns = 4000;
	fcn_detector_reset(&d);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 100000, 1, 100), 7);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 50000, 1, 4099), 7);
	/* log2(50000 / 20000) * 7 / log2(5) = 3.98 */
	assert_int_equal(fcn_detector_arrival(&d, &conf, 50000, 1, 4100), 3);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 9999, 1, 4200), 3);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 9999, 1, 5199), 3);
	assert_int_equal(fcn_detector_arrival(&d, &conf, 9999, 1, 5200), FCN_LEVEL_NONE);
	assert_int_equal(d.leaves, 1);
}

/* Edges that are whole numbers: limit / enter = 2^7, (3/2)^7, (10/9)^7. */
static void
test_step_level_exact(void **state)
{
	static const uint32_t two[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000};
	static const uint32_t threehalf[] = {128, 192, 288, 432, 648, 972, 1458, 2187};
	static const uint32_t tenninth[] = {
			4782969, 5314410, 5904900, 6561000, 7290000, 8100000, 9000000, 10000000};
	static const uint32_t *const rows[] = {two, threehalf, tenninth};

	RTE_SET_USED(state);
	for (size_t r = 0; r < RTE_DIM(rows); r++) {
		struct fcn_detector_conf conf = step_conf(rows[r][0], 1, rows[r][7]);

		for (int l = 0; l <= 7; l++) {
			assert_int_equal(fcn_step_level(&conf, rows[r][l]), l);
			assert_int_equal(fcn_step_level(&conf, rows[r][l] - 1), RTE_MAX(l - 1, 0));
			assert_int_equal(fcn_step_level(&conf, rows[r][l] + 1), l);
		}
		assert_int_equal(fcn_step_level(&conf, UINT32_MAX), 7);
	}
}

static int
clamp_level(double exact)
{
	return exact < 0 ? 0 : exact >= 7 ? 7 : (int)floor(exact);
}

/* Elsewhere in floating point; where that is within 1e-9 of an edge it cannot tell. */
static void
test_step_level_formula(void **state)
{
	static const uint32_t pairs[][2] = {{20000, 100000}, {1, 1000000000}, {1500, 1501},
			{26000, 1000000}, {999999999, 1000000000}, {100000, 101000}};
	unsigned int looked = 0;

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(pairs); i++) {
		uint32_t enter = pairs[i][0], limit = pairs[i][1];
		struct fcn_detector_conf conf = step_conf(enter, 1, limit);
		uint64_t step = RTE_MAX((limit - enter) / 5000, 1u);

		for (uint64_t q = enter; q <= limit; q += step) {
			double exact = log2((double)q / enter) * 7 / log2((double)limit / enter);

			if (fabs(exact - round(exact)) < 1e-9)
				continue;
			assert_int_equal(fcn_step_level(&conf, q), clamp_level(exact));
			looked++;
		}
	}
	assert_true(looked > 15000);
}

/* A threshold at or above the limit leaves no scale: above it loss is next. */
static void
test_step_level_no_scale(void **state)
{
	struct fcn_detector_conf conf = step_conf(1000, 500, 1000);

	RTE_SET_USED(state);
	assert_int_equal(fcn_step_level(&conf, 1000), 0);
	assert_int_equal(fcn_step_level(&conf, 1001), 7);
	conf = step_conf(2000, 500, 1000);
	assert_int_equal(fcn_step_level(&conf, 2000), 0);
	assert_int_equal(fcn_step_level(&conf, 2001), 7);
}

static void
test_off(void **state)
{
	const struct fcn_detector_conf off = {.type = FCN_DETECTOR_OFF};
	struct fcn_detector d;

	RTE_SET_USED(state);
	fcn_detector_reset(&d);
	assert_int_equal(fcn_detector_arrival(&d, &off, UINT32_MAX, 65535, 1), FCN_LEVEL_NONE);
	assert_false(d.congested);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_qcn_table),
			cmocka_unit_test(test_qcn_paper),
			cmocka_unit_test(test_qcn_sampling),
			cmocka_unit_test(test_qcn_entry_level),
			cmocka_unit_test(test_qcn_level_hold),
			cmocka_unit_test(test_qcn_one_step),
			cmocka_unit_test(test_qcn_nothing_asked),
			cmocka_unit_test(test_qcn_hold),
			cmocka_unit_test(test_step_states),
			cmocka_unit_test(test_step_hold),
			cmocka_unit_test(test_step_level_exact),
			cmocka_unit_test(test_step_level_formula),
			cmocka_unit_test(test_step_level_no_scale),
			cmocka_unit_test(test_off),
	};

	return cmocka_run_group_tests_name("detector", tests, NULL, NULL);
}
