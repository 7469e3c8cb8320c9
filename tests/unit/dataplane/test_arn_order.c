/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Orders of downstream switches: the worker that received one obeys it, and all others do; a class
 * is halted by the worker that owns the port. Worker p % 3 owns port p.
 */

#include "arn_order.h"
#include "fcn_worker_group.h"
#include "workers_bench.h"

static struct fcn_arn_order
order_for(uint16_t port, uint32_t time_us)
{
	struct fcn_arn_order o = {.arn = {.type = FCN_ARN_CONGESTION,
						  .parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
						  .time_us = time_us},
			.port = FCN_PORT_NONE};

	o.arn.flow = (struct fcn_flow_descriptor){
			.version = 6, .proto = 17, .src_port = port, .dst_port = 4791};
	return o;
}

static struct fcn_arn_order
priority_order(uint16_t port, uint8_t class, uint32_t time_us)
{
	return (struct fcn_arn_order){.arn = {.type = FCN_ARN_CONGESTION,
						      .parameters = FCN_ARN_PRIORITY | FCN_ARN_TIME,
						      .priority = class,
						      .time_us = time_us},
			.port = port};
}

static int
setup(void **state)
{
	workers_setup(state);
	bench.snap.arn.receive = true;
	bench.snap.arn.held = (struct fcn_held_flows_conf){.flows = 2,
			.packets = 100,
			.bytes = 100000,
			.flow_packets = 100,
			.flow_bytes = 100000,
			.max_ns = 1000000};
	bench_new_snapshot();
	workers_poll_all(1000);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = workers_teardown);

TEST(mode)
{
	struct fcn_arn arn = {.parameters = FCN_ARN_FLOW | FCN_ARN_PRIORITY,
			.flow = {.version = 6, .proto = 17}};

	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_FLOW);
	arn.flow.proto = 41;
	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_SERVICE);
	arn.flow.dst_port = 1;
	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_FLOW);
	arn.parameters = FCN_ARN_PRIORITY;
	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_PRIORITY);
	arn.parameters = 0;
	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_FLOW);
	arn.parameters = FCN_ARN_FLOW;
	arn.flow = (struct fcn_flow_descriptor){.version = 4, .proto = 4};
	assert_int_equal(fcn_arn_mode_of(&arn), FCN_ARN_MODE_SERVICE);
}

/* Each worker holds the flow from the time at which it takes the order. */
TEST(all_workers)
{
	struct fcn_arn_order o = order_for(1, 20);

	fcn_arn_distribute(workers[1], &o);
	assert_int_equal(workers[1]->arn_held.flows.n_flows, 1);
	assert_int_equal(workers[0]->arn_held.flows.n_flows, 0);
	assert_int_equal(fcn_worker_next_event(workers[0], 1500), 1500);
	workers_poll_all(2000);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		assert_int_equal(workers[i]->arn_held.flows.n_flows, 1);
		assert_int_equal(workers[i]->arn_held.began, i == 1);
	}
	fcn_arn_distribute(workers[2], &o);
	o.arn.type = FCN_ARN_ENDED;
	fcn_arn_distribute(workers[2], &o);
	fcn_arn_distribute(workers[2], &o);
	assert_int_equal(workers[2]->arn_held.renewed, 1);
	assert_int_equal(workers[2]->arn_held.ended, 1);
	assert_int_equal(workers[2]->arn_held.not_held, 1);
	workers_poll_all(3000);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->arn_held.flows.n_flows, 0);
}

/* No room for a third flow: each worker says so. */
TEST(full)
{
	for (uint16_t i = 0; i < 3; i++) {
		struct fcn_arn_order o = order_for(i, 20);

		fcn_arn_distribute(workers[0], &o);
	}
	workers_poll_all(2000);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->arn_held.full, 1);
}

/* A worker that does not come: what finds no room on its ring is counted. */
TEST(ring_full)
{
	struct fcn_arn_order o = order_for(1, 20);

	for (unsigned int i = 0; i < FCN_ARN_ORDERS + 10; i++)
		fcn_arn_distribute(workers[0], &o);
	assert_int_equal(workers[0]->arn_held.not_distributed, 2 * 10);
	workers_poll_all(2000);
	workers_poll_all(2001); /* a bounded number in a turn */
	assert_int_equal(rte_ring_count(workers[0]->peer[0].tx[FCN_PEER_ARN_ORDERS]),
			FCN_ARN_ORDERS - 2 * 32);
}

