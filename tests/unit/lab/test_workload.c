/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Workloads against arithmetic on paper: means, quantiles, how many messages there are. */

#include <errno.h>
#include <math.h>

#include "lab_util.h"
#include "workload.h"

TEST(means)
{
	/* 750 + 750 + 2500 + 4000 + 8450 + 9800 + 60000 + 150000 + 350000 + 525000 + 600000 */
	assert_true(fabs(lab_sizes_mean(lab_sizes_find("websearch")) - 1711250) < 1e-3);
	/* .5 + 8 + 32.5 + 63.75 + 120 + 85 + 105 + 135 + 370 + 4000 + 3250 + 3000 + 10500 +
	 * 16250 + 22500 + 60000 */
	assert_true(fabs(lab_sizes_mean(lab_sizes_find("hadoop")) - 120419.75) < 1e-3);
	/* 458.6 + 2776.8 + 1368 + 2366.4 + 1468.8 + 3110.4 + 1459.2 + 27861.6 */
	assert_true(fabs(lab_sizes_mean(lab_sizes_find("alistorage")) - 40869.8) < 1e-3);
	assert_null(lab_sizes_find("web"));
}

TEST(quantiles)
{
	const struct lab_sizes *w = lab_sizes_find("websearch");

	assert_int_equal(lab_sizes_at(w, 0), 1);
	assert_int_equal(lab_sizes_at(w, 0.075), 5000);
	assert_int_equal(lab_sizes_at(w, 0.5), 50000 + 30000 * 10 / 13);
	assert_int_equal(lab_sizes_at(w, 0.7), 1000000);
	assert_int_equal(lab_sizes_at(w, 0.75), 1500000);
	assert_int_equal(lab_sizes_at(w, 1), 30000000);
}

TEST(files)
{
	struct lab_sizes d;
	char err[100];

	assert_int_equal(lab_sizes_read("# bytes percent\n0 0\n1000 50\n 2K\t75% # half\r\n\n4Ki "
					"100",
					 &d, err, sizeof(err)),
			0);
	assert_int_equal(d.n, 3);
	assert_int_equal(lab_sizes_at(&d, 0.25), 500);
	assert_int_equal(lab_sizes_at(&d, 0.625), 1500);
	assert_int_equal(lab_sizes_at(&d, 1), 4096);
	/* 500 * .5 + 1500 * .25 + 3048 * .25 */
	assert_true(fabs(lab_sizes_mean(&d) - 1387) < 1e-6);
	lab_sizes_free(&d);
	/* one size: a step */
	assert_int_equal(lab_sizes_read("1000 0\n1000 100\n", &d, err, sizeof(err)), 0);
	assert_int_equal(lab_sizes_at(&d, 0.5), 1000);
	lab_sizes_free(&d);
}

/* A line of 100000 points: all sizes up to a million are as likely. */
TEST(many_points)
{
	const unsigned int n = 100000;
	struct lab_sizes d;
	char *text, err[100];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned int i = 1; i <= n; i++)
		fprintf(out, "%u %.4f\n", 10 * i, 100. * i / n);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(lab_sizes_read(text, &d, err, sizeof(err)), 0);
	assert_int_equal(d.n, n);
	assert_true(fabs(lab_sizes_mean(&d) - 500000) < 1);
	for (unsigned int i = 0; i <= 1000; i++)
		assert_in_range(lab_sizes_at(&d, i / 1000.) + 1, 1000 * i, 1000 * i + 2);
	lab_sizes_free(&d);
	free(text);
}

TEST(bad_files)
{
	static const char *const list[][2] = {
			{"", "0: the last point is not at 100%"},
			{"1000 50\n", "1: the last point is not at 100%"},
			{"1000 50\n900 100\n", "2: sizes and percentages rise"},
			{"1000 50\n1100 40\n", "2: sizes and percentages rise"},
			{"1000\n", "1: a size and a percentage are expected"},
			{"\n1000 50 2\n", "2: a size and a percentage are expected"},
			{"x 50\n", "1: a size and a percentage are expected"},
			{"1000 101\n", "1: a percentage is at most 100"},
			{"0.5 10\n", "1: the size of a message must be 1 to 1Ti bytes"},
			{"2T 100\n", "1: the size of a message must be 1 to 1Ti bytes"},
	};
	struct lab_sizes d;
	char err[100];

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		assert_int_equal(lab_sizes_read(list[i][0], &d, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, list[i][1]);
	}
}

#define NETWORK                          \
	"host add h[1-16]\n"             \
	"switch add s\n"                 \
	"link add h[1-16] s rate 100G\n" \
	"duration 100ms\n"

