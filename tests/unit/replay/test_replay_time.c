/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Stamps of all kinds, and the virtual times they become. */

#include "replay_util.h"

#define MAX 16

static const struct fcn_port_ops *ops = &fcn_replay_port_ops;

/* Replay stamps at a speed; what arrives must be these virtual times, in order. */
static void
assert_arrivals(double speed, const uint64_t *stamps, const uint64_t *expected, uint32_t n)
{
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(
			util_cap_file("speed.pcap", stamps, n, 0), NULL, speed, &port);
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];

	fcn_replay_begin(replay);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(tags[i], i);
		assert_int_equal(arrivals[i], expected[i]);
	}
	assert_int_equal(util_stats(port).in_packets, n);
	assert_int_equal(util_stats(port).in_bytes, n * 100);
	fcn_replay_free(replay);
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

TEST(speed)
{
	const uint64_t stamps[] = {T0, T0 + 4, T0 + 5, T0 + 14, T0 + 15, T0 + 1000000007};
	const uint64_t as_is[] = {0, 4, 5, 14, 15, 1000000007};
	const uint64_t tenfold[] = {0, 0, 1, 1, 2, 100000001}; /* halves go up */
	const uint64_t half[] = {0, 8, 10, 28, 30, 2000000014};
	const uint64_t times4096[] = {0, 0, 0, 0, 0, 244141}; /* 244140.63 */

	assert_arrivals(1, stamps, as_is, 6);
	assert_arrivals(10, stamps, tenfold, 6);
	assert_arrivals(0.5, stamps, half, 6);
	assert_arrivals(4096, stamps, times4096, 6);
	assert_arrivals(0x1p128, stamps, (uint64_t[]){0, 0, 0, 0, 0, 0}, 6);
}

/*
 * The double next to 0.1 is 3602879701896397 / 2^55, a little more than a
 * tenth; over three years the difference is 55.5 ns, and must be seen. The one
 * next to 3.3 is 7430939385161318 / 2^51.
 */
TEST(speed_exact)
{
	const uint64_t span = UINT64_C(100000000000000000);
	const uint64_t stamps[] = {T0, T0 + 123456789, T0 + span};
	const uint64_t tenth[] = {0, 1234567890, UINT64_C(999999999999999944)};
	uint64_t crooked[] = {0, 37411148, 0};
	__extension__ unsigned __int128 num = (unsigned __int128)span << 51;

	crooked[2] = (num + 7430939385161318 / 2) / 7430939385161318;
	assert_arrivals(0.1, stamps, tenth, 3);
	assert_arrivals(3.3, stamps, crooked, 3);
}

TEST(speed_out_of_range)
{
	const uint64_t stamps[] = {T0, T0 + 1, T0 + UINT64_C(2000000000000000000)};
	const double speeds[] = {0.25, 0x1p-200};
	const uint32_t arrive[] = {2, 1};

	for (int i = 0; i < 2; i++) {
		const char *path = util_cap_file("far.pcap", stamps, 3, 0);
		struct fcn_replay_port *port;
		struct fcn_replay *replay = util_replay(path, NULL, speeds[i], &port);
		uint64_t arrivals[MAX];
		uint32_t tags[MAX];

		fcn_replay_begin(replay);
		assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), arrive[i]);
		assert_int_equal(util_stats(port).in_file_errors, 1);
		util_assert_error(replay, 0, path,
				i == 0 ? ": after 3 packets: stamp" : ": after 2 packets: stamp");
		fcn_replay_free(replay);
	}
}

TEST(microseconds)
{
	struct util_cap cap;
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];

	util_cap_open(&cap, "micro.pcap", DLT_EN10MB, 0);
	util_cap_add(&cap, T0 + 999999000, 0, 100, 100);
	util_cap_add(&cap, T0 + 1000001000, 1, 100, 100);
	util_cap_close(&cap);
	replay = util_replay(cap.path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), T0 + 999999000);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), 2);
	assert_int_equal(arrivals[1], 2000);
	fcn_replay_free(replay);
}

/* Two interfaces, one in nanoseconds, one in microseconds. */
TEST(pcapng)
{
	struct util_bytes ng = {.len = 0};
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	struct rte_mbuf *pkts[MAX];

	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 9);
	util_ng_interface(&ng, 1, 6);
	util_ng_packet(&ng, 0, T0 + 123, 1, 77);
	util_ng_packet(&ng, 1, T0 / 1000 + 1, 2, 78);
	util_ng_packet(&ng, 0, T0 + 1001, 3, 79);
	replay = util_replay(util_bytes_file(&ng, "two.pcapng"), NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), T0 + 123);
	assert_int_equal(ops->rx_burst(port, pkts, MAX, 876), 1);
	assert_int_equal(ops->rx_burst(port, pkts + 1, MAX, 877), 1);
	assert_int_equal(ops->rx_burst(port, pkts + 2, MAX, 878), 1);
	for (uint32_t i = 0; i < 3; i++)
		util_assert_frame(pkts[i], i + 1, 77 + i);
	rte_pktmbuf_free_bulk(pkts, 3);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	fcn_replay_free(replay);
}

TEST(stamps_backwards)
{
	const uint64_t stamps[] = {T0 + 100, T0 + 50, T0 + 100, T0 + 99, T0 + 120};
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(
			util_cap_file("back.pcap", stamps, 5, 0), NULL, 1, &port);
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];

	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), T0 + 100);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), 5);
	assert_memory_equal(tags, ((uint32_t[]){0, 1, 2, 3, 4}), 20);
	assert_memory_equal(arrivals, ((uint64_t[]){0, 0, 0, 0, 20}), 40);
	assert_int_equal(util_stats(port).in_backwards, 2);
	fcn_replay_free(replay);
}

/* 2038 to 2106: seconds are unsigned in the file. A pcapng may say more than a pcap can. */
TEST(late_stamps)
{
	struct util_bytes old = {.len = 0}, ng = {.len = 0};
	const uint64_t last = UINT64_C(4294967295999999999);
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	const char *path;

	util_put32(&old, 0xa1b23c4d);
	util_put16(&old, 2);
	util_put16(&old, 4);
	util_put32(&old, 0);
	util_put32(&old, 0);
	util_put32(&old, 65535);
	util_put32(&old, 1);
	util_put32(&old, 0xf0000000);
	util_put32(&old, 999999999);
	util_put32(&old, 60);
	util_put32(&old, 60);
	util_put(&old, util_frame(1, 60), 60);
	replay = util_replay(util_bytes_file(&old, "late.pcap"), NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), UINT64_C(0xf0000000) * GBPS + 999999999);
	fcn_replay_free(replay);

	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 9);
	util_ng_packet(&ng, 0, last, 1, 60);
	util_ng_packet(&ng, 0, last + 1, 2, 60);
	path = util_bytes_file(&ng, "later.pcapng");
	replay = util_replay(path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), last);
	util_drain(replay, port, (uint64_t[1]){0}, (uint32_t[1]){0}, 1);
	assert_int_equal(util_stats(port).in_packets, 1);
	util_assert_error(replay, 0, path, ": after 2 packets: stamp out of range");
	fcn_replay_free(replay);

	/* In seconds, more than 64 bits of nanoseconds: 2^64 / 10^9 is 18446744073.7. */
	ng.len = 0;
	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 0);
	util_ng_packet(&ng, 0, UINT64_C(18446744074), 1, 60);
	path = util_bytes_file(&ng, "far.pcapng");
	replay = util_replay(path, NULL, 1, &port);
	util_assert_error(replay, 0, path, ": after 1 packets: stamp out of range");
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	fcn_replay_free(replay);
}
