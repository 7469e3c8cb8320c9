/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one: a port is removed while packets for it are on their way. All others
 * go where they would, and each of those is dropped under the name for it.
 */

#include "group_mix.h"

#define STEPS 40
#define REMOVED_AT 25 /* step in which the port is removed */

/* Choose flows of which none comes in by the port that will be removed. */
static void
choose_flows(struct mix *mix, uint64_t seed, uint16_t gone)
{
	mix_begin(mix, seed);
	for (unsigned int i = 0; i < MIX_FLOWS; i++) {
		struct mix_flow *f = &mix->flow[i];

		if (f->in != gone)
			continue;
		f->in++;
		f->tagged_in = false;
		mix->queue[i]++;
		if (f->out >= MIX_CONGESTED && gone < MIX_CONGESTED)
			f->class = (uint8_t)((f->in + 2 * (f->out - MIX_CONGESTED)) %
					     MIX_CONGESTED);
	}
}

static void
configure(void)
{
	mix_configure();
	/* On their way to another worker, nothing has been written to their traces. */
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		bench.snap.port[p].ioam.transit = false;
	bench_new_snapshot();
}

/* Move the drops of a removed port to one place: who counts them depends on where they were. */
static void
gather_gone(struct outcome *o)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		n += o->sums.port[p].drop[FCN_DROP_PORT_GONE];
		o->sums.port[p].drop[FCN_DROP_PORT_GONE] = 0;
	}
	o->sums.port[0].drop[FCN_DROP_PORT_GONE] = n;
}

static void
run(unsigned int workers, uint16_t gone, struct mix *mix, struct outcome *o)
{
	uint16_t room[OUTCOME_PORTS];

	group_begin(workers);
	configure();
	choose_flows(mix, 11, gone);
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		mix_arrive(mix);
		group_turns(1 + (unsigned int)(fcn_test_random(&group.order) % 6));
		if (gone >= MIX_CONGESTED) /* all have met congestion, or have not */
			group_settle();
		if (step == REMOVED_AT)
			fcn_worker_group_port_remove(group.w, group.n, gone);
		group_settle();
		for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
			room[p] = p < MIX_CONGESTED ? GROUP_ROOM_ALL : 30;
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	gather_gone(o);
}

/* The port comes back, and packets find their way to it. */
static void
come_back(uint16_t port, struct mix *mix, struct outcome *o)
{
	const unsigned int before = o->n_frames;
	unsigned int found = 0;

	group_place(port);
	for (unsigned int step = 0; step < 4; step++) {
		mix_arrive(mix);
		group_settle();
		group_drain();
	}
	for (unsigned int i = before; i < o->n_frames; i++)
		found += o->frame[i].port == port && o->frame[i].flow != OUTCOME_NO_FLOW;
	assert_true(found > 10);
	outcome_check_order(o);
	mix_unconfigure();
	group_end();
}

static void
remove_port(uint16_t gone)
{
	static struct outcome one, many;
	static struct mix mix;

	run(1, gone, &mix, &one);
	assert_true(one.sums.port[0].drop[FCN_DROP_PORT_GONE] > 100);
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		mix_unconfigure();
		group_end();
		run(n, gone, &mix, &many);
		outcome_check_same(&one, &many, mix.queue);
		if (n == GROUP_WORKERS)
			come_back(gone, &mix, &many);
		outcome_reset(&many);
	}
	outcome_reset(&one);
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(port)
{
	for (uint16_t p = 0; p < 4; p++)
		remove_port(p);
}

TEST(congested_port)
{
	remove_port(MIX_CONGESTED);
}

/* Notices on their way to the port, whose senders' packets another worker has received. */
TEST(notices)
{
	const unsigned int many = MIX_BURST;

	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		static struct outcome o;
		static struct mix mix;

		group_begin(n);
		configure();
		bench_notices(0, 1);
		bench.snap.notify.kind[0].interval_ns = 0;
		bench_new_snapshot();
		mix_begin(&mix, 1);
		mix.flow[0] = (struct mix_flow){
				.family = MIX_ROCE6, .in = 1, .out = 0, .class = 3, .sender = 1};
		mix.queue[0] = 1;
		for (unsigned int i = 0; i < many; i++)
			mix_send(&mix, 0);
		group.to = &o;
		group_turn(1);
		group_turn(0); /* the notices are in a ring now */
		fcn_worker_group_port_remove(group.w, group.n, 1);
		group_check();
		outcome_add_counters(&o, group.w, group.n);
		assert_true(o.notices[0].made > many / 2);
		assert_int_equal(o.notices[0].made, o.notices[0].lost[FCN_DROP_PORT_GONE]);
		assert_int_equal(o.notices[0].cross_core_tx, o.notices[0].cross_core_rx);
		assert_int_equal(o.conservation.between, 0);
		outcome_reset(&o);
		mix_unconfigure();
		group_end();
	}
}
