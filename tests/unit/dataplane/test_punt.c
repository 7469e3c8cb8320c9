/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a worker leaves to the host functions: by port and kind, each within its bounds. */

#include <netinet/in.h>

#include "fcn_punt.h"
#include "testbed.h"

#define SECOND UINT64_C(1000000000)

static int
setup(void **state)
{
	if (bench_setup(state) != 0)
		return -1;
	bench.worker->punts = fcn_punt_queues_create(SOCKET_ID_ANY);
	assert_non_null(bench.worker->punts);
	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
			struct fcn_punt_rate rate = fcn_punt_default(k);

			bench.snap.port[p].punt[k] = fcn_punt_limit_of(&rate, 1);
		}
	}
	bench_route("2001:db8:1::/48", 5);
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static uint64_t
passed(uint16_t port, enum fcn_punt_kind kind)
{
	return bench.worker->counters[port].punted[kind];
}

/* Take what waits. @return how many of this kind and port */
static unsigned int
take(enum fcn_punt_kind kind, uint16_t port)
{
	struct fcn_punt punt;
	unsigned int n = 0;

	while (fcn_punt_dequeue(bench.worker->punts, kind, &punt)) {
		n += punt.in_port == port;
		rte_pktmbuf_free(punt.mbuf);
	}
	return n;
}

static void
junk(uint16_t port, unsigned int n)
{
	struct frame f;

	for (unsigned int i = 0; i < n; i++) {
		frame_roce6(&f, 1, 1, 2, 16);
		frame_to_port(&f, port, 1);
		f.data[21] = 1; /* hop limit */
		bench_in(port, &f);
	}
}

/* ICMPv6 of a type to a link-scope group. */
static void
link_icmp6(uint16_t port, uint8_t type, uint8_t hop_limit)
{
	static const uint8_t addresses[] = {0xfe, 0x80, [15] = 9, [16] = 0xff, 2, [31] = 1};
	struct frame f;

	frame_ether(&f, 0x86DD);
	memcpy(frame_zero(&f, 40 + 24), (uint8_t[]){0x60, 0, 0, 0, 0, 24, IPPROTO_ICMPV6, 0}, 8);
	f.data[21] = hop_limit;
	memcpy(f.data + 22, addresses, sizeof(addresses));
	f.data[54] = type;
	memcpy(f.data, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 1, 1}, 12);
	bench_in(port, &f);
}

TEST(rate)
{
	const uint64_t rate = fcn_punt_default(FCN_PUNT_KIND_HOP_LIMIT).per_second;
	const uint64_t burst = fcn_punt_default(FCN_PUNT_KIND_HOP_LIMIT).burst;
	uint64_t t;

	/* 30,000 a second for two seconds */
	for (t = 1; t <= 2 * SECOND; t += SECOND / 1000) {
		junk(0, 30);
		bench_poll(t);
		take(FCN_PUNT_KIND_HOP_LIMIT, 0);
	}
	assert_true(passed(0, FCN_PUNT_KIND_HOP_LIMIT) <= burst + 2 * rate);
	assert_true(passed(0, FCN_PUNT_KIND_HOP_LIMIT) >= 2 * rate);
	assert_int_equal(bench.worker->counters[0].punt_limited[FCN_PUNT_KIND_HOP_LIMIT] +
					 passed(0, FCN_PUNT_KIND_HOP_LIMIT) +
					 bench.worker->counters[0]
							 .punt_backlog[FCN_PUNT_KIND_HOP_LIMIT],
			60000);
	/* Another port and another kind have what is theirs. */
	junk(1, 10);
	for (unsigned int i = 0; i < 10; i++)
		link_icmp6(0, 135, 255);
	bench_poll(t);
	assert_int_equal(take(FCN_PUNT_KIND_HOP_LIMIT, 1), 10);
	assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR, 0), 10);
}

