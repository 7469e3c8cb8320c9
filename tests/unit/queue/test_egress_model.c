/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The scheduler against a model that knows no short cuts: one packet at a
 * time, every round walked, shapers as exact fractions in 128 bits. Classes,
 * rates, holds, arrivals and times at random, the same in every run.
 */

#include "test_egress.h"

/* When what was sent is paid for, in ns times bps. */
typedef unsigned __int128 bill;

static struct {
	uint16_t len[FCN_CLASSES][1 << 16];
	uint16_t in[FCN_CLASSES];
	uint16_t out[FCN_CLASSES];
	uint64_t granted[FCN_CLASSES]; /* bytes, since the class was empty */
	uint64_t spent[FCN_CLASSES];
	unsigned int cursor;
	bool granted_now;
	bill port;
	bill peak[FCN_CLASSES];
	bill committed[FCN_CLASSES];
} model;

static bool
has(uint8_t mask, unsigned int class)
{
	return mask >> class & 1;
}

static bool
is_paid(bill b, const struct fcn_shaper_conf *shaper, uint64_t now)
{
	return shaper->bps == 0 || b <= (bill)(now + shaper->slack_ns) * shaper->bps;
}

static void
pay(bill *b, const struct fcn_shaper_conf *shaper, uint32_t len, uint64_t now)
{
	/* Idle for a whole nanosecond: what was not used is lost. */
	if (*b + shaper->bps <= (bill)now * shaper->bps)
		*b = (bill)now * shaper->bps;
	*b += (bill)8000000000 * (RTE_MAX(len, 60u) + shaper->overhead);
}

static bool
model_has_packets(unsigned int c)
{
	return model.in[c] != model.out[c];
}

static uint32_t
model_head(unsigned int c)
{
	return model.len[c][model.out[c]];
}

static unsigned int
model_round_robin(const bool may[FCN_CLASSES])
{
	for (;; model.cursor = (model.cursor + 1) % FCN_CLASSES, model.granted_now = false) {
		unsigned int c = model.cursor;

		if (!may[c])
			continue;
		if (model.granted[c] - model.spent[c] < model_head(c) && !model.granted_now) {
			model.granted[c] += conf.queue[c].quantum;
			model.granted_now = true;
		}
		if (model.granted[c] - model.spent[c] >= model_head(c)) {
			model.spent[c] += model_head(c);
			return c;
		}
	}
}

/* 3: urgent, 2: due its committed rate, 1: strict, 0: neither, -1: not to be served. */
static int
model_rank(unsigned int c, uint64_t now)
{
	if (!model_has_packets(c))
		return -1;
	if (has(conf.urgent, c))
		return 3;
	if (has(egress.held, c))
		return -1;
	if (has(conf.peak, c) && !is_paid(model.peak[c], &conf.queue[c].peak, now))
		return -1;
	if (has(conf.committed, c) && is_paid(model.committed[c], &conf.queue[c].committed, now))
		return 2;
	return has(conf.strict, c);
}

/* Class of the next packet, -1: none goes. */
static int
model_pull(uint64_t now, uint32_t *len)
{
	unsigned int n = 0, class = 0;
	bool may[FCN_CLASSES];
	int best = -1;

	if (!is_paid(model.port, &conf.shaper, now))
		return -1;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		int rank = model_rank(c, now);

		may[c] = rank >= 0;
		n += may[c];
		if (rank >= best && rank >= 0) {
			best = rank;
			class = c;
		}
	}
	if (n == 0)
		return -1;
	if (best == 0 && n > 1)
		class = model_round_robin(may);
	*len = model_head(class);
	model.out[class]++;
	if (!model_has_packets(class))
		model.granted[class] = model.spent[class] = 0;
	pay(&model.port, &conf.shaper, *len, now);
	if (best == 3)
		return class;
	if (has(conf.peak, class))
		pay(&model.peak[class], &conf.queue[class].peak, *len, now);
	if (best == 2)
		pay(&model.committed[class], &conf.queue[class].committed, *len, now);
	return class;
}

static void
random_shaper(struct fcn_shaper_conf *shaper, uint64_t *seed, uint64_t least, uint64_t most)
{
	static const uint32_t overhead[] = {0, 20, 24};

	shaper->bps = least + fcn_test_random(seed) % (most - least);
	shaper->slack_ns = fcn_test_random(seed) % 2 * (fcn_test_random(seed) % 20000);
	shaper->overhead = overhead[fcn_test_random(seed) % RTE_DIM(overhead)];
}

