/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packet traces: which packets, which stages, and what of them. */

#include "testbed.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = bench_setup_two_ports, .teardown = bench_teardown);

static void
assert_stages(unsigned int record, const enum fcn_stage *want, unsigned int n)
{
	const struct fcn_trace_record *r = &bench.worker->trace.record[record];

	assert_int_equal(r->n_steps, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(r->step[i].stage, want[i]);
}

#define STAGES(record, ...)                                          \
	assert_stages(record, (const enum fcn_stage[]){__VA_ARGS__}, \
			RTE_DIM(((const enum fcn_stage[]){__VA_ARGS__})))
#define RX FCN_STAGE_RX
#define CLASSIFY FCN_STAGE_CLASSIFY
#define BRIDGE FCN_STAGE_BRIDGE
#define ROUTE FCN_STAGE_ROUTE
#define ENQUEUE FCN_STAGE_ENQUEUE
#define NOTICE FCN_STAGE_NOTICE
#define TRANSMIT FCN_STAGE_TRANSMIT

TEST(routed)
{
	const struct fcn_trace_record *r = &bench.worker->trace.record[0];
	struct frame f;

	bench_trace(1, NULL);
	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f);
	bench_in(0, &f);
	bench.port[1].accept = 0;
	bench_poll(100);
	assert_int_equal(bench.worker->trace.n, 1);
	assert_int_equal(bench.worker->trace.wanted, 0);
	STAGES(0, RX, CLASSIFY, ROUTE, ENQUEUE);
	bench.port[1].accept = 2;
	bench_poll(200);
	STAGES(0, RX, CLASSIFY, ROUTE, ENQUEUE, TRANSMIT);
	assert_int_equal(r->cause, 0);
	assert_int_equal(r->len, f.len);
	assert_int_equal(r->n_bytes, FCN_TRACE_BYTES);
	assert_memory_equal(r->bytes, f.data, FCN_TRACE_BYTES); /* as received */
	assert_int_equal(r->step[0].pkt.in_port, 0);
	assert_int_equal(r->step[1].pkt.info.dest_qp, 0x123456);
	assert_int_equal(r->step[2].pkt.next_hop, 5);
	assert_int_equal(r->step[2].pkt.info.ttl, 63);
	assert_int_equal(r->step[3].queue_bytes, f.len); /* behind it, not behind the burst */
	assert_int_equal(r->step[3].time_ns, 100);
	assert_int_equal(r->step[4].time_ns, 200);
	assert_int_equal(r->step[4].pkt.out_port, 1);
	assert_int_equal(r->step[4].pkt.class, 3);
}

/* A dropped packet meets nothing more; the stage that dropped it says why. */
TEST(dropped)
{
	struct fcn_trace *t = &bench.worker->trace;
	struct frame f;

	bench_trace(10, NULL);
	frame_roce6(&f, 1, 1, 2, 100);
	f.len = 13;
	bench_in(0, &f); /* classify */
	frame_roce6(&f, 1, 9, 2, 100);
	bench_in(0, &f); /* route */
	frame_roce6(&f, 1, 1, 2, 100);
	bench.snap.port[1].egress.queue[3].limit_bytes = 10;
	bench_in(0, &f); /* enqueue */
	bench_poll(1);
	STAGES(0, RX, CLASSIFY);
	assert_int_equal(t->record[0].step[1].pkt.drop, FCN_DROP_ETH_TRUNCATED);
	STAGES(1, RX, CLASSIFY, ROUTE);
	assert_int_equal(t->record[1].step[2].pkt.drop, FCN_DROP_NO_ROUTE);
	STAGES(2, RX, CLASSIFY, ROUTE, ENQUEUE);
	assert_int_equal(t->record[2].step[3].pkt.drop, FCN_DROP_QUEUE_BYTES);
	assert_int_equal(t->record[0].n_bytes, 13);
}

TEST(bridged)
{
	struct frame f;

	bench_bridge(3);
	bench_trace(2, NULL);
	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, 200, 1);
	bench_in(0, &f);
	frame_macs(&f, 200, 1);
	f.data[6] |= 1;
	bench_send(0, &f, 1);
	STAGES(0, RX, CLASSIFY, BRIDGE, ENQUEUE, TRANSMIT);
	assert_int_equal(bench.worker->trace.record[0].step[2].pkt.vlan, 1);
	STAGES(1, RX, CLASSIFY, BRIDGE);
	assert_int_equal(bench.worker->trace.record[1].step[2].pkt.drop, FCN_DROP_SOURCE_MAC);
}

