/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reactions to acknowledgements, Swift and NSCC: step by step as models of another language. */

#include <math.h>
#include <inttypes.h>

#include "fcn_test.h"

#include "fcn_reaction.h"

struct event {
	uint64_t time;
	bool loss, timeout;
	struct fcn_reaction_ack ack;
	double rate, window;
};

struct setting {
	const char *word;
	uint64_t value;
};

struct scene {
	const char *name;
	enum fcn_reaction_kind kind;
	uint64_t line_bps;
	uint32_t packet;
	struct setting given[12], all[12]; /* to the end, or up to one without a word */
	const struct event *events;
	size_t n_events;
};

#include "window_scenes.h"

/* The sums of the two differ in their last digits, which integers may show as a difference of 1. */
static bool
same(uint64_t have, double want)
{
	return fabs((double)have - want) <= 1 + want * 1e-9;
}

static void
tell(struct fcn_reaction *r, const struct event *e)
{
	if (e->loss)
		fcn_reaction_loss(r, e->timeout, e->ack.bytes, e->time);
	else
		fcn_reaction_ack(r, &e->ack, e->time);
}

static void
begin(struct fcn_reaction *r, struct fcn_reaction_conf *conf, const struct scene *scene)
{
	fcn_reaction_defaults(conf, scene->line_bps);
	conf->kind = scene->kind;
	for (size_t i = 0; i < RTE_DIM(scene->given) && scene->given[i].word != NULL; i++)
		assert_int_equal(fcn_reaction_set(conf, scene->kind, scene->given[i].word,
						 scene->given[i].value),
				0);
	fcn_reaction_init(r, conf, scene->line_bps, scene->packet, 0);
}

TEST(models)
{
	for (size_t s = 0; s < RTE_DIM(scenes); s++) {
		const struct scene *scene = &scenes[s];
		double least = INFINITY, most = 0;
		struct fcn_reaction_conf conf;
		struct fcn_reaction r;
		size_t changes = 0;

		begin(&r, &conf, scene);
		for (size_t i = 0; i < scene->n_events; i++) {
			const struct event *e = &scene->events[i];
			uint64_t window = r.window, rate = r.rate_bps;

			tell(&r, e);
			if (!same(r.rate_bps, e->rate) || !same(r.window, e->window))
				fail_msg("%s, event %zu: rate %" PRIu64
					 ", not %.9g; window %" PRIu64 ", not %.9g",
						scene->name, i, r.rate_bps, e->rate, r.window,
						e->window);
			assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
			changes += r.window != window || r.rate_bps != rate;
			least = fmin(least, e->window);
			most = fmax(most, e->window);
		}
		/* The sequence is one that moves the window. */
		assert_true(changes > scene->n_events / 20);
		assert_true(most > 1.2 * least);
	}
}

/* The defaults that the models have are those of the reactions. */
TEST(defaults)
{
	for (size_t s = 0; s < RTE_DIM(scenes); s++) {
		const struct fcn_reaction_type *type = fcn_reaction_type(scenes[s].kind);
		struct fcn_reaction_conf conf;
		struct fcn_reaction r;
		unsigned int n = 0;

		begin(&r, &conf, &scenes[s]);
		for (; n < RTE_DIM(scenes[s].all) && scenes[s].all[n].word != NULL; n++) {
			uint64_t value = 0;

			assert_non_null(fcn_reaction_parameter(
					&conf, scenes[s].kind, scenes[s].all[n].word, &value));
			assert_int_equal(value, scenes[s].all[n].value);
		}
		assert_int_equal(n, type->n_arguments + type->n_settings);
	}
}