/* Nobody takes what waits: each port has its part of the places, and no more. */
TEST(backlog)
{
	for (unsigned int i = 0; i < 8; i++) {
		junk(0, 32);
		bench_poll(1 + i * SECOND);
	}
	assert_int_equal(passed(0, FCN_PUNT_KIND_HOP_LIMIT), 16);
	assert_int_equal(bench.worker->counters[0].punt_backlog[FCN_PUNT_KIND_HOP_LIMIT],
			8 * 32 - 16);
	junk(2, 5);
	bench_poll(9 * SECOND);
	assert_int_equal(passed(2, FCN_PUNT_KIND_HOP_LIMIT), 5);
	assert_int_equal(take(FCN_PUNT_KIND_HOP_LIMIT, 0), 16);
	junk(0, 5);
	bench_poll(10 * SECOND);
	assert_int_equal(take(FCN_PUNT_KIND_HOP_LIMIT, 0), 5);
}

/* Enqueue records of a port, without packets, until one is refused. @return how many were accepted
 */
static unsigned int
fill(enum fcn_punt_kind kind, uint16_t port)
{
	const struct fcn_punt punt = {.in_port = port};
	unsigned int n = 0;

	while (fcn_punt_enqueue(bench.worker->punts, kind, &punt, 0))
		n++;
	return n;
}

/* The last port has as many places as the first one, whatever the others have there. */
TEST(all_ports)
{
	static const unsigned int counts[] = {4, 64, 100, FCN_MAX_PORTS};

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		unsigned int of_few = 0;

		for (unsigned int i = 0; i < RTE_DIM(counts); i++) {
			unsigned int first;

			fcn_punt_queues_divide(bench.worker->punts, counts[i]);
			first = fill(k, 0);
			if (i == 0)
				of_few = first;
			/* 64 ports have as many as few have, and more of them share these. */
			assert_int_equal(first, of_few * 64 / RTE_MAX(counts[i], 64u));
			for (uint16_t p = 1; p < counts[i]; p++)
				assert_int_equal(fill(k, p), first);
			take(k, 0);
		}
	}
}

/* Only a hop limit of 255 says that Neighbour Discovery is from this link. */
TEST(kinds)
{
	link_icmp6(0, 135, 255);
	link_icmp6(0, 136, 255);
	link_icmp6(0, 133, 255);
	link_icmp6(0, 135, 254);
	link_icmp6(0, 128, 255);
	bench_poll(1);
	assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR, 0), 3);
	assert_int_equal(take(FCN_PUNT_KIND_LOCAL, 0), 2);
}

/* A query of MLD behind a Hop-by-Hop Options header, and without it; a report of somebody else. */
static void
mld(uint16_t port, uint8_t type, uint8_t hop_limit, uint8_t src0)
{
	static const uint8_t hop_by_hop[] = {IPPROTO_ICMPV6, 0, 5, 2, 0, 0, 1, 0};
	static const uint8_t addresses[] = {0xfe, 0x80, [15] = 9, [16] = 0xff, 2, [31] = 1};
	struct frame f;

	frame_ether(&f, 0x86DD);
	memcpy(frame_zero(&f, 40 + 8 + 28), (uint8_t[]){0x60, 0, 0, 0, 0, 36, 0, 0}, 8);
	f.data[21] = hop_limit;
	memcpy(f.data + 22, addresses, sizeof(addresses));
	f.data[22] = src0;
	memcpy(f.data + 54, hop_by_hop, sizeof(hop_by_hop));
	f.data[62] = type;
	memcpy(f.data, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 1, 1}, 12);
	bench_in(port, &f);
}

TEST(mld)
{
	mld(0, 130, 1, 0xfe);
	bench_poll(1);
	assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR, 0), 1);
	mld(0, 130, 2, 0xfe);
	mld(0, 143, 1, 0xfe);
	mld(0, 130, 1, 0x20);
	link_icmp6(0, 130, 1);
	bench_poll(2);
	assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR, 0), 0);
	assert_int_equal(take(FCN_PUNT_KIND_LOCAL, 0), 4);
}

