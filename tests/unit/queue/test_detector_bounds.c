/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random arrivals reach the same state either way: those within
 * fcn_detector_bounds() noted together or each by itself, and with time looked at
 * often or seldom.
 */

#include "test_detector.h"

#define SLOTS 256 /* of the FIFO */
#define ROUNDS 4000
#define BURST 24

/* A FIFO, to have occupancies and ages that can be. */
struct fifo {
	uint32_t len[SLOTS];
	uint64_t since[SLOTS];
	unsigned int head, tail;
	uint32_t bytes;
};

static uint32_t
age_of(const struct fifo *f, uint64_t now)
{
	return f->head == f->tail ? 0 : (uint32_t)now - (uint32_t)f->since[f->head % SLOTS];
}

static void
append(struct fifo *f, uint32_t len, uint64_t now)
{
	if (f->tail - f->head == SLOTS) /* lost */
		return;
	f->len[f->tail % SLOTS] = len;
	f->since[f->tail++ % SLOTS] = now;
	f->bytes += len;
}

/* Small numbers, so that all edges are met now and then. */
static struct fcn_detector_conf
random_conf(uint64_t *seed, enum fcn_detector_type type)
{
	struct fcn_detector_conf conf = {
			.type = type,
			.at_dequeue = fcn_test_below(seed, 2),
			.enter = 500 + fcn_test_below(seed, 4000),
			.weight = fcn_test_below(seed, 4),
			.qeq = 500 + fcn_test_below(seed, 2500),
			.sample = 1 + fcn_test_below(seed, 3000),
			.interval_ns = 100 + fcn_test_below(seed, 3000),
			.bps = UINT64_C(10000000000) * (1 + fcn_test_below(seed, 20)),
			.pmax = fcn_test_below(seed, 3) == 0 ? UINT64_C(1) << 32
							     : fcn_test_random(seed) >> 32,
			.hold_ns = fcn_test_below(seed, 3) == 0 ? 0 : fcn_test_below(seed, 3000),
			.level_hold_ns = fcn_test_below(seed, 2000),
	};

	if (type == FCN_DETECTOR_RATE)
		conf.enter /= 5;
	conf.leave = 1 + fcn_test_below(seed, conf.enter);
	conf.limit = conf.enter + fcn_test_below(seed, 30000);
	conf.kmax = conf.enter + 1 + fcn_test_below(seed, 5000);
	fcn_detector_levels(&conf);
	return conf;
}

struct way {
	struct fcn_detector d;
	struct fcn_random random;
	int level[BURST];
};

static int
arrive_in(struct way *w, const struct fcn_detector_conf *conf, const struct fifo *f, uint32_t len,
		uint64_t now)
{
	const struct fcn_detector_view view = {.occupancy = f->bytes + len,
			.len = len,
			.age_ns = age_of(f, now),
			.now = now,
			.random = &w->random};

	return fcn_detector_arrival(&w->d, conf, &view);
}

/* Each alone. */
static void
burst_alone(struct way *w, const struct fcn_detector_conf *conf, struct fifo *f,
		const uint32_t len[], unsigned int n, uint64_t now)
{
	for (unsigned int i = 0; i < n; i++) {
		w->level[i] = arrive_in(w, conf, f, len[i], now);
		append(f, len[i], now);
	}
}

/* As many as the bounds allow together, the next alone, and so on. @return how many together. */
static unsigned int
burst_together(struct way *w, const struct fcn_detector_conf *conf, struct fifo *f,
		const uint32_t len[], unsigned int n, uint64_t now)
{
	unsigned int together = 0;

	for (unsigned int i = 0; i < n;) {
		struct fcn_detector_bounds bounds = fcn_detector_bounds(
				&w->d, conf, age_of(f, now), now);
		uint32_t arrived = 0;

		for (; i < n; i++, together++) {
			if (f->bytes + len[i] >= bounds.occupancy ||
					arrived + len[i] >= bounds.arrived)
				break;
			arrived += len[i];
			append(f, len[i], now);
			w->level[i] = NONE;
		}
		fcn_detector_add_arrived(&w->d, conf, arrived);
		if (i < n) {
			w->level[i] = arrive_in(w, conf, f, len[i], now);
			append(f, len[i++], now);
		}
	}
	return together;
}

/* Departures, and a tick behind them when congested, as a port has it. */
static void
depart(struct way *w, const struct fcn_detector_conf *conf, struct fifo *f, unsigned int n,
		uint64_t now)
{
	if (w->d.congested)
		fcn_detector_tick(&w->d, conf, f->bytes, age_of(f, now), now);
	for (; n > 0 && f->head != f->tail; n--) {
		uint32_t len = f->len[f->head % SLOTS];
		const struct fcn_detector_view view = {.occupancy = f->bytes,
				.len = len,
				.age_ns = age_of(f, now),
				.now = now,
				.random = &w->random};

		fcn_detector_departure(&w->d, conf, &view);
		f->head++;
		f->bytes -= len;
	}
	if (w->d.congested)
		fcn_detector_tick(&w->d, conf, f->bytes, age_of(f, now), now);
}

