/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* None, beta and level, against arithmetic on paper. */

#include "fcn_test.h"

#include "reaction_beta.h"
#include "reaction_level.h"
#include "traces.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define MBPS UINT64_C(1000000)
#define GBPS UINT64_C(1000000000)
#define LINE (100 * GBPS)

static struct fcn_reaction_conf conf;
static struct fcn_reaction r;

static void
begin(enum fcn_reaction_kind kind)
{
	fcn_reaction_defaults(&conf, LINE);
	conf.kind = kind;
	*beta_own(&conf) = (struct beta_conf){
			.beta_permille = 800,
			.increase_bps = 10 * MBPS,
			.rtt_ns = 10 * US,
			.quiet_rounds = 3,
			.min_rate_bps = 50 * MBPS,
	};
	*level_own(&conf) = (struct level_conf){.rtt_ns = 10 * US, .default_level = 7};
	fcn_reaction_init(&r, &conf, LINE, 1126, 0);
}

/* Calls at the times it asks for; what it does not ask for is not to change anything. */
static uint64_t
rate_at(uint64_t now)
{
	for (uint64_t at; (at = fcn_reaction_next(&r)) <= now;) {
		fcn_reaction_timers(&r, at);
		assert_true(fcn_reaction_next(&r) > at);
	}
	return r.rate_bps;
}

TEST(default_kind)
{
	fcn_reaction_defaults(&conf, LINE);
	assert_int_equal(conf.kind, FCN_REACTION_NONE);
}

TEST(none)
{
	begin(FCN_REACTION_NONE);
	for (uint64_t t = 0; t < 100; t++) {
		fcn_reaction_cnp(&r, 7, t * US);
		fcn_reaction_sent(&r, 1126, t * US);
	}
	assert_int_equal(rate_at(MS), LINE);
	assert_int_equal(r.window, FCN_WINDOW_NONE);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
}

/* The line gets another speed: who sent at its rate still does, and nobody sends faster. */
TEST(line)
{
	static const enum fcn_reaction_kind kinds[] = {FCN_REACTION_NONE, FCN_REACTION_DCQCN,
			FCN_REACTION_BETA, FCN_REACTION_LEVEL, FCN_REACTION_HPCC};

	for (size_t i = 0; i < RTE_DIM(kinds); i++) {
		const bool cuts = kinds[i] != FCN_REACTION_NONE && kinds[i] != FCN_REACTION_HPCC;
		uint64_t rate;

		begin(kinds[i]);
		fcn_reaction_line(&r, LINE / 4, US);
		assert_int_equal(r.rate_bps, LINE / 4);
		fcn_reaction_line(&r, 4 * LINE, 2 * US);
		assert_in_range(r.rate_bps, 4 * LINE - 1, 4 * LINE);
		fcn_reaction_cnp(&r, 7, 3 * US);
		rate = rate_at(8 * US); /* DCQCN cuts after 4 us */
		assert_true(cuts == (rate < 4 * LINE));
		if (!cuts)
			continue;
		fcn_reaction_line(&r, 8 * LINE, 9 * US);
		assert_int_equal(r.rate_bps, rate);
		fcn_reaction_line(&r, LINE / 8, 10 * US);
		assert_int_equal(r.rate_bps, LINE / 8);
		fcn_reaction_line(&r, LINE, 11 * US);
		assert_int_equal(r.rate_bps, LINE);
		assert_int_equal(fcn_reaction_next(&r) == FCN_REACTION_NEVER || rate_at(MS) == LINE,
				true);
	}
}

/* One cut in a round trip, or in 4 us, or in what was asked for. */
TEST(beta_guard)
{
	static const struct {
		uint64_t rtt, guard, want;
	} cases[] = {{10 * US, 0, 10 * US}, {1 * US, 0, 4 * US}, {10 * US, 1 * US, 1 * US}};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		begin(FCN_REACTION_BETA);
		beta_own(&conf)->rtt_ns = cases[i].rtt;
		beta_own(&conf)->guard_ns = cases[i].guard;
		beta_own(&conf)->byte_counter = 1; /* nothing is sent: no increase */
		for (uint64_t t = 0; t < cases[i].want; t += 100)
			fcn_reaction_cnp(&r, -1, 5000 + t);
		assert_int_equal(r.rate_bps, 80 * GBPS);
		fcn_reaction_cnp(&r, -1, 5000 + cases[i].want);
		assert_int_equal(r.rate_bps, 64 * GBPS);
	}
}

