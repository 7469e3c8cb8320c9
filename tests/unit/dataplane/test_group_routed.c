/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one: the same packets to routed ports have the same outcome, wherever the
 * owner of their egress port is.
 */

#include "group_mix.h"

#define STEPS 120

/* Queues whose packets are handled one by one: a detector that chooses those that leave, and
 * notices for senders of heavy flows only. */
static void
configure_slow_path(void)
{
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++) {
		for (unsigned int c = 0; c < 6; c++) {
			struct fcn_queue_conf *q = bench_queue_conf(p, c);

			q->slow_path = true;
			if (c % 2 != 0) {
				q->policy.heavy_flows = true;
				continue;
			}
			mix_choose_at_dequeue(p, c);
		}
	}
	bench_new_snapshot();
}

/* What the mix makes of a number of workers. */
static void
run(unsigned int workers, uint64_t seed, bool slow_path, struct mix *mix, struct outcome *o)
{
	uint16_t room[OUTCOME_PORTS];

	group_begin(workers);
	mix_configure();
	if (slow_path)
		configure_slow_path();
	mix_begin(mix, seed);
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		mix_arrive(mix);
		group_turns(workers > 1 ? (unsigned int)(fcn_test_random(&group.order) % 6) : 1);
		group_settle();
		mix_rooms(mix, room);
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	mix_unconfigure();
	group_end();
}

/* Everything that the mix is to contain is there. */
static void
check_mixed(const struct mix *mix, const struct outcome *o)
{
	uint64_t congested = 0, made = 0, drops = 0, written = 0, opt1 = 0, opt2 = 0;

	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		made += fcn_port_notices(&o->sums.port[p]);
		drops += o->sums.port[p].drop[FCN_DROP_QUEUE_BYTES];
		written += o->sums.port[p].ioam_written;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const uint64_t *verdict = o->sums.notify[0][p][c].verdict;

			congested += o->sums.queue[p][c].stats.congested_packets;
			opt1 += verdict[FCN_FASTCNP_SENT_OPT1];
			opt2 += verdict[FCN_FASTCNP_SENT_OPT2];
		}
	}
	assert_true(mix->packets > 5000);
	assert_true(o->n_frames > 4000);
	assert_true(congested > 500 && made > 200 && drops > 20 && written > 50);
	assert_true(opt1 > 200 && opt2 > 0);
	assert_true(o->n_events > 100 && o->n_punts > 10);
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(o->sums.sid[i].packets > 10);
		assert_true(o->sums.port[MIX_SUB + i].sub_rx_packets > 10);
		assert_true(o->sums.port[MIX_SUB + i].sub_tx_packets > 10);
	}
	assert_true(o->sums.endcon_taken > 10);
	assert_int_equal(o->sums.events_lost, 0);
}

static void
compare(uint64_t first, uint64_t last, bool slow_path)
{
	for (uint64_t seed = first; seed <= last; seed++) {
		static struct outcome one, many;
		static struct mix mix;

		run(1, seed, slow_path, &mix, &one);
		check_mixed(&mix, &one);
		for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
			run(n, seed, slow_path, &mix, &many);
			outcome_check_same(&one, &many, mix.queue);
			outcome_reset(&many);
		}
		outcome_reset(&one);
	}
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(routed)
{
	compare(1, fcn_test_effort(3), false);
}

TEST(slow_path)
{
	compare(11, 10 + fcn_test_effort(2), true);
}