/* Without what means nothing now. */
static struct fcn_detector
state_of(const struct fcn_detector *d)
{
	struct fcn_detector s;

	memcpy(&s, d, sizeof(s));
	if (!s.below)
		s.ripe_ns = 0;
	return s;
}

static void
assert_same(const struct way *a, const struct way *b, unsigned int n)
{
	const struct fcn_detector da = state_of(&a->d), db = state_of(&b->d);

	assert_memory_equal(a->level, b->level, n * sizeof(a->level[0]));
	assert_memory_equal(&da, &db, sizeof(da));
	assert_true(a->random.state == b->random.state);
}

static unsigned int
random_burst(uint64_t *seed, uint32_t len[])
{
	unsigned int n = fcn_test_below(seed, BURST + 1);

	for (unsigned int i = 0; i < n; i++)
		len[i] = 1 + fcn_test_below(seed, fcn_test_below(seed, 2) ? 100 : 1500);
	return n;
}

/* type OFF: it changes now and then. @return packets taken together */
static unsigned int
compare_bursts(uint64_t seed, enum fcn_detector_type type, uint64_t *enters)
{
	struct fcn_detector_conf conf = random_conf(&seed, type);
	struct fifo fa = {0}, fb = {0};
	struct way a = {0}, b = {0};
	unsigned int together = 0;
	uint64_t now = 0;

	fcn_detector_reset(&a.d);
	fcn_detector_reset(&b.d);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint32_t len[BURST];
		unsigned int n = random_burst(&seed, len);

		if (type == FCN_DETECTOR_OFF && fcn_test_below(&seed, 50) == 0)
			conf = random_conf(&seed, fcn_test_below(&seed, FCN_DETECTOR_RATE + 1));
		now += fcn_test_below(&seed, fcn_test_below(&seed, 10) == 0 ? 100000 : 400);
		burst_alone(&a, &conf, &fa, len, n, now);
		together += burst_together(&b, &conf, &fb, len, n, now);
		assert_same(&a, &b, n);
		n = fcn_test_below(&seed, round / 500 % 2 == 0 ? 30 : 22); /* drains, or fills */
		now += fcn_test_below(&seed, 400);
		depart(&a, &conf, &fa, n, now);
		depart(&b, &conf, &fb, n, now);
		assert_same(&a, &b, 0);
	}
	*enters += a.d.enters;
	return together;
}

TEST(quiet)
{
	for (int type = FCN_DETECTOR_OFF; type <= FCN_DETECTOR_RATE; type++) {
		unsigned int together = 0;
		uint64_t enters = 0;

		for (uint64_t seed = 0; seed < 12; seed++)
			together += compare_bursts(seed << 8 | type, type, &enters);
		/* Both ways were gone. */
		assert_true(together > 10000);
		assert_true(enters > 100);
	}
}

/* Ticks beyond those that departures make change nothing. @return times congestion ended */
static uint64_t
compare_ticks(uint64_t seed, enum fcn_detector_type type)
{
	const struct fcn_detector_conf conf = random_conf(&seed, type);
	struct fifo fa = {0}, fb = {0};
	struct way a = {0}, b = {0};
	uint64_t now = 0;

	fcn_detector_reset(&a.d);
	fcn_detector_reset(&b.d);
	a.d.type = b.d.type = type;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint32_t len[BURST];
		unsigned int n = random_burst(&seed, len);
		uint64_t from = now;

		/* Below the bound for empty windows of the shortest interval. */
		now += fcn_test_below(&seed, fcn_test_below(&seed, 10) == 0 ? 4000 : 400);
		if (fcn_test_below(&seed, 2) == 0) { /* whenever asked for */
			for (uint64_t next = fcn_detector_next(&b.d, &conf); next <= now;
					next = fcn_detector_next(&b.d, &conf)) {
				fcn_detector_tick(&b.d, &conf, fb.bytes, age_of(&fb, next), next);
				assert_true(fcn_detector_next(&b.d, &conf) > next);
			}
		} else { /* at times that mean nothing */
			for (unsigned int k = fcn_test_below(&seed, 4); k > 0; k--) {
				from += fcn_test_below(&seed, now - from + 1);
				fcn_detector_tick(&b.d, &conf, fb.bytes, age_of(&fb, from), from);
			}
		}
		burst_alone(&a, &conf, &fa, len, n, now);
		burst_alone(&b, &conf, &fb, len, n, now);
		if (n > 0) /* who has seen nothing need not know yet */
			assert_same(&a, &b, n);
		n = fcn_test_below(&seed, round / 500 % 2 == 0 ? 30 : 22);
		depart(&a, &conf, &fa, n, now);
		depart(&b, &conf, &fb, n, now);
	}
	assert_int_equal(a.d.enters - a.d.leaves, a.d.congested);
	return a.d.leaves;
}

TEST(ticks)
{
	for (int type = FCN_DETECTOR_STEP; type <= FCN_DETECTOR_RATE; type++) {
		uint64_t leaves = 0;

		for (uint64_t seed = 0; seed < 12; seed++)
			leaves += compare_ticks(seed << 8 | type, type);
		assert_true(leaves > 100);
	}
}
