/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A host that sends a capture. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

#define FILE_NAME "test_lab_capture.pcap"
#define FRAMES 4
#define LEN 100

static const char text[] = "duration 10ms\n"
			   "switch add s\n"
			   "host add a,b\n"
			   "link add a,b s rate 10G\n"
			   "traffic pcap a file " FILE_NAME "\n";

static void
put(FILE *out, uint32_t value)
{
	assert_int_equal(fwrite(&value, sizeof(value), 1, out), 1);
}

/* Frames a millisecond apart, the first at some seconds and nanoseconds. */
static void
write_capture(uint32_t sec, uint32_t ns)
{
	static const uint8_t frame[LEN] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xB5};
	FILE *out = fopen(FILE_NAME, "w");

	assert_non_null(out);
	put(out, 0xa1b23c4d); /* pcap with nanoseconds */
	put(out, 4 << 16 | 2);
	put(out, 0);
	put(out, 0);
	put(out, 65535);
	put(out, 1);
	for (unsigned int i = 0; i < FRAMES; i++) {
		put(out, sec);
		put(out, ns);
		put(out, LEN);
		put(out, LEN);
		assert_int_equal(fwrite(frame, LEN, 1, out), 1);
		ns += 1000000;
		sec += ns / 1000000000;
		ns %= 1000000000;
	}
	assert_int_equal(fclose(out), 0);
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Frames are sent as far apart as they were captured, also where the 31st bit of the seconds gets
 * set, which is on 2038-01-19 at 03:14:08 UTC. */
TEST(2038)
{
	static const uint32_t first[] = {1500000000, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX - 1};

	for (unsigned int i = 0; i < RTE_DIM(first); i++) {
		write_capture(first[i], 998500000);
		start(text, "");
		run(NULL);
		assert_int_equal(net->host[0].sent, FRAMES);
		assert_int_equal(json_array_size(net->violations), 0);
		assert_int_equal(stop(), 0);
	}
	unlink(FILE_NAME);
}

/* pcapng: one interface whose stamps are in units of 2^-power seconds or 10^-power, frames with
 * these stamps. */
static void
write_pcapng(uint8_t resolution, const uint64_t *stamp, unsigned int n)
{
	static const uint8_t frame[LEN] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xB5};
	FILE *out = fopen(FILE_NAME, "w");

	assert_non_null(out);
	/* section header: byte order, version 1.0, length not told */
	put(out, 0x0A0D0D0A);
	put(out, 28);
	put(out, 0x1A2B3C4D);
	put(out, 1);
	put(out, UINT32_MAX);
	put(out, UINT32_MAX);
	put(out, 28);
	/* interface: Ethernet, if_tsresol */
	put(out, 1);
	put(out, 32);
	put(out, 1);
	put(out, 65535);
	put(out, 1 << 16 | 9);
	put(out, resolution);
	put(out, 0);
	put(out, 32);
	for (unsigned int i = 0; i < n; i++) {
		put(out, 6); /* enhanced packet */
		put(out, 32 + LEN);
		put(out, 0);
		put(out, (uint32_t)(stamp[i] >> 32));
		put(out, (uint32_t)stamp[i]);
		put(out, LEN);
		put(out, LEN);
		assert_int_equal(fwrite(frame, LEN, 1, out), 1);
		put(out, 32 + LEN);
	}
	assert_int_equal(fclose(out), 0);
}

static void
run_stamps(uint8_t resolution, uint64_t first, uint64_t second, const char *rest, unsigned int sent,
		const char *violation)
{
	const uint64_t stamp[] = {first, second};

	write_pcapng(resolution, stamp, 2);
	start(text, rest);
	run(NULL);
	assert_int_equal(net->host[0].sent, sent);
	assert_int_equal(json_array_size(net->violations), violation != NULL);
	if (violation != NULL)
		assert_int_equal(violations_with(violation), 1);
	assert_int_equal(stop(), 0);
}

/* pcapng has room for times that cannot be: the capture ends there, and that is said. */
TEST(stamps_too_large)
{
	const uint8_t ns = 9, s = 0x80; /* 10^-9, 2^0 */
	const uint64_t ms = 1000000;

	run_stamps(ns, 5, 5 + ms, "", 2, NULL);
	run_stamps(s, 1, (UINT64_C(1) << 32) - 1, "", 1, NULL);
	run_stamps(s, 1, UINT64_C(1) << 32, "", 1, "stamp out of range");
	/* more than 2^64 ns: modulo that it would be near 0 */
	run_stamps(s, 1, UINT64_C(18446744074), "", 1, "stamp out of range");
	run_stamps(s, 1, INT64_MAX, "", 1, "stamp out of range");
	run_stamps(s, INT64_MAX, 1, "", 0, "stamp out of range");
	run_stamps(s, 1, 1 << 30, "traffic pcap b file " FILE_NAME " speed 0.000001", 1,
			"stamp out of range at this speed");
	run_stamps(ns, 5, 5 + ms, "traffic pcap b file " FILE_NAME " start 18446744073709551615ns",
			2, "stamp out of range at this speed");
	unlink(FILE_NAME);
}
