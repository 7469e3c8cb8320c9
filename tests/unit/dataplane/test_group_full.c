/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A worker that does not come: what waits for it fills the rings of the others. What is dropped
 * then has its reason, notices are counted by their kind, and lossless packets are held back.
 */

#include "group_mix.h"

#define MANY 2400 /* more packets than find room on the way to a worker */
#define FLOWS 12  /* of the first ones of the mix, which a test chooses */
#define FROM 0    /* port of the packets, of worker 0 */
#define TO 1      /* port of worker 1, which is away */
#define AWAY 0x2u /* worker 1 */

static struct mix mix;

/* Let the first flows of the mix go from one port to another: plain packets, odd ones of the same
 * flows, and other odd ones. */
static void
choose_flows(unsigned int in, unsigned int out, unsigned int class)
{
	static const uint8_t families[] = {
			MIX_ROCE6, MIX_ROCE6, MIX_TCP6, MIX_ROCE6, MIX_ROCE4, MIX_SRH};

	mix_begin(&mix, 7);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct mix_flow *f = &mix.flow[i];

		f->family = families[i % RTE_DIM(families)];
		f->in = (uint8_t)in;
		f->out = (uint8_t)out;
		f->tagged_in = f->tagged_out = false;
		f->class = (uint8_t) class;
		mix.queue[i] = (uint8_t)in;
	}
}

static void
begin(unsigned int workers, struct outcome *o)
{
	group_begin(workers);
	mix_configure();
	choose_flows(FROM, TO, 3);
	outcome_reset(o);
	group.to = o;
}

static void
end(struct outcome *o)
{
	mix_unconfigure();
	group_end();
	outcome_reset(o);
}

/* Let packets of all flows arrive, as many at once as a worker receives from a port in a turn. */
static void
arrive(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		mix_send(&mix, mix_below(&mix, FLOWS));
		if (i % MIX_BURST == MIX_BURST - 1)
			group_settle();
	}
	group_settle();
}

/* Let the worker have turns again, and all ports send what they have. */
static void
come_back(void)
{
	group.away = 0;
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		bench.port[p].accept = GROUP_ROOM_ALL;
	group_settle();
	group_drain();
}

static uint64_t
drops(const struct outcome *o, enum fcn_drop_reason why)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		n += o->sums.port[p].drop[why];
	return n;
}

/* Get the number of frames that the switch has not made. */
static unsigned int
marked(const struct outcome *o)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < o->n_frames; i++)
		n += o->frame[i].flow != OUTCOME_NO_FLOW;
	return n;
}

TEST_FIXTURE(BENCH_LARGE_EAL);

/* What finds no room is dropped under a name of its own, the rest leaves in order. A packet of the
 * highest class finds room all the same. */
TEST(dropped)
{
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		static struct outcome o;
		unsigned int urgent = 0;

		begin(n, &o);
		group.away = AWAY;
		arrive(MANY);
		mix.flow[FLOWS] = mix.flow[0];
		mix.flow[FLOWS].class = 7;
		mix.queue[FLOWS] = FROM;
		mix_send(&mix, FLOWS);
		group_settle();
		assert_int_equal(o.n_frames, 0);
		come_back();
		outcome_add_counters(&o, group.w, group.n);
		outcome_check_order(&o);
		assert_true(drops(&o, FCN_DROP_CROSS_CORE_FULL) > 0);
		assert_int_equal(o.n_frames + drops(&o, FCN_DROP_CROSS_CORE_FULL), MANY + 1);
		assert_int_equal(o.sums.port[FROM].drop[FCN_DROP_CROSS_CORE_FULL] + o.n_frames,
				MANY + 1); /* counted by the port they came in by */
		for (unsigned int i = 0; i < o.n_frames; i++)
			urgent += o.frame[i].class == 7;
		assert_int_equal(urgent, 1);
		/* There is room again. */
		arrive(MIX_BURST);
		come_back();
		assert_int_equal(o.n_frames + drops(&o, FCN_DROP_CROSS_CORE_FULL),
				MANY + 1 + MIX_BURST);
		end(&o);
	}
}

/*
 * Notices to senders behind a port of the worker that is away: its second receive queue is another
 * worker's, which also has the congested queue.
 */
