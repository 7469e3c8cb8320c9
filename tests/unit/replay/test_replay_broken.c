/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Files that break off: what came before is used, and it is said. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay_util.h"

#define REC (16 + 100) /* a pcap record with its header */

static const uint64_t stamps[] = {T0, T0 + 1, T0 + 2};

/* Replay the file; so many packets must arrive, and then this must be said. */
static void
assert_breaks_off(const char *path, uint32_t packets, const char *text, const char *why)
{
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(path, NULL, 1, &port);
	struct fcn_replay_stats stats;
	uint64_t arrivals[8];
	uint32_t tags[8];
	const char *error;

	fcn_replay_begin(replay);
	assert_int_equal(util_drain(replay, port, arrivals, tags, 8), packets);
	for (uint32_t i = 0; i < packets; i++)
		assert_int_equal(tags[i], i);
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.in_file_errors, 1);
	error = fcn_replay_error(replay, 0);
	assert_non_null(error);
	assert_null(fcn_replay_error(replay, 1));
	assert_memory_equal(error, path, strlen(path));
	assert_memory_equal(error + strlen(path), text, strlen(text));
	assert_non_null(strstr(error, why));
	assert_null(strchr(error, '\n'));
	fcn_replay_free(replay);
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

TEST(cut_in_data)
{
	const char *path = util_cap_file("cut.pcap", stamps, 3, 0);

	assert_int_equal(truncate(path, 24 + 3 * REC - 10), 0);
	assert_breaks_off(path, 2, ": after 2 packets: ", "truncated");
	assert_int_equal(truncate(path, 24 + REC + 17), 0);
	assert_breaks_off(path, 1, ": after 1 packets: ", "truncated");
}

TEST(cut_in_header)
{
	const char *path = util_cap_file("cut.pcap", stamps, 3, 0);

	assert_int_equal(truncate(path, 24 + 2 * REC + 15), 0);
	assert_breaks_off(path, 2, ": after 2 packets: ", "truncated");
	assert_int_equal(truncate(path, 24 + 1), 0);
	assert_breaks_off(path, 0, ": after 0 packets: ", "truncated");
}

/* Cut between two records there is nothing to complain about. */
TEST(cut_clean)
{
	const char *path = util_cap_file("clean.pcap", stamps, 3, 0);
	struct fcn_replay_port *port;
	struct fcn_replay *replay;

	assert_int_equal(truncate(path, 24), 0);
	replay = util_replay(path, NULL, 1, &port);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_null(fcn_replay_error(replay, 0));
	fcn_replay_free(replay);
}

TEST(cut_pcapng)
{
	struct util_bytes ng = {.len = 0};

	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 9);
	util_ng_packet(&ng, 0, T0, 0, 100);
	util_ng_packet(&ng, 0, T0, 1, 100);
	ng.len -= 6;
	assert_breaks_off(
			util_bytes_file(&ng, "cut.pcapng"), 1, ": after 1 packets: ", "truncated");
}

/* An interface of another link type, where the file has already begun. */
TEST(mixed_pcapng)
{
	struct util_bytes ng = {.len = 0};

	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 9);
	util_ng_packet(&ng, 0, T0, 0, 100);
	util_ng_interface(&ng, 105, 9);
	util_ng_packet(&ng, 1, T0, 1, 100);
	assert_breaks_off(util_bytes_file(&ng, "mixed.pcapng"), 1,
			": after 1 packets: ", "interface");
}

/* A length no packet has: all after it is meaningless. */
TEST(damaged_length)
{
	struct util_bytes bytes = {.len = 0};
	const char *path = util_cap_file("damaged.pcap", stamps, 2, 0);
	size_t len;
	uint8_t *data = util_read_file(path, &len);

	memset(data + 24 + REC + 8, 0x7f, 4);
	util_put(&bytes, data, len);
	free(data);
	assert_breaks_off(util_bytes_file(&bytes, "damaged.pcap"), 1,
			": after 1 packets: ", "length");
}

/* One input breaks off, the other goes on; messages come in the order of the breaks. */
TEST(others_go_on)
{
	const uint64_t good[] = {T0, T0 + 10, T0 + 20};
	const char *late = util_cap_file("late.pcap", stamps, 3, 0);
	const char *early = util_cap_file("early.pcap", stamps, 3, 10);
	struct fcn_replay_port *port, *other;
	struct fcn_replay *replay;
	struct fcn_replay_stats stats;
	uint64_t arrivals[8];
	uint32_t tags[8];
	char err[512];

	assert_int_equal(truncate(late, 24 + 3 * REC - 1), 0);
	assert_int_equal(truncate(early, 24 + REC + 1), 0);
	replay = util_replay(late, NULL, 1, &port);
	assert_int_equal(fcn_replay_port_input(port, util_cap_file("good.pcap", good, 3, 20), NULL,
					 err, sizeof(err)),
			0);
	other = fcn_replay_port_add(replay, "p1", GBPS, test_pool);
	assert_int_equal(fcn_replay_port_input(other, early, "ether[17] != 10", err, sizeof(err)),
			0);
	fcn_replay_begin(replay);
	assert_int_equal(util_drain(replay, port, arrivals, tags, 8), 5);
	assert_memory_equal(tags, ((uint32_t[]){0, 20, 1, 21, 22}), 20);
	assert_memory_equal(fcn_replay_error(replay, 0), early, strlen(early));
	assert_non_null(strstr(fcn_replay_error(replay, 0), "after 1 packets"));
	assert_memory_equal(fcn_replay_error(replay, 1), late, strlen(late));
	assert_null(fcn_replay_error(replay, 2));
	fcn_replay_port_stats(other, &stats);
	assert_int_equal(stats.in_filtered, 1);
	assert_int_equal(stats.in_file_errors, 1);
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.in_file_errors, 1);
	fcn_replay_free(replay);
}

/* A full disk shows at the latest when the run is flushed, and is said once. */
TEST(disk_full)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, NULL);
	struct fcn_replay_stats stats;
	struct rte_mbuf *m = util_mbuf(1, 60);
	char err[512];

	assert_int_equal(fcn_replay_port_output(port, "/dev/full", err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_port_ops.tx_burst(port, &m, 1, 0), 1);
	assert_null(fcn_replay_error(replay, 0));
	assert_int_equal(fcn_replay_flush(replay), -EIO);
	assert_string_equal(fcn_replay_error(replay, 0),
			"/dev/full: after 1 packets: No space left on device");
	assert_int_equal(fcn_replay_flush(replay), -EIO);
	assert_null(fcn_replay_error(replay, 1));
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.out_file_errors, 1);
	fcn_replay_free(replay);
}

/* In a long run it shows before the end; what is sent afterwards still leaves the switch. */
TEST(disk_full_early)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, NULL);
	struct fcn_replay_stats stats;
	char err[512];

	assert_int_equal(fcn_replay_port_output(port, "/dev/full", err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	for (uint32_t i = 0; i < 1000; i++) {
		struct rte_mbuf *m = util_mbuf(i, 1500);
		uint64_t now = fcn_replay_port_ops.tx_ready(port, 0);

		assert_int_equal(fcn_replay_port_ops.tx_burst(port, &m, 1, now), 1);
	}
	assert_non_null(strstr(fcn_replay_error(replay, 0), "No space left on device"));
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.out_packets, 1000);
	assert_int_equal(stats.out_file_errors, 1);
	fcn_replay_free(replay);
}
