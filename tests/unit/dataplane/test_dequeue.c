/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A detector that looks at departures: marks and notices for what leaves, not for what comes. */

#include "testbed.h"

#define LEN 1000 /* bytes of a packet where it matters */

/* Class 3 of a port chooses what leaves a queue of kmax bytes and more, and nothing else. */
static void
red(uint16_t port, uint32_t kmin, uint32_t kmax)
{
	struct fcn_queue_conf *q = bench_queue_conf(port, 3);

	bench_set_ops(port, &bench_gate_ops);
	bench.port[port].accept = 0;
	bench.snap.port[port].egress.at_dequeue = 1 << 3;
	q->slow_path = true;
	q->policy.notify = true;
	q->policy.ecn = true;
	q->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_RED,
			.at_dequeue = true,
			.enter = kmin,
			.leave = kmin,
			.kmax = kmax,
			.limit = q->limit_bytes};
	fcn_detector_levels(&q->detector);
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("192.0.2.0/24", 5);
	bench_port_routes(2);
	bench_notices(0, 1000000);
	red(1, 3000, 5000);
	return 0;
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = bench_teardown);

/* Numbered by their senders. */
static void
send_some(unsigned int n, unsigned int from)
{
	struct frame f;

	for (unsigned int i = 0; i < n; i++) {
		frame_roce6(&f, from + i, 1, 2, LEN - 14 - 64);
		bench_in(0, &f);
	}
}

/* 10 packets of 1000 bytes: the first leaves 10000, the last 1000. */
TEST(occupancies)
{
	struct fcn_event ev[32];

	for (unsigned int way = 0; way < 2; way++) {
		unsigned int out = 0;

		if (way == 1) { /* one at a time, not ten */
			bench_set_ops(1, &bench_link_ops);
			bench.port[1].ready_at = 1000;
			bench.port[1].line_bps = BENCH_LINK_BPS;
		}
		send_some(10, 1);
		bench_poll(100);
		assert_int_equal(bench_queue(1, 3)->stats.congested_packets, 0);
		assert_int_equal(bench.worker->counters[1].generated, 0);
		bench.port[1].accept = UINT16_MAX;
		for (uint64_t now = 1000; out < 10;
				now = fcn_worker_next_event(bench.worker, now)) {
			bench_poll(now);
			assert_true(bench.port[1].n_out <= (way == 0 ? 10 : 1));
			for (unsigned int i = 0; i < bench.port[1].n_out; i++, out++) {
				assert_int_equal(bench_out(1, i)[14 + 8 + 15], 1 + out);
				/* 5000 and more behind it, itself included */
				assert_int_equal(bench_out(1, i)[15] >> 4 & 3, out < 6 ? 3 : 1);
			}
		}
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 6);
		assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 32), 6);
		for (unsigned int i = 0; i < 6; i++) {
			assert_int_equal(ev[i].occupancy, 10000 - 1000 * i);
			assert_int_equal(ev[i].port, 1);
			assert_int_equal(ev[i].in_port, 0);
			assert_int_equal(ev[i].class, 3);
			assert_int_equal(ev[i].sender[15], 1 + i);
		}
		assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 6);
		assert_int_equal(bench.worker->counters[1].generated, 6);
	}
	assert_int_equal(bench_all_drops(), 0);
}

/* A notice about what leaves goes out in the same turn or the next, which is now. */
TEST(notices_follow)
{
	send_some(8, 1);
	bench_poll(100);
	bench.port[1].accept = UINT16_MAX;
	/* Port 0 was polled before port 1: its notices are queued. */
	bench_poll(1000);
	assert_int_equal(bench.port[1].n_out, 8);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(fcn_queue_packets(bench_queue(0, 6)), 4);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 1000);
	bench_poll(1000);
	assert_int_equal(bench.port[0].n_out, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(bench_out_len(0, i), 14 + 104);
		assert_int_equal(bench_out(0, i)[14 + 24 + 15], 1 + i);
	}
}

