/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Untrusted ports: their packets do not get into protected classes, and may be remarked. */

#include "ioam_remove.h"
#include "testbed.h"

#define PROTECTED (1u << 6 | 1u << 7)

/* Port 0 is untrusted. All is routed to port 1. */
static int
setup(void **state)
{
	bench_setup(state);
	bench_route("::/0", 5);
	bench_route("0.0.0.0/0", 5);
	bench_routes_done();
	fcn_snapshot_protect(&bench.snap, PROTECTED);
	bench.snap.port[0].checked_ingress = true;
	bench.snap.port[0].untrusted = (struct fcn_trust_conf){.untrusted = true, .class = 1};
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* In by a port, and queued at port 1. @return class it was queued in */
static unsigned int
class_of(uint16_t in, struct frame *f)
{
	unsigned int class = FCN_CLASSES;
	uint64_t before[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		before[c] = bench_queue(1, c)->stats.deq_packets;
	frame_to_port(f, in, 1);
	bench_send(in, f, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (bench_queue(1, c)->stats.deq_packets != before[c])
			class = c;
	}
	return class;
}

/* The class of notices is not for everybody who writes DSCP 48. */
TEST(protected)
{
	struct frame f;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		frame_roce6(&f, 1, 1, 2, 100);
		frame_class(&f, c, 1);
		assert_int_equal(class_of(0, &f), PROTECTED >> c & 1 ? 1 : c);
		/* the packet says what it said */
		assert_int_equal(bench_out(1, 0)[14] << 4 | bench_out(1, 0)[15] >> 4,
				0x600 | c << 5 | 1);
		assert_int_equal(class_of(2, &f), c);
	}
	assert_int_equal(bench.worker->counters[0].moved, 2);
	assert_int_equal(bench.worker->counters[0].remarked, 0);
	assert_int_equal(bench.worker->counters[2].moved, 0);
}

/* Remarked packets are what they were but for the DSCP: ICRC and checksums are right still. */
TEST(remark)
{
	struct frame f, want;

	bench.snap.port[0].untrusted.dscp = 10;
	for (enum fcn_remark r = FCN_REMARK_OFF; r <= FCN_REMARK_ALL; r++) {
		bench.snap.port[0].untrusted.remark = r;
		for (unsigned int c = 3; c < 7; c += 3) {
			bool written = r == FCN_REMARK_ALL || (r == FCN_REMARK_MOVED && c == 6);
			uint64_t n = bench.worker->counters[0].remarked;

			frame_roce6(&f, 1, 1, 2, 100);
			frame_class(&f, c, 2);
			ioam_finish(&f, REF_SKIP, true);
			want = f;
			if (written) {
				want.data[14] = 0x62; /* DSCP 10, ECT(0) */
				want.data[15] = 0xA0 | (f.data[15] & 0x0F);
				/* what it would be, had it been sent like that */
				ioam_finish(&want, REF_SKIP, true);
				assert_memory_equal(want.data + 16, f.data + 16, f.len - 16);
			}
			assert_int_equal(class_of(0, &f), c == 6 ? 1 : c);
			assert_memory_equal(bench_out(1, 0) + 14, want.data + 14, 7);
			assert_memory_equal(bench_out(1, 0) + 22, want.data + 22, want.len - 22);
			assert_int_equal(bench.worker->counters[0].remarked, n + written);
		}
	}
	/* Already so: nothing to write. */
	frame_roce6(&f, 1, 1, 2, 100);
	f.data[14] = 0x62;
	f.data[15] = 0xA0;
	class_of(0, &f);
	assert_int_equal(bench.worker->counters[0].remarked, 3);
}

/* IPv4 has a header checksum. All values of the octet. */
TEST(remark_ipv4)
{
	struct frame f;

	bench.snap.port[0].untrusted.remark = FCN_REMARK_ALL;
	for (unsigned int tos = 0; tos < 256; tos++) {
		const uint8_t *out;

		memset(&f, 0, sizeof(f));
		frame_ether(&f, 0x0800);
		frame_ip4(&f, 17, 20);
		frame_roce(&f, 32);
		f.data[15] = tos;
		f.data[14 + 4] = 5 * tos;
		frame_finish(&f);
		bench.snap.port[0].untrusted.dscp = (tos * 7 + 1) % 64;
		class_of(0, &f);
		out = bench_out(1, 0) + 14;
		assert_int_equal(out[1], (tos * 7 + 1) % 64 << 2 | (tos & 3));
		assert_int_equal(ip4_checksum(out), out[10] << 8 | out[11]);
	}
}

/* A tag's priority: read where it is trusted, and written. */
TEST(pcp)
{
	struct frame plain, f;

	bench_bridge(2);
	for (uint16_t p = 0; p < 2; p++) {
		bench.snap.port[p].tagged[0] = 1u << 5;
		bench.snap.port[p].trust = FCN_TRUST_PCP;
	}
	for (unsigned int remark = 0; remark < 2; remark++) {
		bench.snap.port[0].untrusted.remark = remark ? FCN_REMARK_MOVED : FCN_REMARK_OFF;
		frame_roce6(&plain, 1, 1, 2, 100);
		frame_macs(&plain, 99, 1);
		memset(&f, 0, sizeof(f));
		frame_put(&f, plain.data, 12);
		frame_put(&f, (uint8_t[]){0x81, 0, 7 << 5 | 1 << 4, 5}, 4);
		frame_put(&f, plain.data + 12, plain.len - 12);
		bench_send(0, &f, 1);
		assert_int_equal(bench.port[1].n_out, 1);
		/* class 1, DEI kept */
		assert_int_equal(bench_out(1, 0)[14], (remark ? 1 : 7) << 5 | 1 << 4);
		assert_int_equal(bench_out(1, 0)[15], 5);
		assert_int_equal(bench.worker->counters[0].moved, remark + 1);
	}
	assert_int_equal(bench.worker->counters[0].remarked, 1);
}

/* A class that is lossless for the port is so no more for what was moved out of it, and the other
 * way round. */
TEST(lossless)
{
	struct frame f;

	bench_lossless(0, 1, 100000, 90000, 100000);
	frame_roce6(&f, 1, 1, 2, 100);
	frame_class(&f, 6, 1);
	assert_int_equal(class_of(0, &f), 1);
	bench_check();
}