TEST(none)
{
	bench.snap.port[0].punt[FCN_PUNT_KIND_NEIGHBOUR] = (struct fcn_punt_limit){0};
	link_icmp6(0, 135, 255);
	bench_poll(1);
	assert_int_equal(bench_drops(FCN_DROP_PUNT_LIMITED), 1);
	assert_int_equal(bench.worker->counters[0].punt_limited[FCN_PUNT_KIND_NEIGHBOUR], 1);
}

/*
 * 100 packets at a rate of one a second fill the bucket for 100 s. A rate that is configured then
 * holds at once: a port does not pay for what another rate, or none, would have cost.
 */
TEST(new_rate)
{
	const enum fcn_punt_kind kind = FCN_PUNT_KIND_HOP_LIMIT;
	const struct fcn_punt_rate slow = {.per_second = 1, .burst = 100}, fast = {1000, 10};

	bench.snap.port[0].punt[kind] = fcn_punt_limit_of(&slow, 1);
	bench_new_snapshot();
	for (unsigned int i = 0; i < 10; i++) {
		junk(0, 10);
		bench_poll(1);
		take(kind, 0);
	}
	assert_int_equal(passed(0, kind), 100);
	/* A new snapshot with the same rate gives nothing away. */
	bench_new_snapshot();
	junk(0, 1);
	bench_poll(2);
	assert_int_equal(passed(0, kind), 100);
	bench.snap.port[0].punt[kind] = fcn_punt_limit_of(&fast, 1);
	bench_new_snapshot();
	bench_poll(2);
	junk(0, 20);
	bench_poll(2 + SECOND / 100);
	assert_int_equal(passed(0, kind), 110);
	assert_int_equal(take(kind, 0), 10);
}

/* ARP to all, or to the port; what is for a group is somebody else's (RFC 826 knows none). */
TEST(arp)
{
	static const uint8_t all[6] = {255, 255, 255, 255, 255, 255}, port[6] = {2, 0, 0, 0, 0, 10},
			     group[6] = {1, 0, 0x5e, 0, 0, 1};
	const uint8_t *const macs[] = {all, port, group};
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(macs); i++) {
		frame_ether(&f, 0x0806);
		memcpy(frame_zero(&f, 46), (uint8_t[]){0, 1, 8, 0, 6, 4, 0, 1}, 8);
		memcpy(f.data, macs[i], 6);
		bench_send(0, &f, 1 + i);
		assert_int_equal(take(FCN_PUNT_KIND_NEIGHBOUR, 0), macs[i] == group ? 0 : 1);
	}
	assert_int_equal(bench_drops(FCN_DROP_ETHER_TYPE), 1);
}

/* A notice that is too long for its way back is dropped: nobody is told of what was made here. */
TEST(notice)
{
	struct frame f;

	bench_route("2001:db8:0::/48", 4);
	bench_routes_done();
	bench_notices(1, 1);
	bench.next_hop[4].mtu = 60;
	frame_roce6(&f, 1, 1, 2, 100);
	bench_send(0, &f, 1);
	bench_only_out(1);
	assert_int_equal(bench_queue(1, 3)->stats.notices, 1);
	assert_int_equal(bench_drops(FCN_DROP_MTU), 1);
	assert_int_equal(take(FCN_PUNT_KIND_MTU, 0) + take(FCN_PUNT_KIND_MTU, 1), 0);
	for (unsigned int p = 0; p < 4; p++)
		assert_int_equal(passed(p, FCN_PUNT_KIND_MTU), 0);
}

/* A part of a rate is that of one of several workers. */
TEST(parts)
{
	const struct fcn_punt_rate rate = {.per_second = 1000, .burst = 10}, one = {1000, 1};

	assert_int_equal(fcn_punt_limit_of(&rate, 1).cost_ns, 1000000);
	assert_int_equal(fcn_punt_limit_of(&rate, 1).spare_ns, 9 * 1000000);
	assert_int_equal(fcn_punt_limit_of(&rate, 4).cost_ns, 4000000);
	assert_int_equal(fcn_punt_limit_of(&rate, 4).spare_ns, 1 * 4000000);
	assert_int_equal(fcn_punt_limit_of(&one, 4).spare_ns, 0);
}
