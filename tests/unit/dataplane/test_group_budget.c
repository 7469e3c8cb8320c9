/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The budget of packet buffers with several workers: each has its part, whatever the others hold,
 * so all of them together never hold more than there is.
 */

#include "cross_core.h"
#include "group_bench.h"

#define SHARED 1600
#define RESERVE 4
#define VICTIM 7 /* port that takes its packets, of which others have none */
#define STEPS 150

TEST_FIXTURE(FCN_TEST_EAL);

/* A budget on, the way control does it. */
static void
begin(unsigned int workers)
{
	group_begin(workers);
	bench.snap.budget = (struct fcn_packet_budget){
			.packets = {.size = SHARED + 64 * RESERVE, .shared = SHARED / workers},
			.reserve = RESERVE};
	bench_new_snapshot();
}

/* Let a packet come in by a port, on a receive queue of any of its two workers. */
static void
arrive(uint16_t from, uint16_t to, unsigned int class, unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 0x10 + to, 2, 64);
	frame_class(&f, class, 1);
	if (n % 8 == 0) /* one of eight passes through the stages */
		f.data[14 + 40 + 3] ^= 1;
	frame_to_port(&f, from, 1);
	bench_in(n % 2 == 0 ? from : GROUP_SECOND_QUEUE + from, &f);
}

static unsigned int
queued(void)
{
	unsigned int n = 0;

	for (uint16_t p = 0; p < OUTCOME_PORTS; p++)
		n += fcn_egress_packets(group_egress(p));
	return n;
}

/*
 * Two hosts fill all queues of the ports 1 to 6, 48 of 1024 packets each, of a pool of 4095. All
 * packets of a third one, by port 1 to port 7, leave.
 */
static void
attack(unsigned int workers)
{
	static const uint16_t room[OUTCOME_PORTS] = {[VICTIM] = 64};
	unsigned int sent = 0;

	begin(workers);
	for (unsigned int step = 0; step < STEPS; step++) {
		for (unsigned int i = 0; i < 64; i++, sent++)
			arrive(sent % 3 == 0 ? 0 : 2, 1 + sent % 6, sent / 6 % FCN_CLASSES, sent);
		arrive(1, VICTIM, 3, step);
		group_transmit(room);
		assert_true(queued() <= SHARED + 48 * RESERVE + workers * 64);
		assert_true(rte_mempool_in_use_count(bench.pool) <=
				SHARED + 48 * RESERVE + workers * FCN_BURST_MAX);
	}
	assert_int_equal(group.w[group_owner(VICTIM)]->counters[VICTIM].tx_packets, STEPS);
	/* As many as there are for queues with alpha 1: 48 of them leave a 49th of each part, and
	 * those of one worker no less than its 12. */
	assert_true(queued() >= SHARED * 11 / 12);
	group_drain();
	assert_int_equal(queued(), 0);
	for (unsigned int i = 0; i < workers; i++)
		assert_int_equal(group.w[i]->packets.packets.shared_used, 0);
	group_end();
}

TEST(attack_1)
{
	attack(1);
}

TEST(attack_2)
{
	attack(2);
}

TEST(attack_3)
{
	attack(3);
}

TEST(attack_4)
{
	attack(4);
}

/* A worker that does not come: the ring to it holds what is counted off for it, and what is free of
 * the sender's part, and no more. */
TEST(ring)
{
	const struct fcn_cross_core *h;

	begin(2);
	bench.snap.budget.packets.shared = 100;
	bench_new_snapshot();
	group.away = 1u << 1;
	h = group.w[0]->port[1].cross_core;
	for (unsigned int i = 0; i < 1200; i++) {
		struct frame f;

		frame_roce6(&f, 1, 0x11 + 2 * (i % 4), 2, 64); /* ports 1, 3, 5 and 7 */
		frame_class(&f, 7, 1);
		frame_to_port(&f, 0, 1);
		bench_in(0, &f);
		if (i % 8 == 7)
			group_settle();
		assert_true(fcn_cross_core_count(h) <= FCN_CROSS_CORE_QUIET + 100);
	}
	assert_true(fcn_cross_core_count(h) >= FCN_CROSS_CORE_QUIET);
	assert_int_equal(group.w[0]->packets.packets.shared_used,
			fcn_cross_core_count(h) - FCN_CROSS_CORE_QUIET);
	group.away = 0;
	group_settle();
	group_drain();
	assert_int_equal(group.w[0]->packets.packets.shared_used, 0);
	group_end();
}
