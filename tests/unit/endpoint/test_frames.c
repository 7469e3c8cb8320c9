/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Every octet of every frame of an exchange with a mark and a loss, as endpoint_frames.py makes
 * them.
 */

#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000)
#define PSN_OFF 9 /* from the BTH */
#define NODE_LEN 28
#define TRACE_LEN 92 /* of data: three hops' words and their header */
#define TRACE_OFF (14 + 40 + 8)

struct expected {
	const uint8_t *bytes;
	uint32_t len;
};

struct variant {
	enum fcn_icrc_mode mode;
	bool ioam;
	bool write;
	struct {
		const struct expected *frame;
		unsigned int n;
	} side[2];
};

#include "endpoint_frames.h"

struct progress {
	const struct variant *v;
	unsigned int n[2];
	bool lost;
};

/* What a hop with the node data of the model writes. */
static void
write_node(uint8_t *frame)
{
	uint8_t *trace = frame + TRACE_OFF;

	trace[3] -= NODE_LEN / 4;
	for (unsigned int i = 0; i < NODE_LEN; i++)
		trace[TRACE_LEN - NODE_LEN + i] = (uint8_t)(0xA0 + i);
}

static bool
compare(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	struct progress *at = p->tap_arg;
	unsigned int n = at->n[from]++;
	uint32_t bth = 14 + 40 + 8 + (from == 0 && at->v->ioam ? 104 : 0);

	assert_true(n < at->v->side[from].n);
	assert_int_equal(len, at->v->side[from].frame[n].len);
	assert_memory_equal(frame, at->v->side[from].frame[n].bytes, len);
	if (from == 1)
		return true;
	if (frame[bth + PSN_OFF + 2] == 2)
		frame[15] |= 0x30; /* CE */
	if (at->v->ioam && at->v->mode != FCN_ICRC_COVER)
		write_node(frame);
	if (frame[bth + PSN_OFF + 2] == 4 && !at->lost) {
		at->lost = true;
		return false;
	}
	return true;
}

static void
exchange(const struct variant *v)
{
	static const uint64_t sizes[] = {1, 3000, 1024, 2048};
	struct progress at = {.v = v};
	static struct pair p;
	uint32_t qp[2];

	pair_init(&p);
	for (unsigned int i = 0; i < 2; i++) {
		p.conf[i].ack_every = 0;
		p.conf[i].icrc_mode = v->mode;
		p.conf[i].ioam = v->ioam;
		p.conf[i].ioam_hops = 3;
		p.conf[i].operation = v->write ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
	}
	p.tap = compare;
	p.tap_arg = &at;
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	for (unsigned int i = 0; i < RTE_DIM(sizes); i++)
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], sizes[i], i, 0), 0);
	assert_true(pair_run(&p, FOREVER));
	assert_int_equal(at.n[0], v->side[0].n);
	assert_int_equal(at.n[1], v->side[1].n);
	assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), RTE_DIM(sizes));
	assert_int_equal(pair_counters(&p, 0).trace_received, v->ioam ? 5 : 0);
	assert_int_equal(pair_counters(&p, 0).cnp_received, 1);
	pair_stop(&p);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(exchange)
{
	for (unsigned int i = 0; i < RTE_DIM(variants); i++)
		exchange(&variants[i]);
}
