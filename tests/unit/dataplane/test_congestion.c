/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets that meet congestion: marks, notices, and what the collector is told. */

#include "testbed.h"

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("192.0.2.0/24", 5);
	bench_port_routes(2);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static uint64_t
verdict(uint16_t port, enum fcn_notify_verdict v)
{
	return bench_verdict(port, 3, v);
}

/* Every TOS: ECT becomes CE, with the checksum computed anew; DSCP stays; others stay as they are.
 */
TEST(mark_ip4)
{
	uint64_t marked = 0, not_ect = 0, seen = 0;
	uint64_t seed = 5;

	bench_notices(1, 1);
	bench.snap.notify.on = 0;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		bench.snap.class_map.dscp[c * 8] = 0;
	memset(bench.snap.class_map.dscp, 0, sizeof(bench.snap.class_map.dscp));
	for (unsigned int round = 0; round < 40; round++) {
		for (unsigned int tos = 0; tos < 256; tos++) {
			const uint8_t *ip;
			struct frame f;

			frame_ether(&f, 0x0800);
			frame_ip4(&f, 17, 20);
			frame_roce(&f, 0);
			f.data[15] = tos;
			f.data[18] = fcn_test_random(&seed);
			f.data[19] = fcn_test_random(&seed);
			frame_finish(&f);
			frame_to_port(&f, 0, 1);
			bench_send(0, &f, 1);
			ip = bench_only_out(1) + 14;
			assert_int_equal(ip[1], (tos & 3) != 0 ? tos | 3 : tos);
			assert_int_equal(ip[10] << 8 | ip[11], ip4_checksum(ip));
			marked += (tos & 3) == 1 || (tos & 3) == 2;
			not_ect += (tos & 3) == 0;
			seen += (tos & 3) == 3;
		}
	}
	assert_int_equal(bench_queue(1, 0)->stats.ce_marked, marked);
	assert_int_equal(bench_queue(1, 0)->stats.not_ect, not_ect);
	assert_int_equal(bench_queue(1, 0)->stats.ce_seen, seen);
	assert_int_equal(bench_queue(1, 0)->stats.congested_packets, 40 * 256);
}

TEST(mark_ip6)
{
	bench_notices(1, 1);
	bench.snap.notify.on = 0;
	for (unsigned int tc = 0; tc < 256; tc++) {
		const uint8_t *ip;
		struct frame f, want;

		frame_roce6(&f, 1, 1, 2, 0);
		f.data[14] = 0x60 | tc >> 4;
		f.data[15] = (tc & 15) << 4 | 0x0A; /* flow label */
		bench_send(0, &f, 1);
		ip = bench_only_out(1) + 14;
		want = f;
		if ((tc & 3) != 0)
			want.data[15] |= 0x30;
		assert_int_equal(ip[0], want.data[14]);
		assert_int_equal(ip[1], want.data[15]);
	}
	/* Not marked without congestion, nor with ECN off. */
	for (unsigned int k = 0; k < 2; k++) {
		struct frame f;

		if (k == 0)
			bench_notices(1, 100000);
		else
			bench_notices(1, 1);
		bench.snap.notify.on = 0;
		bench.snap.port[1].egress.queue[3].policy.ecn = k == 0;
		memset(&bench_queue(1, 3)->detector, 0, sizeof(struct fcn_detector));
		frame_roce6(&f, 1, 1, 2, 0);
		bench_send(0, &f, 2);
		assert_int_equal(bench_only_out(1)[15], 0x10);
	}
}

