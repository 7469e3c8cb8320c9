/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The FCS that a capture says its frames have is no part of them. The layouts are those of
 * draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng, and tshark finds the same FCS in such files.
 */

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay_util.h"

#define LEN 100
#define MAX 16
#define NONE 0xFF /* no such option */

static bool big; /* the file is in big-endian byte order */
static struct util_bytes file;

static void
put16(uint16_t value)
{
	util_put16(&file, big ? __builtin_bswap16(value) : value);
}

static void
put32(uint32_t value)
{
	util_put32(&file, big ? __builtin_bswap32(value) : value);
}

static void
put_zeros(uint32_t n)
{
	while (n-- > 0)
		util_put(&file, "", 1);
}

static void
pcap_header(uint32_t link)
{
	file.len = 0;
	put32(0xA1B23C4D);
	put16(2);
	put16(4);
	put_zeros(8);
	put32(65535);
	put32(link);
}

/* A frame of LEN octets, and an FCS of 4 of which so many are cut off. */
static void
pcap_frame(uint32_t tag, uint32_t fcs, uint32_t cut)
{
	put32(T0 / 1000000000);
	put32(tag);
	put32(LEN + fcs - cut);
	put32(LEN + fcs);
	util_put(&file, util_frame(tag, LEN + fcs), LEN + fcs - cut);
}

static void
section(void)
{
	put32(0x0A0D0D0A);
	put32(28);
	put32(0x1A2B3C4D);
	put16(1);
	put16(0);
	put32(UINT32_MAX);
	put32(UINT32_MAX);
	put32(28);
}

/* @param fcs_len value of if_fcslen; NONE: there is none */
static void
interface(uint8_t fcs_len)
{
	const uint32_t len = 20 + 8 + (fcs_len == NONE ? 0 : 8) + 4;

	put32(1);
	put32(len);
	put16(1);
	put16(0);
	put32(65535);
	put16(9); /* if_tsresol */
	put16(1);
	util_put(&file, "\x09\0\0\0", 4);
	if (fcs_len != NONE) {
		put16(13);
		put16(1);
		util_put(&file, &fcs_len, 1);
		put_zeros(3);
	}
	put32(0); /* end of options */
	put32(len);
}

/* @param flags FCS length in epb_flags; NONE: there are no flags */
static void
packet(uint32_t on, uint32_t tag, uint32_t fcs, uint8_t flags)
{
	const uint32_t captured = LEN + fcs, padded = (captured + 3) & ~3u;
	const uint32_t len = 28 + padded + (flags == NONE ? 0 : 8 + 8 + 4) + 4;

	put32(6);
	put32(len);
	put32(on);
	put32(T0 >> 32);
	put32((uint32_t)T0 + tag);
	put32(captured);
	put32(captured);
	util_put(&file, util_frame(tag, captured), captured);
	put_zeros(padded - captured);
	if (flags != NONE) {
		put16(1); /* a comment */
		put16(3);
		util_put(&file, "abc", 4);
		put16(2);
		put16(4);
		put32((uint32_t)flags << 5 | 1);
		put32(0);
	}
	put32(len);
}

static void
simple_packet(uint32_t tag, uint32_t fcs)
{
	put32(3);
	put32(16 + LEN + fcs);
	put32(LEN + fcs);
	util_put(&file, util_frame(tag, LEN + fcs), LEN + fcs);
	put32(16 + LEN + fcs);
}

/* Check that all frames of the file, numbered from 0, arrive as they are without FCS. */
static void
check_path(const char *path, uint32_t n, uint32_t truncated)
{
	struct fcn_replay_port *port;
	struct fcn_replay *replay = util_replay(path, NULL, 1, &port);
	struct rte_mbuf *pkts[MAX];

	fcn_replay_begin(replay);
	assert_int_equal(fcn_replay_port_ops.rx_burst(port, pkts, MAX, 2 * T0), n);
	for (uint32_t i = 0; i < n; i++) {
		util_assert_frame(pkts[i], i, LEN);
		rte_pktmbuf_free(pkts[i]);
	}
	assert_int_equal(util_stats(port).in_truncated, truncated);
	assert_null(fcn_replay_error(replay, 0));
	fcn_replay_free(replay);
}