TEST(filter)
{
	struct frame f;

	bench_trace(3, "ip6 src 2001:db8::7 and udp dst port 4791");
	for (unsigned int i = 0; i < 32; i++) {
		frame_roce6(&f, i % 8, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	assert_int_equal(bench.worker->trace.n, 3);
	assert_int_equal(bench.worker->trace.wanted, 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(bench.worker->trace.record[i].bytes[14 + 8 + 15], 7);
	/* A packet the filter does not take uses up nothing. */
	bench_trace(2, "ip6 src 2001:db8::77");
	bench_send(0, &f, 2);
	assert_int_equal(bench.worker->trace.wanted, 2);
	assert_int_equal(bench.worker->trace.n, 3);
}

/* A notice's record names its cause, and how the packet met congestion stands in that. */
TEST(notice)
{
	const struct fcn_trace *t = &bench.worker->trace;
	struct frame f;

	bench_notices(1, 1);
	bench_trace(2, "ip6 src 2001:db8::8 or ip6 src 2001:db8::9");
	for (unsigned int i = 7; i <= 9; i++) {
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	assert_int_equal(t->n, 4);
	STAGES(0, RX, CLASSIFY, ROUTE, ENQUEUE, TRANSMIT);
	assert_int_equal(t->record[0].verdict[0], FCN_FASTCNP_SENT_OPT1);
	/* the second of 178 bytes: log2(356) * 7 / log2(1000000) = 2.98 */
	assert_int_equal(t->record[0].step[3].pkt.level, 2);
	assert_true(t->record[0].step[3].pkt.flags & FCN_PACKET_CE_MARKED);
	for (unsigned int i = 2; i < 4; i++) {
		STAGES(i, NOTICE, ROUTE, ENQUEUE, TRANSMIT);
		assert_int_equal(t->record[i].cause, i - 1); /* 1 + number */
		/* from the IPv6 header on: to the sender of its cause */
		assert_memory_equal(t->record[i].bytes + 24,
				t->record[t->record[i].cause - 1].bytes + 14 + 8, 16);
		assert_int_equal(t->record[i].len, 104);
	}
}

/* No room for more: packets go their way without. */
TEST(full)
{
	struct fcn_trace *t = &bench.worker->trace;
	struct frame f;

	bench_notices(1, 1);
	bench_trace(FCN_TRACE_MAX, NULL);
	for (unsigned int turn = 0; turn < 10; turn++) {
		for (unsigned int i = 0; i < 32; i++) {
			frame_roce6(&f, i, 1, 2, 100);
			bench_in(0, &f);
		}
		bench_poll(turn);
		assert_int_equal(bench.port[1].n_out, 32);
		assert_int_equal(bench.port[0].n_out, 32);
	}
	assert_int_equal(t->n, FCN_TRACE_MAX);
	assert_int_equal(t->wanted, 0);
	for (unsigned int i = 0; i < t->n; i++)
		assert_true(t->record[i].n_steps >= 4);
}

/* Cleared while a traced packet is queued: it does not write into another's record. */
TEST(cleared)
{
	struct frame f;

	bench_trace(40, NULL);
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 40; i++) { /* 32 are staged, 8 queued */
		frame_roce6(&f, 1, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	bench_poll(2);
	fcn_trace_clear(bench.worker);
	assert_int_equal(bench.worker->trace.n, 0);
	bench_trace(40, NULL);
	for (unsigned int i = 0; i < 40; i++) {
		frame_roce6(&f, 1, 9, 2, 100); /* no route */
		bench_in(0, &f);
	}
	bench_poll(3);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(4);
	assert_int_equal(bench.worker->trace.n, 40);
	for (unsigned int i = 0; i < 40; i++)
		STAGES(i, RX, CLASSIFY, ROUTE);
}

TEST_WITH(names, NULL, NULL)
{
	assert_string_equal(fcn_stage_name(FCN_STAGE_RX), "rx");
	assert_string_equal(fcn_stage_name(FCN_STAGE_TRANSMIT), "transmit");
	assert_string_equal(fcn_stage_name(FCN_STAGE_COUNT), "unknown");
	assert_string_equal(fcn_stage_text(FCN_STAGE_COUNT), "unknown");
	for (unsigned int s = 0; s < FCN_STAGE_COUNT; s++) {
		assert_true(strlen(fcn_stage_text(s)) > 0);
		for (unsigned int q = 0; q < s; q++)
			assert_string_not_equal(fcn_stage_name(q), fcn_stage_name(s));
	}
	/* Drop reasons begin with the defects that forbid forwarding, in their order. */
	for (unsigned int e = 1; fcn_wire_error_is_fatal(e); e++)
		assert_string_equal(
				fcn_drop_name(fcn_drop_of_wire_error(e)), fcn_wire_error_name(e));
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++) {
		for (unsigned int q = 0; q < r; q++)
			assert_string_not_equal(fcn_drop_name(q), fcn_drop_name(r));
		assert_true(strlen(fcn_drop_text(r)) > 0);
	}
	assert_string_equal(fcn_drop_name(FCN_DROP_REASON_COUNT), "unknown");
	assert_string_equal(fcn_drop_text(FCN_DROP_REASON_COUNT), "unknown");
}