/* The notice of a routed packet: routed itself, from the loopback, in its class. */
TEST(notice_routed)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 0, 20, 2, 0, 0, 0, 0, 10};
	const uint8_t *n;
	struct frame f;

	bench_notices(1, 1);
	frame_roce6(&f, 9, 1, 2, 100);
	bench_in(0, &f);
	assert_int_equal(bench_poll(5), 3);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, 0x30); /* unknown sender: marked as well */
	assert_int_equal(bench.port[0].n_out, 1);
	n = bench_out(0, 0);
	assert_int_equal(bench_out_len(0, 0), 14 + 104);
	assert_memory_equal(n, macs, 12);
	assert_int_equal(n[14 + 7], 64); /* its hop limit was not touched */
	assert_memory_equal(n + 14 + 8, bench.fastcnp.fastcnp.conf.source, 16);
	assert_memory_equal(n + 14 + 24, f.data + 14 + 8, 16);        /* to the sender */
	assert_memory_equal(n + 14 + 40 + 8, f.data + 14 + 24, 16);   /* about the receiver */
	assert_memory_equal(n + 14 + 64, f.data + f.udp, 2);          /* source port */
	assert_memory_equal(n + 14 + 72 + 2, f.data + f.udp + 10, 2); /* P_Key */
	assert_memory_equal(n + 14 + 72 + 5, f.data + f.udp + 13, 3); /* QP */
	assert_int_equal(bench_accepted(bench_queue(0, 6)), 1);
	assert_int_equal(bench.worker->counters[1].generated, 1);
	assert_int_equal(verdict(1, FCN_FASTCNP_SENT_OPT1), 1);
}

/* Never a notice about a notice, however congested its queue is. */
TEST(no_notice_of_notices)
{
	struct frame f;

	bench_notices(1, 1);
	bench_notices(0, 1);
	for (unsigned int i = 0; i < 20; i++) {
		frame_roce6(&f, i, 1, 2, 100);
		bench_in(0, &f);
	}
	bench_poll(1);
	assert_int_equal(bench.port[0].n_out, 20);
	assert_int_equal(bench_queue(0, 6)->stats.congested_packets, 0);
	assert_int_equal(bench.worker->counters[0].generated, 0);
	assert_int_equal(bench.worker->counters[1].generated, 20);
}

TEST(notice_without_route)
{
	struct frame f;

	bench_notices(1, 1);
	frame_roce6(&f, 9, 1, 2, 100);
	f.data[14 + 8 + 4] = 0x77; /* 2001:db8:7700::9 */
	bench_send(0, &f, 1);
	assert_int_equal(bench_only_out(1)[15] & 0x30, 0x30);
	assert_int_equal(verdict(1, FCN_NOTIFY_UNREACHABLE), 1);
	assert_int_equal(bench.worker->counters[1].generated, 0);
	assert_int_equal(bench_all_drops(), 0);
}

/* Back by the port the data came in by, to the station it came from, in its VLAN. */
TEST(notice_bridged)
{
	const uint8_t *n;
	struct frame f;

	for (unsigned int k = 0; k < 2; k++) {
		bool tag = k == 1;

		bench_bridge(2);
		bench_notices(1, 1);
		bench.snap.port[0].pvid = tag ? 0 : 7;
		bench.snap.port[1].pvid = 7;
		bench.snap.port[0].tagged[0] = tag ? 1 << 7 : 0;
		frame_roce6(&f, 9 + k, 1, 2, 100);
		frame_macs(&f, 2, 9);
		if (tag) {
			struct frame plain = f;

			frame_ether(&f, 0x86DD);
			frame_vlan(&f, 0x8100, 1 << 13 | 7);
			frame_put(&f, plain.data + 14, plain.len - 14);
			frame_macs(&f, 2, 9);
		}
		bench_send(0, &f, k);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench.port[0].n_out, 1);
		n = bench_out(0, 0);
		assert_int_equal(bench_out_len(0, 0), 14 + 4 * k + 104);
		assert_memory_equal(n, f.data + 6, 6);
		assert_memory_equal(n + 6, bench.snap.port[0].mac.addr_bytes, 6);
		if (tag) /* priority: the notices' class, 6 */
			assert_memory_equal(
					n + 12, ((uint8_t[]){0x81, 0, 6 << 5, 7, 0x86, 0xDD}), 6);
		else
			assert_memory_equal(n + 12, ((uint8_t[]){0x86, 0xDD}), 2);
		assert_int_equal(n[14 + 4 * k + 24 + 15], 9 + k);
	}
	/* An address learned elsewhere meanwhile makes no difference. */
	assert_int_equal(bench_all_drops(), 0);
}

