/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Traces of packets that are queued in a run, or that take the fast path, are written as those of
 * packets that are queued one by one, which a queue with the mark `slow_path` makes them.
 */

#include "fast_widths.h"
#include "mix.h"

#define TURNS 150
#define BURST 20
#define FRAMES_MAX 8192

/* How packets are queued. */
enum way {
	ONE_BY_ONE,
	IN_RUNS,
	FAST_PATH,
	WAYS
};

/* What became of the packets: a hash of each that left, by port and order, and counters. */
struct outcome {
	unsigned int n;
	uint64_t left[FRAMES_MAX];
	uint64_t drops[FCN_DROP_REASON_COUNT];
	uint64_t written, overflow, full, foreign, malformed, roce;
};

static void
configure(enum way way)
{
	struct fcn_ioam_conf *conf = &bench.snap.ioam;

	bench_route("2001:db8:1::/48", 5);
	bench_routes_done();
	bench_set_ops(1, &bench_gate_ops);
	if (way != FAST_PATH)
		bench.worker->fast = NULL;
	*conf = (struct fcn_ioam_conf){.any_transit = true,
			.node_id = 0x010203,
			.node_id_wide = 0x11121314151617,
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234,
					.short_data = FCN_IOAM_DATA_VALUE,
					.short_value = 0x61626364,
					.wide_data = FCN_IOAM_DATA_TX_BYTES,
					.schema_id = 0x717273,
					.schema_words = 1}}};
	for (uint16_t p = 0; p < 4; p++) {
		struct fcn_ioam_port *port = &bench.snap.port[p].ioam;

		port->transit = p != 2;
		port->id = 0x2100 + p;
		port->id_wide = 0x31323300 + p;
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		bench_queue_conf(1, c)->slow_path = way == ONE_BY_ONE;
		bench_queue_conf(1, c)->limit_bytes = 3000;
	}
}

/* What the traces of packets are like. */
struct kind {
	uint32_t type;
	unsigned int hops, used;
};

/* Most packets are like the one before. */
static void
frame_random(struct frame *f, struct kind *kind, uint64_t *seed)
{
	static const uint32_t types[] = {0xC00000, 0xFE0000, 0x00F000, 0xC80000, 0xC00002};
	uint32_t type;
	unsigned int hops, used;

	if (fcn_test_random(seed) % 6 == 0) {
		kind->type = types[fcn_test_random(seed) % RTE_DIM(types)];
		kind->hops = 1 + fcn_test_random(seed) % 3;
		kind->used = fcn_test_random(seed) % (kind->hops + 1);
	}
	type = kind->type;
	hops = kind->hops;
	used = kind->used;
	if (fcn_test_random(seed) % 16 == 0) {
		frame_ioam6_tunnel(f, type, fcn_ioam_node_len(type),
				(hops - used) * fcn_ioam_node_len(type), fcn_test_random(seed) % 2,
				40);
	} else {
		frame_ioam6(f, type, fcn_ioam_node_len(type),
				(hops - used) * fcn_ioam_node_len(type),
				used * fcn_ioam_node_len(type), fcn_test_random(seed) % 300);
		if (fcn_test_random(seed) % 16 == 0)
			f->data[TRACE_OFF + 1] ^= 1; /* another namespace */
		if (fcn_test_random(seed) % 16 == 0)
			f->data[TRACE_OFF + 2] |= 4; /* Overflow */
		if (fcn_test_random(seed) % 16 == 0)
			f->data[TRACE_OFF + 3] ^= 1; /* RemainingLen */
	}
	frame_class(f, fcn_test_random(seed) % 8 == 0 ? 2 : 3, 1);
}

static void
note(struct outcome *o)
{
	for (unsigned int i = 0; i < bench.port[1].n_out; i++) {
		assert_in_range(o->n, 0, FRAMES_MAX - 1);
		o->left[o->n++] = mix_of(bench_out(1, i), bench_out_len(1, i));
	}
}

/* @return number of packets that took the fast path */
static unsigned int
run(struct outcome *o, enum way way, uint64_t seed)
{
	struct kind kind = {.type = 0xC00000, .hops = 1};
	unsigned int taken = 0;
	uint64_t now = 1;

	configure(way);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		for (unsigned int k = fcn_test_random(&seed) % BURST; k > 0; k--) {
			static const uint16_t ports[] = {0, 2, 3};
			struct frame f;

			frame_random(&f, &kind, &seed);
			frame_to_port(&f, ports[turn % 4 % 3], 1);
			bench_in(ports[turn % 4 % 3], &f);
			if (k % 5 == 0) /* another port in the same burst */
				bench_in(ports[(turn % 4 + 1) % 3], &f);
		}
		bench.port[1].accept = fcn_test_random(&seed) % 24;
		now += fcn_test_random(&seed) % 5000;
		fast_try();
		bench_poll(now);
		taken += fast_taken();
		note(o);
	}
	bench.port[1].accept = UINT16_MAX;
	bench_poll(now + 7);
	note(o);
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		o->drops[r] = bench_drops(r);
	for (unsigned int p = 0; p < 4; p++) {
		const struct fcn_port_counters *c = &bench.worker->counters[p];

		o->written += c->ioam_written;
		o->overflow += c->ioam_overflow;
		o->full += c->ioam_full;
		o->foreign += c->ioam_foreign;
		o->malformed += c->ioam_malformed;
		o->roce += c->roce_packets;
	}
	return taken;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(ways)
{
	static struct outcome outcome[WAYS];

	for (uint64_t seed = 1; seed < 6; seed++) {
		memset(outcome, 0, sizeof(outcome));
		for (enum way way = 0; way < WAYS; way++) {
			unsigned int taken;

			assert_int_equal(bench_setup(state), 0);
			taken = run(&outcome[way], way, seed);
			assert_int_equal(bench_teardown(state), 0);
			if (way == FAST_PATH)
				assert_in_range(taken, TURNS / 2, UINT32_MAX);
			else
				assert_int_equal(taken, 0);
			assert_memory_equal(&outcome[0], &outcome[way], sizeof(outcome[0]));
		}
		assert_in_range(outcome[0].written, 300, UINT64_MAX);
		assert_in_range(outcome[0].overflow, 10, UINT64_MAX);
		assert_in_range(outcome[0].full, 10, UINT64_MAX);
		assert_in_range(outcome[0].foreign, 10, UINT64_MAX);
		assert_in_range(outcome[0].malformed, 10, UINT64_MAX);
		assert_in_range(outcome[0].drops[FCN_DROP_QUEUE_BYTES], 1, UINT64_MAX);
	}
}