/* In a bridge: back where it came from, in its VLAN, however the frame was tagged on its way. */
TEST(bridged)
{
	for (unsigned int k = 0; k < 4; k++) {
		bool tag_in = k & 1, tag_out = k & 2;
		struct frame f, plain;
		const uint8_t *n;

		bench_bridge(2);
		bench.port[1].accept = 0;
		bench.snap.port[0].pvid = tag_in ? 0 : 7;
		bench.snap.port[0].tagged[0] = tag_in ? 1 << 7 : 0;
		bench.snap.port[1].pvid = tag_out ? 0 : 7;
		bench.snap.port[1].tagged[0] = tag_out ? 1 << 7 : 0;
		frame_roce6(&f, 9 + k, 1, 2, 6000 - 4500 - 78);
		frame_macs(&f, 2, 9 + k);
		if (tag_in) {
			plain = f;
			frame_ether(&f, 0x86DD);
			frame_vlan(&f, 0x8100, 1 << 13 | 7);
			frame_put(&f, plain.data + 14, plain.len - 14);
			frame_macs(&f, 2, 9 + k);
		}
		for (unsigned int i = 0; i < 4; i++)
			bench_in(0, &f);
		bench_poll(100 * k);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(100 * k + 1);
		assert_int_equal(bench.port[1].n_out, 4);
		bench_poll(100 * k + 2);
		/* 1500 bytes each (with a tag 1504): 6000 and 4500 */
		assert_int_equal(bench.port[0].n_out, 1);
		n = bench_out(0, 0);
		assert_int_equal(bench_out_len(0, 0), 14 + 4 * tag_in + 104);
		assert_memory_equal(n, f.data + 6, 6);
		assert_memory_equal(n + 6, bench.snap.port[0].mac.addr_bytes, 6);
		if (tag_in)
			assert_memory_equal(
					n + 12, ((uint8_t[]){0x81, 0, 6 << 5, 7, 0x86, 0xDD}), 6);
		else
			assert_memory_equal(n + 12, ((uint8_t[]){0x86, 0xDD}), 2);
		assert_int_equal(n[14 + 4 * tag_in + 24 + 15], 9 + k);
	}
	assert_int_equal(bench_all_drops(), 0);
	assert_int_equal(bench.worker->counters[1].generated, 4);
}

/* IPv4 is marked as well, with a checksum that holds; a chained packet is read as it lies. */
TEST(other_packets)
{
	struct frame f;

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, LEN - 14 - 44);
	f.data[15] = 24 << 2 | 2;
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	for (unsigned int i = 0; i < 5; i++)
		bench_in(0, &f);
	bench_poll(100);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(200);
	assert_int_equal(bench.port[1].n_out, 5);
	for (unsigned int i = 0; i < 5; i++) {
		const uint8_t *ip = bench_out(1, i) + 14;

		assert_int_equal(ip[1], 24 << 2 | (i == 0 ? 3 : 2));
		assert_int_equal(ip[10] << 8 | ip[11], ip4_checksum(ip));
	}
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_IPV4), 1);
	/* 3600 bytes in two segments, over a larger MTU; two of them */
	bench.snap.port[0].mtu = bench.snap.port[1].mtu = 4000;
	bench.next_hop[5].mtu = 4000;
	bench.port[1].accept = 0;
	frame_roce6(&f, 33, 1, 2, 3600 - 14 - 64);
	bench_in(0, &f);
	bench_send(0, &f, 300);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(400);
	bench_poll(400);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out(0, 0)[14 + 24 + 15], 33);
	assert_memory_equal(bench_out(0, 0) + 14 + 72 + 5, f.data + f.udp + 13, 3);
}

