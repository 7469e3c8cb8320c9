/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The line of a port: when it is free, and when a frame's last bit leaves. */

#include <stdio.h>

#include "replay_util.h"

__extension__ typedef unsigned __int128 u128;

static const struct fcn_port_ops *ops = &fcn_replay_port_ops;

/* Send a frame at now, which the line must take. @return its departure */
static uint64_t
send_at(struct fcn_replay_port *port, uint32_t len, uint64_t now)
{
	struct rte_mbuf *m = util_mbuf(0, len);

	assert_int_equal(ops->tx_room(port, now), 1);
	assert_int_equal(ops->tx_burst(port, &m, 1, now), 1);
	assert_int_equal(ops->tx_ready(port, now), fcn_replay_port_last_departure(port));
	return fcn_replay_port_last_departure(port);
}

static struct fcn_replay_port *
line(struct fcn_replay **replay, uint64_t bps)
{
	struct fcn_replay_port *port;

	*replay = fcn_replay_create(1);
	port = fcn_replay_port_add(*replay, "p0", bps, NULL);
	assert_non_null(port);
	fcn_replay_begin(*replay);
	return port;
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

/* 60 octets and 24 of overhead at 10 Gbit/s: 67.2 ns each. */
TEST(back_to_back_on_paper)
{
	const uint64_t expected[] = {68, 135, 202, 269, 336, 404};
	struct fcn_replay *replay;
	struct fcn_replay_port *port = line(&replay, 10 * GBPS);

	assert_int_equal(fcn_replay_port_last_departure(port), 0);
	assert_int_equal(ops->tx_ready(port, 0), 0);
	for (unsigned int i = 0; i < RTE_DIM(expected); i++)
		assert_int_equal(send_at(port, 60, ops->tx_ready(port, 0)), expected[i]);
	fcn_replay_free(replay);
}

/* A frame that comes after the line fell free starts when it comes. */
TEST(idle_line)
{
	struct fcn_replay *replay;
	struct fcn_replay_port *port = line(&replay, 10 * GBPS);

	assert_int_equal(send_at(port, 60, 0), 68);                    /* free at 67.2 */
	assert_int_equal(send_at(port, 60, 69), 137);                  /* 69 + 67.2 = 136.2 */
	assert_int_equal(send_at(port, 60, 137), 204);                 /* 136.2 + 67.2 = 203.4 */
	assert_int_equal(send_at(port, 60, 1000), 1068);               /* 1067.2 */
	assert_int_equal(send_at(port, 1000, 5000000000), 5000000820); /* 1024 * 0.8 = 819.2 */
	fcn_replay_free(replay);
}

/* Shorter frames are padded on the wire; 61 octets are not. */
TEST(padding)
{
	struct fcn_replay *replay;
	struct fcn_replay_port *port = line(&replay, 8 * GBPS); /* an octet a nanosecond */
	struct fcn_replay_stats stats;

	assert_int_equal(send_at(port, 14, 0), 84);
	assert_int_equal(send_at(port, 59, 84), 168);
	assert_int_equal(send_at(port, 60, 168), 252);
	assert_int_equal(send_at(port, 61, 252), 337);
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.out_packets, 4);
	assert_int_equal(stats.out_bytes, 14 + 59 + 60 + 61);
	fcn_replay_free(replay);
}

/* One frame a call, none while the line is busy, to the nanosecond. */
TEST(room)
{
	struct fcn_replay *replay;
	struct fcn_replay_port *port = line(&replay, 10 * GBPS);
	struct rte_mbuf *pkts[2] = {util_mbuf(0, 60), util_mbuf(1, 60)};

	assert_int_equal(ops->tx_room(port, 7), 1);
	assert_int_equal(ops->tx_burst(port, pkts, 0, 7), 0);
	assert_int_equal(ops->tx_burst(port, pkts, 2, 7), 1);
	assert_int_equal(ops->tx_ready(port, 7), 75); /* 7 + 67.2 */
	assert_int_equal(ops->tx_room(port, 74), 0);
	assert_int_equal(ops->tx_burst(port, pkts + 1, 1, 74), 0);
	assert_int_equal(fcn_replay_port_last_departure(port), 75);
	assert_int_equal(ops->tx_room(port, 75), 1);
	assert_int_equal(ops->tx_burst(port, pkts + 1, 1, 75), 1);
	fcn_replay_free(replay);
}

/* Ten thousand frames of mixed length, back to back, against one division a frame. */
TEST(no_drift)
{
	const uint64_t speeds[] = {10 * GBPS, GBPS, 3 * GBPS, 7 * GBPS / 10, 400 * GBPS,
			UINT64_C(99999999977)};
	const uint64_t start = 12345;

	for (unsigned int s = 0; s < RTE_DIM(speeds); s++) {
		struct fcn_replay *replay;
		struct fcn_replay_port *port = line(&replay, speeds[s]);
		uint64_t now = start;
		u128 bits = 0;

		for (uint32_t i = 0; i < 10000; i++) {
			uint32_t len = 14 + i * 37 % 1500;
			u128 expected;

			bits += ((len < 60 ? 60 : len) + 24) * 8;
			expected = start + (bits * 1000000000 + speeds[s] - 1) / speeds[s];
			now = send_at(port, len, now);
			if (now != expected)
				fail_msg("%ju bit/s, frame %u: %ju instead of %ju",
						(uintmax_t)speeds[s], i, (uintmax_t)now,
						(uintmax_t)expected);
		}
		fcn_replay_free(replay);
	}
}

/* The line's speed may change; the frame on its way ends at the old one. */
TEST(link_change)
{
	struct fcn_replay *replay;
	struct fcn_replay_port *port = line(&replay, 10 * GBPS);

	assert_int_equal(ops->link_bps(port), 10 * GBPS);
	assert_int_equal(send_at(port, 60, 0), 68);
	fcn_replay_port_link(port, 10 * GBPS); /* no change: not even a fraction is lost */
	assert_int_equal(send_at(port, 60, 68), 135);
	fcn_replay_port_link(port, 0);
	assert_int_equal(ops->link_bps(port), 10 * GBPS);
	fcn_replay_port_link(port, GBPS);
	assert_int_equal(ops->link_bps(port), GBPS);
	assert_int_equal(ops->tx_ready(port, 68), 135);
	assert_int_equal(send_at(port, 60, 135), 135 + 672);
	fcn_replay_free(replay);
}