/*
 * 16 * 100 Gb/s * 50% / (8 * 1711250 B) * 100 ms are 5844 messages, give or take 76; their mean is
 * that of the distribution give or take 52 kB (its standard deviation is 3.97 MB). Four of these
 * are allowed.
 */
TEST(poisson)
{
	struct lab_scenario *sc = good(NETWORK "traffic poisson w hosts h[1-16] load 50% "
					       "distribution websearch from 10ms until 110ms "
					       "dscp 34\n");
	unsigned int to[16] = {0}, from[16] = {0};
	uint64_t last = 10000000;
	double bytes = 0;

	assert_in_range(sc->n_flows, 5844 - 306, 5844 + 306);
	for (unsigned int i = 0; i < sc->n_flows; i++) {
		const struct lab_flow *f = &sc->flow[i];

		assert_true(f->from != f->to && f->from < 16 && f->to < 16);
		assert_true(f->start_ns >= last && f->start_ns < 110000000);
		assert_true(f->bytes >= 1 && f->bytes <= 30000000);
		assert_int_equal(f->messages, 1);
		assert_int_equal(f->dscp, 34);
		last = f->start_ns;
		bytes += (double)f->bytes;
		from[f->from]++;
		to[f->to]++;
	}
	assert_true(fabs(bytes / sc->n_flows - 1711250) < 4 * 52000);
	for (unsigned int i = 0; i < 16; i++) { /* 365 each, give or take 19 */
		assert_in_range(from[i], 365 - 76, 365 + 76);
		assert_in_range(to[i], 365 - 76, 365 + 76);
	}
	lab_scenario_free(sc);
}

/* Of smaller messages there are more: 0.8 Tb/s / (8 * 120419.75 B) * 100 ms are 83043, give or take
 * 288. */
TEST(rate)
{
	struct lab_scenario *sc = good(
			NETWORK "traffic poisson w hosts all load 1/2 distribution hadoop\n");

	assert_in_range(sc->n_flows, 83043 - 1153, 83043 + 1153);
	lab_scenario_free(sc);
}

/* The seed and the name decide, not what stands before. */
TEST(seeds)
{
	static const char line[] =
			"traffic poisson w hosts all load 50% distribution hadoop until 1ms\n";
	struct lab_scenario *a, *b, *c, *d;
	char text[600];

	snprintf(text, sizeof(text), NETWORK "%s", line);
	a = good(text);
	snprintf(text, sizeof(text),
			NETWORK "traffic poisson v hosts all load 50%% distribution hadoop until "
				"1ms\n%s",
			line);
	b = good(text);
	snprintf(text, sizeof(text), NETWORK "seed 2\n%s", line);
	c = good(text);
	snprintf(text, sizeof(text), NETWORK "%s", line);
	d = good(text);
	assert_true(a->n_flows > 100 && b->n_flows > a->n_flows);
	for (unsigned int i = 0; i < a->n_flows; i++) {
		const struct lab_flow *f = &b->flow[b->n_flows - a->n_flows + i];

		assert_int_equal(a->flow[i].start_ns, f->start_ns);
		assert_int_equal(a->flow[i].bytes, f->bytes);
		assert_memory_equal(&a->flow[i], &d->flow[i], sizeof(a->flow[i]));
	}
	assert_true(a->flow[0].start_ns != b->flow[0].start_ns);
	assert_true(a->flow[0].start_ns != c->flow[0].start_ns);
	lab_scenario_free(a);
	lab_scenario_free(b);
	lab_scenario_free(c);
	lab_scenario_free(d);
}

TEST(incast)
{
	struct lab_scenario *sc = good(
			NETWORK "traffic incast i to h1 from h[1-16] size 500K every 10ms "
				"count 9 start 5ms\n"
				"host add c\nlink add c s\n"
				"traffic pcap c file /dev/null speed 2.5 start 1ms\n");

	assert_int_equal(sc->n_flows, 15);
	for (unsigned int i = 0; i < 15; i++) {
		assert_int_equal(sc->flow[i].from, i + 1);
		assert_int_equal(sc->flow[i].to, 0);
		assert_int_equal(sc->flow[i].bytes, 500000);
		assert_int_equal(sc->flow[i].messages, 9);
		assert_int_equal(sc->flow[i].interval_ns, 10000000);
		assert_int_equal(sc->flow[i].start_ns, 5000000);
	}
	assert_int_equal(sc->n_captures, 1);
	assert_int_equal(sc->capture[0].host, 16);
	assert_true(sc->capture[0].speed == 2.5);
	assert_int_equal(sc->capture[0].start_ns, 1000000);
	assert_string_equal(sc->capture[0].file, "/dev/null");
	lab_scenario_free(sc);
}