/* Swift below one packet in a round trip: a packet every rtt / window. */
TEST(swift_pace)
{
	struct fcn_reaction_ack ack = {.packets = 1, .bytes = 1000, .rtt_ns = 1000000};
	struct fcn_reaction_conf conf;
	struct fcn_reaction r;
	uint64_t now = 0;

	fcn_reaction_defaults(&conf, UINT64_C(100000000000));
	conf.kind = FCN_REACTION_SWIFT;
	fcn_reaction_set(&conf, FCN_REACTION_SWIFT, "beta", 1000);
	fcn_reaction_set(&conf, FCN_REACTION_SWIFT, "range", 0);
	fcn_reaction_init(&r, &conf, UINT64_C(100000000000), 1000, 0);
	assert_int_equal(r.window, 250000); /* 100 Gb/s * 20 us */
	assert_int_equal(r.rate_bps, UINT64_C(100000000000));
	/* 250 packets halve eight times to 0.977 of a packet. */
	for (unsigned int i = 0; i < 8; i++, now += 1000000)
		fcn_reaction_ack(&r, &ack, now);
	assert_int_equal(r.window, 1000);
	assert_int_equal(r.rate_bps, 7812500); /* 8000 bits * 0.9765625 in 1 ms */
	/* No second cut within the round trip; the pace is that of the new one. */
	ack.rtt_ns = 2000000;
	fcn_reaction_ack(&r, &ack, now - 1);
	assert_int_equal(r.rate_bps, 3906250);
	/* One packet more a round trip, from below one on. */
	ack.rtt_ns = 10000;
	fcn_reaction_ack(&r, &ack, now);
	assert_int_equal(r.window, 1976);
	assert_int_equal(r.rate_bps, UINT64_C(100000000000));
}

/* NSCC's four cases, and quick adapt, at 100 Gb/s with a base of 12 us, where all scales are 1. */
TEST(nscc_cases)
{
	struct fcn_reaction_ack ack = {.packets = 9, .bytes = 9000, .in_flight = 50000};
	struct fcn_reaction_conf conf;
	struct fcn_reaction r;

	fcn_reaction_defaults(&conf, UINT64_C(100000000000));
	conf.kind = FCN_REACTION_NSCC;
	fcn_reaction_set(&conf, FCN_REACTION_NSCC, "base-rtt", 12000);
	fcn_reaction_set(&conf, FCN_REACTION_NSCC, "target", 12000);
	fcn_reaction_set(&conf, FCN_REACTION_NSCC, "eta", 0);
	fcn_reaction_init(&r, &conf, UINT64_C(100000000000), 1000, 0);
	assert_int_equal(r.window, 225000); /* 1.5 * 150000 */
	/* Marked at 100 us of queue for longer than a round trip: once half, not again at once. */
	ack.rtt_ns = 112000;
	ack.marked = true;
	fcn_reaction_ack(&r, &ack, 13000);
	/* 1 - 0.8 * 88 / 100 is below a half */
	assert_int_equal(r.window, 112500);
	fcn_reaction_ack(&r, &ack, 14000);
	assert_int_equal(r.window, 112500);
	/* Marked without delay: nothing. */
	ack.rtt_ns = 14000;
	fcn_reaction_ack(&r, &ack, 14500);
	assert_int_equal(r.window, 112500);
	/* Not marked at the target: 5 packets * 9000 / W, with W = 112500: 400. */
	ack.rtt_ns = 24000;
	ack.marked = false;
	fcn_reaction_ack(&r, &ack, 14600);
	assert_int_equal(r.window, 112900);
	/* Not marked at half of the target: 4 packets * 1/2 * 9000 / 112900 = 159.4. */
	ack.rtt_ns = 18000;
	fcn_reaction_ack(&r, &ack, 14700);
	assert_int_equal(r.window, 113059);
	/* A period (24 us) in which 18 KB arrive, less than 1/8 of the greatest window, and a queue
	 * of more than four targets: the window becomes what arrived. */
	ack.rtt_ns = 12000 + 48001;
	fcn_reaction_ack(&r, &ack, 40000); /* 54000 bytes of the first period: too many */
	assert_true(r.window > 113059);
	fcn_reaction_ack(&r, &ack, 50000);
	fcn_reaction_ack(&r, &ack, 64000);
	assert_int_equal(r.window, 18000);
	/* The marks of the 50000 bytes in flight then are no news. */
	ack.marked = true;
	for (unsigned int i = 0; i < 5; i++)
		fcn_reaction_ack(&r, &ack, 64100 + 100 * i);
	assert_int_equal(r.window, 18000);
}