TEST(beta_least)
{
	begin(FCN_REACTION_BETA);
	beta_own(&conf)->byte_counter = 1;
	for (uint64_t t = 0; t < 100; t++)
		fcn_reaction_cnp(&r, -1, t * 10 * US);
	assert_int_equal(r.rate_bps, 50 * MBPS);
	begin(FCN_REACTION_BETA);
	beta_own(&conf)->beta_permille = 1500; /* more than the whole is the whole */
	fcn_reaction_cnp(&r, -1, 0);
	assert_int_equal(r.rate_bps, LINE);
}

/* Three quiet rounds of 10 Mb/s, then a thousandth of the line each, to the line. */
TEST(beta_increases)
{
	begin(FCN_REACTION_BETA);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	fcn_reaction_cnp(&r, -1, 1 * US);
	assert_int_equal(fcn_reaction_next(&r), 11 * US);
	assert_int_equal(rate_at(11 * US - 1), 80000 * MBPS);
	assert_int_equal(rate_at(11 * US), 80010 * MBPS);
	assert_int_equal(rate_at(21 * US), 80020 * MBPS);
	assert_int_equal(rate_at(31 * US), 80030 * MBPS);
	assert_int_equal(rate_at(41 * US), 80130 * MBPS);
	assert_int_equal(rate_at(51 * US), 80230 * MBPS);
	/* (100000 - 80230) / 100: 198 more */
	assert_int_equal(rate_at(51 * US + 197 * 10 * US), 99930 * MBPS);
	assert_int_equal(rate_at(51 * US + 198 * 10 * US), LINE);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
}

/* Caught up with at once it is the same. */
TEST(beta_lazily)
{
	uint64_t wanted, quiet;

	for (uint64_t t = 0; t < 3 * MS; t += 3333) {
		begin(FCN_REACTION_BETA);
		fcn_reaction_cnp(&r, -1, 0);
		wanted = rate_at(t);
		quiet = beta_state(&r)->quiet_since;
		begin(FCN_REACTION_BETA);
		fcn_reaction_cnp(&r, -1, 0);
		fcn_reaction_timers(&r, t);
		assert_int_equal(r.rate_bps, wanted);
		if (wanted < LINE)
			assert_int_equal(beta_state(&r)->quiet_since, quiet);
	}
}

/* A notice that is too early for a cut ends the quiet all the same. */
TEST(beta_quiet)
{
	begin(FCN_REACTION_BETA);
	fcn_reaction_cnp(&r, -1, 0);
	fcn_reaction_cnp(&r, -1, 9 * US);
	assert_int_equal(r.rate_bps, 80000 * MBPS);
	assert_int_equal(fcn_reaction_next(&r), 19 * US);
	assert_int_equal(rate_at(29 * US), 80020 * MBPS);
	/* ... and the rounds begin again: 80020 * 0.8 */
	fcn_reaction_cnp(&r, -1, 30 * US);
	assert_int_equal(rate_at(60 * US), 64046 * MBPS);
	assert_int_equal(rate_at(70 * US), 64146 * MBPS);
}

/* The timer and the bytes, whichever is later. */
TEST(beta_bytes)
{
	begin(FCN_REACTION_BETA);
	beta_own(&conf)->byte_counter = 4096;
	fcn_reaction_cnp(&r, -1, 0);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	assert_int_equal(rate_at(50 * US), 80000 * MBPS);
	fcn_reaction_sent(&r, 4095, 50 * US);
	assert_int_equal(r.rate_bps, 80000 * MBPS);
	fcn_reaction_sent(&r, 1, 51 * US);
	assert_int_equal(r.rate_bps, 80010 * MBPS);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	/* The next round is from there; its bytes come first. */
	fcn_reaction_sent(&r, 5000, 52 * US);
	assert_int_equal(r.rate_bps, 80010 * MBPS);
	assert_int_equal(fcn_reaction_next(&r), 61 * US);
	fcn_reaction_timers(&r, 75 * US); /* late, but the round ended in time */
	assert_int_equal(r.rate_bps, 80020 * MBPS);
	fcn_reaction_sent(&r, 5000, 76 * US);
	assert_int_equal(r.rate_bps, 80030 * MBPS); /* 71 us are over */
	/* Bytes from before a notice do not count. */
	fcn_reaction_sent(&r, 5000, 77 * US);
	fcn_reaction_cnp(&r, -1, 78 * US);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
}

