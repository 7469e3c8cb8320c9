/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packet traces that wait for a condition: a packet is kept if the condition holds, with its whole
 * way, and no other is. What is expected follows from counters and from what left. */

#include "testbed.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = bench_setup_two_ports, .teardown = bench_teardown);

static struct fcn_trace *
trace(void)
{
	return &bench.worker->trace;
}

static void
wait_for(uint32_t n, struct fcn_trace_condition condition)
{
	fcn_trace_forget_candidates(trace());
	trace()->condition = condition;
	trace()->wanted = n;
}

/* Get the records that are kept, in the order in which they were begun. @return their number */
static unsigned int
kept(const struct fcn_trace_record *list[FCN_TRACE_MAX])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < trace()->n; i++) {
		const struct fcn_trace_record *r = &trace()->record[i];
		unsigned int k = n;

		if (r->candidate || r->unused)
			continue;
		for (; k > 0 && list[k - 1]->serial > r->serial; k--)
			list[k] = list[k - 1];
		list[k] = r;
		n++;
	}
	return n;
}

static const struct fcn_packet *
last_of(const struct fcn_trace_record *r)
{
	return &r->step[r->n_steps - 1].pkt;
}

/* A packet from 2001:db8::<sender>. @param net 9: there is no route */
static void
arrive(uint8_t sender, uint16_t net)
{
	struct frame f;

	frame_roce6(&f, sender, net, 2, 100);
	bench_in(0, &f);
}

TEST(dropped)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];

	wait_for(2, (struct fcn_trace_condition){.type = FCN_TRACE_DROPPED});
	for (unsigned int i = 0; i < 30; i++)
		arrive((uint8_t)i, i == 7 || i == 21 || i == 25 ? 9 : 1);
	bench_poll(1);
	assert_int_equal(bench_drops(FCN_DROP_NO_ROUTE), 3);
	assert_int_equal(kept(r), 2);
	assert_int_equal(trace()->wanted, 0);
	assert_int_equal(r[0]->bytes[14 + 8 + 15], 7);
	assert_int_equal(r[1]->bytes[14 + 8 + 15], 21);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(r[i]->n_steps, 3);
		assert_int_equal(r[i]->step[0].stage, FCN_STAGE_RX);
		assert_int_equal(r[i]->step[1].stage, FCN_STAGE_CLASSIFY);
		assert_int_equal(r[i]->step[2].stage, FCN_STAGE_ROUTE);
		assert_int_equal(last_of(r[i])->drop, FCN_DROP_NO_ROUTE);
	}
	arrive(9, 9);
	bench_poll(2);
	assert_int_equal(kept(r), 2);
}

/* It waits for one reason, in many turns, and what does not meet it costs no records. */
TEST(dropped_for_a_reason)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];

	wait_for(3, (struct fcn_trace_condition){
				    .type = FCN_TRACE_DROPPED, .drop = FCN_DROP_QUEUE_BYTES});
	for (unsigned int turn = 0; turn < 100; turn++) {
		for (unsigned int i = 0; i < 20; i++)
			arrive((uint8_t)i, i % 2 ? 9 : 1);
		bench_poll(turn);
		assert_int_equal(kept(r), 0);
	}
	assert_int_equal(trace()->wanted, 3);
	bench.snap.port[1].egress.queue[3].limit_bytes = 500; /* two packets of 178 bytes */
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 20; i++)
		arrive((uint8_t)i, i % 2 ? 9 : 1);
	bench_poll(100);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 8);
	assert_int_equal(kept(r), 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(r[i]->bytes[14 + 8 + 15], 4 + 2 * i);
		assert_int_equal(r[i]->step[r[i]->n_steps - 1].stage, FCN_STAGE_ENQUEUE);
		assert_int_equal(last_of(r[i])->drop, FCN_DROP_QUEUE_BYTES);
	}
}

/* The notices of kept packets are kept; their records come when others are free again. */
TEST(notified)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];
	uint64_t sent = 0;

	bench_notices(1, 400); /* the third of a turn meets congestion */
	for (unsigned int v = FCN_NOTIFY_SENT; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		sent |= UINT64_C(1) << v;
	wait_for(4, (struct fcn_trace_condition){.type = FCN_TRACE_NOTIFIED, .verdicts = {sent}});
	for (unsigned int turn = 0; turn < 2; turn++) {
		for (unsigned int i = 0; i < 4; i++)
			arrive((uint8_t)(10 * turn + i), 1);
		bench_poll(1000000 * (turn + 1));
	}
	assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 4);
	assert_int_equal(kept(r), 8);
	assert_int_equal(trace()->wanted, 0);
	for (unsigned int i = 0, packets = 0; i < 8; i++) {
		static const uint8_t senders[] = {2, 3, 12, 13};

		if (r[i]->cause != 0) {
			const struct fcn_trace_record *cause = &trace()->record[r[i]->cause - 1];

			assert_int_equal(r[i]->step[0].stage, FCN_STAGE_NOTICE);
			assert_memory_equal(r[i]->bytes + 24, cause->bytes + 14 + 8, 16);
			continue;
		}
		assert_int_equal(r[i]->bytes[14 + 8 + 15], senders[packets++]);
		assert_int_equal(r[i]->verdict[0], FCN_FASTCNP_SENT_OPT1);
		assert_int_equal(r[i]->step[r[i]->n_steps - 1].stage, FCN_STAGE_TRANSMIT);
	}
}