TEST(notices)
{
	static struct outcome o;
	struct fcn_notice_accounting *n = &o.notices[0];

	group_begin(2);
	mix_configure();
	bench_notices(FROM, 1);
	bench.snap.notify.kind[0].interval_ns = 0;
	bench_new_snapshot();
	choose_flows(TO, FROM, 3);
	for (unsigned int i = 0; i < FLOWS; i++) {
		mix.flow[i].family = MIX_ROCE6;
		mix.queue[i] = TO + GROUP_SECOND_QUEUE;
	}
	group.to = &o;
	group.away = AWAY;
	for (unsigned int i = 0; i < MANY / MIX_BURST; i++) {
		arrive(MIX_BURST);
		bench.port[FROM].accept = GROUP_ROOM_ALL; /* the queue never gets full */
		group_settle();
		bench.port[FROM].accept = 0;
	}
	come_back();
	outcome_add_counters(&o, group.w, group.n);
	assert_true(n->lost[FCN_DROP_CROSS_CORE_FULL] > 0);
	assert_int_equal(n->lost[FCN_DROP_CROSS_CORE_FULL], drops(&o, FCN_DROP_CROSS_CORE_FULL));
	assert_int_equal(n->made, fcn_notice_accounting_lost(n) + n->transmitted);
	assert_int_equal(n->made, fcn_port_notices(&o.sums.port[FROM]));
	assert_int_equal(n->transmitted, o.sums.port[TO].tx_packets);
	assert_int_equal(n->cross_core_tx, n->transmitted);
	assert_int_equal(n->cross_core_rx, n->transmitted);
	end(&o);
}

/* Lossless packets that find no room wait, and leave in order with those behind them. */
TEST(held)
{
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		static struct outcome o;

		begin(n, &o);
		bench_lossless(FROM, 3, 1000, 500, 1000000);
		bench_new_snapshot();
		group.away = AWAY;
		arrive(MANY);
		assert_true(group.w[0]->ingress[FROM][3].used > MANY * 60);
		assert_true(group.w[0]->ingress[FROM][3].xoff);
		group.away = 0;
		bench.port[TO].accept = GROUP_ROOM_ALL;
		for (unsigned int i = 0; i < 4; i++) { /* some of them, and more behind them */
			group_turns(2);
			for (unsigned int k = 0; k < MIX_BURST; k++)
				mix_send(&mix, mix_below(&mix, FLOWS));
		}
		come_back();
		outcome_add_counters(&o, group.w, group.n);
		outcome_check_order(&o);
		assert_int_equal(o.sums.port[TO].tx_packets, MANY + 4 * MIX_BURST);
		assert_int_equal(group.w[0]->ingress[FROM][3].used, 0);
		assert_false(group.w[0]->ingress[FROM][3].xoff);
		for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
			assert_int_equal(fcn_port_drops(&o.sums.port[p]), 0);
		end(&o);
	}
}

/* The port is removed while packets wait for it on their way, and in its queue. */
TEST(held_port_gone)
{
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		static struct outcome o;

		begin(n, &o);
		bench_lossless(FROM, 3, 1000, 500, 1000000);
		bench_new_snapshot();
		arrive(MIX_BURST);
		group.away = AWAY;
		arrive(MANY);
		fcn_worker_group_port_remove(group.w, group.n, TO);
		group_check();
		group.away = 0;
		group_settle();
		outcome_add_counters(&o, group.w, group.n);
		assert_int_equal(drops(&o, FCN_DROP_PORT_GONE), MANY + MIX_BURST);
		assert_int_equal(group.w[0]->ingress[FROM][3].used, 0);
		assert_false(group.w[0]->ingress[FROM][3].xoff);
		assert_int_equal(o.conservation.queued + o.conservation.between, 0);
		/* It comes back, and packets to it find their way. */
		group_place(TO);
		arrive(MIX_BURST);
		come_back();
		assert_int_equal(marked(&o), MIX_BURST);
		end(&o);
	}
}

/* Flows of the mix: one to TO, and one to another port of the same worker. */
#define GREEDY 0
#define MODEST 1

static uint16_t
modest_port(void)
{
	return (uint16_t)(TO + group.n);
}

/* Begin with two workers or more, of which worker 1 has ports TO and modest_port(). */
static void
begin_greedy(unsigned int workers, struct outcome *o, unsigned int family, unsigned int class)
{
	begin(workers, o);
	choose_flows(FROM, TO, class);
	mix.flow[GREEDY].family = mix.flow[MODEST].family = (uint8_t)family;
	mix.flow[MODEST].out = (uint8_t)modest_port();
}

/* Let n packets arrive, of which one in `share` is modest. @return number of those */
static unsigned int
arrive_greedy(unsigned int n, unsigned int share)
{
	unsigned int modest = 0;

	for (unsigned int i = 0; i < n; i++) {
		const bool is_modest = i % share == share / 2;

		modest += is_modest;
		mix_send(&mix, is_modest ? MODEST : GREEDY);
		if (i % MIX_BURST == MIX_BURST - 1)
			group_settle();
	}
	group_settle();
	return modest;
}

