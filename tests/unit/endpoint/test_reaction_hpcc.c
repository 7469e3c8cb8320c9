/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * HPCC++, against arithmetic on paper. A line of 100 Gb/s and T = 8 us: W0 is 100,000 bytes, which
 * is also what a link of that speed sends in T; Wai is W0 * 0.05 / 16 = 312.5.
 */

#include "hpcc.h"

TEST_FIXTURE(HPCC_TEST);

static void
feed(const struct hop *hops, unsigned int n, bool early, bool full, uint64_t now)
{
	struct trace trace;

	fcn_reaction_trace(&r, make_trace(&trace, TYPE_HPCC, hops, n, 7), early, full, now);
}

/* One hop: what it had sent and held at a time. */
static void
ack(uint64_t time, uint64_t tx, uint32_t queue, bool full)
{
	struct hop hop = {.id = 5, .time = time, .mbps = MBPS, .queue = queue, .tx = tx};

	feed(&hop, 1, false, full, time + 6 * US);
}

static void
notice(uint64_t time, uint64_t tx, uint32_t queue)
{
	struct hop hop = {.id = 5, .time = time, .mbps = MBPS, .queue = queue, .tx = tx};

	feed(&hop, 1, true, false, time + 1 * US);
}

static void
assert_near(double value, double want)
{
	if (!(value > want * (1 - 1e-9) - 1e-9 && value < want * (1 + 1e-9) + 1e-9))
		fail_msg("%.9f is not %.9f", value, want);
}

/* The window as such, as it is given in whole bytes, and the rate that goes with it. */
static void
assert_window(double want)
{
	assert_near(hpcc_state(&r)->window, want);
	assert_in_range(r.window, (uint64_t)(want - 1e-6), (uint64_t)(want + 1e-6));
	assert_in_range(r.rate_bps, (uint64_t)(want * 1e6) - 1, (uint64_t)(want * 1e6) + 1);
}

TEST(begins)
{
	assert_int_equal(r.rate_bps, LINE);
	assert_int_equal(r.window, W0);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	/* CNPs tell it nothing. */
	fcn_reaction_cnp(&r, 7, 1 * US);
	fcn_reaction_sent(&r, 1126, 1 * US);
	assert_int_equal(r.rate_bps, LINE);
	/* Nor does the first trace, which there is nothing to compare with. */
	ack(0, 0, 1000000, true);
	assert_window(W0);
	assert_int_equal(hpcc_state(&r)->full_updates, 0);
	assert_int_equal(hpcc_state(&r)->n_hops, 1);
}

/* N begin together with W0: the queue is (N - 1) * B * T, U is N, and W becomes W0 * eta / N. */
TEST(incast)
{
	for (unsigned int n = 2; n <= 64; n *= 2) {
		hpcc_setup(state);
		ack(0, 0, (n - 1) * W0, false);
		ack(T, W0, (n - 1) * W0, true);
		assert_near(hpcc_state(&r)->utilisation, n);
		assert_window(W0 * 0.95 / n + WAI);
		assert_int_equal(hpcc_state(&r)->full_updates, 1);
	}
}

TEST(least_queue_counts)
{
	ack(0, 0, 30000, false);
	ack(T, W0, 900000, false);
	assert_near(hpcc_state(&r)->utilisation, 1.3);
	ack(2 * T, 2 * W0, 20000, false);
	assert_near(hpcc_state(&r)->utilisation, 1.2);
}

/* A quarter of T weighs a quarter; more than T no more than all. */
TEST(average)
{
	ack(0, 0, 0, false);
	ack(T / 4, W0 / 8, 0, false); /* half used, where 1 was before */
	assert_near(hpcc_state(&r)->utilisation, 0.875);
	assert_window(W0); /* not above W0 */
	ack(T / 4 + 3 * T, W0 / 8 + 3 * W0 / 2, 0, false);
	assert_near(hpcc_state(&r)->utilisation, 0.5);
}

