/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A worker takes a burst from each other worker in a turn, and no more, however much waits and
 * however it has to be queued: its own ports and its clock must not wait for the others.
 */

#include "cross_core.h"
#include "group_bench.h"

#define CONGESTED 7 /* a port whose queues ask about each packet */
#define WAITING 900 /* packets that each other worker sends, of which not all may find room */

/* The other port of the same worker, whose queues take packets in series. */
static uint16_t
quiet_port(void)
{
	return (uint16_t)(CONGESTED - group.n);
}

/* A port of another worker than the owner of both. */
static uint16_t
port_of(unsigned int worker)
{
	return (uint16_t)worker;
}

/* Let a packet arrive; if it is odd, it passes through the stages. */
static void
arrive(uint16_t in, uint16_t out, bool odd)
{
	struct frame f;

	frame_roce6(&f, 1, 0x10 + out, 9, 100);
	frame_to_port(&f, in, 1);
	frame_class(&f, 7, 1);
	if (odd)
		frame_zero(&f, 4); /* padding */
	bench_in(in, &f);
}

/* What waits for a worker. */
static unsigned int
waiting(unsigned int worker)
{
	const struct fcn_worker *w = group.w[worker];
	unsigned int n = 0;

	for (unsigned int k = 0; k < w->n_peers; k++)
		n += fcn_cross_core_count(w->peer[k].cross_core_rx);
	return n;
}

/* Let all other workers send to a worker that does not come. @param one_in of that many packets,
 * one is to the congested port; 0: none */
static void
fill(unsigned int owner, unsigned int one_in, bool odd)
{
	group.away = 1u << owner;
	for (unsigned int i = 0; i < WAITING; i++) {
		for (unsigned int k = 0; k < group.n; k++) {
			const bool congested = one_in != 0 && i % one_in == 0;

			if (k != owner)
				arrive(port_of(k), congested ? CONGESTED : quiet_port(), odd);
		}
		if (i % FCN_RX_BURST == FCN_RX_BURST - 1)
			group_settle();
	}
	group_settle();
	group.away = 0;
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(bounded)
{
	static const unsigned int mixes[] = {0, 1, 2, 5, 40};

	for (unsigned int i = 0; i < 2 * 3 * RTE_DIM(mixes); i++) {
		const unsigned int n = 2 + i % 3, bound = (n - 1) * FCN_BURST_MAX;
		unsigned int owner, left;

		group_begin(n);
		owner = group_owner(CONGESTED);
		bench_notices(CONGESTED, 1);
		bench_new_snapshot();
		fill(owner, mixes[i / 3 % RTE_DIM(mixes)], i >= 3 * RTE_DIM(mixes));
		left = waiting(owner);
		assert_true(left > 2 * bound);
		for (unsigned int turn = 0; left != 0; turn++) {
			unsigned int taken;

			for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
				bench.port[p].accept = GROUP_ROOM_ALL;
			group.now += 1000;
			group_turn(owner);
			taken = left - waiting(owner);
			if (taken > bound)
				print_error("%u workers, mix %u: %u in turn %u\n", n,
						mixes[i / 3 % RTE_DIM(mixes)], taken, turn);
			assert_true(taken <= bound);
			assert_true(taken >= RTE_MIN(left, (unsigned int)FCN_BURST_MAX));
			left -= taken;
		}
		group_drain();
		group_end();
	}
}
