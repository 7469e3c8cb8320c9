/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Series: what they keep and write. */

#include "fcn_test.h"
#include "series.h"

#define POINTS 1000000u

TEST(on_change_only)
{
	struct lab_series_set *set = lab_series_create();
	struct lab_series *s = lab_series_add(set, "queue", "s1.p1.3", false);

	assert_ptr_equal(lab_series_add(set, "queue", "s1.p1.3", false), s);
	lab_series_put(s, 0, 5);
	lab_series_put(s, 10, 5);
	lab_series_put(s, 20, 6);
	lab_series_put(s, 20, 7);
	lab_series_put(s, 30, 7);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->point[1].time_ns, 20);
	assert_int_equal(s->point[1].value, 7);
	lab_series_end(s, 15);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->point[1].time_ns, 15);
	assert_int_equal(s->point[1].value, 0);
	lab_series_free(set);
}

/* The highest and lowest numbers stay, each with its time, however many points there are; so do
 * those of any long stretch of time, within that stretch. */
TEST(thinning_keeps_extremes)
{
	static uint64_t high[10], low[10], at_high[10], at_low[10];
	struct lab_series_set *set = lab_series_create();
	struct lab_series *s = lab_series_add(set, "queue", "q", false);
	uint64_t seed = 11, last = 0;

	memset(low, 0xff, sizeof(low));
	for (unsigned int i = 0; i < POINTS; i++) {
		uint64_t value = 1000 + fcn_test_random(&seed) % 1000000;
		unsigned int part = i / (POINTS / 10);

		lab_series_put(s, (uint64_t)i * 10, value);
		if (value > high[part]) {
			high[part] = value;
			at_high[part] = (uint64_t)i * 10;
		}
		if (value < low[part]) {
			low[part] = value;
			at_low[part] = (uint64_t)i * 10;
		}
		assert_true(s->n <= LAB_SERIES_MAX);
	}
	/* so many that they were thinned out, and not to next to nothing */
	assert_true(s->n > LAB_SERIES_STRETCHES);
	assert_int_equal(s->point[0].time_ns, 0);
	for (unsigned int part = 0; part < 10; part++) {
		unsigned int found = 0;

		for (uint32_t i = 0; i < s->n; i++)
			found += (s->point[i].time_ns == at_high[part] &&
						 s->point[i].value == high[part]) +
				 (s->point[i].time_ns == at_low[part] &&
						 s->point[i].value == low[part]);
		assert_int_equal(found, 2);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		assert_true(i == 0 || s->point[i].time_ns > last);
		last = s->point[i].time_ns;
	}
	assert_int_equal(last, (uint64_t)(POINTS - 1) * 10);
	lab_series_free(set);
}

static char *
written(const struct lab_series_set *set)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(lab_series_write(set, out), 0);
	fclose(out);
	return text;
}

/* By time, at the same time in the order they were added. */
TEST(written)
{
	static const char want[] = "time_ns,what,where,value\n"
				   "0,queue,s1.p1.3,0\n"
				   "0,rate,a,10000000000\n"
				   "5,notice,s1.p1.3,2\n"
				   "5,notice,s1.p1.3,3\n"
				   "7,queue,s1.p1.3,40\n"
				   "7,rate,a,5\n"
				   "9,queue,s1.p1.3,41\n";
	struct lab_series_set *set = lab_series_create();
	struct lab_series *q = lab_series_add(set, "queue", "s1.p1.3", false);
	struct lab_series *r = lab_series_add(set, "rate", "a", false);
	struct lab_series *n = lab_series_add(set, "notice", "s1.p1.3", true);
	char *text;

	lab_series_put(q, 0, 0);
	lab_series_put(r, 0, 10000000000);
	lab_series_put(n, 5, 2);
	lab_series_put(n, 5, 3);
	lab_series_put(r, 7, 5);
	lab_series_put(q, 7, 40);
	lab_series_put(q, 9, 41);
	text = written(set);
	assert_string_equal(text, want);
	free(text);
	lab_series_free(set);
}
