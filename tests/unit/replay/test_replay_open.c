/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is refused, and whether the message names the file and the reason. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay_util.h"

static const uint64_t one_stamp[] = {T0};

/* One line that begins with the file's name and holds the reason. */
static void
assert_message(const char *err, const char *path, const char *reason)
{
	if (strncmp(err, path, strlen(path)) != 0 || strstr(err, reason) == NULL ||
			strchr(err, '\n') != NULL)
		fail_msg("\"%s\" is not about %s: %s", err, path, reason);
}

static void
assert_refused(const char *path, const char *filter, int error, const char *reason)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, test_pool);
	char err[512] = "";

	assert_int_equal(fcn_replay_port_input(port, path, filter, err, sizeof(err)), error);
	assert_message(err, path, reason);
	/* The rest of the replay goes on as if nothing had been asked. */
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_int_equal(fcn_replay_base(replay), 0);
	fcn_replay_free(replay);
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

TEST(missing_file)
{
	assert_refused(util_path("missing.pcap"), NULL, -ENOENT, "No such file");
}

TEST(empty_file)
{
	const struct util_bytes none = {.len = 0};

	assert_refused(util_bytes_file(&none, "empty.pcap"), NULL, -EINVAL, "empty file");
}

TEST(garbage)
{
	struct util_bytes bytes = {.len = 0};

	for (uint32_t i = 0; i < 500; i++)
		util_put16(&bytes, i * 77 + 1);
	assert_refused(util_bytes_file(&bytes, "garbage.pcap"), NULL, -EINVAL,
			"not a capture file: unknown file format");
	bytes.len = 3;
	assert_refused(util_bytes_file(&bytes, "short.pcap"), NULL, -EINVAL, "truncated");
	assert_refused("/tmp", NULL, -EINVAL, "directory");
}

TEST(wrong_link_type)
{
	struct util_cap cap;
	struct util_bytes ng = {.len = 0};

	util_cap_open(&cap, "raw.pcap", DLT_LINUX_SLL, 1);
	util_cap_add(&cap, T0, 1, 100, 100);
	util_cap_close(&cap);
	assert_refused(cap.path, NULL, -EINVAL, "link type 113 (LINUX_SLL)");

	util_ng_section(&ng);
	util_ng_interface(&ng, 105, 9);
	util_ng_packet(&ng, 0, T0, 1, 60);
	assert_refused(util_bytes_file(&ng, "wifi.pcapng"), NULL, -EINVAL,
			"link type 105 (IEEE802_11)");
}

TEST(bad_filter)
{
	const char *path = util_cap_file("filter.pcap", one_stamp, 1, 1);

	assert_refused(path, "udp port 4791 and (", -EINVAL, "syntax error");
	assert_refused(path, "udp port 4791 and (", -EINVAL, "\"udp port 4791 and (\"");
}

TEST(message_is_cut_to_room)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, test_pool);
	char err[8] = "xxxxxxx";

	assert_int_equal(fcn_replay_port_input(port, "/no\n/such", NULL, err, 6), -ENOENT);
	assert_memory_equal(err, "/no /\0x", 7);
	assert_int_equal(fcn_replay_port_input(port, "/no/such", NULL, NULL, 0), -ENOENT);
	fcn_replay_free(replay);
}

TEST(nonsense_arguments)
{
	struct rte_mempool *tiny = rte_pktmbuf_pool_create(
			"tiny", 3, 0, 0, RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	struct fcn_replay *replay = fcn_replay_create(1);

	assert_null(fcn_replay_create(0));
	assert_null(fcn_replay_create(-1));
	assert_null(fcn_replay_create(NAN));
	assert_null(fcn_replay_create(INFINITY));
	assert_null(fcn_replay_port_add(replay, "p0", 0, test_pool));
	assert_non_null(tiny);
	assert_null(fcn_replay_port_add(replay, "p0", GBPS, tiny));
	fcn_replay_free(replay);
	fcn_replay_free(NULL);
	rte_mempool_free(tiny);
}

TEST(input_needs_pool_and_start)
{
	const char *path = util_cap_file("late.pcap", one_stamp, 1, 1);
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *bare = fcn_replay_port_add(replay, "p0", GBPS, NULL);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p1", GBPS, test_pool);
	char err[512] = "";

	assert_int_equal(fcn_replay_port_input(bare, path, NULL, err, sizeof(err)), -EINVAL);
	assert_message(err, path, "pool");
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_port_input(port, path, NULL, err, sizeof(err)), -EINVAL);
	assert_message(err, path, "begun");
	fcn_replay_free(replay);
}

