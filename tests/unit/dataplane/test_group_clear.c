/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Counters are cleared while packets are on their way between workers: in bursts, in rings, in
 * queues. Each packet is counted on one side of that, and none on both or on neither.
 *
 * The linker lets __wrap_fcn_trace_cross_core_rx() be called for each traced packet that a worker
 * takes, which is in the midst of its work: there another worker can clear its counters, and send
 * more.
 */

#include "fcn_stages.h"
#include "group_mix.h"

#define FLOWS 4
#define TO 2 /* port that all packets leave by */

static struct mix mix;
/* To be called when `worker` takes the next traced packet, of worker `from`; NULL: nothing. */
static void (*taken)(unsigned int worker, unsigned int from);

uint8_t __real_fcn_trace_cross_core_rx(
		struct fcn_worker *w, const struct rte_mbuf *m, unsigned int from, uint8_t trace);
uint8_t __wrap_fcn_trace_cross_core_rx(
		struct fcn_worker *w, const struct rte_mbuf *m, unsigned int from, uint8_t trace);

uint8_t
__wrap_fcn_trace_cross_core_rx(
		struct fcn_worker *w, const struct rte_mbuf *m, unsigned int from, uint8_t trace)
{
	void (*now)(unsigned int, unsigned int) = taken;

	taken = NULL;
	if (now != NULL)
		now(w->index, from);
	return __real_fcn_trace_cross_core_rx(w, m, from, trace);
}

/* Flow i goes from port i to port TO, the last one of a class of its own. */
static void
begin(unsigned int workers)
{
	group_begin(workers);
	mix_configure();
	mix_begin(&mix, 3);
	for (unsigned int i = 0; i < FLOWS; i++) {
		mix.flow[i] = (struct mix_flow){.family = MIX_ROCE6,
				.in = (uint8_t)i,
				.out = TO,
				.class = i == FLOWS - 1 ? 5 : 3,
				.sender = (uint8_t)(1 + i)};
		mix.queue[i] = (uint8_t)i;
	}
	taken = NULL;
}

static void
end(void)
{
	mix_unconfigure();
	group_end();
}

static void
send_some(unsigned int flow, unsigned int n)
{
	while (n-- > 0)
		mix_send(&mix, flow);
}

static struct fcn_conservation
conservation(void)
{
	struct fcn_conservation c = {0};

	group_check();
	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_conservation(group.w[i], &c);
	return c;
}

/* Clear the counters of those workers that have not done so yet, as the control thread does. */
static void
clear_all(void)
{
	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_clear_counters_once(group.w[i]);
}

/* Another worker has cleared its counters, and sends more packets: a third one, if there is one. */
static void
other_goes_on(unsigned int worker, unsigned int from)
{
	unsigned int other = 0;

	while (other == worker || (other == from && group.n > 2))
		other++;
	group.clears++;
	fcn_worker_clear_counters_once(group.w[other]);
	send_some(other, 5);
	fcn_poll_once(group.w[other], group.now);
}

TEST_FIXTURE(BENCH_LARGE_EAL);

/*
 * Worker 2 has taken packets of one worker into its burst, and counted them as received from it,
 * when it comes to those of the other one, which has cleared its counters meanwhile. It clears its
 * own then. What it has taken was received before, and is in no queue yet.
 */
TEST(in_burst)
{
	struct fcn_conservation c;

	begin(3);
	group_settle(); /* all have looked at the snapshot */
	for (unsigned int i = 0; i < 2; i++) {
		group.w[i]->trace.wanted = 1;
		send_some(i, 5);
		group_turn(i);
	}
	taken = other_goes_on;
	group_turn(2);
	assert_null(taken);
	clear_all();
	group_settle();
	c = conservation();
	assert_int_equal(c.carried, 10);
	assert_int_equal(c.received, 5);
	assert_int_equal(c.queued, 15);
	group_drain();
	c = conservation();
	assert_int_equal(c.transmitted, 15);
	assert_int_equal(c.between, 0);
	end();
}

/* The same with two workers: packets of two classes, of which one is taken first. */
TEST(two_workers)
{
	struct fcn_conservation c;

	begin(2);
	for (unsigned int i = 0; i < FLOWS; i++)
		mix.flow[i].out = 1;
	group_settle();
	group.w[0]->trace.wanted = 1;
	mix.flow[2].class = 5;
	send_some(2, 7);
	group_turn(0);
	send_some(0, 3);
	group_turn(0);
	taken = other_goes_on;
	group_turn(1);
	assert_null(taken);
	clear_all();
	group_settle();
	c = conservation();
	assert_int_equal(c.carried, 10);
	assert_int_equal(c.received, 5);
	group_drain();
	c = conservation();
	assert_int_equal(c.transmitted, 15);
	end();
}

