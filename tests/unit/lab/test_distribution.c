/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Percentiles against sorted numbers. */

#include "distribution.h"
#include "fcn_test.h"

#define MANY 20000

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Nearest rank on paper: of n sorted numbers the ceil(n * p / 1000)th. */
static uint64_t
want_percentile(const uint64_t *sorted, size_t n, unsigned int permille)
{
	size_t rank = (n * permille + 999) / 1000;

	return sorted[rank == 0 ? 0 : rank - 1];
}

static const unsigned int parts[] = {0, 1, 10, 250, 500, 950, 990, 999, 1000};

TEST(few)
{
	struct lab_distribution d = {0};
	uint64_t v[LAB_DISTRIBUTION_EXACT], seed = 3;

	assert_int_equal(lab_distribution_percentile(&d, 500), 0);
	assert_int_equal(lab_distribution_mean(&d), 0);
	assert_null(lab_distribution_json(&d, 1));
	for (unsigned int i = 0; i < LAB_DISTRIBUTION_EXACT; i++) {
		v[i] = fcn_test_random(&seed) >> (i % 60);
		lab_distribution_add(&d, v[i]);
	}
	qsort(v, LAB_DISTRIBUTION_EXACT, sizeof(v[0]), compare);
	for (unsigned int i = 0; i < RTE_DIM(parts); i++)
		assert_int_equal(lab_distribution_percentile(&d, parts[i]),
				want_percentile(v, LAB_DISTRIBUTION_EXACT, parts[i]));
	assert_int_equal(d.min, v[0]);
	assert_int_equal(d.max, v[LAB_DISTRIBUTION_EXACT - 1]);
	lab_distribution_free(&d);
}

/* Within half a step of 1 in 128, those below 128 exact. */
TEST(many)
{
	static uint64_t v[MANY];
	struct lab_distribution d = {0};
	unsigned __int128 sum = 0;
	uint64_t seed = 4;

	for (unsigned int i = 0; i < MANY; i++) {
		v[i] = fcn_test_random(&seed) >> (4 + i % 60);
		sum += v[i];
		lab_distribution_add(&d, v[i]);
	}
	qsort(v, MANY, sizeof(v[0]), compare);
	for (unsigned int i = 0; i <= 1000; i++) {
		uint64_t want = want_percentile(v, MANY, i);
		uint64_t got = lab_distribution_percentile(&d, i);

		if (want < 128)
			assert_int_equal(got, want);
		else
			assert_true((double)got > (double)want * .995 &&
					(double)got < (double)want * 1.005);
	}
	assert_int_equal(lab_distribution_mean(&d), (uint64_t)((sum + MANY / 2) / MANY));
	assert_int_equal(lab_distribution_percentile(&d, 1000), v[MANY - 1]);
	assert_false(d.failed);
	lab_distribution_free(&d);
}

/* 10 holds for 989, 20 for 10 and 30 for 1 of 1000. */
TEST(weights)
{
	struct lab_distribution d = {0};

	lab_distribution_weigh(&d, 30, 1);
	lab_distribution_weigh(&d, 10, 900);
	lab_distribution_weigh(&d, 40, 0);
	lab_distribution_weigh(&d, 20, 10);
	lab_distribution_weigh(&d, 10, 89);
	assert_int_equal(lab_distribution_percentile(&d, 500), 10);
	assert_int_equal(lab_distribution_percentile(&d, 989), 10);
	assert_int_equal(lab_distribution_percentile(&d, 990), 20);
	assert_int_equal(lab_distribution_percentile(&d, 999), 20);
	assert_int_equal(lab_distribution_percentile(&d, 1000), 30);
	/* (9890 + 200 + 30) / 1000 = 10.12 */
	assert_int_equal(lab_distribution_mean(&d), 10);
	assert_int_equal(d.max, 30);
	lab_distribution_free(&d);
}

/* Where octaves and steps begin and end. */
TEST(edges)
{
	static const uint64_t edge[] = {0, 1, 127, 128, 129, 255, 256, 257, 511, 512,
			(1ull << 32) - 1, 1ull << 32, 1ull << 63, UINT64_MAX};

	for (unsigned int i = 0; i < RTE_DIM(edge); i++) {
		struct lab_distribution d = {0};
		uint64_t got;

		/* not alone, so that minimum and maximum do not help */
		lab_distribution_weigh(&d, 0, 1);
		lab_distribution_weigh(&d, edge[i], 8);
		lab_distribution_weigh(&d, UINT64_MAX, 1);
		got = lab_distribution_percentile(&d, 500);
		assert_true((double)got >= (double)edge[i] * .995 &&
				(double)got <= (double)edge[i] * 1.005);
		if (edge[i] < 256)
			assert_int_equal(got, edge[i]);
		lab_distribution_free(&d);
	}
}

TEST(json)
{
	struct lab_distribution d = {0};
	json_t *o;
	char *text;

	for (unsigned int i = 1; i <= 100; i++)
		lab_distribution_add(&d, 1000 + i);
	o = lab_distribution_json(&d, 1000);
	text = json_dumps(o, JSON_REAL_PRECISION(15));
	/* the mean, 1050.5, is rounded */
	assert_string_equal(text,
			"{\"min\": 1.001, \"mean\": 1.051, \"p50\": 1.05, \"p95\": 1.095, "
			"\"p99\": 1.099, \"max\": 1.1}");
	free(text);
	json_decref(o);
	lab_distribution_free(&d);
}
