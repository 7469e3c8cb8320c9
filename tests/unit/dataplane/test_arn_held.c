/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets of held flows: for how long they wait, in which order they leave, and what is told of
 * them.
 */

#include "arn_order.h"
#include "held_bench.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = held_setup, .teardown = bench_teardown);

/* The flow waits for as long as it was asked to, and nobody else does. */
TEST(time)
{
	const struct fcn_arn_held *h = &bench.worker->arn_held;

	bench_poll(1000);
	held_message(1, 20);
	held_arrive(1, 1);
	held_arrive(2, 2);
	held_arrive(1, 3);
	bench_poll(5000);
	OUT(2);
	assert_int_equal(h->flows.packets, 2);
	assert_int_equal(h->flows.bytes, 2 * LEN);
	assert_int_equal(fcn_worker_next_event(bench.worker, 5000), 21000);
	bench_poll(20999);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(21000);
	OUT(1, 3);
	assert_int_equal(bench.port[1].sent_at, 21000);
	assert_int_equal(h->flows.n_flows, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 21000), FCN_TIME_NEVER);
	assert_int_equal(h->held_packets, 2);
	assert_int_equal(h->left_packets, 2);
	assert_int_equal(h->packets_max, 2);
	assert_int_equal(h->bytes_max, 2 * LEN);
	assert_int_equal(h->flows_max, 1);
}

/* A packet that comes when the time is over does not overtake those that wait. */
TEST(order)
{
	bench_set_ops(1, &bench_gate_ops);
	bench_queue_conf(1, 3)->limit_packets = 1;
	bench_poll(1000);
	held_message(1, 20);
	held_arrive(1, 1);
	held_arrive(1, 2);
	bench_poll(2000);
	bench.port[1].accept = 1;
	held_arrive(1, 3);
	bench_poll(21000);
	OUT(1);
	held_arrive(1, 4);
	bench_poll(22000);
	OUT(2);
	bench_poll(23000);
	OUT(3);
	held_arrive(2, 5); /* another flow takes its turn */
	bench_poll(24000);
	OUT(4);
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS), 1); /* number 5 found it full */
	held_arrive(1, 6);
	bench_poll(25000);
	OUT(6);
}

TEST(ended)
{
	bench_poll(1000);
	held_message(1, 20);
	held_arrive(1, 1);
	bench_poll(2000);
	assert_int_equal(bench.port[1].n_out, 0);
	held_message(1, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2000);
	bench_poll(2000);
	OUT(1);
	held_message(1, 20);
	held_arrive(1, 2);
	bench_poll(3000);
	held_message(1, 10); /* the newest counts */
	assert_int_equal(fcn_worker_next_event(bench.worker, 3000), 13000);
	bench_poll(13000);
	OUT(2);
}

/*
 * The class queue has no room: nothing is lost, and there is nothing to do until a packet has left.
 */
TEST(queue_full)
{
	struct fcn_worker *w = bench.worker;

	bench_set_ops(1, &bench_gate_ops);
	bench_queue_conf(1, 3)->limit_bytes = 2 * LEN;
	bench_new_snapshot();
	bench.port[1].accept = 0;
	bench_poll(1000);
	held_message(1, 20);
	held_message(2, 20);
	for (unsigned int i = 0; i < 5; i++) {
		held_arrive(1, i);
		held_arrive(2, i);
	}
	bench_poll(2000);
	bench_poll(21000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 2);
	assert_int_equal(w->arn_held.flows.packets, 8);
	assert_int_equal(fcn_worker_next_event(w, 21000), FCN_TIME_NEVER);
	bench.port[1].accept = 2;
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(fcn_worker_next_event(w, 22000 + i), 22000 + i);
		bench_poll(22000 + i);
		OUT(i, i);
	}
	assert_int_equal(w->arn_held.flows.packets, 0);
	assert_int_equal(bench_all_drops(), 0);
	/* A packet that the queue never accepts does not wait for ever. */
	held_message(1, 20);
	held_arrive(1, 9);
	bench_queue_conf(1, 3)->limit_bytes = LEN - 1;
	bench_poll(23000);
	bench_poll(43000);
	assert_int_equal(w->arn_held.flows.packets, 0);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
}

