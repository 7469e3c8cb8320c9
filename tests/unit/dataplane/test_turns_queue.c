/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Bursts into one class queue with limits and a step detector that marks: a model on a page says of
 * each packet whether it is queued, and whether it is marked; and members of a group of next hops.
 */

#include "turns.h"

#define BURST 30

static int
setup(void **state)
{
	turns_set_width();
	bench_setup(state);
	turns_routes((uint32_t[]){5, 6, 7}, 3);
	bench_set_ops(1, &bench_gate_ops);
	bench_seed = 7;
	return 0;
}

/* The queue of class 3 of port 1, as it has to be. */
static struct {
	uint32_t limit_bytes, limit_packets, enter, leave;
	uint32_t bytes;
	unsigned int first, n; /* of the packets that wait */
	bool congested;
	uint64_t enters, leaves, marked, too_many_bytes, too_many_packets;
	struct {
		struct turns_frame frame;
		bool marked;
	} packet[4 * BENCH_QUEUE];
} q;

static void
model_set(bool congested)
{
	q.enters += congested && !q.congested;
	q.leaves += !congested && q.congested;
	q.congested = congested;
}

/* A packet arrives: the detector sees it first, and then the limits. */
static void
model_arrival(const struct turns_frame *f)
{
	const uint32_t with_it = q.bytes + f->len;

	if (with_it >= q.enter)
		model_set(true);
	else if (with_it < q.leave)
		model_set(false);
	if (with_it > q.limit_bytes) {
		q.too_many_bytes++;
		return;
	}
	if (q.n == q.limit_packets) {
		q.too_many_packets++;
		return;
	}
	q.packet[(q.first + q.n) % RTE_DIM(q.packet)].frame = *f;
	q.packet[(q.first + q.n) % RTE_DIM(q.packet)].marked = q.congested;
	q.n++;
	q.marked += q.congested;
	q.bytes = with_it;
}

/* The next packet leaves, as frame i of the port. */
static void
model_departure(unsigned int i)
{
	const struct turns_frame *f = &q.packet[q.first].frame;
	const uint8_t *ip = bench_out(1, i) + 14;
	const uint8_t ecn = f->kind == TURNS_IP4 ? ip[1] & 3 : ip[1] >> 4 & 3;

	assert_true(q.n > 0);
	assert_int_equal(turns_number(1, i), f->number);
	assert_int_equal(bench_out_len(1, i), f->len);
	assert_int_equal(ecn, q.packet[q.first].marked ? 3 : 1);
	if (f->kind == TURNS_IP4)
		assert_int_equal(ip4_checksum(ip), ip[10] << 8 | ip[11]);
	q.bytes -= f->len;
	q.n--;
	q.first = (q.first + 1) % RTE_DIM(q.packet);
}

/* Choose limits and thresholds; often such that sums of lengths come out even with them. */
static void
reconfigure(void)
{
	struct fcn_queue_conf *conf = bench_queue_conf(1, 3);

	q.limit_bytes = 200 * (1 + bench_below(300)) + bench_below(2);
	q.limit_packets = 1 + bench_below(300);
	q.enter = bench_below(4) == 0 ? UINT32_MAX / 2
				      : 200 * (1 + bench_below(150)) + bench_below(2);
	q.leave = bench_below(2) ? q.enter : 1 + bench_below(q.enter);
	conf->limit_bytes = q.limit_bytes;
	conf->limit_packets = q.limit_packets;
	conf->policy.ecn = true;
	conf->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_STEP,
			.enter = q.enter,
			.leave = q.leave,
			.limit = RTE_MAX(q.limit_bytes, q.enter + 1)};
	fcn_detector_levels(&conf->detector);
	bench_new_snapshot();
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown, .each = turns_widths);

TEST(limits_and_marks)
{
	const struct fcn_queue *queue = bench_queue(1, 3);
	uint32_t number = 0;

	memset(&q, 0, sizeof(q));
	for (unsigned int turn = 0; turn < fcn_test_effort(4000); turn++) {
		/* By port 0, and by port 3, which is polled after it. */
		const unsigned int n = bench_below(3) ? bench_below(BURST) : 0,
				   by_0 = bench_below(n + 1);
		const bool alike = bench_below(2), by_two = bench_below(2);
		unsigned int kind = bench_below(3);

		if (turn % 40 == 0) {
			/* All that waits leaves, and then the queue is another one. */
			bench.port[1].accept = UINT16_MAX;
			bench_poll(bench.worker->now + 1);
			for (unsigned int i = 0; i < bench.port[1].n_out; i++)
				model_departure(i);
			model_set(false);
			assert_int_equal(q.n, 0);
			reconfigure();
		}
		bench.port[1].accept = (uint16_t)(bench_below(3) ? bench_below(BURST) : 0);
		for (unsigned int i = 0; i < n; i++) {
			struct turns_frame f = TURNS_PLAIN(
					kind, by_two && bench_below(3) == 0 ? 2 : 1, number++);

			f.len = alike || bench_below(3) ? 200 : 140 + bench_below(1200);
			turns_in(i < by_0 ? 0 : 3, &f);
			if (f.net == 1)
				model_arrival(&f);
			if (!alike && bench_below(8) == 0)
				kind = bench_below(TURNS_KINDS);
		}
		bench_poll(bench.worker->now + 1);
		for (unsigned int i = 0; i < bench.port[1].n_out; i++)
			model_departure(i);
		if (q.bytes < q.leave)
			model_set(false);
		assert_int_equal(fcn_queue_packets(queue), q.n);
		assert_int_equal(queue->bytes, q.bytes);
		assert_int_equal(queue->stats.ce_marked, q.marked);
		assert_int_equal(queue->detector.enters, q.enters);
		assert_int_equal(queue->detector.leaves, q.leaves);
		assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), q.too_many_bytes);
		assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS), q.too_many_packets);
	}
	assert_true(q.marked > fcn_test_effort(1000) && q.enters > fcn_test_effort(100) &&
			q.leaves > fcn_test_effort(100));
	assert_true(q.too_many_bytes > fcn_test_effort(100) &&
			q.too_many_packets > fcn_test_effort(100));
	bench.port[1].accept = UINT16_MAX;
}

