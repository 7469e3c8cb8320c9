/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routed packets: what changes in them, what becomes of those that may not pass. */

#include "testbed.h"

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:1::/48", 5); /* by port 1 */
	bench_route("192.0.2.0/24", 5);
	bench_route("2001:db8:2::/48", 1);
	bench_route("2001:db8:3::/48", 2);
	bench_route("2001:db8:4::/48", 3);
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static const uint8_t new_macs[12] = {2, 0, 0, 0, 0, 21, 2, 0, 0, 0, 0, 11};

TEST(ip6)
{
	struct frame f;
	const uint8_t *out;

	frame_roce6(&f, 1, 1, 2, 100);
	bench_in(0, &f);
	assert_int_equal(bench_poll(1), 2);
	out = bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), f.len);
	memcpy(f.data, new_macs, 12);
	f.data[14 + 7]--; /* nothing else changes */
	assert_memory_equal(out, f.data, f.len);
	assert_int_equal(bench.worker->counters[0].rx_bytes, f.len);
	assert_int_equal(bench.worker->counters[1].tx_bytes, f.len);
	assert_int_equal(bench.worker->counters[0].roce_packets, 1);
}

/* Packets to the same destination, from a port of the main table and one of another in turn: each
 * has the route of its table, also when the destination cache has that of the main one. */
TEST(tables)
{
	struct fcn_fib_route routes[2];
	struct frame f[2];

	assert_int_equal(fcn_prefix_parse("2001:db8:1::/48", &routes[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("192.0.2.0/24", &routes[1].prefix), 0);
	routes[0].next_hop = routes[1].next_hop = 1;
	bench.next_hop[9] = bench.next_hop[6]; /* by port 2 */
	bench.snap.table[1].fib = fcn_fib_create("red", routes, 2, SOCKET_ID_ANY);
	bench.snap.table[1].first = 8;
	assert_non_null(bench.snap.table[1].fib);
	bench.snap.port[3].table = 1;
	for (unsigned int turn = 1; turn <= 3; turn++) {
		for (unsigned int i = 0; i < 2; i++) {
			frame_roce6(&f[i], 1, 1, 2, 100);
			frame_to_port(&f[i], i == 0 ? 0 : 3, 1);
		}
		for (unsigned int i = 0; i < 10; i++) {
			bench_in(0, &f[0]);
			bench_in(3, &f[1]);
		}
		bench_poll(turn);
		assert_int_equal(bench.port[1].n_out, 10);
		assert_int_equal(bench.port[2].n_out, 10);
		bench_forget_out();
	}
	for (unsigned int i = 0; i < 2; i++) {
		frame_ether(&f[i], 0x0800);
		frame_ip4(&f[i], 17, 20);
		frame_roce(&f[i], 0);
		frame_finish(&f[i]);
		frame_to_port(&f[i], i == 0 ? 0 : 3, 1);
		bench_in(i == 0 ? 0 : 3, &f[i]);
	}
	bench_poll(4);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench.port[2].n_out, 1);
	/* What the table of the port has no route for is dropped, whatever the main table has. */
	frame_roce6(&f[1], 1, 1, 2, 100);
	frame_to_port(&f[1], 3, 1);
	f[1].data[14 + 24 + 5] = 2;
	bench_in(3, &f[1]);
	bench_poll(5);
	assert_int_equal(bench_drops(FCN_DROP_NO_ROUTE), 1);
	fcn_fib_free(bench.snap.table[1].fib);
	bench.snap.table[1].fib = NULL;
}

TEST(hop_limit)
{
	struct frame f;

	for (unsigned int ttl = 0; ttl < 256; ttl++) {
		frame_roce6(&f, 1, 1, 2, 0);
		f.data[14 + 7] = ttl;
		bench_in(0, &f);
		frame_ether(&f, 0x0800);
		frame_ip4(&f, 17, 20);
		frame_roce(&f, 0);
		f.data[14 + 1] = 24 << 2; /* class 3, as the other one */
		f.data[14 + 8] = ttl;
		frame_finish(&f);
		frame_to_port(&f, 0, 1);
		bench_send(0, &f, 1);
		if (ttl <= 1) {
			assert_int_equal(bench.port[1].n_out, 0);
			assert_int_equal(bench_drops(FCN_DROP_HOP_LIMIT), 2 * (ttl + 1));
		} else {
			assert_int_equal(bench.port[1].n_out, 2);
			assert_int_equal(bench_out(1, 0)[14 + 7], ttl - 1);
			assert_int_equal(bench_out(1, 1)[14 + 8], ttl - 1);
		}
	}
	assert_int_equal(bench_all_drops(), 4);
}

/* Every value of the identification, so of the sum: the checksum is the one computed anew. */
TEST(ip4_checksum)
{
	struct frame f;

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 0);
	frame_to_port(&f, 0, 1);
	for (uint32_t id = 0; id < 65536;) {
		for (unsigned int k = 0; k < 32; k++, id++) {
			f.data[14 + 4] = id >> 8;
			f.data[14 + 5] = id & 0xFF;
			frame_finish(&f);
			bench_in(0, &f);
		}
		bench_poll(1);
		assert_int_equal(bench.port[1].n_out, 32);
		for (unsigned int k = 0; k < 32; k++) {
			const uint8_t *ip = bench_out(1, k) + 14;

			assert_int_equal(ip[10] << 8 | ip[11], ip4_checksum(ip));
		}
	}
}