/* Between full updates the window is made anew from the same reference. */
TEST(reference)
{
	ack(0, 0, W0, false);
	ack(T, W0, W0, false);
	assert_window(W0 * 0.95 / 2 + WAI);
	ack(2 * T, 2 * W0, W0, false);
	assert_window(W0 * 0.95 / 2 + WAI);
	assert_near(hpcc_state(&r)->window_full, W0);
	ack(3 * T, 3 * W0, W0, true);
	assert_window(47812.5);
	assert_near(hpcc_state(&r)->window_full, 47812.5);
	ack(4 * T, 4 * W0, W0, false);
	assert_window(47812.5 * 0.95 / 2 + WAI);
}

/* Under eta it is Wai a round trip, max_stage times; then to the target at once. */
TEST(stages)
{
	hpcc_own(&conf)->max_stage = 2;
	ack(0, 0, W0, false);
	ack(T, W0, W0, true);
	assert_window(47812.5);
	ack(2 * T, 3 * W0 / 2, 0, true);
	assert_window(48125);
	assert_int_equal(hpcc_state(&r)->stage, 1);
	ack(3 * T, 2 * W0, 0, false);
	assert_window(48437.5);
	assert_int_equal(hpcc_state(&r)->stage, 1);
	ack(4 * T, 5 * W0 / 2, 0, true);
	assert_int_equal(hpcc_state(&r)->stage, 2);
	ack(5 * T, 3 * W0, 0, true);
	assert_window(48437.5 / (0.5 / 0.95) + WAI);
	assert_int_equal(hpcc_state(&r)->stage, 0);
}

/* At eta itself it is the target's formula. */
TEST(eta)
{
	hpcc_own(&conf)->max_stage = 5;
	hpcc_own(&conf)->eta_permille = 500;
	hpcc_own(&conf)->wai_bytes = 1000;
	ack(0, 0, 0, false);
	ack(T, W0, 0, true); /* used 1: half the window */
	assert_window(51000);
	ack(2 * T, 3 * W0 / 2, 0, true); /* used as wanted */
	assert_window(52000);
	assert_int_equal(hpcc_state(&r)->stage, 0);
}

TEST(bounds)
{
	/* 1 Gb/s is the least: 1000 bytes in T, and 1024 are a packet. */
	ack(0, 0, 4000000000u, false);
	ack(T, W0, 4000000000u, true);
	assert_int_equal(r.rate_bps, 1 * GBPS);
	assert_int_equal(r.window, 1024);
	assert_near(hpcc_state(&r)->window, 1000);
	/* Nothing goes over the link: all of W0. */
	ack(2 * T, W0, 0, true);
	assert_int_equal(r.rate_bps, LINE);
	assert_int_equal(r.window, W0);
}

/* More than the line as a target leaves nothing to add. */
TEST(eta_above_one)
{
	hpcc_own(&conf)->eta_permille = 1500;
	ack(0, 0, 2 * W0, false);
	ack(T, W0, 2 * W0, true);
	assert_window(W0 / 2.0);
}

/* A whole window is the line's rate, and the least one the least rate, to the bit. */
TEST(whole_rates)
{
	static const uint64_t lines[] = {10, 25, 40, 100, 200, 400, 999999};

	for (size_t i = 0; i < RTE_DIM(lines); i++) {
		for (uint64_t rtt = 1; rtt < 40000; rtt += 37) {
			struct hop hop = {.id = 1};

			hpcc_setup(state);
			hpcc_own(&conf)->base_rtt_ns = rtt;
			hpcc_own(&conf)->eta_permille = 1000; /* nothing to add */
			hpcc_own(&conf)->min_rate_bps = 1000003 * lines[i];
			fcn_reaction_init(&r, &conf, lines[i] * GBPS + 7, 1126, 0);
			feed(&hop, 1, false, false, 0);
			hop.time = 50000;
			feed(&hop, 1, false, false, 50000);
			assert_int_equal(r.rate_bps, lines[i] * GBPS + 7);
			hop.tx = 1000000000000000;
			hop.time = 100000;
			feed(&hop, 1, false, false, 100000);
			assert_int_equal(r.rate_bps, 1000003 * lines[i]);
		}
	}
}