/* 1 - (8 * level + 4) / 128: 3.125 % to 46.875 %. */
TEST(level_cuts)
{
	static const uint64_t left_mbps[] = {
			96875, 90625, 84375, 78125, 71875, 65625, 59375, 53125};

	for (int level = 0; level < 8; level++) {
		begin(FCN_REACTION_LEVEL);
		fcn_reaction_cnp(&r, level, 0);
		assert_int_equal(r.rate_bps, left_mbps[level] * MBPS);
	}
	for (int level = -1; level < 10; level += 9) {
		begin(FCN_REACTION_LEVEL);
		fcn_reaction_cnp(&r, level, 0);
		assert_int_equal(r.rate_bps, 53125 * MBPS);
	}
}

/* What a notice that tells no level is cut for. */
TEST(level_default)
{
	static const uint64_t left_mbps[] = {
			96875, 90625, 84375, 78125, 71875, 65625, 59375, 53125, 53125};

	for (unsigned int level = 0; level < RTE_DIM(left_mbps); level++) {
		begin(FCN_REACTION_LEVEL);
		level_own(&conf)->default_level = level;
		fcn_reaction_cnp(&r, -1, 0);
		assert_int_equal(r.rate_bps, left_mbps[level] * MBPS);
		begin(FCN_REACTION_LEVEL);
		level_own(&conf)->default_level = level;
		fcn_reaction_cnp(&r, 2, 0); /* it tells one */
		assert_int_equal(r.rate_bps, 84375 * MBPS);
	}
}

#define QUEUE_TYPE 0x820000u  /* node, queue */
#define BUFFER_TYPE 0x801000u /* node, buffer: 555 bytes by traces.h */
#define BOTH_TYPE 0x821000u

static int
level_of(uint32_t type, uint32_t queue, uint32_t mbps)
{
	const struct hop hops[] = {
			{.id = 1, .queue = 7777777, .mbps = 400000, .tx = 1}, /* not the newest */
			{.id = 2, .queue = queue, .mbps = mbps, .tx = 2}};
	struct trace trace;

	return fcn_reaction_level(&r, make_trace(&trace, type, hops, RTE_DIM(hops), 3));
}

/* Where the newest hop's queue stands: 2^l * 1000 is level l of a scale from 1000 to 128000. */
TEST(level_of_queue)
{
	begin(FCN_REACTION_LEVEL);
	level_own(&conf)->level_threshold = 1000;
	level_own(&conf)->level_limit = 128000;
	assert_int_equal(level_of(QUEUE_TYPE, 0, 0), 0);
	assert_int_equal(level_of(QUEUE_TYPE, 999, 0), 0);
	for (int level = 0; level < 8; level++) {
		assert_int_equal(level_of(QUEUE_TYPE, 1000u << level, 0), level);
		assert_int_equal(level_of(QUEUE_TYPE, (2000u << level) - 1, 0), level);
		assert_int_equal(level_of(TYPE_HPCC, 1000u << level, 100000), level);
	}
	assert_int_equal(level_of(QUEUE_TYPE, 256000, 0), 7);
	assert_int_equal(level_of(QUEUE_TYPE, 0xFFFFFFFE, 0), 7);
	/* Not told; told by the buffer alone, 555 bytes. */
	assert_int_equal(level_of(QUEUE_TYPE, 0xFFFFFFFF, 0), -1);
	assert_int_equal(level_of(0x800000, 0, 0), -1);
	level_own(&conf)->level_threshold = 500;
	level_own(&conf)->level_limit = 555;
	assert_int_equal(level_of(BUFFER_TYPE, 0, 0), 7);
	assert_int_equal(level_of(BOTH_TYPE, 0xFFFFFFFF, 0), 7);
	assert_int_equal(level_of(BOTH_TYPE, 500, 0), 0);
	level_own(&conf)->level_limit = 556;
	assert_int_equal(level_of(BUFFER_TYPE, 0, 0), 6);
	/* No room for a scale. */
	level_own(&conf)->level_limit = 500;
	assert_int_equal(level_of(QUEUE_TYPE, 500, 0), 0);
	assert_int_equal(level_of(QUEUE_TYPE, 501, 0), 7);
}

/* The defaults: from 32 us of the link to 320 us of it, at least 1 MB: 100 KB to 1 MB at 25G, 400
 * KB to 4 MB at 100G, 40 KB to 1 MB at 10G. */