/* A notice that a traced packet causes when it leaves is traced, as its consequence. */
TEST(trace)
{
	static const enum fcn_stage routed[] = {
			FCN_STAGE_NOTICE, FCN_STAGE_ROUTE, FCN_STAGE_ENQUEUE, FCN_STAGE_TRANSMIT};
	static const enum fcn_stage packet[] = {FCN_STAGE_RX, FCN_STAGE_CLASSIFY, FCN_STAGE_ROUTE,
			FCN_STAGE_ENQUEUE, FCN_STAGE_TRANSMIT};
	const struct fcn_trace *t = &bench.worker->trace;

	bench.worker->trace.wanted = 2;
	send_some(6, 1);
	bench_poll(100);
	assert_int_equal(t->n, 2);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1000);
	bench_poll(1000);
	assert_int_equal(bench.port[0].n_out, 2);
	/* Two packets, two notices. */
	assert_int_equal(t->n, 4);
	for (unsigned int r = 0; r < 4; r++) {
		const struct fcn_trace_record *record = &t->record[r];
		const enum fcn_stage *want = r < 2 ? packet : routed;

		assert_int_equal(record->cause, r < 2 ? 0 : r - 1);
		assert_int_equal(record->n_steps, r < 2 ? 5 : 4);
		for (unsigned int i = 0; i < record->n_steps; i++) {
			assert_int_equal(record->step[i].stage, want[i]);
			assert_int_equal(record->step[i].time_ns, r < 2 && i < 4 ? 100 : 1000);
		}
	}
}

/* Many ports full of packets whose notices have no way back, all in one turn. */
TEST(many_ports)
{
	const unsigned int n = 16, each = 200;
	struct frame f;

	for (uint16_t p = 4; p < n; p++)
		bench_add_port(p);
	for (uint16_t p = 0; p < n; p++) {
		char prefix[32];

		red(p, 1, 1);
		if (p >= 2) {
			snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", p);
			bench_route(prefix, 4 + p);
		}
	}
	/* The way back is too narrow for any notice: each is made, and lost. */
	bench.next_hop[40] = bench.next_hop[4];
	bench.next_hop[40].mtu = 50;
	bench_route("2001:db8:7700::/48", 40);
	bench_routes_done();
	bench_new_snapshot();
	for (unsigned int i = 0; i < each; i++) {
		for (uint16_t p = 1; p < n; p++) {
			frame_roce6(&f, i, p, 2, 0);
			f.data[14 + 8 + 4] = 0x77; /* 2001:db8:7700::i */
			frame_to_port(&f, p, 1);
			bench_in(p, &f);
		}
	}
	for (uint64_t now = 1; bench.worker->counters[n - 1].rx_packets < each; now++)
		bench_poll(now);
	for (uint16_t p = 0; p < n; p++)
		bench.port[p].accept = UINT16_MAX;
	while (fcn_worker_next_event(bench.worker, 1000) == 1000)
		bench_poll(1000);
	assert_int_equal(bench_drops(FCN_DROP_MTU), each * (n - 1));
	for (uint16_t p = 1; p < n; p++) {
		assert_int_equal(bench.worker->counters[p].generated, each);
		assert_int_equal(bench.worker->counters[p].tx_packets, each);
		assert_int_equal(bench_verdict(p, 3, FCN_FASTCNP_SENT_OPT1), each);
	}
	assert_int_equal(bench_all_drops(), each * (n - 1));
}

/* What departures cause comes on top of what arrivals caused in the same turn. */
TEST(with_arrivals)
{
	struct frame f;

	bench_route("2001:db8:2::/48", 6);
	bench_routes_done();
	bench_new_snapshot();
	bench_notices(2, 1);
	send_some(32, 1);
	bench_poll(100);
	bench_poll(200); /* a turn without packets: the next one polls all ports */
	/* 96 that meet congestion when they come, 28 when they leave */
	for (uint16_t p = 0; p < 4; p++) {
		if (p == 1)
			continue;
		for (unsigned int i = 0; i < 32; i++) {
			frame_roce6(&f, 32 * p + i, 2, 2, 100);
			frame_to_port(&f, p, 1);
			bench_in(p, &f);
		}
	}
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1000);
	assert_int_equal(bench_verdict(2, 3, FCN_FASTCNP_SENT_OPT1), 96);
	assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 28);
	assert_int_equal(bench_all_drops(), 0);
}

/* No notice about a notice, though its queue is looked at, too. */
TEST(no_notice_of_notices)
{
	*bench_queue_conf(0, 6) = *bench_queue_conf(1, 3);
	bench_queue_conf(0, 6)->detector.enter = 1;
	bench_queue_conf(0, 6)->detector.kmax = 1;
	bench.snap.port[0].egress.at_dequeue = 1 << 6;
	send_some(8, 1);
	bench_poll(100);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1000);
	bench_poll(1000);
	assert_int_equal(bench.port[0].n_out, 4);
	assert_int_equal(bench_queue(0, 6)->stats.congested_packets, 0);
	assert_int_equal(bench.worker->counters[0].generated, 0);
}