TEST(priority)
{
	struct fcn_arn_order o = priority_order(1, 3, 50);

	fcn_arn_distribute(workers[0], &o);
	assert_int_equal(workers[0]->port[1].pause.halted, 0);
	workers_poll_all(2000);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->arn_held.halted, i == 1);
	assert_int_equal(workers[1]->port[1].pause.halted, 1 << 3);
	assert_int_equal(workers[1]->port[1].pause.halt_until[3], 52000);
	assert_int_equal(workers[1]->port[1].egress->held, 1 << 3);
	assert_int_equal(fcn_worker_next_event(workers[1], 2000), 52000);
	/* Not longer than the maximum. */
	o.arn.time_us = FCN_ARN_TIME_FOREVER;
	fcn_arn_distribute(workers[1], &o);
	assert_int_equal(workers[1]->port[1].pause.halt_until[3], 2000 + 1000000);
	o.arn.type = FCN_ARN_ENDED;
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(3000);
	assert_int_equal(workers[1]->port[1].egress->held, 0);
	assert_int_equal(workers[1]->arn_held.resumed, 1);
	/* The class of the notices is never halted. */
	bench.snap.port[1].pause.exempt = 1 << 6;
	bench_new_snapshot();
	workers_poll_all(4000);
	o = priority_order(1, 6, 50);
	fcn_arn_distribute(workers[1], &o);
	assert_int_equal(workers[1]->arn_held.exempt, 1);
	assert_int_equal(workers[1]->port[1].pause.halted, 0);
	/* A port that is not there. */
	o = priority_order(FCN_PORT_NONE, 3, 50);
	fcn_arn_distribute(workers[1], &o);
	o.port = FCN_MAX_PORTS - 1;
	fcn_arn_distribute(workers[1], &o);
	assert_int_equal(workers[1]->arn_held.halted, 2);
}

/* The watchdog lets a class resume that is halted again and again. */
TEST(priority_storm)
{
	struct fcn_arn_order o = priority_order(1, 3, 80);
	const struct fcn_worker *w = workers[1];

	bench.snap.arn.held.detect_ns = 100000;
	bench.snap.arn.held.restore_ns = 50000;
	bench_new_snapshot();
	workers_poll_all(10000);
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(50000);
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(109999);
	assert_int_equal(w->port[1].egress->held, 1 << 3);
	workers_poll_all(110000);
	assert_int_equal(w->port[1].egress->held, 0);
	fcn_arn_distribute(workers[1], &o);
	assert_int_equal(w->arn_held.storm, 0); /* the last one is 60000 ns ago */
	workers_poll_all(180000);
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(211000);
	assert_int_equal(w->port[1].egress->held, 0);
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(212000);
	assert_int_equal(w->port[1].egress->held, 0);
	assert_int_equal(w->arn_held.storm, 1);
	assert_int_equal(w->arn_held.halted, 4);
	/* Turned off and on again: this is forgotten. */
	bench.snap.arn.receive = false;
	bench_new_snapshot();
	workers_poll_all(213000);
	bench.snap.arn.receive = true;
	bench_new_snapshot();
	workers_poll_all(214000);
	fcn_arn_distribute(workers[1], &o);
	workers_poll_all(215000);
	assert_int_equal(w->port[1].egress->held, 1 << 3);
}

/* Write the flow of a frame into an order. */
static void
name_flow(struct fcn_arn_order *o, const struct frame *f)
{
	memcpy(o->arn.flow.src, f->data + 14 + 8, 16);
	memcpy(o->arn.flow.dst, f->data + 14 + 24, 16);
	o->arn.flow.src_port = f->data[f->udp] << 8 | f->data[f->udp + 1];
}

/*
 * A message that worker 2 received, about a flow from worker 0's port to worker 1's: its packets
 * wait at worker 1, and their bytes count on the account of worker 0.
 */
