/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Any calls, any parameters: what holds of every reaction point, a million steps. */

#include "fcn_test.h"

#include "reaction_beta.h"
#include "reaction_hpcc.h"
#include "reaction_level.h"
#include "traces.h"

#define STEPS 1000000
#define STEPS_EACH 2000

static uint64_t seed = 1;

static uint64_t
below(uint64_t n)
{
	return fcn_test_random(&seed) % n;
}

/* 0, small, and of any size up to 2^bits. */
static uint64_t
any(unsigned int bits)
{
	return fcn_test_random(&seed) >> (64 - bits) >> below(bits);
}

static bool
coin(void)
{
	return below(2) != 0;
}

static void
any_dcqcn(struct dcqcn_conf *conf, uint64_t line_bps)
{
	if (coin())
		return;
	reaction_dcqcn_paper(conf, line_bps);
	if (coin())
		return;
	*conf = (struct dcqcn_conf){
			.initial_alpha = (uint32_t)any(12),
			.tcp_g = (uint32_t)any(12),
			.tcp_rtt_ns = any(20),
			.gd = (uint32_t)any(8),
			.monitor_ns = any(20),
			.min_dec_fac = (uint32_t)any(8),
			.time_reset_ns = any(24),
			.byte_reset = any(24),
			.threshold = (uint32_t)any(4),
			.ai_bps = any(40),
			.hai_bps = any(40),
			.min_rate_bps = any(44),
			.clamp = coin(),
			.clamp_after_time = coin(),
			.first_rate_bps = coin() ? 0 : any(44),
	};
}

static void
any_conf(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	fcn_reaction_defaults(conf, line_bps);
	conf->kind = (enum fcn_reaction_kind)below(FCN_REACTION_COUNT);
	any_dcqcn(dcqcn_own(conf), line_bps);
	if (coin())
		*hpcc_own(conf) = (struct hpcc_conf){
				.base_rtt_ns = any(64),
				.eta_permille = (uint32_t)any(12),
				.max_stage = (uint32_t)any(4),
				.wai_bytes = any(30),
				.flows = (uint32_t)any(10),
				.min_rate_bps = any(44),
				.fallback_bps = any(44),
				.min_window = any(14),
		};
	for (unsigned int k = 0; k < FCN_REACTION_COUNT; k++) {
		const struct fcn_reaction_type *type = fcn_reaction_type((enum fcn_reaction_kind)k);

		for (unsigned int i = 0; type->ack != NULL && i < type->n_arguments; i++) {
			const struct fcn_reaction_parameter *a = &type->arguments[i];

			if (coin())
				fcn_reaction_set(conf, (enum fcn_reaction_kind)k, a->word,
						a->least + any(40) % (a->most - a->least + 1));
		}
	}
	if (coin())
		*beta_own(conf) = (struct beta_conf){
				.beta_permille = (uint32_t)any(11),
				.increase_bps = any(40),
				.rtt_ns = any(24),
				.quiet_rounds = (uint32_t)any(8),
				.byte_counter = any(20),
				.guard_ns = any(20),
				.min_rate_bps = any(44),
		};
}

static uint64_t
least_rate(const struct fcn_reaction *r)
{
	uint64_t least = 1;

	switch (r->conf->kind) {
	case FCN_REACTION_DCQCN:
	case FCN_REACTION_LEVEL:
		least = dcqcn_conf(r)->min_rate_bps;
		break;
	case FCN_REACTION_HPCC:
		least = hpcc_conf(r)->min_rate_bps;
		break;
	case FCN_REACTION_BETA:
		least = beta_conf(r)->min_rate_bps;
		break;
	default:
		if (fcn_reaction_wants_acks(r->conf))
			break; /* a window may be below a packet in a round trip */
		return r->line_bps;
	}
	least = RTE_MAX(least, UINT64_C(1));
	return RTE_MIN(least, r->line_bps);
}