/* Switched on while packets wait that came by the fast way: those are left alone. */
TEST(switched_on)
{
	struct fcn_queue_conf red_conf = *bench_queue_conf(1, 3);

	bench_queue_conf(1, 3)->slow_path = false;
	bench_queue_conf(1, 3)->detector.type = FCN_DETECTOR_OFF;
	bench.snap.port[1].egress.at_dequeue = 0;
	bench_new_snapshot();
	send_some(10, 1);
	bench_poll(100);
	*bench_queue_conf(1, 3) = red_conf;
	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	bench_new_snapshot();
	bench_poll(150);
	send_some(10, 11);
	bench_poll(200);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1000);
	assert_int_equal(bench.port[1].n_out, 20);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(bench_out(1, i)[15] >> 4 & 3, i >= 10 && i < 16 ? 3 : 1);
	assert_int_equal(bench.worker->counters[1].generated, 6);
	/* All within one moment, as virtual time has it. */
	bench.port[1].accept = 0;
	bench_queue_conf(1, 3)->slow_path = false;
	bench_queue_conf(1, 3)->detector.type = FCN_DETECTOR_OFF;
	bench.snap.port[1].egress.at_dequeue = 0;
	bench_new_snapshot();
	send_some(10, 1);
	bench_poll(1500);
	*bench_queue_conf(1, 3) = red_conf;
	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	bench_new_snapshot();
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1500);
	assert_int_equal(bench.port[1].n_out, 10);
	assert_int_equal(bench.worker->counters[1].generated, 6);
	/* Off and on again: what was queued while it was on is looked at, as before. */
	bench.port[1].accept = 0;
	send_some(10, 1);
	bench_poll(2000);
	bench.snap.port[1].egress.at_dequeue = 0;
	bench_queue_conf(1, 3)->detector.at_dequeue = false;
	bench_new_snapshot();
	bench_poll(2100);
	*bench_queue_conf(1, 3) = red_conf;
	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	bench_new_snapshot();
	bench_poll(2200);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(3000);
	assert_int_equal(bench.port[1].n_out, 10);
	assert_int_equal(bench.worker->counters[1].generated, 12);
}

/* What leaves while its queue is congested is counted once, with what it left. */
TEST(episode)
{
	const struct fcn_episodes *ep = bench_queue(1, 3)->episodes;
	struct fcn_event ev[4];

	bench_queue_conf(1, 3)->detector.hold_ns = 5000;
	send_some(10, 1);
	bench_poll(100);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1000);
	assert_int_equal(bench_events_of(FCN_EVENT_CONGESTED, ev, 4), 1);
	assert_int_equal(ev[0].occupancy, 10000);
	assert_true(bench_queue(1, 3)->detector.congested);
	assert_int_equal(ep->current.packets, 10);
	assert_int_equal(ep->current.bytes, 10000);
	assert_int_equal(ep->current.over_bytes, 8000);
	assert_int_equal(ep->current.peak_bytes, 10000);
	assert_int_equal(ep->current.peak_ns, 1000);
	assert_int_equal(ep->current.notices, 6);
	assert_int_equal(ep->current.flows, 6);
	assert_int_equal(ep->current.marked, 6);
	/* Below 3000 with the last but one. */
	bench_poll(1000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 6000);
	/* What comes is not counted before it leaves. */
	bench.port[1].accept = 0;
	send_some(1, 1);
	bench_poll(1500);
	assert_int_equal(ep->current.packets, 10);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(1600);
	assert_int_equal(ep->current.packets, 11);
	assert_int_equal(ep->current.over_bytes, 8000);
	bench_poll(6000);
	assert_int_equal(bench_events_of(FCN_EVENT_RECOVERED, ev, 4), 1);
	assert_int_equal(ev[0].time_ns, 6000);
	assert_int_equal(ep->n_ended, 1);
}
