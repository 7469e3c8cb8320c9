/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Traces on their way round: what the reaction point is told of those that acknowledgements echo.
 * Its function is watched.
 */

#include "fcn_ioam.h"
#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000)
#define TRACE_OFF (14 + 40 + 8) /* in data and in acknowledgements */
#define WINDOW_PACKETS 10
#define PACKETS 100
#define MAX_TRACES 256

static struct {
	unsigned int n;
	bool full[MAX_TRACES];
	uint32_t queue[MAX_TRACES]; /* what the one hop wrote */
} told;

void __wrap_fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace,
		bool early, bool full, uint64_t now);

void
__wrap_fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now)
{
	const uint8_t *node = trace->data + 4 * trace->remaining_len;

	RTE_SET_USED(r);
	RTE_SET_USED(now);
	assert_false(early);
	assert_true(told.n < MAX_TRACES);
	assert_int_equal(trace->words - trace->remaining_len, trace->node_len);
	told.full[told.n] = full;
	told.queue[told.n++] = (uint32_t)node[18] << 8 | node[19];
}

/* A hop that saw a queue as long as the packet's number. */
static bool
hop(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	const struct fcn_ioam_node node = {.queue_depth = p->data[0].sent - 1};
	uint16_t delay;

	RTE_SET_USED(len);
	if (from == 0)
		assert_int_equal(fcn_ioam_trace_write(frame + TRACE_OFF, frame[TRACE_OFF - 3] - 2,
						 &node, &delay),
				FCN_IOAM_WRITTEN);
	return true;
}

/* The echo's Trace-Type and NodeLen do not agree. */
static bool
spoil(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	if (from == 1)
		frame[TRACE_OFF + 2] ^= 0x08;
	return from == 1 || hop(p, from, frame, len);
}

static struct pair p;

static void
run(bool (*tap)(struct pair *pair, unsigned int from, uint8_t *frame, uint32_t len))
{
	uint32_t qp[2];

	memset(&told, 0, sizeof(told));
	pair_init(&p);
	p.tap = tap;
	for (unsigned int i = 0; i < 2; i++) {
		p.conf[i].ioam = true;
		p.conf[i].ack_every = 1;
		p.conf[i].window = WINDOW_PACKETS * 1024;
	}
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], PACKETS * 1024, 0, 0), 0);
	assert_true(pair_run(&p, FOREVER));
	assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
}

TEST_FIXTURE(FCN_TEST_EAL);

/* Each packet's own trace comes back, and every tenth ends a round trip. */
TEST(rounds)
{
	run(hop);
	assert_int_equal(told.n, PACKETS);
	assert_int_equal(pair_counters(&p, 0).trace_received, PACKETS);
	assert_int_equal(pair_counters(&p, 0).trace_empty, 0);
	for (unsigned int i = 0; i < PACKETS; i++) {
		assert_int_equal(told.queue[i], i);
		assert_int_equal(told.full[i], i % WINDOW_PACKETS == 0);
	}
	pair_stop(&p);
}

TEST(malformed)
{
	run(spoil);
	assert_int_equal(told.n, 0);
	assert_int_equal(pair_counters(&p, 0).trace_received, 0);
	assert_int_equal(pair_counters(&p, 0).trace_malformed, PACKETS);
	assert_int_equal(pair_counters(&p, 0).ack_received, PACKETS);
	pair_stop(&p);
}