/* Check that all modest packets have left, and what became of the others. */
static void
check_greedy(struct outcome *o, unsigned int modest, unsigned int greedy)
{
	unsigned int left[2] = {0};

	outcome_add_counters(o, group.w, group.n);
	outcome_check_order(o);
	for (unsigned int i = 0; i < o->n_frames; i++)
		left[o->frame[i].flow]++;
	assert_int_equal(left[MODEST], modest);
	assert_true(drops(o, FCN_DROP_CROSS_CORE_FULL) > 0);
	/* The queue of the greedy port may get full, too. */
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		left[GREEDY] += fcn_port_drops(&o->sums.port[p]);
	assert_int_equal(left[GREEDY], greedy);
}

/* Lossless packets that are held back wait in one list for all ports, so a port has no share of the
 * ring that would hold back those to others: all 736 slots of the class are theirs. */
TEST(lossless_share)
{
	static struct outcome o;
	const unsigned int n = 650;
	unsigned int modest;

	begin_greedy(2, &o, MIX_ROCE6, 3);
	bench_lossless(FROM, 3, 1000, 500, 1000000);
	bench_new_snapshot();
	group.away = AWAY;
	modest = arrive_greedy(n, 11);
	assert_int_equal(group.w[0]->held.n, 0);
	come_back();
	outcome_add_counters(&o, group.w, group.n);
	outcome_check_order(&o);
	assert_int_equal(o.sums.port[TO].tx_packets, n - modest);
	assert_int_equal(o.sums.port[modest_port()].tx_packets, modest);
	end(&o);
}

/*
 * A worker with two ports does not come, and one of them is sent ten times as much as the other.
 * Those of the other find room, up to a tenth of a ring and more; those of the port that is sent so
 * much fill twice as many slots as they leave.
 */
TEST(greedy)
{
	static const uint8_t families[] = {MIX_ROCE6, MIX_ROCE4, MIX_TCP6};

	for (unsigned int i = 0; i < 2 * RTE_DIM(families); i++) {
		const unsigned int class = i < RTE_DIM(families) ? 0 : 6;
		const unsigned int n = 1100;
		static struct outcome o;
		unsigned int modest;

		begin_greedy(2, &o, families[i % RTE_DIM(families)], class);
		group.away = AWAY;
		modest = arrive_greedy(n, 11);
		assert_int_equal(modest, 100);
		come_back();
		check_greedy(&o, modest, n - modest);
		assert_true(o.n_frames >= modest + (544 + 64 * class - modest) * 2 / 3);
		end(&o);
	}
}

/* What was so at other times does not count: the port that was sent so much is the modest one now.
 */
TEST(greedy_once)
{
	const unsigned int n = 1100;
	static struct outcome o;
	unsigned int modest = 0;
	uint8_t out;

	begin_greedy(2, &o, MIX_ROCE6, 0);
	for (unsigned int i = 0; i < 2; i++) {
		group.away = AWAY;
		modest += arrive_greedy(n, 11);
		come_back();
		for (unsigned int k = 0; k < 2 * 1024 / MIX_BURST;
				k++) { /* some rounds of the ring */
			modest += arrive_greedy(MIX_BURST, 11);
			come_back();
		}
		out = mix.flow[GREEDY].out;
		mix.flow[GREEDY].out = mix.flow[MODEST].out;
		mix.flow[MODEST].out = out;
	}
	check_greedy(&o, modest, 2 * (n + 2 * 1024 / MIX_BURST * MIX_BURST) - modest);
	end(&o);
}

/* The worker comes, but less often than it would have to. */
TEST(greedy_slow)
{
	for (unsigned int n = 2; n <= 3; n++) {
		/* A worker takes up to 256 packets for each other one in a turn. */
		const unsigned int each = 11 * MIX_BURST * (n - 1);
		unsigned int modest = 0, all = 0;
		static struct outcome o;

		begin_greedy(n, &o, MIX_ROCE6, 3);
		for (unsigned int turn = 0; turn < 60; turn++) {
			group.away = AWAY;
			modest += arrive_greedy(each, 11);
			all += each;
			for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
				bench.port[p].accept = GROUP_ROOM_ALL;
			group.away = 0;
			group_turn(1);
			group.now += 1000;
		}
		come_back();
		check_greedy(&o, modest, all - modest);
		end(&o);
	}
}

/* The only port of a worker may have what all classes leave it: there is nobody to leave it to. */
TEST(alone)
{
	static struct outcome o;

	begin_greedy(2, &o, MIX_ROCE6, 0);
	for (uint16_t p = TO + 2; p < OUTCOME_PORTS; p += 2)
		fcn_worker_group_port_remove(group.w, group.n, p);
	mix.flow[MODEST] = mix.flow[GREEDY];
	group.away = AWAY;
	arrive_greedy(600, 600);
	come_back();
	assert_int_equal(o.n_frames, 544);
	end(&o);
}
