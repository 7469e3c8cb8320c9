/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Ports with numbers around those at which a word of a set ends, and with the highest number:
 * whatever keeps sets or numbers of ports distinguishes them from those whose numbers differ by 64.
 */

#include "arn_order.h"
#include "fcn_punt.h"
#include "notice_route.h"
#include "pass_on_bench.h"

#define FRAME 200

static const uint16_t numbers[] = {63, 64, 127, 128, 255};

/* A port whose bit in a word of 64 would be the same. */
static uint16_t
twin(uint16_t number)
{
	return number < 128 ? number + 64 : number - 64;
}

/* Add a port, unless the bench has it. */
static void
add_port(uint16_t number)
{
	if (bench.worker->port[number].egress == NULL)
		bench_add_port(number);
}

static struct fcn_capture_reader reader;

/* Take the records that were captured. @return their number */
static unsigned int
take(struct fcn_capture_record *r, unsigned int most)
{
	const struct fcn_capture_record *next;
	struct fcn_capture_octets octets;
	unsigned int n = 0;

	while ((next = fcn_capture_peek(&reader, &octets)) != NULL) {
		assert_true(n < most);
		r[n++] = *next;
		fcn_capture_next(&reader);
	}
	fcn_capture_release(&reader);
	return n;
}

static void
begin(void)
{
	bench_setup(NULL);
	bench.snap.n_ports = FCN_MAX_PORTS;
	bench.worker->capture.ring = fcn_capture_ring_create("high_ports", 1024, SOCKET_ID_ANY);
	assert_non_null(bench.worker->capture.ring);
	reader = (struct fcn_capture_reader){.ring = bench.worker->capture.ring};
}

static void
capture(unsigned int tap, enum fcn_capture_point point, uint16_t port)
{
	struct fcn_capture_tap t = {.snaplen = 64};

	t.ports[point] = fcn_port_set_of(port);
	fcn_capture_open(bench.worker, tap, &t);
}

TEST_FIXTURE(FCN_TEST_EAL);

/* What comes in, goes out and is dropped there is captured, and nothing of its twin. */
TEST(captured)
{
	struct fcn_capture_record r[4];
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i];

		begin();
		bench_add_port(number);
		add_port(twin(number));
		bench_route("2001:db8:1::/48", number + 4);
		bench_route("2001:db8:2::/48", twin(number) + 4);
		bench_route("2001:db8:3::/48", 7);
		bench_routes_done();
		capture(0, FCN_CAPTURE_TX, number);
		capture(1, FCN_CAPTURE_RX, number);
		capture(2, FCN_CAPTURE_DROP, number);
		for (uint16_t to = 1; to <= 2; to++) {
			frame_roce6(&f, 1, to, 2, FRAME);
			bench_in(0, &f);
		}
		bench_poll(1);
		assert_int_equal(bench.port[number].n_out, 1);
		assert_int_equal(bench.port[twin(number)].n_out, 1);
		assert_int_equal(take(r, RTE_DIM(r)), 1);
		assert_int_equal(r[0].port, number);
		assert_int_equal(r[0].class, FCN_CAPTURE_NO_CLASS);
		assert_int_equal(r[0].taps, 1 << 0);

		frame_roce6(&f, 1, 3, 2, FRAME);
		frame_to_port(&f, twin(number), 1);
		bench_in(twin(number), &f);
		frame_to_port(&f, number, 1);
		bench_in(number, &f);
		bench_poll(2);
		assert_int_equal(bench.port[3].n_out, 2);
		assert_int_equal(take(r, RTE_DIM(r)), 1);
		assert_int_equal(r[0].port, number);
		assert_int_equal(r[0].point, FCN_CAPTURE_RX);
		assert_int_equal(r[0].taps, 1 << 1);

		fcn_capture_close(bench.worker, 1);
		frame_roce6(&f, 1, 9, 2, FRAME); /* no route */
		frame_to_port(&f, number, 1);
		bench_send(number, &f, 3);
		assert_int_equal(take(r, RTE_DIM(r)), 1);
		assert_int_equal(r[0].point, FCN_CAPTURE_DROP);
		assert_int_equal(r[0].port, number);
		assert_int_equal(r[0].class, FCN_CAPTURE_NO_CLASS);
		/* A drop at the egress port of another one's packet is its own, too. */
		bench_queue_conf(number, 3)->limit_bytes = 1;
		bench_new_snapshot();
		frame_roce6(&f, 1, 1, 2, FRAME);
		bench_send(0, &f, 4);
		assert_int_equal(take(r, RTE_DIM(r)), 1);
		assert_int_equal(r[0].port, 0);
		assert_int_equal(r[0].out_port, number);
		bench_teardown(NULL);
	}
}