/* The most used hop says it; its time weighs. */
TEST(most_used)
{
	struct hop hops[] = {{.id = 1, .mbps = MBPS}, {.id = 2, .mbps = MBPS / 4},
			{.id = 3, .mbps = 4 * MBPS}};

	feed(hops, 3, false, false, 0);
	hops[0].time = T;
	hops[0].tx = W0 / 2; /* 0.5 */
	hops[1].time = T / 2;
	hops[1].tx = W0 * 3 / 32; /* 0.75 of a quarter of the speed */
	hops[2].time = T;
	hops[2].tx = W0; /* 0.25 of four times the speed */
	feed(hops, 3, false, false, T);
	assert_near(hpcc_state(&r)->utilisation, 0.5 * 1 + 0.5 * 0.75);
}

/* Hops are known by their node, wherever they stand. */
TEST(by_node)
{
	struct hop first[] = {{.id = 1, .mbps = MBPS, .tx = 7000000}, {.id = 2, .mbps = MBPS}};
	struct hop then[] = {{.id = 2, .time = T, .mbps = MBPS, .tx = W0 / 2},
			{.id = 1, .time = T, .mbps = MBPS, .tx = 7000000 + W0 / 4}};

	feed(first, 2, false, false, 0);
	feed(then, 2, false, false, T);
	assert_near(hpcc_state(&r)->utilisation, 0.5);
}

/* Acknowledgements told 1 up to T; the queue was W0 then. */
static void
acknowledged_one(void)
{
	ack(0, 0, 0, false);
	ack(T, W0, W0, false);
	assert_window(W0 * 0.95 + WAI);
}

/* A notice is told what acknowledgements will tell later: a limit, and nothing else moves. */
TEST(early)
{
	struct hop hop = {.id = 5, .time = 2 * T, .mbps = MBPS, .queue = W0, .tx = 2 * W0};

	acknowledged_one();
	feed(&hop, 1, true, true, 2 * T + 1 * US);
	assert_window(47812.5);
	assert_int_equal(hpcc_state(&r)->early, 1);
	assert_int_equal(hpcc_state(&r)->full_updates, 0);
	assert_near(hpcc_state(&r)->window_full, W0);
	assert_near(hpcc_state(&r)->utilisation, 1);
	/* An older acknowledgement would ask for 63645.8. */
	ack(3 * T / 2, 3 * W0 / 2, W0, false);
	assert_near(hpcc_state(&r)->utilisation, 1.5);
	assert_window(47812.5);
	/* One that is as new as the notice ends the limit: 1.5 and 2, half each. */
	ack(2 * T, 2 * W0, W0, false);
	assert_window(W0 * 0.95 / 1.75 + WAI);
}

/* A full update under a limit: the reference is as without it. */
TEST(early_full)
{
	acknowledged_one();
	notice(2 * T, 2 * W0, W0);
	ack(3 * T / 2, 3 * W0 / 2, W0, true);
	assert_window(47812.5);
	assert_near(hpcc_state(&r)->window_full, W0 * 0.95 / 1.5 + WAI);
	ack(2 * T, 2 * W0, W0, false);
	assert_window((W0 * 0.95 / 1.5 + WAI) * 0.95 / 1.75 + WAI);
}

TEST(early_never_larger)
{
	ack(0, 0, W0, false);
	ack(T, W0, W0, true);
	assert_window(47812.5);
	notice(2 * T, W0 + W0 / 2, 0); /* used 0.5 */
	assert_window(47812.5);
	assert_int_equal(hpcc_state(&r)->early, 0);
	/* Not taken, it is not what the next is compared with: 2 * W0 in 2 * T with a queue. */
	notice(3 * T, 3 * W0, W0);
	assert_window(47812.5 * 0.95 / 2 + WAI);
	assert_int_equal(hpcc_state(&r)->early, 1);
}