/* The packet that a full queue loses is told about, too: by either limit. */
TEST(detector_before_drop)
{
	struct fcn_event ev[32];
	struct frame f;

	bench.snap.port[1].egress.queue[3].limit_bytes = 2000;
	bench_notices(1, 1000);
	bench.port[1].accept = 0;
	frame_roce6(&f, 1, 1, 2, 900 - 14 - 64);
	for (unsigned int i = 0; i < 40; i++) {
		f.data[14 + 8 + 15] = i;
		bench_in(0, &f);
	}
	bench_poll(1);
	/* 32 come in a turn; two fit, and the first alone is below the threshold. */
	assert_int_equal(bench_accepted(bench_queue(1, 3)), 2);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 30);
	assert_int_equal(verdict(1, FCN_FASTCNP_SENT_OPT1), 31);
	assert_int_equal(bench.port[0].n_out, 31);
	assert_int_equal(bench_queue(1, 3)->stats.drop[FCN_REFUSED_QUEUE_BYTES], 30);
	/* What was lost is not counted as marked: one of the two that fit met congestion. */
	assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 1);
	/* 1800 of 1000 to 2000: 5.9; from then on the occupancy would be above the limit. */
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 32), 31);
	for (unsigned int i = 0; i < 31; i++)
		assert_int_equal(ev[i].level, i == 0 ? 5 : 7);
}

/* More flows in one turn than notices are made at once: each of them is notified. */
TEST(more_than_at_once)
{
	struct frame f;

	bench_notices(1, 1);
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int i = 0; i < 32; i++) {
			frame_roce6(&f, 32 * p + i, 1, 2, 100);
			frame_to_port(&f, p, 1);
			bench_in(p, &f);
		}
	}
	bench_poll(1);
	_Static_assert(2 * FCN_NOTICE_MAX == 128, "notices are made twice");
	assert_int_equal(verdict(1, FCN_FASTCNP_SENT_OPT1), 128);
	assert_int_equal(bench.port[0].n_out, 128);
	assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 0);
	assert_int_equal(bench_queue(1, 3)->stats.notices, 128);
}

/* An empty pool: no notice, counted, and no token or interval spent on it. */
TEST(no_buffer)
{
	static struct rte_mbuf *all[BENCH_POOL];
	unsigned int n = 0;
	struct frame f;

	bench_notices(1, 1);
	bench.snap.notify.kind[0].interval_ns = 1000000;
	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f);
	bench_in(0, &f);
	while ((all[n] = rte_pktmbuf_alloc(bench.pool)) != NULL)
		n++;
	bench_poll(1);
	assert_int_equal(verdict(1, FCN_NOTIFY_NO_MBUF), 2);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(bench_queue(1, 3)->stats.ce_marked, 2);
	rte_pktmbuf_free_bulk(all, n);
	bench_send(0, &f, 2);
	assert_int_equal(verdict(1, FCN_FASTCNP_SENT_OPT1), 1);
}

/* One buffer left is enough for one notice. */
TEST(last_buffer)
{
	static struct rte_mbuf *all[BENCH_POOL];
	unsigned int n = 0;
	struct frame f;

	bench_notices(1, 1);
	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f);
	while ((all[n] = rte_pktmbuf_alloc(bench.pool)) != NULL)
		n++;
	rte_pktmbuf_free(all[--n]);
	bench_poll(1);
	assert_int_equal(verdict(1, FCN_FASTCNP_SENT_OPT1), 1);
	rte_pktmbuf_free_bulk(all, n);
}