/* A frame is flooded to a member with such a number, and learned there. */
TEST(bridged)
{
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i];

		begin();
		bench_bridge(2);
		bench_add_port(number);
		add_port(twin(number)); /* is in no bridge */
		bench.snap.port[number].mode = FCN_PORT_BRIDGED;
		fcn_port_set_add(&bench.snap.bridge[0].members, number);
		bench_new_snapshot();
		frame_roce6(&f, 1, 1, 2, FRAME);
		frame_macs(&f, 2, 1);
		bench_send(0, &f, 1);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench.port[number].n_out, 1);
		assert_int_equal(bench_n_out(), 2);
		frame_macs(&f, 1, 2);
		bench_send(number, &f, 2);
		assert_memory_equal(bench_only_out(0), f.data, f.len);
		frame_macs(&f, 2, 1);
		bench_send(0, &f, 3);
		assert_memory_equal(bench_only_out(number), f.data, f.len);
		/* It leaves the bridge: the address leads nowhere. */
		fcn_port_set_remove(&bench.snap.bridge[0].members, number);
		bench_new_snapshot();
		bench_send(0, &f, 4);
		assert_memory_equal(bench_only_out(1), f.data, f.len);
		bench_teardown(NULL);
	}
}

/* A sub-interface may have any number; a VLAN without one has none. */
TEST(sub_interface)
{
	static uint16_t vlans[FCN_VLANS];
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i];

		begin();
		memset(vlans, 0xFF, sizeof(vlans));
		vlans[7] = number;
		bench.snap.port[number] = bench.snap.port[1];
		bench.snap.port[number].parent = 1;
		bench.snap.port[number].vlan = 7;
		bench.snap.port[1].sub = vlans;
		bench_port_routes(1);
		bench_new_snapshot();
		for (unsigned int vlan = 7; vlan <= 8; vlan++) {
			struct frame plain;

			frame_roce6(&plain, 1, 0, 2, FRAME);
			frame_to_port(&plain, 1, 1);
			memset(&f, 0, sizeof(f));
			frame_put(&f, plain.data, 12);
			frame_put(&f, (uint8_t[]){0x81, 0, 0, (uint8_t)vlan}, 4);
			frame_put(&f, plain.data + 12, plain.len - 12);
			bench_send(1, &f, vlan);
			assert_int_equal(bench.port[0].n_out, vlan == 7);
		}
		assert_int_equal(bench.worker->counters[number].sub_rx_packets, 1);
		assert_int_equal(bench_drops(FCN_DROP_VLAN_UNEXPECTED), 1);
		bench_forget_out();
		bench_teardown(NULL);
	}
}

/* No notice leaves by a border port, but by its twin it does. */
TEST(border)
{
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		begin();
		bench_add_port(numbers[i]);
		add_port(twin(numbers[i]));
		bench.snap.border.ports = fcn_port_set_of(numbers[i]);
		bench_new_snapshot();
		bench_poll(1);
		assert_int_equal(fcn_notice_reach_by(bench.worker, numbers[i]),
				FCN_NOTIFY_REACH_NONE);
		assert_int_equal(fcn_notice_reach_by(bench.worker, twin(numbers[i])),
				FCN_NOTIFY_REACH_ALL);
		bench_teardown(NULL);
	}
}