TEST(nothing_before_begin)
{
	const char *path = util_cap_file("early.pcap", one_stamp, 1, 1);
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(path, NULL, 1, &port);
	struct rte_mbuf *m;

	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_int_equal(fcn_replay_port_ops.rx_burst(port, &m, 1, FCN_TIME_NEVER), 0);
	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_next_arrival(replay), 0);
	assert_int_equal(fcn_replay_base(replay), T0);
	fcn_replay_free(replay); /* with a packet in the look-ahead */
}

/* An output must never empty an input, whatever name it comes under. */
TEST(output_is_input)
{
	const char *path = util_cap_file("same.pcap", one_stamp, 1, 1);
	const char *link = util_path("hardlink.pcap");
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(path, NULL, 1, &port);
	char err[512] = "";
	size_t len;

	assert_int_equal(fcn_replay_port_output(port, path, err, sizeof(err)), -EINVAL);
	assert_message(err, path, "input");
	assert_int_equal(symlink(path, util_path("symlink.pcap")), 0);
	assert_int_equal(fcn_replay_port_output(port, util_path("symlink.pcap"), err, sizeof(err)),
			-EINVAL);
	assert_int_equal(rename(path, link), 0);
	assert_int_equal(fcn_replay_port_output(port, link, err, sizeof(err)), -EINVAL);
	assert_message(err, link, "input");
	free(util_read_file(link, &len));
	assert_int_equal(len, 24 + 16 + 100);

	/* The same input again is no harm. */
	assert_int_equal(fcn_replay_port_input(port, link, NULL, err, sizeof(err)), 0);
	fcn_replay_free(replay);
}

TEST(input_is_output)
{
	const char *path = util_path("out.pcap"), *other = util_path("other.pcap");
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, test_pool);
	struct fcn_replay_port *port2 = fcn_replay_port_add(replay, "p1", GBPS, test_pool);
	char err[512] = "";

	assert_int_equal(fcn_replay_port_output(port, path, err, sizeof(err)), 0);
	assert_int_equal(fcn_replay_port_input(port2, path, NULL, err, sizeof(err)), -EINVAL);
	assert_message(err, path, "output");
	assert_int_equal(fcn_replay_port_output(port2, path, err, sizeof(err)), -EINVAL);
	assert_message(err, path, "output");
	assert_int_equal(fcn_replay_port_output(port, other, err, sizeof(err)), -EEXIST);
	assert_message(err, other, path);
	assert_int_equal(access(other, F_OK), -1);
	assert_int_equal(fcn_replay_port_output(port2, "/no/such/dir", err, sizeof(err)), -ENOENT);
	assert_message(err, "/no/such/dir", "No such file");
	assert_int_equal(fcn_replay_port_output(port2, "/tmp", err, sizeof(err)), -EISDIR);
	assert_message(err, "/tmp", "directory");
	fcn_replay_free(replay);
}

TEST(names)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "spine1", GBPS, NULL);

	assert_string_equal(fcn_replay_port_name(port), "spine1");
	port = fcn_replay_port_add(replay, "a-name-that-does-not-fit-into-the-field", GBPS, NULL);
	assert_string_equal(fcn_replay_port_name(port), "a-name-that-does-not-fit-into-t");
	assert_string_equal(fcn_replay_port_ops.kind, "replay");
	fcn_replay_free(replay);
}