TEST(mtu)
{
	struct frame f;

	bench.snap.port[0].mtu = 1600;
	/* IPv6 40 + UDP 8 + BTH 12 + ICRC 4 = 64 */
	frame_roce6(&f, 1, 1, 2, 1500 - 64);
	bench_send(0, &f, 1);
	assert_int_equal(bench_out_len(1, 0), 1514);
	frame_roce6(&f, 1, 1, 2, 1501 - 64);
	bench_send(0, &f, 2);
	assert_int_equal(bench_drops(FCN_DROP_MTU), 1);
	/* What the receiving port's MTU forbids, in octets of the frame. */
	frame_roce6(&f, 1, 1, 2, 1600 - 64);
	bench_send(0, &f, 3);
	assert_int_equal(bench_drops(FCN_DROP_MTU), 2);
	frame_roce6(&f, 1, 1, 2, 1601 - 64);
	bench_send(0, &f, 4);
	assert_int_equal(bench_drops(FCN_DROP_RX_OVERSIZE), 1);
	assert_int_equal(bench_all_drops(), 3);
	/* A priority tag is no part of what the MTU limits. */
	frame_ether(&f, 0x86DD);
	frame_vlan(&f, 0x8100, 0xE000);
	frame_ip6(&f, 17);
	frame_roce(&f, 1500 - 64);
	frame_finish(&f);
	f.data[18 + 24 + 5] = 1;
	frame_to_port(&f, 0, 1);
	assert_int_equal(f.len, 1518);
	bench.snap.port[0].mtu = 1500;
	bench_send(0, &f, 5);
	assert_int_equal(bench_out_len(1, 0), 1514);
}

TEST(padding)
{
	struct frame f;

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_zero(&f, 8);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.len = 60; /* 28 octets of IP, 18 of padding */
	memset(f.data + 42, 0xAA, 18);
	bench_send(0, &f, 1);
	bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), 42);
	/* In a chain, too: the padding is cut off wherever it lies. */
	frame_roce6(&f, 1, 1, 2, 2100 - 14 - 64);
	bench.snap.port[0].mtu = bench.next_hop[5].mtu = 9000;
	frame_zero(&f, 30);
	bench_send(0, &f, 2);
	bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), 2100);
	frame_roce6(&f, 1, 1, 2, 2040 - 14 - 64);
	frame_zero(&f, 60); /* across the end of the first segment */
	bench_send(0, &f, 3);
	bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), 2040);
}

TEST(tags)
{
	static const struct {
		uint16_t tci[2];
		enum fcn_drop_reason want;
	} cases[] = {
			{{0x0000}, FCN_DROP_NONE},
			{{0xE000}, FCN_DROP_NONE},
			{{0x0001}, FCN_DROP_VLAN_UNEXPECTED},
			{{0xE00A}, FCN_DROP_VLAN_UNEXPECTED},
			{{0xE000, 0xE000}, FCN_DROP_VLAN_UNEXPECTED},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		unsigned int tags = cases[i].tci[1] != 0 ? 2 : 1;
		uint64_t before = bench_drops(FCN_DROP_VLAN_UNEXPECTED);
		struct frame f, plain;

		frame_roce6(&plain, 1, 1, 2, 100);
		frame_ether(&f, 0x86DD);
		for (unsigned int t = 0; t < tags; t++)
			frame_vlan(&f, 0x8100, cases[i].tci[t]);
		frame_put(&f, plain.data + 14, plain.len - 14);
		frame_to_port(&f, 0, 1);
		bench_send(0, &f, 1);
		assert_int_equal(bench_drops(FCN_DROP_VLAN_UNEXPECTED) - before,
				cases[i].want == FCN_DROP_NONE ? 0 : 1);
		if (cases[i].want != FCN_DROP_NONE)
			continue;
		memcpy(plain.data, new_macs, 12);
		plain.data[14 + 7]--;
		assert_memory_equal(bench_only_out(1), plain.data, plain.len);
		assert_int_equal(bench_out_len(1, 0), plain.len);
	}
}