static void
check(const struct fcn_reaction *r, uint64_t now)
{
	uint64_t packet = hpcc_conf(r)->min_window;

	assert_true(r->rate_bps >= least_rate(r));
	assert_true(r->rate_bps <= r->line_bps);
	assert_true(fcn_reaction_next(r) > now);
	if (r->conf->kind == FCN_REACTION_DCQCN || r->conf->kind == FCN_REACTION_LEVEL) {
		assert_true(dcqcn_seen(r)->alpha < 1024);
		assert_true(dcqcn_seen(r)->target_bps >= r->rate_bps);
	}
	if (r->conf->kind == FCN_REACTION_HPCC) {
		assert_true(r->window >= (packet == 0 ? 1024 : packet));
		assert_true(r->window != FCN_WINDOW_NONE);
		/* Neither is a number beyond all numbers. */
		assert_true(hpcc_seen(r)->window > 0 && hpcc_seen(r)->window < 1e16);
		assert_true(hpcc_seen(r)->utilisation >= 0 && hpcc_seen(r)->utilisation < 1e60);
	} else if (fcn_reaction_wants_acks(r->conf)) {
		assert_true(r->window > 0);
	} else {
		assert_int_equal(r->window, FCN_WINDOW_NONE);
	}
}

static void
any_trace(struct fcn_reaction *r, uint64_t now)
{
	uint32_t type = coin() ? TYPE_HPCC : (uint32_t)any(24);
	uint64_t window = r->window, rate = r->rate_bps;
	bool early = coin();
	struct hop hops[4];
	struct trace trace;

	type &= ~0x000FFDu; /* fields that nobody knows */
	for (size_t i = 0; i < RTE_DIM(hops); i++)
		hops[i] = (struct hop){
				.id = (uint32_t)below(12),
				.time = now + any(10),
				.mbps = (uint32_t)any(32),
				.queue = (uint32_t)any(32),
				.tx = coin() ? now * 12 : any(64),
				.fraction = below(8) == 0 ? (uint32_t)any(32) : 0,
		};
	make_trace(&trace, type, hops, (unsigned int)below(5), (uint8_t)below(9));
	if (below(16) == 0)
		trace.t.node_len = (uint8_t)any(5);
	fcn_reaction_trace(r, &trace.t, early, coin(), now);
	if (early)
		assert_true(r->window <= window && r->rate_bps <= rate);
}

/* A step of time: none, a packet's, an idle sender's, a stop's. */
static uint64_t
any_time(void)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return any(20);
	case 2:
		return below(64) == 0 ? any(36) : 0;
	default:
		return below(2000);
	}
}

static void
any_ack(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_reaction_ack ack = {
			.rtt_ns = below(8) == 0 ? FCN_REACTION_NO_RTT
						: any(below(64) == 0 ? 64 : 24),
			.packets = 1 + any(8),
			.bytes = any(20),
			.in_flight = any(24),
			.hops = (uint8_t)any(8),
			.marked = coin(),
	};

	fcn_reaction_ack(r, &ack, now);
}

static void
step(struct fcn_reaction *r, uint64_t now)
{
	switch (below(10)) {
	case 8:
		if (below(16) == 0)
			fcn_reaction_loss(r, coin(), any(20), now);
		break;
	case 9:
		any_ack(r, now);
		break;
	case 0:
	case 1:
		fcn_reaction_cnp(r, (int)below(12) - 2, now);
		break;
	case 2:
		any_trace(r, now);
		break;
	case 3:
		fcn_reaction_timers(r, now);
		break;
	default:
		fcn_reaction_sent(r, below(16) == 0 ? (uint32_t)any(20) : 1126, now);
		break;
	}
}