/* Random traffic at a queue that comes and goes: wanted = sent + suppressed, sent = generated. */
TEST(accounting_of_notices)
{
	uint64_t seed = 11, sent = 0;

	bench_notices(1, 5000);
	bench.snap.notify.kind[0].interval_ns = 4000;
	bench_queue_bucket(500, 16);
	bench.snap.notify.kind[0].dest_cost_ns = 2000;
	bench.snap.notify.kind[0].dest_burst = 4;
	for (unsigned int turn = 0; turn < 2000; turn++) {
		unsigned int n = fcn_test_random(&seed) % 24;
		struct frame f;

		for (unsigned int i = 0; i < n; i++) {
			frame_roce6(&f, fcn_test_random(&seed) % 20, 1, 2,
					fcn_test_random(&seed) % 1400);
			bench_in(0, &f);
		}
		bench.port[1].accept = fcn_test_random(&seed) % 24;
		bench_poll(1000 + 1000 * turn);
	}
	for (unsigned int v = FCN_FASTCNP_SENT_OPT1; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		sent += verdict(1, v);
	assert_int_equal(sent, bench.worker->counters[1].generated);
	assert_int_equal(sent, bench.worker->notice_accounting[0].made);
	assert_true(sent > 500);
	assert_true(verdict(1, FCN_NOTIFY_INTERVAL) > 0);
	assert_true(bench_queue(1, 3)->detector.enters > 3);
}

TEST(events)
{
	struct fcn_event ev[8];
	struct frame f;

	bench_notices(1, 200);
	bench_queue_conf(1, 3)->detector.hold_ns = 5000;
	frame_roce6(&f, 9, 1, 2, 200 - 14 - 64);
	bench.port[0].accept = 0;
	bench_send(0, &f, 1000);
	assert_int_equal(bench_events(ev, 8), 2);
	assert_int_equal(ev[0].type, FCN_EVENT_CONGESTED);
	assert_int_equal(ev[0].time_ns, 1000);
	assert_int_equal(ev[0].port, 1);
	assert_int_equal(ev[0].class, 3);
	assert_int_equal(ev[0].occupancy, 200);
	assert_int_equal(ev[1].type, FCN_EVENT_NOTICE);
	assert_int_equal(ev[1].verdict, FCN_FASTCNP_SENT_OPT1);
	assert_int_equal(ev[1].level, 0);
	assert_int_equal(ev[1].port, 1);
	assert_int_equal(ev[1].in_port, 0);
	assert_int_equal(ev[1].class, 3);
	assert_int_equal(ev[1].occupancy, 200);
	assert_int_equal(ev[1].dest_qp, 0x123456);
	assert_memory_equal(ev[1].sender, f.data + 14 + 8, 16);
	assert_memory_equal(ev[1].receiver, f.data + 14 + 24, 16);
	/* It waits for its port, across the turn of the 32-bit clock; then it has gone. */
	bench.port[0].accept = 1;
	bench_poll(0x100000000 + 2000);
	assert_int_equal(bench_events(ev, 8), 2);
	assert_int_equal(ev[0].type, FCN_EVENT_NOTICE_SENT);
	assert_int_equal(ev[0].port, 0);
	assert_int_equal(ev[0].class, 6);
	assert_int_equal(ev[0].len, 14 + 104);
	assert_int_equal(ev[0].wait_ns, 1000); /* modulo 2^32 */
	/* The queue was empty since 1000, and its congestion over 5000 later: seen now only. */
	assert_int_equal(ev[1].type, FCN_EVENT_RECOVERED);
	assert_int_equal(ev[1].time_ns, 6000);
	assert_int_equal(ev[1].port, 1);
	assert_int_equal(ev[1].class, 3);
	assert_int_equal(ev[1].level, FCN_LEVEL_NONE);
	assert_int_equal(ev[1].occupancy, 0);
	bench_poll(0x100000000 + 3000);
	assert_int_equal(bench_events(ev, 8), 0);
}

/* The ring holds what was asked for; the rest is lost and counted, and no packet is. */
TEST(events_full)
{
	struct fcn_event ev;
	unsigned int held = 0;
	struct frame f;

	bench_notices(1, 1);
	for (unsigned int turn = 0; turn < 10; turn++) {
		for (unsigned int i = 0; i < 32; i++) {
			frame_roce6(&f, i, 1, 2, 100);
			bench_in(0, &f);
		}
		bench_poll(turn);
		assert_int_equal(bench.port[0].n_out, 32);
	}
	while (bench_events(&ev, 1) == 1)
		held++;
	assert_int_equal(held, 256);
	/* one CONGESTED, 320 NOTICE, 320 NOTICE_SENT */
	assert_int_equal(bench.worker->events_made, 641);
	assert_int_equal(bench.worker->events_lost, 641 - 256);
}