TEST(a_verdict)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];

	bench_notices(1, 1);
	bench.snap.notify.kind[0].interval_ns = 1000;
	bench_new_snapshot();
	wait_for(1, (struct fcn_trace_condition){.type = FCN_TRACE_NOTIFIED,
				    .verdicts = {UINT64_C(1) << FCN_NOTIFY_INTERVAL}});
	arrive(1, 1);
	arrive(2, 1);
	bench_poll(5000);
	assert_int_equal(kept(r), 0);
	arrive(3, 1);
	arrive(2, 1);
	arrive(1, 1);
	bench_poll(5500);
	assert_int_equal(kept(r), 1);
	assert_int_equal(r[0]->bytes[14 + 8 + 15], 2);
	assert_int_equal(r[0]->verdict[0], FCN_NOTIFY_INTERVAL);
}

/* What is marked is ECT and met congestion, and was not lost. */
TEST(marked)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];
	struct frame f;

	bench_notices(1, 1);
	bench.snap.notify.on = 0;
	bench_queue_conf(1, 3)->policy.ecn = true;
	bench_new_snapshot();
	wait_for(5, (struct fcn_trace_condition){.type = FCN_TRACE_MARKED});
	for (unsigned int ecn = 0; ecn < 4; ecn++) {
		frame_roce6(&f, (uint8_t)ecn, 1, 2, 100);
		frame_class(&f, 3, ecn);
		bench_in(0, &f);
	}
	bench_poll(1);
	assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 2);
	assert_int_equal(kept(r), 2);
	assert_int_equal(r[0]->bytes[14 + 8 + 15], 1);
	assert_int_equal(r[1]->bytes[14 + 8 + 15], 2);
	assert_int_equal(trace()->wanted, 3);
	assert_true(r[0]->step[r[0]->n_steps - 2].pkt.flags & FCN_PACKET_CE_MARKED);
}

/* A packet whose trace was not kept leaves nothing behind in its queue: the record that another
 * packet has by then gets no step of it. */
TEST(leaves_nothing_behind)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];

	wait_for(1, (struct fcn_trace_condition){.type = FCN_TRACE_DROPPED});
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 10; i++)
		arrive(1, 1);
	bench_poll(1);
	arrive(2, 9);
	bench_poll(2);
	assert_int_equal(kept(r), 1);
	assert_int_equal(r[0]->n_steps, 3);
	bench.port[1].accept = 32;
	bench_poll(3);
	assert_int_equal(bench_n_out(), 10);
	assert_int_equal(r[0]->n_steps, 3);
	/* Then it traces what comes, as ever. */
	wait_for(2, (struct fcn_trace_condition){.type = FCN_TRACE_ANY});
	arrive(3, 1);
	arrive(4, 1);
	bench_poll(4);
	assert_int_equal(kept(r), 3);
	assert_int_equal(r[2]->step[r[2]->n_steps - 1].stage, FCN_STAGE_TRANSMIT);
}

/* As many packets are tried in a turn as there are records, and never more are kept than wanted. */
TEST(bounded)
{
	const struct fcn_trace_record *r[FCN_TRACE_MAX];

	for (unsigned int add = 0; add < 5; add++) {
		wait_for(RTE_MIN(60u, fcn_trace_room(trace())),
				(struct fcn_trace_condition){.type = FCN_TRACE_DROPPED});
		for (unsigned int turn = 0; turn < 8; turn++) {
			for (unsigned int i = 0; i < 32; i++)
				arrive((uint8_t)i, i % 3 == 0 ? 9 : 1);
			bench_poll(10 * add + turn);
			assert_true(trace()->n <= FCN_TRACE_MAX);
			assert_true(trace()->n_unused <= trace()->n);
		}
		fcn_trace_forget_candidates(trace());
		assert_int_equal(kept(r), RTE_MIN(60 * (add + 1), (unsigned int)FCN_TRACE_MAX));
		assert_int_equal(fcn_trace_room(trace()), FCN_TRACE_MAX - kept(r));
	}
}

/* The notices of what is kept have records, too. When none is left, nothing is waited for. */
TEST(no_records_left)
{
	uint64_t sent = 0, now = 0;

	bench_notices(1, 1);
	for (unsigned int v = FCN_NOTIFY_SENT; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		sent |= UINT64_C(1) << v;
	wait_for(FCN_TRACE_MAX, (struct fcn_trace_condition){
						.type = FCN_TRACE_NOTIFIED, .verdicts = {sent}});
	for (unsigned int turn = 0; turn < 2 * FCN_TRACE_MAX && trace()->wanted != 0; turn++) {
		arrive((uint8_t)turn, 1);
		now += 1000000;
		bench_poll(now);
		bench_forget_out();
	}
	assert_int_equal(fcn_trace_room(trace()), 0);
	assert_int_equal(trace()->wanted, 0);
}