/* Two ports halt a class by PFC for one that is halted downstream: each goes on by itself. */
TEST(passed_on)
{
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t in[2] = {numbers[i], twin(numbers[i])};
		const struct fcn_arn_edge_state *e;

		pass_on_setup(NULL);
		bench.snap.n_ports = FCN_MAX_PORTS;
		e = bench.worker->arn_edge;
		for (unsigned int k = 0; k < 2; k++) {
			add_port(in[k]);
			bench.snap.port[in[k]].arn_edge = FCN_ARN_EDGE_PFC;
			bench_lossless(in[k], CLASS, 20000, 10000, 40000);
		}
		bench_new_snapshot();
		bench_poll(1 * US);
		fcn_arn_distribute(bench.worker,
				&(struct fcn_arn_order){
						.arn = {.type = FCN_ARN_CONGESTION,
								.parameters = FCN_ARN_PRIORITY |
									      FCN_ARN_TIME,
								.priority = CLASS,
								.time_us = 5000},
						.port = 1});
		bench_poll(2 * US);
		pass_on_packets_in(3 * US, in[0], 6);
		assert_int_equal(bench.port[in[0]].n_out, 1); /* a PFC frame */
		pass_on_packets_in(4 * US, in[1], 6);
		assert_int_equal(bench.port[in[1]].n_out, 1);
		assert_int_equal(e->n, 1);
		assert_int_equal(e->pfc, 2);
		for (unsigned int k = 0; k < 2; k++) {
			assert_true(fcn_port_set_has(&e->passed[0].paused[CLASS], in[k]));
			assert_int_equal(e->n_paused[in[k]][CLASS], 1);
		}
		/* One is no edge any more: the other one's link partner stays paused. */
		bench.snap.port[in[0]].arn_edge = FCN_ARN_EDGE_OFF;
		bench_new_snapshot();
		bench_poll(5 * US);
		assert_int_equal(e->n_paused[in[0]][CLASS], 0);
		assert_int_equal(e->n_paused[in[1]][CLASS], 1);
		bench_teardown(NULL);
	}
}

/* Add both ports, with routes of 2001:db8:<n>::/48: 0 and 1 by ports 0 and 1, 2 by the number, 3 by
 * its twin. */
static void
begin_routed(uint16_t number)
{
	begin();
	bench_add_port(number);
	add_port(twin(number));
	bench_route("2001:db8:2::/48", number + 4);
	bench_route("2001:db8:3::/48", twin(number) + 4);
	bench_port_routes(2);
}

/* Let a packet to 2001:db8:<net>::2 arrive at a port. */
static void
packet_in(uint16_t port, uint16_t net)
{
	struct frame f;

	frame_roce6(&f, 1, net, 2, FRAME);
	frame_to_port(&f, port, 1);
	bench_in(port, &f);
}

/* Their queues have detectors, counters of verdicts and buckets of their own, and events say which
 * port it was; a notice leaves by such a port, too. */
TEST(noticed)
{
	struct fcn_event ev[4];

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i], other = twin(number);

		begin_routed(number);
		bench_notices(number, 1);
		bench.snap.notify.common.queue[number][3] = (struct fcn_notify_bucket){
				.cost_ns = 1000000000, .burst = 1};
		bench_new_snapshot();
		packet_in(0, 2);
		packet_in(0, 3);
		bench_poll(1);
		assert_int_equal(bench.port[0].n_out, 1);
		assert_int_equal(bench.port[number].n_out, 1);
		assert_int_equal(bench.port[other].n_out, 1);
		assert_int_equal(bench_verdict(number, 3, FCN_NOTIFY_SENT), 1);
		assert_int_equal(bench.worker->counters[number].generated, 1);
		assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, RTE_DIM(ev)), 1);
		assert_int_equal(ev[0].port, number);
		assert_int_equal(ev[0].in_port, 0);
		/* Its bucket is empty; the twin's has no limit. */
		bench_notices(other, 1);
		bench_new_snapshot();
		packet_in(0, 2);
		packet_in(0, 3);
		bench_poll(2);
		assert_int_equal(bench_verdict(number, 3, FCN_NOTIFY_BUCKET_QUEUE), 1);
		assert_int_equal(bench_verdict(other, 3, FCN_NOTIFY_SENT), 1);
		/* To a sender behind such a port. */
		bench_notices(1, 1);
		bench_route("2001:db8::/48", number + 4);
		bench_routes_done();
		bench_new_snapshot();
		bench_events_of(FCN_EVENT_NOTICE, ev, RTE_DIM(ev));
		packet_in(number, 1);
		bench_poll(3);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench.port[number].n_out, 1);
		assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, RTE_DIM(ev)), 1);
		assert_int_equal(ev[0].port, 1);
		assert_int_equal(ev[0].in_port, number);
		bench_teardown(NULL);
	}
}