/* Class by DSCP, by the priority tag, or none at all; seen by the queue a packet goes through. */
TEST(trust)
{
	static const struct {
		enum fcn_port_trust trust;
		bool tagged;
		unsigned int class;
	} cases[] = {{FCN_TRUST_DSCP, false, 3}, {FCN_TRUST_DSCP, true, 3},
			{FCN_TRUST_PCP, false, 3}, {FCN_TRUST_PCP, true, 5},
			{FCN_TRUST_NONE, true, 0}};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		const struct fcn_queue *q = &bench.worker->port[1].egress->queue[cases[i].class];
		uint64_t before = bench_accepted(q);
		struct frame f, plain;

		bench.snap.port[0].trust = cases[i].trust;
		frame_roce6(&plain, 1, 1, 2, 100);
		f = plain;
		if (cases[i].tagged) {
			frame_ether(&f, 0x86DD);
			frame_vlan(&f, 0x8100, 5 << 13);
			frame_put(&f, plain.data + 14, plain.len - 14);
			frame_to_port(&f, 0, 1);
		}
		bench_send(0, &f, 1);
		assert_int_equal(bench_accepted(q) - before, 1);
	}
}

struct drop_case {
	enum fcn_drop_reason want;
	const char *src, *dst; /* NULL: 2001:db8::1, 2001:db8:1::2 */
};

static void
set_address(struct frame *f, unsigned int which, const char *text)
{
	struct fcn_addr a;

	if (text == NULL)
		return;
	assert_int_equal(fcn_addr_parse(text, &a), 0);
	if (a.version == 6)
		memcpy(f->data + 14 + 8 + 16 * which, a.bytes, 16);
	else
		memcpy(f->data + 14 + 12 + 4 * which, a.bytes, 4);
}

/* RFC 4291 2.5.2, 2.5.3, 2.5.6, 2.7; RFC 1812 5.3.7; RFC 3927 2.7 */
static const struct drop_case drops[] = {
		{FCN_DROP_NONE, NULL, NULL},
		{FCN_DROP_NO_ROUTE, NULL, "2001:db8:9::1"},
		{FCN_DROP_BLACKHOLE, NULL, "2001:db8:2::1"},
		{FCN_DROP_LOCAL, NULL, "2001:db8:3::1"},
		{FCN_DROP_NO_NEIGHBOUR, NULL, "2001:db8:4::1"},
		{FCN_DROP_MARTIAN, "::", NULL},
		{FCN_DROP_MARTIAN, "::1", NULL},
		{FCN_DROP_MARTIAN, "ff02::1", NULL},
		{FCN_DROP_MARTIAN, NULL, "::"},
		{FCN_DROP_MARTIAN, NULL, "::1"},
		{FCN_DROP_MULTICAST, NULL, "ff0e::1"},
		{FCN_DROP_LINK_LOCAL, "fe80::1", NULL},
		{FCN_DROP_LINK_LOCAL, "febf::1", NULL},
		{FCN_DROP_LINK_LOCAL, NULL, "fe80::1"},
		{FCN_DROP_NONE, "fec0::1", NULL}, /* not link-local any more */
		{FCN_DROP_NONE, "fd00::1", NULL},
		{FCN_DROP_NONE, "192.0.2.1", "192.0.2.2"},
		{FCN_DROP_NO_ROUTE, "192.0.2.1", "192.0.3.1"},
		{FCN_DROP_MARTIAN, "0.1.2.3", "192.0.2.2"},
		{FCN_DROP_MARTIAN, "127.0.0.1", "192.0.2.2"},
		{FCN_DROP_MARTIAN, "224.0.0.1", "192.0.2.2"},
		{FCN_DROP_MARTIAN, "240.0.0.1", "192.0.2.2"},
		{FCN_DROP_MARTIAN, "255.255.255.255", "192.0.2.2"},
		{FCN_DROP_MARTIAN, "192.0.2.1", "127.1.1.1"},
		{FCN_DROP_MARTIAN, "192.0.2.1", "0.0.0.0"},
		{FCN_DROP_MULTICAST, "192.0.2.1", "224.0.0.5"},
		{FCN_DROP_MULTICAST, "192.0.2.1", "255.255.255.255"},
		{FCN_DROP_LINK_LOCAL, "169.254.1.1", "192.0.2.2"},
		{FCN_DROP_LINK_LOCAL, "192.0.2.1", "169.254.1.1"},
		{FCN_DROP_NONE, "223.255.255.255", "192.0.2.2"},
};

