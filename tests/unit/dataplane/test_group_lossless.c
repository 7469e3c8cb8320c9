/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one, with lossless classes: the accounts of what was received, the pauses
 * that senders are asked for, the losses, and pauses that the congested ports obey, wherever they
 * were received.
 */

#include "group_mix.h"

#define STEPS 120
#define LOSSLESS 0x18 /* classes 3 and 4, of the ports that do not get congested */

static bool
is_lossless(unsigned int class)
{
	return LOSSLESS >> class & 1;
}

/* Packets of lossless classes are for the congested ports only, from which they leave when no other
 * port sends anything. */
static void
choose_flows(struct mix *mix, uint64_t seed)
{
	mix_begin(mix, seed);
	for (unsigned int i = 0; i < MIX_FLOWS; i++) {
		if (mix->flow[i].out < MIX_CONGESTED && is_lossless(mix->flow[i].class))
			mix->flow[i].class = 5;
		if (mix->flow[i].family >= MIX_LOCAL)
			mix->flow[i].family = MIX_ROCE6;
	}
}

/*
 * With losses, or with detectors: a packet that finds no headroom on its way to another worker does
 * not come to the queue, whose detector therefore does not see it, and nothing is written to its
 * trace.
 */
static void
configure(bool losses)
{
	const uint32_t headroom = losses ? 400 : 100000;

	mix_configure();
	for (uint16_t p = 0; p < MIX_CONGESTED; p++) {
		bench_lossless(p, 3, 2000, 1000, 2 * headroom + 100 * p);
		bench_lossless(p, 4, 1500, 1400, headroom);
	}
	for (uint16_t p = 0; p < OUTCOME_PORTS && losses; p++) {
		bench.snap.port[p].ioam.transit = false;
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->detector.type = FCN_DETECTOR_OFF;
	}
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++)
		bench_pfc_rx(p, 0x3F);
	bench_new_snapshot();
}

/* A congested port is asked to pause some classes for some steps, or to go on. */
static void
pauses(struct mix *mix)
{
	const unsigned int port = MIX_CONGESTED + mix_below(mix, 2);
	struct frame f;

	if (mix_below(mix, 8) != 0)
		return;
	frame_pfc(&f, (uint8_t)(1 << mix_below(mix, MIX_CONGESTED)), (uint16_t)mix_below(mix, 60));
	bench_in((uint16_t)(port + (mix_below(mix, 2) ? GROUP_SECOND_QUEUE : 0)), &f);
}

/* The ports that do not get congested send what waits there, and PFC frames. */
static void
transmit_others(void)
{
	uint16_t room[OUTCOME_PORTS] = {0};

	for (unsigned int p = 0; p < MIX_CONGESTED; p++)
		room[p] = GROUP_ROOM_ALL;
	group_transmit(room);
}

static void
transmit_congested(struct mix *mix)
{
	uint16_t room[OUTCOME_PORTS];

	mix_rooms(mix, room);
	memset(room, 0, MIX_CONGESTED * sizeof(room[0]));
	group_transmit(room);
}

static void
run(unsigned int workers, uint64_t seed, bool losses, struct mix *mix, struct outcome *o)
{
	group_begin(workers);
	configure(losses);
	choose_flows(mix, seed);
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		pauses(mix);
		mix_arrive(mix);
		group_turns(workers > 1 ? (unsigned int)(fcn_test_random(&group.order) % 6) : 1);
		group_settle();
		transmit_others();
		transmit_congested(mix);
		transmit_others();
	}
	group.now += 1000000; /* all pauses are over */
	group_drain();
	transmit_others();
	outcome_add_counters(o, group.w, group.n);
	mix_unconfigure();
	group_end();
}

/*
 * Check what was asked for and lost, and that nothing is left on any account. The queues' own
 * counters are without what was lost on the way to them.
 */
static void
check_accounts(struct outcome *o, bool losses)
{
	uint64_t sent = 0, lost = 0, headroom = 0;

	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		sent += o->sums.port[p].pause_sent;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			assert_int_equal(o->sums.ingress[p][c].used, 0);
			assert_int_equal(o->sums.ingress[p][c].headroom, 0);
			assert_false(o->sums.ingress[p][c].xoff);
			lost += o->sums.ingress[p][c].lost_packets;
			if (losses) {
				struct fcn_queue_stats *q = &o->sums.queue[p][c].stats;

				q->arrived_packets -= q->drop[FCN_REFUSED_LOSSLESS_HEADROOM];
				q->arrived_bytes -= q->drop_bytes;
				q->drop[FCN_REFUSED_LOSSLESS_HEADROOM] = q->drop_bytes = 0;
			}
		}
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		headroom += o->sums.port[p].drop[FCN_DROP_LOSSLESS_HEADROOM];
	assert_true(sent > 20);
	assert_int_equal(losses, lost > 20);
	assert_int_equal(lost, headroom);
	assert_true(o->sums.port[6].pause_received + o->sums.port[7].pause_received > 5);
}

static void
compare(bool losses)
{
	for (uint64_t seed = 1; seed <= fcn_test_effort(2); seed++) {
		static struct outcome one, many;
		static struct mix mix;

		run(1, seed, losses, &mix, &one);
		check_accounts(&one, losses);
		for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
			run(n, seed, losses, &mix, &many);
			check_accounts(&many, losses);
			outcome_check_same(&one, &many, mix.queue);
			outcome_reset(&many);
		}
		outcome_reset(&one);
	}
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(detectors)
{
	compare(false);
}

TEST(losses)
{
	compare(true);
}
