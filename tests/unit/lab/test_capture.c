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

/* Frames are sent as far apart as they were captured, also where the 31st bit of the seconds gets
 * set, which is on 2038-01-19 at 03:14:08 UTC. */
static void
test_2038(void **state)
{
	static const uint32_t first[] = {1500000000, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX - 1};

	RTE_SET_USED(state);
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_2038),
	};

	return cmocka_run_group_tests(tests, net_eal, fcn_test_eal_cleanup);
}