TEST(addresses)
{
	for (size_t i = 0; i < RTE_DIM(drops); i++) {
		uint64_t before = bench_drops(drops[i].want), all = bench_all_drops();
		struct frame f;

		if (drops[i].src != NULL && strchr(drops[i].src, '.') != NULL) {
			frame_ether(&f, 0x0800);
			frame_ip4(&f, 17, 20);
			frame_roce(&f, 0);
			frame_to_port(&f, 0, 1);
		} else {
			frame_roce6(&f, 1, 1, 2, 0);
		}
		set_address(&f, 0, drops[i].src);
		set_address(&f, 1, drops[i].dst);
		frame_finish(&f);
		bench_send(0, &f, 1);
		if (drops[i].want == FCN_DROP_NONE) {
			bench_only_out(1);
			assert_int_equal(bench_all_drops(), all);
		} else {
			assert_int_equal(bench_drops(drops[i].want), before + 1);
			assert_int_equal(bench_all_drops(), all + 1);
			assert_int_equal(bench.port[1].n_out, 0);
		}
	}
}

static void
expect_drop(struct frame *f, enum fcn_drop_reason want)
{
	uint64_t before = bench_drops(want), all = bench_all_drops();

	bench_send(0, f, 1);
	assert_int_equal(bench_drops(want), before + 1);
	assert_int_equal(bench_all_drops(), all + 1);
}

TEST(frames)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 0);
	f.data[5]++;
	expect_drop(&f, FCN_DROP_NOT_MY_MAC);
	frame_roce6(&f, 1, 1, 2, 0);
	f.data[0] = 0x33;
	expect_drop(&f, FCN_DROP_MULTICAST);
	frame_ether(&f, 0x0806); /* ARP, to all and to us */
	frame_zero(&f, 46);
	memset(f.data, 0xFF, 6);
	expect_drop(&f, FCN_DROP_ETHER_TYPE);
	frame_to_port(&f, 0, 1);
	expect_drop(&f, FCN_DROP_ETHER_TYPE);
	f.len = 13;
	expect_drop(&f, FCN_DROP_ETH_TRUNCATED);
	frame_roce6(&f, 1, 1, 2, 0);
	f.len = 30;
	expect_drop(&f, FCN_DROP_IPV6_TRUNCATED);
	frame_roce6(&f, 1, 1, 2, 0);
	f.data[14] = 0x40;
	expect_drop(&f, FCN_DROP_IPV6_VERSION);
	frame_roce6(&f, 1, 1, 2, 0);
	f.len--;
	expect_drop(&f, FCN_DROP_IPV6_LENGTH);
	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 0);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	f.data[14 + 10] ^= 1;
	expect_drop(&f, FCN_DROP_IPV4_CHECKSUM);
	/* Not RoCEv2 for a defect, yet IP: it passes. */
	frame_roce6(&f, 1, 1, 2, 0);
	f.data[f.udp + 9] = 0x0F; /* TVer */
	bench_send(0, &f, 1);
	bench_only_out(1);
	assert_int_equal(bench.worker->counters[0].roce_malformed, 1);
	assert_int_equal(bench.worker->counters[0].wire_error[FCN_WIRE_BTH_VERSION], 1);
}

/* A burst of both families, good and bad, longer than what is looked up at a time. */
TEST(mixed_burst)
{
	unsigned int want = 0;
	struct frame f;

	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int i = 0; i < 32; i++) {
			if (i % 3 == 0) {
				frame_ether(&f, 0x0800);
				frame_ip4(&f, 17, 20);
				frame_roce(&f, i);
				frame_finish(&f);
			} else {
				frame_roce6(&f, i, i % 5 == 0 ? 9 : 1, 2, i);
			}
			frame_to_port(&f, i % 7 == 0 ? p + 1 : p, 1);
			want += i % 7 != 0 && (i % 3 == 0 || i % 5 != 0);
			bench_in(p, &f);
		}
	}
	bench_poll(1);
	assert_int_equal(bench.port[1].n_out, want);
	assert_int_equal(bench_drops(FCN_DROP_NOT_MY_MAC), 4 * 5);
	assert_int_equal(bench_all_drops(), 128 - want);
}