/*
 * A flow leaves by one member of its group, whatever its packets are like otherwise, and wherever
 * they are in a burst, in their order. Flows differ in their UDP source port; all members are used.
 */
TEST(groups)
{
	enum {
		FLOWS = 200
	};
	uint16_t port_of[2][FLOWS] = {{0}};
	uint32_t next[2][FLOWS] = {{0}}, got[2][FLOWS] = {{0}};
	unsigned int used[2][4] = {{0}};

	for (unsigned int turn = 0; turn < 2000; turn++) {
		for (unsigned int n = 1 + bench_below(BURST); n > 0; n--) {
			const unsigned int flow = bench_below(FLOWS);
			const enum turns_kind kind = bench_below(2) ? TURNS_IP6
								    : bench_below(TURNS_KINDS);
			const bool ip4 = kind == TURNS_IP4;
			const struct turns_frame plain = TURNS_PLAIN(
					kind, 6, flow << 16 | (next[ip4][flow]++ & 0xFFFF));
			struct frame f;

			turns_make(&f, &plain, 0);
			f.data[f.udp] = 0xC0;
			f.data[f.udp + 1] = (uint8_t)flow;
			bench_in(0, &f);
		}
		bench_poll(bench.worker->now + 1);
		for (uint16_t p = 1; p < 4; p++) {
			for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
				const bool ip4 = bench_out(p, i)[12] == 0x08;
				const uint32_t number = turns_number(p, i);
				const unsigned int flow = number >> 16;

				assert_int_equal(bench_out(p, i)[5], 20 + p);
				if (port_of[ip4][flow] == 0) {
					port_of[ip4][flow] = p;
					used[ip4][p]++;
				}
				assert_int_equal(port_of[ip4][flow], p);
				assert_int_equal(number & 0xFFFF, got[ip4][flow]++ & 0xFFFF);
			}
		}
	}
	for (unsigned int k = 0; k < 2; k++) {
		assert_memory_equal(next[k], got[k], sizeof(next[k]));
		for (unsigned int p = 1; p < 4; p++)
			assert_true(used[k][p] > FLOWS / 10);
	}
}

/*
 * A node writes into a trace its hop limit, with bit 1 of the type the ports, and with bit 6 the
 * bytes that waited in the queue when the packet came, those of the same burst included (RFC 9197
 * section 4.4.2).
 */
TEST(queue_depth)
{
	for (uint16_t p = 0; p < 4; p++)
		bench.snap.port[p].ioam.id = 0x100 + p;
	turns_transit(true);
	bench_set_ops(2, &bench_gate_ops);
	for (unsigned int turn = 0; turn < 600; turn++) {
		static uint32_t depth[3][4 * BURST], ids[3][4 * BURST];
		unsigned int in[3] = {0}, out[3] = {0};
		uint32_t bytes[3] = {0};

		/* Some bursts by ports 0 and 3, which is polled after it; nothing leaves meanwhile.
		 */
		bench.port[1].accept = bench.port[2].accept = 0;
		for (unsigned int burst = 1 + bench_below(4); burst > 0; burst--) {
			const unsigned int n = 1 + bench_below(BURST), by_0 = bench_below(n + 1);
			const bool by_two = bench_below(2);

			for (unsigned int i = 0; i < n; i++) {
				const enum turns_kind kind =
						bench_below(3) ? TURNS_TRACE
							       : bench_below(TURNS_KINDS);
				const uint8_t to = by_two && bench_below(3) == 0 ? 2 : 1;
				struct turns_frame want = TURNS_PLAIN(kind, to, in[to]);
				struct frame f;

				want.len = 200 + 4 * bench_below(9);
				turns_make(&f, &want, i < by_0 ? 0 : 3);
				if (kind == TURNS_TRACE) {
					f.data[14 + 40 + 10] = 3 << 3; /* words of a node */
					f.data[14 + 40 + 12] = 0xC2;   /* bits 0, 1 and 6 */
				}
				bench_in(i < by_0 ? 0 : 3, &f);
				ids[to][in[to]] = (0x100u + (i < by_0 ? 0 : 3)) << 16 |
						  (0x100u + to);
				depth[to][in[to]++] = bytes[to];
				bytes[to] += f.len;
			}
			bench_poll(bench.worker->now + 1);
		}
		bench.port[1].accept = bench.port[2].accept = UINT16_MAX;
		while (out[1] + out[2] < in[1] + in[2]) {
			bench_poll(bench.worker->now + 1);
			assert_true(bench.port[1].n_out + bench.port[2].n_out > 0);
			for (uint16_t p = 1; p <= 2; p++) {
				for (unsigned int i = 0; i < bench.port[p].n_out; i++, out[p]++) {
					const uint8_t *hbh = bench_out(p, i) + 14 + 40;

					assert_int_equal(turns_number(p, i), out[p]);
					if (hbh[-40 + 6] != 0 || hbh[4] != 0x31)
						continue;
					assert_int_equal(hbh[11], 1); /* word that is left */
					assert_int_equal(hbh[20], 63);
					assert_int_equal(fcn_get_be32(hbh + 24), ids[p][out[p]]);
					assert_int_equal(fcn_get_be32(hbh + 28), depth[p][out[p]]);
				}
			}
		}
	}
}