TEST(any)
{
	uint64_t counts[FCN_REACTION_COUNT] = {0}, slower[FCN_REACTION_COUNT] = {0};

	for (unsigned int i = 0; i < STEPS / STEPS_EACH; i++) {
		uint64_t line_bps = coin() ? UINT64_C(1) << any(5) : 1000000 * (1 + any(20));
		uint64_t now = any(40);
		struct fcn_reaction_conf conf;
		struct fcn_reaction r;

		any_conf(&conf, line_bps);
		fcn_reaction_init(&r, &conf, line_bps, 1126, now);
		check(&r, now);
		for (unsigned int k = 0; k < STEPS_EACH; k++) {
			now += any_time();
			step(&r, now);
			fcn_reaction_timers(&r, now);
			check(&r, now);
			slower[conf.kind] += r.rate_bps < r.line_bps;
			counts[conf.kind]++;
		}
	}
	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++) {
		assert_true(counts[kind] > STEPS / 20);
		/* NSCC has a window only. */
		assert_true((slower[kind] > 1000) ==
				(kind != FCN_REACTION_NONE && kind != FCN_REACTION_NSCC));
	}
}

/* The clock's end is nobody's end. */
TEST(last_times)
{
	static const uint64_t nows[] = {UINT64_MAX - 1, UINT64_MAX - 5000, UINT64_MAX - 400000};

	for (size_t i = 0; i < RTE_DIM(nows); i++) {
		for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++) {
			struct fcn_reaction_conf conf;
			struct fcn_reaction r;

			fcn_reaction_defaults(&conf, 1000000000);
			conf.kind = (enum fcn_reaction_kind)kind;
			fcn_reaction_init(&r, &conf, 1000000000, 1126, 0);
			for (uint64_t now = nows[i]; now != 0; now++) {
				if (now == nows[i] || now % 1000 == 0) {
					fcn_reaction_cnp(&r, -1, now);
					assert_true(fcn_reaction_next(&r) > now);
				}
				fcn_reaction_sent(&r, 1000, now);
				assert_true(fcn_reaction_next(&r) > now || now == UINT64_MAX);
			}
		}
	}
}

static struct fcn_reaction_conf odd;
static struct fcn_reaction r_odd;

static void
odd_begin(enum fcn_reaction_kind kind)
{
	fcn_reaction_defaults(&odd, 1000000);
	odd.kind = kind;
	dcqcn_own(&odd)->min_rate_bps = 0;
	fcn_reaction_init(&r_odd, &odd, 1000000, 1126, 0);
}

/* Parameters that no adapter has mean the nearest that one could have. */
TEST(odd_parameters)
{
	odd_begin(FCN_REACTION_DCQCN);
	dcqcn_own(&odd)->gd = 200; /* cuts by nothing */
	fcn_reaction_cnp(&r_odd, -1, 0);
	fcn_reaction_timers(&r_odd, 4000);
	assert_int_equal(r_odd.rate_bps, 1000000);

	odd_begin(FCN_REACTION_DCQCN);
	dcqcn_own(&odd)->min_dec_fac = 150; /* leaves all */
	fcn_reaction_cnp(&r_odd, -1, 0);
	fcn_reaction_timers(&r_odd, 4000);
	assert_int_equal(r_odd.rate_bps, 1000000);

	odd_begin(FCN_REACTION_DCQCN);
	dcqcn_own(&odd)->tcp_g = 5000; /* keeps alpha */
	dcqcn_own(&odd)->initial_alpha = 500;
	fcn_reaction_cnp(&r_odd, -1, 0);
	fcn_reaction_cnp(&r_odd, -1, 1);
	fcn_reaction_timers(&r_odd, 100000);
	assert_int_equal(dcqcn_state(&r_odd)->alpha, 500);

	odd_begin(FCN_REACTION_DCQCN);
	dcqcn_own(&odd)->monitor_ns = 0; /* cuts at once */
	fcn_reaction_cnp(&r_odd, -1, 0);
	assert_int_equal(r_odd.rate_bps, 1000000 - 1000000 * 1023 / 2048);

	odd_begin(FCN_REACTION_BETA);
	beta_own(&odd)->rtt_ns = 0; /* one nanosecond */
	beta_own(&odd)->byte_counter = 0;
	beta_own(&odd)->increase_bps = 7;
	fcn_reaction_cnp(&r_odd, -1, 0);
	fcn_reaction_timers(&r_odd, 3);
	assert_int_equal(r_odd.rate_bps, 800021);
}
