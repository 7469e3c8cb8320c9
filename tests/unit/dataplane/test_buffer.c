/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The shared buffer: what queues and lossless classes may have of it, and what changes do. */

#include "testbed.h"

#define LEN 1000
#define KB(n) ((n)*1000)

/* A buffer on, the way control does it; port 1 lets nothing go. */
static void
buffer_on(uint64_t size, uint64_t shared)
{
	bench.snap.buffer = (struct fcn_buffer_conf){.size = size, .shared = shared};
	for (uint16_t p = 0; p < bench.n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->slow_path = true;
	}
}

static void
buffer_off(void)
{
	bench.snap.buffer = (struct fcn_buffer_conf){0};
	for (uint16_t p = 0; p < bench.n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->slow_path = false;
	}
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:2::/48", 6);
	bench_port_routes(2);
	for (uint16_t p = 1; p < 3; p++) {
		bench_set_ops(p, &bench_gate_ops);
		bench.port[p].accept = 0;
	}
	buffer_on(KB(100), KB(60));
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
turn(void)
{
	bench_poll(bench.worker->now + 1);
}

/* Packets of a class to a port, one a turn. @return how many were queued. */
static unsigned int
send_some(unsigned int n, unsigned int class, uint16_t to)
{
	uint64_t before = bench_all_drops();
	struct frame f;

	frame_roce6(&f, 1, to, 2, LEN - 14 - 64);
	frame_class(&f, class, 1);
	for (unsigned int i = 0; i < n; i++) {
		bench_in(0, &f);
		turn();
	}
	return n - (unsigned int)(bench_all_drops() - before);
}

static void
drain(uint16_t port)
{
	bench.port[port].accept = UINT16_MAX;
	turn();
	bench.port[port].accept = 0;
	assert_int_equal(fcn_egress_packets(bench.worker->port[port].egress), 0);
}

static void
account(uint16_t port, unsigned int class, uint32_t reserve, uint64_t alpha)
{
	bench_queue_conf(port, class)->account = (struct fcn_account_conf){
			.reserve = reserve, .alpha = alpha};
}

/*
 * 60 shared. With alpha 1, a queue alone gets half: the 30th finds 29 used and
 * 31 free. A second one then finds 30 free: the 15th with 14 used has 16 left, and so on.
 */
TEST(alpha)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		account(1, c, 0, FCN_ALPHA_ONE);
		account(2, c, 0, FCN_ALPHA_ONE);
	}
	assert_int_equal(send_some(40, 3, 1), 30);
	assert_int_equal(bench_drops(FCN_DROP_BUFFER), 10);
	assert_int_equal(bench_queue(1, 3)->stats.drop[FCN_REFUSED_BUFFER], 10);
	assert_int_equal(send_some(40, 4, 1), 15);
	/* Another port draws on the same: the 8th finds 7 used of 15. */
	assert_int_equal(send_some(40, 3, 2), 8);
	assert_int_equal(bench.worker->buffer.shared_used, KB(53));
	/* What leaves is free again, of whatever queue. */
	drain(1);
	assert_int_equal(bench.worker->buffer.shared_used, KB(8));
	/* alone again: 30 in all */
	assert_int_equal(send_some(40, 3, 2), 22);
	drain(2);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.shared_max, KB(53));
}

TEST(alphas)
{
	static const struct {
		uint64_t alpha;
		unsigned int packets;
	} paper[] = {
			{FCN_ALPHA_ONE / 2,
					20}, /* q <= (60 - q + 1) / 2, looked at before it: 20 */
			{FCN_ALPHA_ONE * 2, 40},   /* q <= 2 (61 - q): 40 */
			{FCN_ALPHA_ONE * 5, 50},   /* q <= 5 (61 - q): 50 */
			{FCN_ALPHA_ONE / 8, 6},    /* q <= (61 - q) / 8: 6 */
			{FCN_ALPHA_ONE * 128, 60}, /* all there is */
			{0, 0},
	};

	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		account(1, 3, 0, paper[i].alpha);
		assert_int_equal(send_some(64, 3, 1), paper[i].packets);
		drain(1);
	}
}