/* Packets leave only as far ahead of the line as needed, although their class queue has room: the
 * next message finds the others, and another flow does not wait for them. */
TEST(ahead)
{
	struct fcn_snapshot_port *port = &bench.snap.port[1];

	bench_set_ops(1, &bench_gate_ops);
	port->mtu = LEN - RTE_ETHER_HDR_LEN;
	port->link_bps = 0; /* two frames are more */
	bench_new_snapshot();
	bench.port[1].accept = 0;
	bench_poll(1000);
	held_message(1, 20);
	for (unsigned int i = 0; i < 10; i++)
		held_arrive(1, i);
	bench_poll(2000);
	bench_poll(21000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 2);
	assert_int_equal(bench.worker->arn_held.flows.packets, 8);
	held_arrive(2, 20);
	bench_poll(22000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 3);
	held_message(1, 20);
	bench.port[1].accept = 64;
	bench_poll(23000);
	OUT(0, 1, 20);
	bench_forget_out();
	bench.port[1].accept = 0;
	bench_poll(42000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 2);
	/* 20 us of 1 Gb/s are five packets. */
	port->link_bps = UINT64_C(10000000000);
	port->egress.shaper.bps = 1000000000;
	bench_new_snapshot();
	bench_poll(43000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 5);
	port->link_bps = UINT64_C(1200000000);
	port->egress.shaper.bps = 0;
	bench_new_snapshot();
	bench_poll(44000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 6);
	assert_int_equal(bench.worker->arn_held.flows.packets, 2);
}

/* Other packets keep the class queue full for ever: those that were held get a share of the line.
 */
TEST(share)
{
	struct fcn_arn_held *h = &bench.worker->arn_held;
	unsigned int turns = 0;

	bench_set_ops(1, &bench_gate_ops);
	bench.snap.port[1].mtu = LEN - RTE_ETHER_HDR_LEN;
	bench.snap.port[1].link_bps = 800000000; /* four packets in 20 us */
	bench_queue_conf(1, 3)->limit_packets = 50;
	bench_new_snapshot();
	bench.port[1].accept = 0;
	bench_poll(1000);
	held_message(1, 20);
	for (unsigned int i = 0; i < 20; i++)
		held_arrive(1, i);
	for (unsigned int i = 0; i < 60; i++)
		held_arrive(2, i);
	for (unsigned int i = 0; i < 3; i++)
		bench_poll(2000 + i);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 50);
	bench.port[1].accept = 1; /* eight times in a turn */
	while (h->flows.packets != 0 && turns < 100) {
		for (unsigned int i = 0; i < 10; i++)
			held_arrive(2, 100);
		bench_poll(21000 + turns++);
		assert_int_equal(bench.port[1].n_out, 8);
		assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 50 - 8);
	}
	/* One for every two that leave, which are 8 in each of the turns before. */
	assert_int_equal(turns, 1 + 5);
	assert_int_equal(bench_drops(FCN_DROP_ARN_FLOW_LIMIT), 0);
}

/* A packet in a tunnel from ::a to ::b, of an inner flow. */
static void
arrive_in_tunnel(uint8_t sender, uint32_t number)
{
	struct frame f, inner;

	held_frame(&inner, sender, 1, number);
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	frame_put(&f, inner.data + 14, inner.len - 14);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	frame_class(&f, 3, 1);
	f.data[14 + 24 + 5] = 1; /* to 2001:db8:1::2 */
	bench_in(0, &f);
}

static void
service(uint32_t time_us)
{
	struct fcn_arn_order o = {.arn = {.type = FCN_ARN_CONGESTION,
						  .parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
						  .time_us = time_us,
						  .flow = {.version = 6, .proto = 41}},
			.port = FCN_PORT_NONE};
	struct frame f;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	f.data[14 + 24 + 5] = 1;
	memcpy(o.arn.flow.src, f.data + 14 + 8, 16);
	memcpy(o.arn.flow.dst, f.data + 14 + 24, 16);
	fcn_arn_distribute(bench.worker, &o);
}

