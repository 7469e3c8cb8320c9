/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a switch gets that another one on the way has trimmed. */

#include "trim_bench.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = trim_setup, .teardown = bench_teardown);

/* Send two frames, of which the second is trimmed; then one that fills the queue, and what was left
 * of the other one, as the next switch gets it. @param wanted whether there is room for that */
static void
send_trimmed_before(struct frame *f, struct frame *headers, bool wanted)
{
	unsigned int i;

	bench_in(0, f);
	bench_in(0, f);
	bench_poll(1);
	open_gate();
	assert_int_equal(bench.port[1].n_out, 2);
	i = bench_out_len(1, 1) == KEPT;
	assert_int_equal(bench_out_len(1, i), KEPT);
	memcpy(headers->data, bench_out(1, i), KEPT);
	headers->len = KEPT;
	frame_to_port(headers, 0, 1);
	frame_class(headers, 3, 1);
	bench.port[1].accept = 0;
	bench_queue_conf(1, 3)->limit_bytes = f->len + (wanted ? KEPT : 0);
	bench_new_snapshot();
	bench_in(0, f);
	bench_in(0, headers);
	bench_poll(bench.worker->now + 1);
}

/* What a switch before has trimmed is neither marked nor a reason for a notice, also in a queue
 * that is congested. */
TEST(congested)
{
	struct frame f, headers;
	struct fcn_event ev[8];

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	trim_from(f.len);
	bench.snap.notify.kind[0].interval_ns = 0;
	send_trimmed_before(&f, &headers, true);
	assert_int_equal(stats()->congested_packets, 3);
	assert_int_equal(stats()->ce_marked, 2);
	assert_int_equal(stats()->trimmed, 1);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 8), 3);
	open_gate();
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench_out_len(1, 1), KEPT);
	headers.data[21]--; /* hop limit */
	assert_memory_equal(bench_out(1, 1) + 14, headers.data + 14, KEPT - 14);
	assert_int_equal(bench.worker->counters[0].roce_trimmed, 1);
	assert_int_equal(bench.worker->counters[0].roce_packets, 3);
	assert_int_equal(bench.worker->counters[0].roce_malformed, 0);
	assert_int_equal(bench.worker->counters[0].wire_error[FCN_WIRE_UDP_LENGTH], 0);
	assert_int_equal(bench_all_drops(), 0);
}

/* Nor does a detector look at it that looks at packets that leave. */
TEST(at_dequeue)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, 3);
	struct frame f, headers;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	trim_from(f.len);
	q->detector.at_dequeue = q->slow_path = true;
	bench.snap.port[1].egress.at_dequeue = 1 << 3;
	send_trimmed_before(&f, &headers, true);
	open_gate();
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(stats()->congested_packets, 2);
	assert_int_equal(bench_out(1, 1)[15] >> 4 & 3, 1);
}

/* It is not trimmed again, and its sender is not told of its loss. */
TEST(lost)
{
	struct frame f, headers;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	send_trimmed_before(&f, &headers, false);
	assert_int_equal(stats()->trimmed, 1);
	assert_int_equal(stats()->drop[FCN_REFUSED_QUEUE_BYTES], 1);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
}

/* Unlike one that was trimmed here, it is in the shared buffer: a host may send as many as it
 * likes. */
TEST(in_buffer)
{
	struct frame f, headers;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench.snap.buffer = (struct fcn_buffer_conf){.size = 100000, .shared = 100000};
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		bench_queue_conf(1, c)->slow_path = true;
		bench_queue_conf(1, c)->account.alpha = 8 * FCN_ALPHA_ONE;
	}
	send_trimmed_before(&f, &headers, true);
	assert_int_equal(bench_queue(1, 3)->charged, f.len + KEPT);
}