TEST(held_at_owner)
{
	struct fcn_arn_order o = order_for(0, 20);
	const struct fcn_ingress *in = &workers[0]->ingress[0][3];
	struct frame f;

	bench_lossless(0, 3, 100000, 50000, 100000);
	bench_new_snapshot();
	workers_poll_all(1500);
	frame_roce6(&f, 1, 1, 9, 100);
	name_flow(&o, &f);
	bench_in(0, &f);
	bench_in(0, &f);
	workers_poll(0, 2000);
	fcn_arn_distribute(workers[2], &o);
	assert_int_equal(workers[0]->cross_core_tx, 2);
	workers_poll(1, 3000); /* held from 3000, when the owner takes the order */
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(workers[1]->arn_held.flows.packets, 2);
	assert_int_equal(workers[0]->arn_held.flows.packets, 0);
	assert_int_equal(in->used, 2 * f.len);
	assert_int_equal(fcn_worker_next_event(workers[1], 3000), 23000);
	workers_poll_all(22999);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(in->used, 2 * f.len);
	/* The counters of all workers are cleared while they wait. */
	workers_clears++;
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_clear_counters_once(workers[i]);
	workers_check();
	workers_poll_all(23000);
	assert_int_equal(bench.port[1].n_out, 2);
	workers_poll_all(23001);
	assert_int_equal(in->used, 0);
	/* The port goes while they wait. */
	fcn_arn_distribute(workers[1], &o);
	bench_in(0, &f);
	workers_poll_all(24000);
	workers_poll_all(24001);
	assert_int_equal(workers[1]->arn_held.flows.packets, 1);
	fcn_worker_group_port_remove(workers, N_WORKERS, 1);
	workers_poll_all(24002);
	assert_int_equal(in->used, 0);
	assert_int_equal(workers[1]->counters[0].drop[FCN_DROP_PORT_GONE], 1);
}

/* The shared buffer of worker 1 is full of packets that wait at worker 0. When these have left, the
 * packet that had waited for its flow leaves, although worker 1 sends nothing else. */
TEST(shared_buffer)
{
	struct fcn_arn_order o = order_for(0, 20);
	struct frame held, other;

	frame_roce6(&held, 1, 1, 9, 100);
	frame_to_port(&held, 2, 1);
	frame_roce6(&other, 1, 0, 9, 100);
	frame_to_port(&other, 1, 1);
	name_flow(&o, &held);
	bench.snap.buffer = (struct fcn_buffer_conf){.size = 100000, .shared = 2 * other.len + 1};
	bench_queue_conf(1, 3)->slow_path = true;
	bench_queue_conf(1, 3)->account.alpha = 8 * FCN_ALPHA_ONE;
	bench_lossless(1, 3, 100000, 50000, 100000);
	bench_new_snapshot();
	workers_poll_all(1500);
	fcn_arn_distribute(workers[1], &o);
	bench_in(2, &held);
	workers_poll(2, 2000);
	bench_in(1, &other);
	bench_in(1, &other);
	workers_poll(1, 3000);
	assert_int_equal(workers[1]->arn_held.flows.packets, 1);
	assert_int_equal(workers[1]->buffer.shared_used, 2 * other.len);
	workers_poll(1, 30000); /* the hold is over */
	workers_poll(1, 31000);
	assert_int_equal(workers[1]->arn_held.flows.packets, 1);
	workers_poll(0, 32000);
	assert_int_equal(bench.port[0].n_out, 2);
	workers_poll(1, 33000);
	assert_int_equal(workers[1]->buffer.shared_used, 0);
	workers_poll(1, 34000);
	assert_int_equal(workers[1]->arn_held.flows.packets, 0);
	bench.snap.buffer = (struct fcn_buffer_conf){0};
}

TEST(off)
{
	struct fcn_arn_order o = order_for(1, 20);

	bench.snap.arn.receive = false;
	bench_new_snapshot();
	workers_poll_all(2000);
	fcn_arn_distribute(workers[0], &o);
	o = priority_order(0, 3, 50);
	fcn_arn_distribute(workers[0], &o);
	workers_poll_all(3000);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->arn_held.flows.n_flows, 0);
	assert_int_equal(workers[0]->port[0].pause.halted, 0);
}
