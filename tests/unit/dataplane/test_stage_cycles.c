/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Cycles of stages: counted only while they are wanted, and then packets fare as without. */

#include "fcn_test.h"
#include "testbed.h"

/* Cycles that the counter advances with each reading. */
static uint64_t counter, step;
static unsigned int readings;

static uint64_t
read_counter(void)
{
	readings++;
	return counter += step;
}

static int
setup(void **state)
{
	int rc = bench_setup(state);

	bench_port_routes(2);
	counter = UINT32_MAX;
	step = 10;
	readings = 0;
	bench.worker->stage_clock.read = read_counter;
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* The turn that adapts to the snapshot is not measured yet, or still. */
static void
measure(bool on, uint64_t now)
{
	bench.snap.stage_cycles = on;
	bench_new_snapshot();
	bench_poll(now);
}

static void
arrive(unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
}

static void
assert_work(unsigned int stage, uint64_t packets, uint64_t calls)
{
	const struct fcn_stage_work *work = &bench.worker->stage_cycles.sum[stage];

	if (work->packets != packets || work->calls != calls)
		fail_msg("stage %u: %llu packets, %llu calls", stage,
				(unsigned long long)work->packets, (unsigned long long)work->calls);
}

static uint64_t
all_cycles(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < FCN_CYCLES_COUNT; i++)
		sum += bench.worker->stage_cycles.sum[i].cycles;
	return sum;
}

TEST(off)
{
	arrive(3);
	bench_poll(100);
	assert_int_equal(readings, 0);
	bench.worker->stage_clock.read = NULL;
	measure(true, 200); /* there is no counter */
	arrive(3);
	bench_poll(300);
	assert_false(bench.worker->stage_clock.on);
	assert_int_equal(all_cycles(), 0);
}

TEST(stages)
{
	const struct fcn_fast_functions *fast = bench.worker->fast;
	uint64_t laps;

	measure(true, 100);
	readings = 0;
	step = 25; /* 10 of them are what a reading takes */
	bench.worker->fast = NULL;
	arrive(3);
	bench_poll(200);
	laps = readings - 1;
	arrive(2);
	bench_poll(300);
	assert_work(FCN_STAGE_RX, 5, 2);
	assert_work(FCN_STAGE_FAST_PATH, 0, 0);
	assert_work(FCN_STAGE_CLASSIFY, 5, 2);
	assert_work(FCN_STAGE_ROUTE, 5, 2);
	assert_work(FCN_STAGE_ENQUEUE, 5, 2);
	assert_work(FCN_STAGE_TRANSMIT, 5, 2);
	assert_work(FCN_STAGE_NOTICE, 0, 0);
	assert_work(FCN_CYCLES_OTHER, 5, 2);
	assert_work(FCN_CYCLES_IDLE, 0, 0);
	assert_int_equal(bench.worker->stage_cycles.sum[FCN_STAGE_CLASSIFY].cycles, 2 * 15);
	assert_int_equal(all_cycles(), 2 * laps * 15);

	/* a turn that moves nothing is apart */
	bench_poll(400);
	assert_work(FCN_STAGE_RX, 5, 2);
	assert_work(FCN_CYCLES_IDLE, 0, 1);
	assert_true(bench.worker->stage_cycles.sum[FCN_CYCLES_IDLE].cycles > 0);

	/* a turn in which something else had the processor is left out */
	step = FCN_CYCLES_TURN_MAX;
	arrive(1);
	bench_poll(500);
	assert_int_equal(bench.worker->stage_cycles.left_out, 1);
	assert_work(FCN_STAGE_RX, 5, 2);

	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(all_cycles(), 0);
	assert_int_equal(bench.worker->stage_cycles.left_out, 0);
	step = 25;
	arrive(1);
	bench_poll(600);
	assert_work(FCN_STAGE_RX, 1, 1);

	/* the fast path takes the place of the stages up to the class queues */
	bench.worker->fast = fast;
	arrive(4);
	bench_poll(650);
	assert_work(FCN_STAGE_RX, 5, 2);
	assert_work(FCN_STAGE_FAST_PATH, 4, 1);
	assert_work(FCN_STAGE_CLASSIFY, 1, 1);
	assert_work(FCN_STAGE_ENQUEUE, 1, 1);
	assert_work(FCN_STAGE_TRANSMIT, 5, 2);

	measure(false, 700);
	readings = 0;
	arrive(1);
	bench_poll(800);
	assert_int_equal(readings, 0);
	assert_work(FCN_STAGE_RX, 5, 2); /* what was counted stays */
}

/* Notices are made within the walk, and their stages count beside those of packets. */
TEST(notices)
{
	bench_notices(1, 100);
	measure(true, 100);
	step = 25;
	arrive(4);
	bench_poll(200);
	assert_work(FCN_STAGE_NOTICE, bench.worker->notice_accounting[0].made, 1);
	assert_true(bench.worker->notice_accounting[0].made > 0);
	assert_work(FCN_STAGE_FAST_PATH, 4, 1); /* recognised, and taken to their queue */
	assert_work(FCN_STAGE_ROUTE, bench.worker->notice_accounting[0].made, 1);
	assert_work(FCN_STAGE_RX, 4, 1);
}

/* What traffic came to, with and without measuring. */
struct outcome {
	struct fcn_port_counters counters[FCN_MAX_PORTS];
	uint64_t bytes; /* hash of what was sent, in order */
	uint64_t notices;
};

static void
run(struct outcome *o, bool measured)
{
	uint64_t seed = 7;

	bench_notices(1, 3000);
	measure(measured, 50);
	for (uint64_t turn = 1; turn <= 400; turn++) {
		unsigned int n = fcn_test_random(&seed) % 40;

		for (unsigned int i = 0; i < n; i++) {
			struct frame f;
			uint16_t to = fcn_test_random(&seed) % 2;

			frame_roce6(&f, fcn_test_random(&seed) % 9, to, 2,
					fcn_test_random(&seed) % 900);
			frame_class(&f, fcn_test_random(&seed) % 8, 1);
			bench_in(0, &f);
		}
		bench.port[1].accept = fcn_test_random(&seed) % 30;
		bench_poll(turn * 1000);
		for (unsigned int p = 0; p < 4; p++) {
			for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
				const uint8_t *bytes = bench_out(p, i);

				for (uint32_t k = 0; k < bench_out_len(p, i); k++)
					o->bytes = (o->bytes ^ bytes[k]) * 0x9e3779b97f4a7c15;
			}
		}
	}
	memcpy(o->counters, bench.worker->counters, sizeof(o->counters));
	o->notices = bench.worker->notice_accounting[0].made;
	if (measured)
		assert_true(bench.worker->stage_cycles.sum[FCN_STAGE_RX].packets > 1000);
}

TEST(same)
{
	static struct outcome without, with;

	run(&without, false);
	bench.port[1].accept = UINT16_MAX;
	while (bench_poll(1000000) != 0)
		;
	bench_teardown(state);
	setup(state);
	run(&with, true);
	assert_true(without.notices > 0);
	assert_int_equal(with.notices, without.notices);
	assert_int_equal(with.bytes, without.bytes);
	assert_memory_equal(with.counters, without.counters, sizeof(with.counters));
}
