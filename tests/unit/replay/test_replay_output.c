/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is written, and whole runs from file to file. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay_util.h"

#define QUEUE 64

static const struct fcn_port_ops *ops = &fcn_replay_port_ops;

static pcap_t *
open_nano(const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline_with_tstamp_precision(
			path, PCAP_TSTAMP_PRECISION_NANO, why);

	if (pcap == NULL)
		fail_msg("%s", why);
	return pcap;
}

/* The next record must be frame tag, whole, with that stamp. */
static void
assert_record(pcap_t *pcap, uint64_t stamp, uint32_t tag, uint32_t len)
{
	struct pcap_pkthdr *hdr;
	const u_char *data;

	assert_int_equal(pcap_next_ex(pcap, &hdr, &data), 1);
	assert_int_equal((uint64_t)hdr->ts.tv_sec * GBPS + (uint64_t)hdr->ts.tv_usec, stamp);
	assert_int_equal(hdr->caplen, len);
	assert_int_equal(hdr->len, len);
	assert_memory_equal(data, util_frame(tag, len), len);
}

/*
 * A switch of one queue: what arrives at the first port leaves at the second
 * in the same order, stepping from event to event.
 */
static void
run(struct fcn_replay *replay, struct fcn_replay_port *in, struct fcn_replay_port *out)
{
	struct rte_mbuf *queue[QUEUE];
	uint16_t held = 0;
	uint64_t now = 0;

	for (;;) {
		uint64_t arrival = fcn_replay_next_arrival(replay);
		uint64_t ready = held > 0 ? ops->tx_ready(out, now) : FCN_TIME_NEVER;
		uint16_t sent;

		if (arrival == FCN_TIME_NEVER && ready == FCN_TIME_NEVER)
			break;
		assert_true(RTE_MIN(arrival, ready) >= now);
		now = RTE_MIN(arrival, ready);
		held += ops->rx_burst(in, queue + held, QUEUE - held, now);
		sent = ops->tx_burst(out, queue, held, now);
		held -= sent;
		memmove(queue, queue + sent, held * sizeof(queue[0]));
	}
	assert_int_equal(fcn_replay_flush(replay), 0);
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

/* Jumbo frames, in and out, byte for byte; departures at 10 Gbit/s worked out by hand. */
TEST(file_to_file)
{
	struct util_cap cap;
	struct fcn_replay *replay;
	struct fcn_replay_port *in, *out;
	struct fcn_replay_stats stats;
	struct pcap_pkthdr *hdr;
	const u_char *data;
	pcap_t *pcap;
	char err[512];

	util_cap_open(&cap, "in.pcap", DLT_EN10MB, 1);
	util_cap_add(&cap, T0 + 999999990, 1, 9000, 9000);
	util_cap_add(&cap, T0 + 999999991, 2, 20, 20);
	util_cap_add(&cap, T0 + 1000100000, 3, 1501, 1501);
	util_cap_add(&cap, T0 + 1000100001, 4, 16000, 16000);
	util_cap_close(&cap);
	replay = util_replay(cap.path, NULL, 1, &in);
	out = fcn_replay_port_add(replay, "p1", 10 * GBPS, test_pool);
	assert_int_equal(fcn_replay_port_output(out, util_path("out.pcap"), err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	run(replay, in, out);
	fcn_replay_port_stats(out, &stats);
	assert_int_equal(stats.out_packets, 4);
	assert_int_equal(stats.out_bytes, 9000 + 20 + 1501 + 16000);
	fcn_replay_free(replay);

	pcap = open_nano(util_path("out.pcap"));
	assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
	/* 9024 * 0.8 = 7219.2; + 84 * 0.8 = 7286.4 */
	assert_record(pcap, T0 + 999999990 + 7220, 1, 9000);
	assert_record(pcap, T0 + 999999990 + 7287, 2, 20);
	/* 1525 * 0.8 = 1220; + 16024 * 0.8 = 14039.2 */
	assert_record(pcap, T0 + 1000100000 + 1220, 3, 1501);
	assert_record(pcap, T0 + 1000100000 + 14040, 4, 16000);
	assert_int_equal(pcap_next_ex(pcap, &hdr, &data), PCAP_ERROR_BREAK);
	pcap_close(pcap);
}

/* Chains longer than anything replayed are written whole too. */
TEST(long_chain)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", 8 * GBPS, NULL);
	struct rte_mbuf *m = util_mbuf(5, 65535);
	char err[512];
	pcap_t *pcap;

	assert_int_equal(m->nb_segs, 32);
	assert_int_equal(fcn_replay_port_output(port, util_path("long.pcap"), err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	assert_int_equal(ops->tx_burst(port, &m, 1, 1), 1);
	fcn_replay_free(replay); /* closes the file without a flush */
	pcap = open_nano(util_path("long.pcap"));
	assert_record(pcap, 1 + 65535 + 24, 5, 65535); /* no input: virtual time 0 is 1970 */
	pcap_close(pcap);
}

/* The output replaces what the file held before. */
TEST(replaces_old_file)
{
	const uint64_t stamps[] = {T0, T0 + 1};
	const char *path = util_cap_file("old.pcap", stamps, 2, 0);
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, NULL);
	char err[512];
	size_t len;

	assert_int_equal(fcn_replay_port_output(port, path, err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	fcn_replay_free(replay);
	free(util_read_file(path, &len));
	assert_int_equal(len, 24);
}

/* Ports without files: nothing arrives, sent frames are counted. */
TEST(no_files)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", GBPS, NULL);
	struct fcn_replay_stats stats;
	struct rte_mbuf *m = util_mbuf(1, 100), *got;

	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_base(replay), 0);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_int_equal(ops->rx_burst(port, &got, 1, 1000), 0);
	assert_int_equal(ops->tx_burst(port, &m, 1, 1000), 1);
	assert_int_equal(fcn_replay_flush(replay), 0);
	fcn_replay_port_stats(port, &stats);
	assert_int_equal(stats.out_packets, 1);
	assert_int_equal(stats.out_bytes, 100);
	assert_int_equal(stats.in_packets, 0);
	fcn_replay_free(replay);
}

/* Departures beyond 2106 do not fit into the file; that is said, not wrapped. */
TEST(beyond_2106)
{
	struct fcn_replay *replay = fcn_replay_create(1);
	struct fcn_replay_port *port = fcn_replay_port_add(replay, "p0", 8 * GBPS, NULL);
	struct rte_mbuf *m[2] = {util_mbuf(1, 60), util_mbuf(2, 60)};
	const uint64_t last = UINT64_C(4294967295999999999) - 84;
	char err[512];
	pcap_t *pcap;

	assert_int_equal(fcn_replay_port_output(port, util_path("end.pcap"), err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	assert_int_equal(ops->tx_burst(port, m, 1, last), 1);
	assert_int_equal(fcn_replay_flush(replay), 0);
	assert_int_equal(ops->tx_burst(port, m + 1, 1, last + 84), 1);
	assert_int_equal(fcn_replay_flush(replay), -EIO);
	assert_non_null(strstr(fcn_replay_error(replay, 0), "after 1 packets: stamp out of range"));
	fcn_replay_free(replay);

	pcap = open_nano(util_path("end.pcap"));
	struct pcap_pkthdr *hdr;
	const u_char *data;
	assert_int_equal(pcap_next_ex(pcap, &hdr, &data), 1);
	assert_int_equal((uint32_t)hdr->ts.tv_sec, UINT32_MAX);
	assert_int_equal(hdr->ts.tv_usec, 999999999);
	assert_int_equal(pcap_next_ex(pcap, &hdr, &data), PCAP_ERROR_BREAK);
	pcap_close(pcap);
}

/* Two inputs at a crooked speed into a line they fill, twice: the same bytes. */
TEST(two_runs)
{
	struct util_bytes ng = {.len = 0};
	struct util_cap cap;
	uint8_t *first, *second;
	size_t first_len, second_len;
	const char *path;

	util_cap_open(&cap, "run.pcap", DLT_EN10MB, 1);
	for (uint32_t i = 0; i < 200; i++)
		util_cap_add(&cap, T0 + i * 1013, i, 60 + i * 7, 60 + i * 7);
	util_cap_close(&cap);
	util_ng_section(&ng);
	util_ng_interface(&ng, 1, 9);
	for (uint32_t i = 0; i < 60; i++)
		util_ng_packet(&ng, 0, T0 + i * 3001, 1000 + i, 64);
	path = util_bytes_file(&ng, "run.pcapng");

	for (int i = 0; i < 2; i++) {
		struct fcn_replay_port *in, *out;
		struct fcn_replay *replay = util_replay(cap.path, NULL, 0.7, &in);
		struct fcn_replay_stats rx, tx;
		char err[512];

		assert_int_equal(fcn_replay_port_input(in, path, NULL, err, sizeof(err)), 0);
		out = fcn_replay_port_add(replay, "p1", 6 * GBPS, test_pool);
		assert_int_equal(fcn_replay_port_output(out, util_path(i == 0 ? "1" : "2"), err,
						 sizeof(err)),
				0);
		fcn_replay_begin(replay);
		run(replay, in, out);
		fcn_replay_port_stats(in, &rx);
		fcn_replay_port_stats(out, &tx);
		assert_int_equal(rx.in_packets, 260);
		assert_int_equal(tx.out_packets, 260);
		assert_int_equal(rx.in_bytes, tx.out_bytes);
		fcn_replay_free(replay);
	}
	first = util_read_file(util_path("1"), &first_len);
	second = util_read_file(util_path("2"), &second_len);
	/* 200 frames of 60 + 7i octets, 60 of 64 */
	assert_int_equal(first_len, 24 + 260 * 16 + 200 * 60 + 7 * 199 * 100 + 60 * 64);
	assert_int_equal(second_len, first_len);
	assert_memory_equal(first, second, first_len);
	free(first);
	free(second);
}
