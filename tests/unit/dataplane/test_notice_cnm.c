/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages through a whole worker: which packets cause them, and every
 * octet of them. Whether a message says what it should is checked by
 * test_wire_cnm, with vectors.
 */

#include "cnm_bench.h"
#include "port_bits.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = cnm_setup, .teardown = cnm_teardown);

/* Messages over either version about flows of either, short and too long to be quoted whole. */
TEST(versions)
{
	static const uint32_t payloads[] = {64, 456, 464, 508, 1100, 1118, 1200, 1400};
	struct frame f;

	for (size_t i = 0; i < RTE_DIM(payloads); i++) {
		frame_roce6(&f, 1, 1, 2, payloads[i]);
		cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
		cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
		cnm_proxy_of("2001:db8::/32", "198.51.100.21");
		cnm_assert_told(&f, 4, cnm_proxy4, ETHER_LEN, 6);
		cnm_make_roce4(&f, payloads[i]);
		cnm_proxy_of("192.0.2.0/24", "2001:db8:f::21");
		cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 4);
		cnm_proxy_of("192.0.2.0/24", "198.51.100.21");
		cnm_assert_told(&f, 4, cnm_proxy4, ETHER_LEN, 4);
	}
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT_1), 4 * RTE_DIM(payloads));
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_CNM].made,
			4 * RTE_DIM(payloads));
}

/* A packet in several buffers. */
TEST(chained)
{
	struct frame f;

	bench.snap.port[1].mtu = bench.next_hop[5].mtu = 4000;
	bench.snap.port[0].mtu = 4000;
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 3500);
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
}

/* Acknowledgements, CNPs, messages between switches, and what is no flow. */
TEST(not_due)
{
	struct frame f;

	cnm_proxy_of("::/0", "2001:db8:f::21");
	cnm.arn_port = 1022;
	frame_roce6(&f, 1, 1, 2, 64);
	f.data[f.udp + 8] = 0x11;
	cnm_assert_none(&f, FCN_NOTIFY_NOT_DATA);
	frame_roce6(&f, 1, 1, 2, 64);
	f.data[f.udp + 2] = PORT >> 8;
	f.data[f.udp + 3] = PORT & 0xFF;
	cnm_assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[f.udp + 3]++;
	cnm_assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[f.udp + 3]++; /* any other UDP is data */
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 58;
	cnm_assert_none(&f, FCN_NOTIFY_NOT_DATA);
	f.data[14 + 6] = 6; /* TCP */
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 50; /* ESP */
	cnm_assert_told(&f, 6, cnm_proxy6, ETHER_LEN, 6);
	f.data[14 + 6] = 44;
	cnm_assert_none(&f, FCN_NOTIFY_NO_FLOW);
	cnm_make_roce4(&f, 64);
	cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY); /* it is that of IPv6 senders */
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_proxy_of("0.0.0.0/0", "2001:db8:f::21");
	cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY);
	fcn_proxy_map_free(cnm.proxies);
	cnm.proxies = NULL;
	cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY);
}

/* The flow of a tunnelled packet is that of the inner one, and so is the quote. */
TEST(tunnel)
{
	struct frame f = {0};

	cnm_proxy_of("192.0.2.0/24", "198.51.100.21");
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 4);
	f.data[14 + 24 + 5] = 1;
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 1000);
	frame_finish(&f);
	frame_class(&f, CLASS, 1);
	cnm_assert_told(&f, 4, cnm_proxy4, ETHER_LEN + 40, 4);
}