TEST(level_scale)
{
	begin(FCN_REACTION_LEVEL);
	/* 100000 * 10^(l/7): 138949.5, 193069.8 ... 719685.7, 1000000 */
	assert_int_equal(level_of(TYPE_HPCC, 138949, 25000), 0);
	assert_int_equal(level_of(TYPE_HPCC, 138950, 25000), 1);
	assert_int_equal(level_of(TYPE_HPCC, 193069, 25000), 1);
	assert_int_equal(level_of(TYPE_HPCC, 193070, 25000), 2);
	assert_int_equal(level_of(TYPE_HPCC, 719685, 25000), 5);
	assert_int_equal(level_of(TYPE_HPCC, 719686, 25000), 6);
	assert_int_equal(level_of(TYPE_HPCC, 999999, 25000), 6);
	assert_int_equal(level_of(TYPE_HPCC, 1000000, 25000), 7);
	/* 400000 * 10^(1/7) = 555798.2; a speed that is not told is that of the line, 100G. */
	assert_int_equal(level_of(TYPE_HPCC, 555798, 100000), 0);
	assert_int_equal(level_of(TYPE_HPCC, 555799, 100000), 1);
	assert_int_equal(level_of(TYPE_HPCC, 555798, 0), 0);
	assert_int_equal(level_of(QUEUE_TYPE, 555799, 0), 1);
	assert_int_equal(level_of(TYPE_HPCC, 3999999, 100000), 6);
	assert_int_equal(level_of(TYPE_HPCC, 4000000, 100000), 7);
	/* 40000 * 25^(1/7) = 63352.8 */
	assert_int_equal(level_of(TYPE_HPCC, 63352, 10000), 0);
	assert_int_equal(level_of(TYPE_HPCC, 63353, 10000), 1);
	assert_int_equal(level_of(TYPE_HPCC, 999999, 10000), 6);
	assert_int_equal(level_of(TYPE_HPCC, 1000000, 10000), 7);
}

/* Traces that cannot be read, and reaction points that do not go by levels. */
TEST(level_untold)
{
	const struct hop hop = {.queue = 1000000, .mbps = 25000};
	struct trace trace;

	begin(FCN_REACTION_LEVEL);
	make_trace(&trace, TYPE_HPCC, &hop, 1, 2);
	assert_int_equal(fcn_reaction_level(&r, &trace.t), 7);
	trace.t.words--;
	assert_int_equal(fcn_reaction_level(&r, &trace.t), -1);
	trace.t.words = 2; /* nobody wrote */
	assert_int_equal(fcn_reaction_level(&r, &trace.t), -1);
	trace.t.words = 1;
	assert_int_equal(fcn_reaction_level(&r, &trace.t), -1);
	trace.t.node_len++;
	assert_int_equal(fcn_reaction_level(&r, &trace.t), -1);
	make_trace(&trace, TYPE_HPCC, &hop, 1, 0);
	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++) {
		begin((enum fcn_reaction_kind)kind);
		assert_int_equal(fcn_reaction_level(&r, &trace.t),
				kind == FCN_REACTION_LEVEL ? 7 : -1);
	}
}

TEST(level_guard)
{
	begin(FCN_REACTION_LEVEL);
	for (uint64_t t = 0; t < 10; t++)
		fcn_reaction_cnp(&r, 0, t * US);
	assert_int_equal(r.rate_bps, 96875 * MBPS);
	fcn_reaction_cnp(&r, 7, 10 * US);
	assert_int_equal(r.rate_bps, UINT64_C(51464843750)); /* 96.875 * 68 / 128 */
	for (uint64_t t = 2; t < 100; t++)
		fcn_reaction_cnp(&r, 7, t * 10 * US);
	assert_int_equal(r.rate_bps, dcqcn_own(&conf)->min_rate_bps);
}

TEST(level_recovers)
{
	begin(FCN_REACTION_LEVEL);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	fcn_reaction_sent(&r, 3000000, 0); /* before the first notice: counts for nothing */
	fcn_reaction_cnp(&r, 7, 0);
	assert_int_equal(fcn_reaction_next(&r), 300 * US);
	assert_int_equal(rate_at(300 * US), UINT64_C(76562500000));
	assert_int_equal(rate_at(600 * US), UINT64_C(88281250000));
	/* A cut after increases by time: the target is what the rate was. */
	fcn_reaction_cnp(&r, 3, 700 * US);
	assert_int_equal(r.rate_bps, UINT64_C(88281250000) - UINT64_C(88281250000) * 28 / 128);
	assert_int_equal(dcqcn_state(&r)->target_bps, UINT64_C(88281250000));
	/* 2 MiB of bytes are an increase, too: (68969726563 + 88281250000) / 2 */
	fcn_reaction_sent(&r, 2097087, 710 * US);
	assert_int_equal(r.rate_bps, UINT64_C(68969726563));
	fcn_reaction_sent(&r, 1, 710 * US);
	assert_int_equal(r.rate_bps, UINT64_C(78625488282));
	assert_int_equal(rate_at(200 * MS), LINE);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
}