/* Whichever packet is the one at which it happens, and whatever has been taken before. */
static unsigned int countdown;

static void
later(unsigned int worker, unsigned int from)
{
	if (countdown-- == 0)
		other_goes_on(worker, from);
	else
		taken = later;
}

TEST(anywhere)
{
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		for (unsigned int at = 0; at < 60; at++) {
			struct fcn_conservation c;
			unsigned int made;

			begin(n);
			group_settle();
			for (unsigned int i = 0; i < n; i++)
				group.w[i]->trace.wanted = 60;
			mix.packets = 0;
			for (unsigned int i = 0; i < FLOWS; i++)
				send_some(i, 3 + mix_below(&mix, 20));
			made = mix.packets;
			if (at % 2 == 1) /* packets leave at once */
				bench.port[TO].accept = GROUP_ROOM_ALL;
			countdown = at / 2;
			taken = later;
			group_settle();
			if (taken != NULL) { /* fewer were taken */
				taken = NULL;
				other_goes_on(0, 1);
			}
			clear_all();
			group_settle();
			group_drain();
			c = conservation();
			assert_int_equal(mix.packets, made + 5);
			assert_int_equal(c.carried + c.received, c.transmitted + c.dropped);
			assert_int_equal(c.received, 5);
			/* None of the five counts as sent before that. */
			assert_true(c.carried <= made && c.transmitted >= 5);
			assert_int_equal(c.between, 0);
			assert_int_equal(c.queued, 0);
			end();
		}
	}
}

/* Notices on their way stay carried, by kind. */
TEST(notices)
{
	struct fcn_notice_accounting n = {0};
	unsigned int made;

	begin(3);
	bench_notices(TO, 1);
	bench.snap.notify.kind[0].interval_ns = 0;
	bench_new_snapshot();
	send_some(0, 10);
	send_some(1, 10);
	group_turn(0);
	group_turn(1);
	group_turn(2); /* their notices are in rings now */
	made = (unsigned int)fcn_port_notices(&group.w[2]->counters[TO]);
	assert_true(made >= 10);
	group.clears++;
	fcn_worker_clear_counters_once(group.w[2]);
	group_turn(0); /* it has not been asked to clear its own, but takes what worker 2 sent */
	group_turn(1);
	clear_all();
	group_settle();
	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_notice_accounting(group.w[i], 0, &n);
	assert_int_equal(n.carried, made);
	assert_int_equal(n.made, 0);
	group_drain();
	memset(&n, 0, sizeof(n));
	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_notice_accounting(group.w[i], 0, &n);
	assert_int_equal(n.transmitted, made);
	group_check();
	/* All have left: none is carried, although more were received from other workers than sent
	 * to them, or the other way round. */
	group.clears++;
	clear_all();
	memset(&n, 0, sizeof(n));
	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_notice_accounting(group.w[i], 0, &n);
	assert_int_equal(n.carried, 0);
	group_check();
	end();
}

/*
 * When worker 2 clears its counters in the midst of its work, notices that were decided about, and
 * count as generated, are in no queue yet. They are carried.
 *
 * Five packets meet congestion. They are queued when five packets of another class begin a series,
 * which they do behind a traced one of their class. The second traced one is the moment of
 * clearing.
 */
TEST(notices_due)
{
	struct fcn_conservation c;

	begin(3);
	bench_notices(TO, 1);
	bench.snap.notify.kind[0].interval_ns = 0;
	bench.snap.port[TO].egress.queue[5] = bench.snap.port[0].egress.queue[5];
	bench_new_snapshot();
	mix.flow[3].in = 0;
	mix.queue[3] = 0;
	group_settle();
	send_some(0, 5);
	group_turn(0);
	group.w[0]->trace.wanted = 1;
	send_some(3, 1);
	group_turn(0);
	send_some(3, 5);
	group_turn(0);
	group.w[0]->trace.wanted = 1;
	send_some(3, 1);
	group_turn(0);
	group.w[2]->peer_first = 0; /* worker 0, then worker 1 */
	countdown = 1;
	taken = later;
	group_turn(2);
	assert_null(taken);
	clear_all();
	group_settle();
	c = conservation();
	assert_int_equal(c.received, 5);
	assert_int_equal(c.carried, 12 + 5); /* with the notices that are due */
	end();
}