/* A flow is told about once in an interval, whatever the IP version; other flows are others. */
TEST(interval)
{
	struct frame f, g;

	bench.snap.notify.kind[FCN_NOTICE_CNM].interval_ns = 1000000;
	cnm_proxy_of("192.0.2.0/24", "198.51.100.21");
	cnm_make_roce4(&f, 64);
	cnm_assert_told(&f, 4, cnm_proxy4, ETHER_LEN, 4);
	cnm_assert_none(&f, FCN_NOTIFY_INTERVAL);
	f.data[14 + 8]--; /* the TTL is none of the flow's */
	frame_finish(&f);
	cnm_assert_none(&f, FCN_NOTIFY_INTERVAL);
	g = f;
	g.data[14 + 19]--;
	frame_finish(&g);
	cnm_assert_told(&g, 4, cnm_proxy4, ETHER_LEN, 4);
	g.data[g.udp + 8 + 7]++; /* another queue pair */
	cnm_assert_told(&g, 4, cnm_proxy4, ETHER_LEN, 4);
	cnm_assert_none(&f, FCN_NOTIFY_INTERVAL);
	g.data[g.udp + 3]++; /* UDP that is not RoCEv2 */
	cnm_assert_told(&g, 4, cnm_proxy4, ETHER_LEN, 4);
	g.data[14 + 9] = 6; /* and TCP with the same ports */
	frame_finish(&g);
	cnm_assert_told(&g, 4, cnm_proxy4, ETHER_LEN, 4);
}

/* Without a route, or an IPv4 address to send from, no message is made. */
TEST(unreachable)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 64);
	cnm_proxy_of("2001:db8::/32", "2001:db8:99::21");
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	cnm_proxy_of("2001:db8::/32", "203.0.113.1");
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	cnm_proxy_of("2001:db8::/32", "198.51.100.21");
	memset(bench.snap.notify.common.source4[2], 0, 4);
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
	memcpy(bench.snap.notify.common.source4[2], cnm_node4, 4);
	bench_new_snapshot();
	cnm_assert_told(&f, 4, cnm_proxy4, ETHER_LEN, 6);
	bench.snap.border.ports = ports_of(1 << 2);
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
}

/* Of several paths, that of the message is chosen by a hash; IPv4 has to have an address there. */
TEST(paths)
{
	struct frame f;

	bench.next_hop[40] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 1};
	bench.member[0] = 6;
	bench_route("203.0.113.0/24", 40);
	bench_routes_done();
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_proxy_of("2001:db8::/32", "203.0.113.21");
	cnm_assert_told(&f, 4, (const uint8_t[4]){203, 0, 113, 21}, ETHER_LEN, 6);
	memset(bench.snap.notify.common.source4[2], 0, 4);
	cnm_assert_none(&f, FCN_NOTIFY_UNREACHABLE);
}

/* In a bridge, the message is routed by a port that is not in the bridge. */
TEST(bridged)
{
	struct frame f;

	bench_bridge(2);
	frame_roce6(&f, 1, 1, 2, 64);
	frame_macs(&f, 9, 8);
	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	bench_send(0, &f, 1000);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_memory_equal(bench_out(2, 0) + 14 + 24, cnm_proxy6, 16);
	cnm_proxy_of("2001:db8::/32", "2001:db8:99::21");
	bench_send(0, &f, 2000);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_UNREACHABLE), 1);
}

/* Whether the packet is marked, too. */
TEST(mark)
{
	struct frame f;

	cnm_proxy_of("2001:db8::/32", "2001:db8:f::21");
	frame_roce6(&f, 1, 1, 2, 64);
	cnm_arrive(&f);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, f.data[15] & 0x30);
	cnm.mark_unknown = true;
	cnm_arrive(&f);
	assert_int_equal(bench_out(1, 0)[15] & 0x30, 0x30);
}

/* Events have the addresses of the flow; IPv4 ones are mapped. */
TEST(event)
{
	static const uint8_t sender[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
	static const uint8_t receiver[16] = {[10] = 0xff, 0xff, 198, 51, 100, 200};
	struct fcn_event ev;
	struct frame f;

	cnm_proxy_of("192.0.2.0/24", "198.51.100.21");
	cnm_make_roce4(&f, 64);
	bench_events_of(FCN_EVENT_NOTICE, &ev, 0);
	cnm_arrive(&f);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, &ev, 1), 1);
	assert_int_equal(ev.kind, FCN_NOTICE_CNM);
	assert_memory_equal(ev.sender, sender, 16);
	assert_memory_equal(ev.receiver, receiver, 16);
	assert_int_equal(ev.dest_qp, 0x123456);
}
