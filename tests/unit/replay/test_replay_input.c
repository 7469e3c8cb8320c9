/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What arrives, in which order, and what is left out. */

#include "replay_util.h"

#define MAX 16

static const struct fcn_port_ops *ops = &fcn_replay_port_ops;

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

/* Three inputs of one port; on equal stamps the one added first wins. */
TEST(merge)
{
	const uint64_t a[] = {T0 + 10, T0 + 20, T0 + 20, T0 + 21};
	const uint64_t b[] = {T0 + 5, T0 + 20, T0 + 30};
	const uint64_t c[] = {T0 + 1, T0 + 20, T0 + 21, T0 + 21};
	const uint32_t order[] = {300, 200, 100, 101, 102, 201, 301, 103, 302, 303, 202};
	const uint64_t times[] = {0, 4, 9, 19, 19, 19, 19, 20, 20, 20, 29};
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(util_cap_file("a.pcap", a, 4, 100), NULL, 1, &port);
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];
	char err[512];

	assert_int_equal(fcn_replay_port_input(port, util_cap_file("b.pcap", b, 3, 200), NULL, err,
					 sizeof(err)),
			0);
	assert_int_equal(fcn_replay_port_input(port, util_cap_file("c.pcap", c, 4, 300), NULL, err,
					 sizeof(err)),
			0);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), T0 + 1);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), RTE_DIM(order));
	assert_memory_equal(tags, order, sizeof(order));
	assert_memory_equal(arrivals, times, sizeof(times));
	fcn_replay_free(replay);
}

/* Stamps decide the order even where the speed makes their times equal. */
TEST(merge_by_stamp)
{
	const uint64_t a[] = {T0, T0 + 1002}, b[] = {T0 + 1001, T0 + 1003};
	const uint32_t order[] = {100, 200, 101, 201};
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(
			util_cap_file("a.pcap", a, 2, 100), NULL, 1000, &port);
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];
	char err[512];

	assert_int_equal(fcn_replay_port_input(port, util_cap_file("b.pcap", b, 2, 200), NULL, err,
					 sizeof(err)),
			0);
	fcn_replay_begin(replay);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), 4);
	assert_memory_equal(tags, order, sizeof(order));
	assert_memory_equal(arrivals, ((uint64_t[]){0, 1, 1, 1}), 4 * sizeof(uint64_t));
	fcn_replay_free(replay);
}

/* Virtual time 0 is common to all ports; a burst takes what is due, up to its room. */
TEST(two_ports)
{
	const uint64_t a[] = {T0 + 100, T0 + 101, T0 + 102, T0 + 900}, b[] = {T0 + 50, T0 + 2000};
	struct fcn_replay_port *port, *other;
	struct fcn_replay *replay = util_replay(util_cap_file("a.pcap", a, 4, 0), NULL, 1, &port);
	struct rte_mbuf *pkts[MAX];
	char err[512];

	other = fcn_replay_port_add(replay, "p1", GBPS, test_pool);
	assert_int_equal(fcn_replay_port_input(other, util_cap_file("b.pcap", b, 2, 9), NULL, err,
					 sizeof(err)),
			0);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), 0);
	assert_int_equal(ops->rx_burst(port, pkts, MAX, 49), 0);
	assert_int_equal(ops->rx_burst(other, pkts, MAX, 49), 1);
	assert_int_equal(util_tag(pkts[0]), 9);
	assert_int_equal(fcn_replay_next_arrival(replay), 50);
	assert_int_equal(ops->rx_burst(port, pkts + 1, 2, 60), 2);
	assert_int_equal(ops->rx_burst(port, pkts + 3, 0, 60), 0);
	assert_int_equal(ops->rx_burst(port, pkts + 3, MAX - 3, 60), 1);
	assert_int_equal(fcn_replay_next_arrival(replay), 850);
	assert_int_equal(ops->rx_burst(port, pkts + 4, MAX - 4, 850), 1);
	for (uint32_t i = 0; i < 4; i++)
		util_assert_frame(pkts[i + 1], i, 100);
	fcn_replay_begin(replay); /* once more changes nothing, even now */
	assert_int_equal(fcn_replay_base(replay), T0 + 50);
	assert_int_equal(fcn_replay_next_arrival(replay), 1950);
	assert_int_equal(ops->rx_burst(other, pkts + 5, MAX - 5, 1950), 1);
	rte_pktmbuf_free_bulk(pkts, 6);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_null(fcn_replay_error(replay, 0));
	fcn_replay_free(replay);
}

/* Frames left out by a filter do not set time 0 either. */
TEST(filter)
{
	struct util_cap cap;
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	uint64_t arrivals[MAX];
	uint32_t tags[MAX];

	util_cap_open(&cap, "filter.pcap", DLT_EN10MB, 1);
	for (uint32_t i = 0; i < 6; i++) /* lengths 60, 120, 60, ... */
		util_cap_add(&cap, T0 + i * 10, i, 60 + i % 2 * 60, 60 + i % 2 * 60);
	util_cap_close(&cap);
	replay = util_replay(cap.path, "greater 100 and ether[17] != 3", 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), T0 + 10);
	assert_int_equal(util_drain(replay, port, arrivals, tags, MAX), 2);
	assert_memory_equal(tags, ((uint32_t[]){1, 5}), 8);
	assert_memory_equal(arrivals, ((uint64_t[]){0, 40}), 16);
	assert_int_equal(util_stats(port).in_packets, 2);
	assert_int_equal(util_stats(port).in_filtered, 4);
	fcn_replay_free(replay);

	replay = util_replay(cap.path, "less 20", 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_int_equal(util_stats(port).in_filtered, 6);
	fcn_replay_free(replay);
}