/* The reserve is there however full the rest is, and comes on top. */
TEST(reserve)
{
	account(1, 3, 0, 1000 * FCN_ALPHA_ONE);
	account(1, 4, KB(5), 0);
	account(2, 4, KB(5) + 999, FCN_ALPHA_ONE);
	assert_int_equal(send_some(70, 3, 1), 60);
	assert_int_equal(send_some(10, 4, 1), 5);
	/* One byte of the sixth is not of the reserve, and there is none free. */
	assert_int_equal(send_some(10, 4, 2), 5);
	assert_int_equal(bench.worker->buffer.shared_used, KB(60));
	drain(1);
	/* the n-th has 1000 n - 5999 <= 60000 - (1000 (n - 1) - 5999): 36 in all */
	assert_int_equal(send_some(40, 4, 2), 31);
	assert_int_equal(bench.worker->buffer.shared_used, KB(36) - 5999);
	drain(2);
}

/* Notices stand on no account: congestion must not keep its own remedy out. */
TEST(notices)
{
	account(1, 3, 0, 1000 * FCN_ALPHA_ONE);
	bench_set_ops(0, &bench_gate_ops);
	bench.port[0].accept = 0;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		account(0, c, 0, 0);
	bench_notices(1, 1000);
	assert_int_equal(send_some(70, 3, 1), 60);
	assert_int_equal(fcn_queue_packets(bench_queue(0, 6)), 70);
	assert_int_equal(bench_queue(0, 6)->charged, 0);
	bench.port[0].accept = UINT16_MAX;
}

/* On with packets queued: those of before are on no account; off: those of before leave theirs. */
TEST(on_and_off)
{
	buffer_off();
	bench_new_snapshot();
	assert_int_equal(send_some(70, 3, 1), 70);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	buffer_on(KB(100), KB(60));
	bench_new_snapshot();
	assert_int_equal(send_some(70, 3, 1), 30);
	assert_int_equal(bench_queue(1, 3)->charged, KB(30));
	buffer_off();
	bench_new_snapshot();
	assert_int_equal(send_some(5, 3, 1), 5);
	assert_int_equal(bench.worker->buffer.shared_used, KB(30));
	drain(1);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench_queue(1, 3)->charged, 0);
	/* On, and off and on again with those of three times in the queue. */
	buffer_on(KB(100), KB(60));
	bench_new_snapshot();
	assert_int_equal(send_some(10, 3, 1), 10);
	buffer_off();
	bench_new_snapshot();
	assert_int_equal(send_some(10, 3, 1), 10);
	buffer_on(KB(100), KB(60));
	bench_new_snapshot();
	assert_int_equal(send_some(70, 3, 1), 20);
	drain(1);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
}

/* Reserves that change under queued packets are counted anew with the first turn. */
TEST(reserve_changes)
{
	static const uint32_t reserve[] = {KB(25), KB(5), KB(12) + 345, 0, KB(100), KB(1), KB(30)};

	account(1, 3, KB(20), FCN_ALPHA_ONE);
	assert_int_equal(send_some(25, 3, 1), 25);
	assert_int_equal(bench.worker->buffer.shared_used, KB(5));
	for (size_t i = 0; i < RTE_DIM(reserve); i++) {
		account(1, 3, reserve[i], FCN_ALPHA_ONE);
		bench_new_snapshot();
		turn();
		assert_int_equal(bench.worker->buffer.shared_used,
				reserve[i] < KB(25) ? KB(25) - reserve[i] : 0);
	}
	drain(1);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.shared_max, KB(25));
}

/* A port that goes before the first turn of a new snapshot: by what that says, from nothing wrong.
 */