static void
check(uint32_t n, uint32_t truncated)
{
	check_path(util_bytes_file(&file, "fcs"), n, truncated);
}

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

TEST(pcap)
{
	for (unsigned int i = 0; i < 2; i++) {
		big = i != 0;
		/* Two words of 16 bits are 4 octets. Without the bit that says so, there is none.
		 */
		pcap_header(UINT32_C(0x24000001));
		for (uint32_t tag = 0; tag < 10; tag++)
			pcap_frame(tag, 4, 0);
		check(10, 0);
		pcap_header(UINT32_C(0x20000001));
		pcap_frame(0, 0, 0);
		check(1, 0);
		pcap_header(UINT32_C(0x14000001));
		pcap_frame(0, 2, 0);
		check(1, 0);
		/* Of what is cut in the FCS, the frame is there. */
		pcap_header(UINT32_C(0x24000001));
		pcap_frame(0, 4, 4);
		pcap_frame(1, 4, 3);
		pcap_frame(2, 4, 5);
		pcap_frame(2, 4, 1);
		check(3, 1);
	}
}

TEST(pcapng)
{
	for (unsigned int i = 0; i < 2; i++) {
		big = i != 0;
		file.len = 0;
		section();
		interface(NONE);
		interface(4);
		interface(32); /* bits, as the standard says */
		interface(0);
		packet(0, 0, 0, NONE);
		packet(1, 1, 4, NONE);
		packet(2, 2, 4, NONE);
		packet(3, 3, 0, NONE);
		packet(0, 4, 4, 4); /* the flags of a packet count more */
		packet(1, 5, 2, 2);
		packet(1, 6, 4, 0);
		/* Another section has interfaces of its own, and another byte order. */
		section();
		interface(NONE);
		packet(0, 7, 0, NONE);
		interface(4);
		packet(1, 8, 4, NONE);
		check(9, 0);
	}
}

/* Its length is all that a simple packet has; it has no time, either. */
TEST(simple)
{
	file.len = 0;
	big = false;
	section();
	interface(4);
	simple_packet(0, 4);
	check(1, 0);
}

static void *
write_slowly(void *arg)
{
	FILE *pipe = fopen(arg, "wb");

	for (size_t at = 0; at < file.len; at += 7) {
		fwrite(file.data + at, 1, RTE_MIN(file.len - at, (size_t)7), pipe);
		fflush(pipe);
	}
	fclose(pipe);
	return NULL;
}

/* A pipe whose writer is slow. */
TEST(pipe)
{
	const char *path = util_path("pipe");
	pthread_t writer;

	big = false;
	file.len = 0;
	section();
	interface(4);
	for (uint32_t tag = 0; tag < 12; tag++)
		packet(0, tag, 4, NONE);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_slowly, (void *)(uintptr_t)path), 0);
	check_path(path, 12, 0);
	pthread_join(writer, NULL);
	unlink(path);
}

/* A file that is cut at any octet gives the frames in front of it, and never another one. */
TEST(cut)
{
	const char *path;

	big = false;
	for (unsigned int ng = 0; ng < 2; ng++) {
		size_t whole, begin;

		if (ng) {
			file.len = 0;
			section();
			interface(4);
		} else {
			pcap_header(UINT32_C(0x24000001));
		}
		begin = file.len;
		if (ng)
			packet(0, 0, 4, 4);
		else
			pcap_frame(0, 4, 0);
		whole = file.len;
		for (file.len = begin; file.len <= whole; file.len++) {
			struct fcn_replay_port *port;
			struct rte_mbuf *pkts[MAX];
			struct fcn_replay *replay;
			unsigned int n;

			path = util_bytes_file(&file, "cut");
			replay = util_replay(path, NULL, 1, &port);
			fcn_replay_begin(replay);
			n = fcn_replay_port_ops.rx_burst(port, pkts, MAX, 2 * T0);
			assert_int_equal(n, file.len == whole);
			assert_int_equal(fcn_replay_error(replay, 0) != NULL,
					file.len != begin && file.len != whole);
			if (n != 0) {
				util_assert_frame(pkts[0], 0, LEN);
				rte_pktmbuf_free(pkts[0]);
			}
			fcn_replay_free(replay);
		}
	}
}