/* Frames of every length around the limits, each under its own name. */
TEST(left_out)
{
	struct util_cap cap;
	struct fcn_replay_port *port;
	struct fcn_replay_stats stats;
	struct fcn_replay *replay;
	struct rte_mbuf *pkts[MAX];

	util_cap_open(&cap, "odd.pcap", DLT_EN10MB, 1);
	util_cap_add(&cap, T0, 0, 96, 1500);  /* cut */
	util_cap_add(&cap, T0, 1, 10, 65535); /* cut, before all else */
	util_cap_add(&cap, T0, 2, 13, 13);
	util_cap_add(&cap, T0, 3, 0, 0);
	util_cap_add(&cap, T0, 4, 14, 14);
	util_cap_add(&cap, T0, 5, FCN_REPLAY_MAX_FRAME, FCN_REPLAY_MAX_FRAME);
	util_cap_add(&cap, T0, 6, FCN_REPLAY_MAX_FRAME + 1, FCN_REPLAY_MAX_FRAME + 1);
	util_cap_add(&cap, T0, 7, 65535, 65535);
	util_cap_add(&cap, T0, 8, 1514, 1514);
	util_cap_close(&cap);
	replay = util_replay(cap.path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(ops->rx_burst(port, pkts, MAX, 0), 3);
	util_assert_frame(pkts[0], 4, 14);
	util_assert_frame(pkts[1], 5, FCN_REPLAY_MAX_FRAME);
	util_assert_frame(pkts[2], 8, 1514);
	rte_pktmbuf_free_bulk(pkts, 3);
	stats = util_stats(port);
	assert_int_equal(stats.in_packets, 3);
	assert_int_equal(stats.in_bytes, 14 + FCN_REPLAY_MAX_FRAME + 1514);
	assert_int_equal(stats.in_truncated, 2);
	assert_int_equal(stats.in_runt, 2);
	assert_int_equal(stats.in_oversize, 2);
	assert_int_equal(stats.in_filtered + stats.in_no_mbuf + stats.in_backwards, 0);
	fcn_replay_free(replay);
}

TEST(chained)
{
	struct util_cap cap;
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	struct rte_mbuf *m[3];

	util_cap_open(&cap, "jumbo.pcap", DLT_EN10MB, 1);
	util_cap_add(&cap, T0, 0, 9000, 9000);
	util_cap_add(&cap, T0, 1, DATA_ROOM, DATA_ROOM);
	util_cap_add(&cap, T0, 2, DATA_ROOM + 1, DATA_ROOM + 1);
	util_cap_close(&cap);
	replay = util_replay(cap.path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(ops->rx_burst(port, m, 3, 0), 3);
	assert_int_equal(m[0]->nb_segs, 5);
	assert_int_equal(rte_pktmbuf_lastseg(m[0])->data_len, 9000 - 4 * DATA_ROOM);
	assert_int_equal(m[1]->nb_segs, 1);
	assert_int_equal(m[2]->nb_segs, 2);
	util_assert_frame(m[0], 0, 9000);
	util_assert_frame(m[1], 1, DATA_ROOM);
	util_assert_frame(m[2], 2, DATA_ROOM + 1);
	rte_pktmbuf_free_bulk(m, 3);
	fcn_replay_free(replay);
}

/* With 3 mbufs left: a frame of 5 segments is left out whole, and takes none with it. */
TEST(no_mbuf)
{
	struct util_cap cap;
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	struct rte_mbuf *held[POOL_SIZE], *pkts[MAX];

	util_cap_open(&cap, "many.pcap", DLT_EN10MB, 1);
	util_cap_add(&cap, T0, 0, 9000, 9000);
	for (uint32_t i = 1; i <= 5; i++)
		util_cap_add(&cap, T0, i, 100, 100);
	util_cap_add(&cap, T0 + 1, 6, 100, 100);
	util_cap_close(&cap);
	assert_int_equal(rte_pktmbuf_alloc_bulk(test_pool, held, POOL_SIZE - 3), 0);
	replay = util_replay(cap.path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(ops->rx_burst(port, pkts, MAX, 0), 3);
	util_assert_frame(pkts[0], 1, 100);
	util_assert_frame(pkts[2], 3, 100);
	assert_int_equal(util_stats(port).in_no_mbuf, 3);
	rte_pktmbuf_free_bulk(pkts, 3);
	assert_int_equal(ops->rx_burst(port, pkts, MAX, 1), 1);
	util_assert_frame(pkts[0], 6, 100);
	rte_pktmbuf_free(pkts[0]);
	assert_int_equal(util_stats(port).in_packets, 4);
	rte_pktmbuf_free_bulk(held, POOL_SIZE - 3);
	fcn_replay_free(replay);
}
