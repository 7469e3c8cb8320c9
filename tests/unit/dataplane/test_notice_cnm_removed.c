/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages about packets that lose the option with the address of their
 * proxy at the port that is congested.
 */

#include "cnm_bench.h"

static int
setup(void **state)
{
	cnm_setup(state);
	bench.snap.codes = fcn_parse_default_codes;
	bench.snap.proxy_edge.any_remove = true;
	bench.snap.port[1].proxy_option = FCN_PROXY_EDGE_REMOVE;
	bench.snap.ioam.any_edge = true;
	bench.snap.port[1].ioam.edge = FCN_IOAM_EDGE_STRIP;
	bench_new_snapshot();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = cnm_teardown);

/* Let the detectors of the congested port work at dequeue: they mark every packet. */
static void
detect_at_dequeue(void)
{
	struct fcn_queue_conf *conf = bench_queue_conf(1, CLASS);

	bench.snap.port[1].egress.at_dequeue = 1 << CLASS;
	conf->slow_path = true;
	conf->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_RED,
			.at_dequeue = true,
			.enter = 1,
			.leave = 1,
			.kmax = 2,
			.limit = conf->limit_bytes};
	fcn_detector_levels(&conf->detector);
	bench_new_snapshot();
}

/* The packet leaves without its option, and the proxy that it named is told nevertheless. */
static void
assert_told_without(const struct frame *with, uint32_t shorter)
{
	const uint64_t before = cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT);
	struct frame f = *with;
	const uint8_t *message;

	cnm_arrive(&f);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out_len(1, 0), with->len - shorter);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_SENT), before + 1);
	if (bench.port[2].n_out == 0) /* it was made at dequeue, after the turn of its port */
		bench_poll(bench.worker->now + 1000);
	assert_int_equal(bench.port[2].n_out, 1);
	message = bench_out(2, 0) + ETHER_LEN;
	assert_memory_equal(message + 24, cnm_other6, 16);
}

/* Put another option of 8 bytes behind that of the proxy: its header remains. */
static void
add_option(struct frame *f, uint32_t off)
{
	static const uint8_t other[8] = {0x3E, 6, 1, 2, 3, 4, 5, 6};

	memmove(f->data + off + 18 + 8, f->data + off + 18, f->len - off - 18);
	memcpy(f->data + off + 18, other, sizeof(other));
	f->data[14 + 40 + 1]++;
	f->data[14 + 5] += 8;
	f->len += 8;
}

/* Put a trace in front of the option: the switch removes both. @return bytes */
static uint32_t
add_trace(struct frame *f)
{
	struct frame traced;
	uint32_t len;

	frame_ioam6(&traced, 0xC0000000, 2, 2, 0, 64);
	len = (traced.data[14 + 40 + 1] + 1u) * 8;
	memmove(f->data + 14 + 40 + len, f->data + 14 + 40, f->len - 14 - 40);
	memcpy(f->data + 14 + 40, traced.data + 14 + 40, len);
	f->data[14 + 40] = f->data[14 + 6];
	f->data[14 + 6] = 0;
	f->data[14 + 5] += (uint8_t)len;
	f->len += len;
	return len;
}

/* The congested port is the one that removes the option. */
TEST(removed)
{
	struct frame f, beside, behind, none;
	uint32_t off, trace;

	bench.snap.codes = fcn_parse_default_codes;
	bench.snap.proxy_edge.any_remove = true;
	bench.snap.port[1].proxy_option = FCN_PROXY_EDGE_REMOVE;
	bench.snap.ioam.any_edge = true;
	bench.snap.port[1].ioam.edge = FCN_IOAM_EDGE_STRIP;
	bench_new_snapshot();
	off = cnm_make_named(&f, cnm_other6);
	beside = behind = f;
	add_option(&beside, off);
	trace = add_trace(&behind);
	frame_roce6(&none, 1, 1, 2, 64);
	for (unsigned int at_dequeue = 0; at_dequeue < 2; at_dequeue++) {
		if (at_dequeue)
			detect_at_dequeue();
		assert_told_without(&f, 24);
		assert_told_without(&beside, 16);
		assert_told_without(&behind, 24 + trace);
		/* Without an option, or with one that names a group, no proxy is known. */
		cnm_assert_none(&none, FCN_NOTIFY_NO_PROXY);
		f.data[off + 2] = 0xFF;
		cnm_assert_none(&f, FCN_NOTIFY_NO_PROXY);
		f.data[off + 2] = 0x20;
	}
	assert_int_equal(bench.worker->counters[0].proxy_stuck, 0);
	assert_int_equal(bench.worker->counters[0].ioam_stripped, 2);
	assert_int_equal(bench_all_drops(), 0);
}