TEST(port_removed_before_its_turn)
{
	const struct fcn_buffer *b = &bench.worker->buffer;

	account(1, 3, KB(8), FCN_ALPHA_ONE);
	assert_int_equal(send_some(10, 3, 1), 10);
	assert_int_equal(send_some(5, 3, 2), 5);
	assert_int_equal(b->shared_used, KB(7));
	account(1, 3, 0, FCN_ALPHA_ONE);
	bench_new_snapshot();
	fcn_worker_port_remove(bench.worker, 1);
	assert_int_equal(b->shared_used, KB(5));
	assert_true(b->shared_max <= KB(15));
	turn();
	assert_int_equal(b->shared_used, KB(5));
	drain(2);
}

/* A lossless class by a dynamic threshold, beside a lossy queue: both draw on what is shared. */
TEST(dynamic_lossless)
{
	const struct fcn_ingress *in = &bench.worker->ingress[0][3];
	struct fcn_ingress_conf *conf = &bench.snap.port[0].ingress[3];

	bench_lossless(0, 3, 0, 0, KB(10));
	conf->dynamic = true;
	conf->reserve = KB(2);
	conf->alpha = FCN_ALPHA_ONE;
	conf->xon_below = KB(3);
	account(1, 4, 0, 1000 * FCN_ALPHA_ONE);
	/*
	 * XOFF at the packet that reaches the threshold as it is with it: used n
	 * >= 2 + 60 - (n - 2), n = 32. It is charged: before it there were 31 free.
	 */
	assert_int_equal(send_some(31, 3, 1), 31);
	assert_false(in->xoff);
	assert_int_equal(send_some(1, 3, 1), 1);
	assert_true(in->xoff);
	assert_int_equal(bench.worker->buffer.shared_used, KB(30));
	assert_int_equal(in->headroom, 0);
	/* Then 10 of headroom, which are of nobody else's, and the 11th is lost. */
	assert_int_equal(send_some(11, 3, 1), 10);
	assert_int_equal(in->headroom, KB(10));
	assert_int_equal(in->lost_packets, 1);
	assert_int_equal(bench.worker->buffer.shared_used, KB(30));
	assert_int_equal(bench.worker->buffer.headroom_used, KB(10));
	/* A lossy queue takes what is left, and not a byte of headroom. */
	assert_int_equal(send_some(40, 4, 1), 30);
	assert_int_equal(bench.worker->buffer.shared_used, KB(60));
	drain(1);
	turn();
	assert_false(in->xoff);
	assert_int_equal(bench.worker->port[0].pause.sent_xoff, 0);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.headroom_used, 0);
	assert_int_equal(bench.worker->buffer.headroom_max, KB(10));
}

/* Others that leave raise the threshold: the next packet that leaves says XON. */
TEST(dynamic_xon)
{
	const struct fcn_ingress *in = &bench.worker->ingress[0][3];
	struct fcn_ingress_conf *conf = &bench.snap.port[0].ingress[3];

	bench_lossless(0, 3, 0, 0, KB(10));
	conf->dynamic = true;
	conf->alpha = FCN_ALPHA_ONE;
	conf->xon_below = KB(3);
	account(2, 4, 0, 1000 * FCN_ALPHA_ONE);
	assert_int_equal(send_some(40, 4, 2), 40);
	assert_int_equal(send_some(10, 3, 1), 10); /* 10 >= 60 - 40 - 10 */
	assert_true(in->xoff);
	drain(2);
	assert_true(in->xoff);
	/* 9 + 3 <= 60 - 9 */
	bench_set_ops(2, &bench_ops);
	bench.worker->port[1].ops = &bench_link_ops;
	bench.port[1].accept = 1;
	bench.port[1].line_bps = 1;
	turn();
	assert_int_equal(bench.port[1].n_out, 1);
	assert_false(in->xoff);
	bench.worker->port[1].ops = &bench_gate_ops;
	drain(1);
}