/* Notices before any acknowledgement are compared with each other, and averaged. */
TEST(early_alone)
{
	notice(0, 0, W0);
	assert_window(W0);
	notice(T / 2, W0 / 2, W0); /* 1 and 2, half each */
	assert_window(W0 * 0.95 / 1.5 + WAI);
	notice(T, W0, W0); /* 1.5 and 2, half each */
	assert_window(W0 * 0.95 / 1.75 + WAI);
	assert_int_equal(hpcc_state(&r)->early, 2);
	assert_near(hpcc_state(&r)->utilisation, 1);
}

/* A notice is compared with the newer of what notices and acknowledgements told. */
TEST(early_newest)
{
	acknowledged_one();
	notice(2 * T, 2 * W0, W0);         /* 2 */
	ack(3 * T, 3 * W0, 4 * W0, false); /* 2; ends the limit */
	assert_near(hpcc_state(&r)->utilisation, 2);
	notice(4 * T, 4 * W0, 4 * W0); /* 5 since the acknowledgement */
	assert_window(W0 * 0.95 / 5 + WAI);
	hpcc_setup(NULL);
	acknowledged_one();
	notice(2 * T, 2 * W0, 3 * W0);                  /* 2 */
	notice(2 * T + T / 2, 2 * W0 + W0 / 2, 3 * W0); /* 4 since the other: half each */
	assert_window(W0 * 0.95 / 3 + WAI);
}

/* It covers the hops up to the congested one. */
TEST(early_prefix)
{
	struct hop hops[] = {{.id = 1, .mbps = MBPS}, {.id = 2, .mbps = MBPS, .queue = W0},
			{.id = 3, .mbps = MBPS}};

	feed(hops, 3, false, false, 0);
	for (int i = 0; i < 2; i++) {
		hops[i].time = T;
		hops[i].tx = W0;
	}
	feed(hops, 2, true, false, T);
	assert_window(47812.5);
	/* An acknowledgement on the same path that is older keeps the limit. */
	for (int i = 0; i < 3; i++) {
		hops[i].time = T / 2;
		hops[i].tx = W0 / 2;
	}
	feed(hops, 3, false, false, T);
	assert_window(47812.5);
}

/* Acknowledgements of another path know nothing of the limit's hop. */
TEST(early_other_path)
{
	struct hop other[] = {{.id = 8, .time = T, .mbps = MBPS}};
	struct trace trace;

	acknowledged_one();
	notice(2 * T, 2 * W0, W0);
	assert_window(47812.5);
	/* Unless the hop may have been left out. */
	make_trace(&trace, TYPE_HPCC, other, 1, 0);
	trace.t.flags = FCN_IOAM_FLAG_OVERFLOW;
	fcn_reaction_trace(&r, &trace.t, false, false, 3 * T);
	assert_true(hpcc_state(&r)->by_notice.cause.known);
	assert_int_equal(hpcc_state(&r)->partial, 1);
	feed(other, 1, false, false, 3 * T);
	assert_false(hpcc_state(&r)->by_notice.cause.known);
	other[0].time = 2 * T;
	other[0].tx = W0;
	feed(other, 1, false, false, 4 * T);
	assert_window(W0 * 0.95 + WAI);
}

/* A hop whose clock went back does not hold the limit for ever. */
TEST(early_ends)
{
	struct hop hop = {.id = 5, .mbps = MBPS, .queue = W0};

	acknowledged_one();
	notice(2 * T, 2 * W0, W0); /* heard at 2 T + 1 us */
	hop.time = T + 1;
	hop.tx = W0 + W0 / 8;
	feed(&hop, 1, false, false, 2 * T + 1 * US + 16 * T);
	assert_true(hpcc_state(&r)->by_notice.cause.known);
	hop.time = T + 2;
	feed(&hop, 1, false, false, 2 * T + 1 * US + 16 * T + 1);
	assert_false(hpcc_state(&r)->by_notice.cause.known);
	assert_true(hpcc_state(&r)->window > 47812.5);
}