static void
random_masks(uint64_t *seed)
{
	conf.urgent = fcn_test_random(seed) % 2 << fcn_test_random(seed) % FCN_CLASSES;
	set_strict(fcn_test_random(seed) & fcn_test_random(seed));
	conf.peak = fcn_test_random(seed) & fcn_test_random(seed);
	conf.committed = fcn_test_random(seed) & fcn_test_random(seed);
}

static void
random_conf(uint64_t *seed)
{
	uint16_t weight[FCN_CLASSES];
	uint32_t quantum[FCN_CLASSES];

	random_masks(seed);
	random_shaper(&conf.shaper, seed, 500000000, 10000000000);
	if (fcn_test_random(seed) % 3 == 0)
		conf.shaper.bps = 0;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		weight[c] = 1 + fcn_test_random(seed) % 20;
		random_shaper(&conf.queue[c].peak, seed, 10000000, 2000000000);
		random_shaper(&conf.queue[c].committed, seed, 10000000, 500000000);
	}
	fcn_egress_quanta(weight, conf.strict | conf.urgent, quantum);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		conf.queue[c].quantum = quantum[c];
}

static void
random_arrivals(uint64_t *seed, uint64_t now)
{
	static const uint32_t most[] = {60, 1514, 1514, 9214, 65535};

	for (unsigned int n = fcn_test_random(seed) % 8; n > 0; n--) {
		unsigned int c = fcn_test_random(seed) % FCN_CLASSES;
		uint32_t len = 14 +
			       fcn_test_random(seed) %
					       (most[fcn_test_random(seed) % RTE_DIM(most)] - 13);

		if (fcn_queue_packets(&egress.queue[c]) > 300)
			continue;
		assert_int_equal(push(c, len, 0, now), FCN_QUEUE_ACCEPTED);
		model.len[c][model.in[c]++] = len;
	}
}

/* Popping leaves the ring as it is: what a copy does has not happened. */
static unsigned int
would_pull(uint64_t now)
{
	struct fcn_egress copy = egress;
	struct fcn_queue_entry e;

	return fcn_egress_pull(&copy, &conf, &e, 1, now);
}

static uint64_t
check_next(uint64_t now)
{
	uint64_t t = fcn_egress_next(&egress, &conf, now);

	assert_true(t >= now);
	if (t == UINT64_MAX) {
		assert_int_equal(would_pull(now + UINT32_MAX), 0);
		return t;
	}
	assert_int_equal(would_pull(t), 1);
	if (t > now)
		assert_int_equal(would_pull(t - 1), 0);
	return t;
}

/* @return packets that left */
static unsigned int
run(uint64_t seed, unsigned int steps)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];
	uint64_t now = 1000000, next;
	unsigned int total = 0;

	random_conf(&seed);
	for (unsigned int i = 0; i < steps; i++) {
		unsigned int want = fcn_test_random(&seed) % (FCN_EGRESS_BURST + 1), n;

		if (fcn_test_random(&seed) % 200 == 0)
			random_masks(&seed);
		if (fcn_test_random(&seed) % 20 == 0)
			egress.held = fcn_test_random(&seed) & fcn_test_random(&seed);
		random_arrivals(&seed, now);
		next = check_next(now);
		if (fcn_test_random(&seed) % 2 == 0 && next != UINT64_MAX)
			now = next;
		n = fcn_egress_pull(&egress, &conf, e, want, now);
		for (unsigned int k = 0; k < n; k++) {
			uint32_t len = 0;

			assert_int_equal(e[k].flags & FCN_ENTRY_CLASS, model_pull(now, &len));
			assert_int_equal(e[k].len, len);
		}
		if (n < want) {
			uint32_t len;

			assert_int_equal(model_pull(now, &len), -1);
		}
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			assert_int_equal(has(egress.backlog, c), model_has_packets(c));
		now += fcn_test_random(&seed) % 4 * (fcn_test_random(&seed) % 3000);
		total += n;
	}
	return total;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST(model)
{
	unsigned int total = 0;

	for (unsigned int i = 0; i < 300; i++) {
		memset(&model, 0, sizeof(model));
		total += run(i, 500);
		teardown(state);
		setup(state);
	}
	assert_true(total > 100000);
}