/* PFC: the link partner of such a port is paused, and pauses it. */
TEST(paused)
{
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t number = numbers[i], other = twin(number);

		begin_routed(number);
		bench_set_ops(1, &bench_gate_ops);
		bench.port[1].accept = 0;
		bench_lossless(number, 3, 2 * FRAME, FRAME, 100000);
		bench_lossless(other, 3, 100000, 50000, 100000);
		bench_new_snapshot();
		for (unsigned int k = 0; k < 3; k++) {
			packet_in(number, 1);
			packet_in(other, 1);
		}
		bench_poll(1);
		assert_int_equal(bench_n_out(), 1);
		assert_int_equal(bench_out(number, 0)[17], 1 << 3);
		assert_int_equal(bench.worker->ingress[number][3].used,
				bench.worker->ingress[other][3].used);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(2);
		if (bench.port[number].n_out == 0)
			bench_poll(3);
		assert_int_equal(bench.port[number].n_out, 1); /* it may go on */
		assert_int_equal(bench.port[other].n_out, 0);

		bench_pfc_rx(number, 1 << 3);
		bench_pfc_rx(other, 1 << 3);
		bench_new_snapshot();
		frame_pfc(&f, 1 << 3, 65535);
		bench_send(number, &f, 4);
		packet_in(0, 2);
		packet_in(0, 3);
		bench_poll(5);
		assert_int_equal(bench.port[number].n_out, 0);
		assert_int_equal(bench.port[other].n_out, 1);
		frame_pfc(&f, 1 << 3, 0);
		bench_send(number, &f, 6);
		bench_poll(7);
		assert_int_equal(fcn_egress_packets(bench.worker->port[number].egress), 0);
		bench_teardown(NULL);
	}
}

/* A trace names them. */
TEST(traced)
{
	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const struct fcn_trace_record *r;

		begin_routed(numbers[i]);
		bench_trace(1, NULL);
		packet_in(twin(numbers[i]), 2);
		bench_poll(1);
		r = &bench.worker->trace.record[0];
		assert_int_equal(bench.worker->trace.n, 1);
		assert_int_equal(r->step[0].pkt.in_port, twin(numbers[i]));
		assert_int_equal(r->step[r->n_steps - 1].stage, FCN_STAGE_TRANSMIT);
		assert_int_equal(r->step[r->n_steps - 1].pkt.out_port, numbers[i]);
		bench_teardown(NULL);
	}
}

/* Limits for the host functions are by port. */
TEST(policed)
{
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t both[] = {numbers[i], twin(numbers[i])};

		begin_routed(numbers[i]);
		bench_punts();
		for (unsigned int k = 0; k < 2; k++)
			bench.snap.port[both[k]].punt[FCN_PUNT_KIND_HOP_LIMIT] =
					(struct fcn_punt_limit){.cost_ns = 1000000000,
							.spare_ns = k * 1000000000 * 3};
		bench_new_snapshot();
		for (unsigned int n = 0; n < 4; n++) {
			for (unsigned int k = 0; k < 2; k++) {
				frame_roce6(&f, 1, 1, 2, FRAME);
				frame_to_port(&f, both[k], 1);
				f.data[21] = 1; /* hop limit */
				bench_in(both[k], &f);
			}
		}
		bench_poll(1);
		for (unsigned int k = 0; k < 2; k++) {
			const struct fcn_port_counters *c = &bench.worker->counters[both[k]];

			assert_int_equal(c->punted[FCN_PUNT_KIND_HOP_LIMIT], k == 0 ? 1 : 4);
			assert_int_equal(c->punt_limited[FCN_PUNT_KIND_HOP_LIMIT], k == 0 ? 3 : 0);
		}
		bench_teardown(NULL);
	}
}

/* Frames of a VLAN are flooded to such ports only if they are in it. */
TEST(flooded_in_vlan)
{
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(numbers); i++) {
		const uint16_t in[] = {0, numbers[i], twin(numbers[i])};

		begin();
		bench_bridge(2);
		bench_add_port(numbers[i]);
		add_port(twin(numbers[i]));
		for (unsigned int k = 0; k < RTE_DIM(in); k++) {
			bench.snap.port[in[k]].mode = FCN_PORT_BRIDGED;
			fcn_port_set_add(&bench.snap.bridge[0].members, in[k]);
			bench.snap.port[in[k]].pvid = k == 2 ? 1 : 9;
		}
		bench_new_snapshot();
		frame_roce6(&f, 1, 1, 2, FRAME);
		frame_macs(&f, 2, 1);
		bench_send(0, &f, 1);
		bench_only_out(numbers[i]);
		frame_macs(&f, 3, 4);
		bench_send(twin(numbers[i]), &f, 2);
		bench_only_out(1);
		bench_teardown(NULL);
	}
}