/* The numbers of packets in a tunnel that have left by port 1. */
static void
assert_tunnel_out(unsigned int n, const uint32_t *numbers)
{
	assert_int_equal(bench.port[1].n_out, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(held_number_of(bench_out(1, i) + 40), numbers[i]);
}

#define TUNNEL_OUT(...)                                               \
	assert_tunnel_out(RTE_DIM(((const uint32_t[]){__VA_ARGS__})), \
			(const uint32_t[]){__VA_ARGS__})

/* A service and one of its flows are held: each for its time, and the flow stays in order. */
TEST(service_and_flow)
{
	const struct fcn_trace_record *r = &bench.worker->trace.record[0];

	bench_poll(1000);
	bench.worker->trace.wanted = 1;
	service(20);
	arrive_in_tunnel(1, 1);
	arrive_in_tunnel(2, 2);
	bench_poll(2000);
	held_message(1, 50); /* number 1 waits for its service already */
	arrive_in_tunnel(1, 3);
	held_arrive(1, 4); /* without the tunnel */
	bench_poll(4000);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(21000); /* those of the flow go on waiting, for the flow */
	TUNNEL_OUT(2);
	arrive_in_tunnel(1, 5);
	bench_poll(22000);
	assert_int_equal(bench.port[1].n_out, 0);
	/* The service is held again, for longer than the flow. */
	service(60);
	arrive_in_tunnel(1, 6);
	bench_poll(23000);
	bench_poll(52000);
	OUT(4); /* first of its FIFO, and without a tunnel */
	bench_poll(81999);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(82000);
	TUNNEL_OUT(1, 3, 5, 6);
	/* Number 1 has waited for its service, then for its flow. */
	assert_int_equal(r->n_steps, 7);
	assert_int_equal(r->step[3].stage, FCN_STAGE_HOLD);
	assert_int_equal(r->step[3].until_ns, 21000);
	assert_int_equal(r->step[4].stage, FCN_STAGE_HOLD);
	assert_int_equal(r->step[4].until_ns, 52000);
	assert_int_equal(r->step[5].stage, FCN_STAGE_ENQUEUE);
	assert_int_equal(bench.worker->arn_held.flows.packets, 0);
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
	assert_int_equal(bench_all_drops(), 0);
}

TEST(trace)
{
	static const enum fcn_stage stages[] = {FCN_STAGE_RX, FCN_STAGE_CLASSIFY, FCN_STAGE_ROUTE,
			FCN_STAGE_HOLD, FCN_STAGE_ENQUEUE, FCN_STAGE_TRANSMIT};
	struct fcn_trace *t = &bench.worker->trace;
	const struct fcn_trace_record *r = &t->record[0];

	bench_poll(1000);
	held_message(1, 20);
	t->wanted = 1;
	held_arrive(1, 1);
	held_arrive(1, 2);
	bench_poll(2000);
	bench_poll(21000);
	assert_int_equal(t->n, 1);
	assert_int_equal(r->n_steps, RTE_DIM(stages));
	for (unsigned int i = 0; i < RTE_DIM(stages); i++)
		assert_int_equal(r->step[i].stage, stages[i]);
	assert_int_equal(r->step[3].time_ns, 2000);
	assert_int_equal(r->step[3].until_ns, 21000);
	assert_int_equal(r->step[3].queue_bytes, LEN);
	assert_int_equal(r->step[5].time_ns, 21000);
	/* Traces that were cleared while the packet waited. */
	held_message(1, 20);
	t->wanted = 1;
	held_arrive(1, 3);
	bench_poll(22000);
	fcn_trace_clear(bench.worker);
	bench_poll(41000);
	OUT(3);
	assert_int_equal(t->n, 0);
	/* One that is dropped. */
	bench.snap.arn.held.flow_packets = 0;
	held_message(1, 20);
	t->wanted = 1;
	held_arrive(1, 4);
	bench_poll(42000);
	assert_int_equal(r->n_steps, 4);
	assert_int_equal(r->step[3].stage, FCN_STAGE_HOLD);
	assert_int_equal(r->step[3].pkt.drop, FCN_DROP_ARN_FLOW_LIMIT);
}

TEST(clear_counters)
{
	bench_poll(1000);
	held_message(1, 20);
	held_message(2, 20);
	held_message(2, 0);
	held_arrive(1, 1);
	held_arrive(1, 2);
	bench_poll(2000);
	fcn_worker_clear_counters(bench.worker);
	bench_check();
	assert_int_equal(bench.worker->carried, 2);
	assert_int_equal(bench.worker->arn_held.held_packets, 0);
	assert_int_equal(bench.worker->arn_held.began, 0);
	assert_int_equal(bench.worker->arn_held.flows_max, 2);
	assert_int_equal(bench.worker->arn_held.packets_max, 2);
	fcn_worker_clear_watermarks(bench.worker);
	assert_int_equal(bench.worker->arn_held.flows_max, 1);
	assert_int_equal(bench.worker->arn_held.packets_max, 2);
	bench_poll(21000);
	OUT(1, 2);
}

/* Check that a packet of a held flow waits, or is dropped, and does not reach the queue. */
static void
check_waits(uint8_t flow, uint32_t number, uint64_t now)
{
	const struct fcn_queue *q = bench_queue(1, 3);
	const uint32_t tail = q->tail, left = bench.worker->arn_held.left_packets;

	held_arrive(flow, number);
	bench.port[1].accept = 0;
	bench_poll(now);
	assert_int_equal(q->tail - tail, (uint32_t)bench.worker->arn_held.left_packets - left);
}

/* Check that packets of a flow have left in order. @return number of packets */
static unsigned int
check_order(uint32_t left[10])
{
	for (unsigned int i = 0; i < bench.port[1].n_out; i++) {
		const uint8_t *data = bench_out(1, i);
		const uint8_t flow = data[14 + 8 + 15];

		assert_true(held_number_of(data) >= left[flow]);
		left[flow] = held_number_of(data) + 1;
	}
	return bench.port[1].n_out;
}

/*
 * Random messages, packets of ten flows of a lossless class, queues without room, a port that takes
 * what it likes: every packet leaves once or is dropped by name, in the order of its flow, and no
 * packet of a held flow is queued. Accounts balance after every turn (bench_poll() checks them).
 */
TEST(random)
{
	struct fcn_arn_held *h = &bench.worker->arn_held;
	const unsigned int turns = fcn_test_effort(30000);
	uint32_t next[10] = {0}, left[10] = {0};
	uint64_t seed = 11, until[10] = {0}, sent = 0, came = 0, now = 1;

	bench_set_ops(1, &bench_gate_ops);
	bench_lossless(0, 3, 60 * LEN, 30 * LEN, 150 * LEN);
	bench.snap.arn.held.packets = 60;
	bench.snap.arn.held.flow_packets = 40;
	bench.snap.arn.held.flows = 6;
	bench_queue_conf(1, 3)->limit_packets = 20;
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < turns; turn++) {
		const uint32_t r = fcn_test_random(&seed);
		const uint8_t flow = r >> 4 & 7;
		const bool last = turn > turns - 1000;

		now += r % 3000;
		bench.port[1].accept = last ? UINT16_MAX : r >> 24 & 7;
		for (unsigned int n = r >> 16 & 7; n > 0 && !last; n--) {
			const uint8_t f = fcn_test_random(&seed) % 10;

			held_arrive(f, next[f]++);
			came++;
		}
		bench_poll(now);
		sent += check_order(left);
		if (r >> 28 < 8 && !last) {
			const uint64_t full = h->full, us = fcn_test_random(&seed) % 40;

			held_message(flow, us);
			if (h->full == full)
				until[flow] = now + us * US;
		}
		if (until[flow] > now) {
			check_waits(flow, next[flow]++, now);
			came++;
		}
		if (turn % 64 == 0)
			bench_new_snapshot();
	}
	assert_int_equal(h->flows.packets, 0);
	assert_int_equal(bench.worker->ingress[0][3].used, 0);
	assert_int_equal(came, sent + bench_all_drops());
	assert_true(h->held_packets > turns / 3);
	assert_int_equal(h->held_packets, h->left_packets);
	assert_true(bench_drops(FCN_DROP_ARN_FLOW_LIMIT) > 0);
	assert_true(bench_drops(FCN_DROP_ARN_TOTAL_LIMIT) > 0);
	assert_true(h->full > 0);
}
