/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Held flows against a simple model: arrays of packet numbers by flow, no hash, no lists. Random
 * messages and packets of ten flows; every packet leaves once, in the order of its flow, never
 * while the flow is held, and at once when it is not.
 */

#include <string.h>

#include <rte_memory.h>

#include "fcn_held_flows.h"
#include "fcn_random.h"
#include "fcn_test.h"

#define FLOWS 10
#define TABLE 6
#define PACKETS 64
#define STEPS 300000

static const struct fcn_held_flows_conf conf = {
		.flows = TABLE,
		.packets = 40,
		.bytes = 20000,
		.flow_packets = 12,
		.flow_bytes = 6000,
		.max_ns = 900,
};

struct model {
	bool known; /* it has an element in the table */
	bool held;
	uint64_t until;
	unsigned int n;
	uint32_t number[PACKETS], len[PACKETS];
};

static struct fcn_held_flows h;
static struct model model[FLOWS];
static uint32_t packet_of[PACKETS]; /* by slot, as a caller keeps them */

static struct fcn_held_key
key(unsigned int i)
{
	struct fcn_held_key k = {.mode = i % 2, .flow = {.version = 6, .proto = 17}};

	k.flow.src_port = i / 2;
	return k;
}

static uint64_t
total_bytes(void)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < FLOWS; i++)
		for (unsigned int k = 0; k < model[i].n; k++)
			bytes += model[i].len[k];
	return bytes;
}

static unsigned int
total_packets(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < FLOWS; i++)
		n += model[i].n;
	return n;
}

static unsigned int
known(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < FLOWS; i++)
		n += model[i].known;
	return n;
}

static void
settle(uint64_t now)
{
	for (unsigned int i = 0; i < FLOWS; i++) {
		model[i].held &= model[i].until > now;
		model[i].known = model[i].held || model[i].n != 0;
	}
}

static void
send_message(unsigned int i, uint64_t time_ns, uint64_t now)
{
	const struct fcn_held_key k = key(i);
	struct model *m = &model[i];
	enum fcn_held_result r = fcn_held_flows_message(&h, &conf, &k, time_ns, now);

	if (time_ns == 0) {
		assert_int_equal(r, m->held ? FCN_HELD_ENDED : FCN_HELD_NOT);
		m->held = false;
	} else if (!m->known && known() == TABLE) {
		assert_int_equal(r, FCN_HELD_FULL);
	} else {
		assert_int_equal(r, m->held ? FCN_HELD_RENEWED : FCN_HELD_BEGAN);
		m->held = true;
		m->until = now + (time_ns > 900 ? 900 : time_ns);
	}
	settle(now);
}

static void
send_packet(unsigned int i, uint32_t number, uint32_t len)
{
	const struct fcn_held_key k = key(i);
	struct model *m = &model[i];
	uint32_t flow = fcn_held_flows_find(&h, &k), slot;
	uint64_t bytes = 0;

	assert_int_equal(flow != FCN_HELD_FLOWS_NONE, m->known);
	if (flow == FCN_HELD_FLOWS_NONE)
		return;
	for (unsigned int n = 0; n < m->n; n++)
		bytes += m->len[n];
	if (m->n == 12 || bytes + len > 6000) {
		assert_int_equal(fcn_held_flows_push(&h, &conf, flow, len, &slot),
				FCN_HELD_FLOW_LIMIT);
	} else if (total_packets() == 40 || total_bytes() + len > 20000) {
		assert_int_equal(fcn_held_flows_push(&h, &conf, flow, len, &slot),
				FCN_HELD_TOTAL_LIMIT);
	} else {
		assert_int_equal(fcn_held_flows_push(&h, &conf, flow, len, &slot), FCN_HELD_WAITS);
		packet_of[slot] = number;
		m->number[m->n] = number;
		m->len[m->n++] = len;
	}
}

static void
let_one_leave(uint64_t now)
{
	uint32_t flow = fcn_held_flows_leaving(&h), number;
	unsigned int i = 0, may = 0;

	for (unsigned int n = 0; n < FLOWS; n++)
		may += !model[n].held && model[n].n != 0;
	assert_int_equal(flow != FCN_HELD_FLOWS_NONE, may != 0);
	if (may == 0)
		return;
	number = packet_of[fcn_held_flows_pop(&h, flow)];
	while (i < FLOWS && (model[i].held || model[i].n == 0 || model[i].number[0] != number))
		i++;
	assert_int_not_equal(i, FLOWS);
	model[i].n--;
	memmove(&model[i].number[0], &model[i].number[1], model[i].n * sizeof(uint32_t));
	memmove(&model[i].len[0], &model[i].len[1], model[i].n * sizeof(uint32_t));
	settle(now);
}

/* All flows that may let a packet leave are skipped, each once. */
static void
skip_all(uint64_t now)
{
	uint64_t next = FCN_HELD_FLOWS_NEVER;
	unsigned int may = 0, skipped = 0;
	bool seen[TABLE] = {false};

	for (unsigned int n = 0; n < FLOWS; n++) {
		may += !model[n].held && model[n].n != 0;
		if (model[n].held)
			next = RTE_MIN(next, model[n].until);
	}
	for (uint32_t flow; (flow = fcn_held_flows_leaving(&h)) != FCN_HELD_FLOWS_NONE; skipped++) {
		assert_false(seen[flow]);
		seen[flow] = true;
		fcn_held_flows_skip(&h);
	}
	assert_int_equal(skipped, may);
	assert_true(fcn_held_flows_next(&h, now) <= next);
	fcn_held_flows_retry(&h);
	assert_int_equal(fcn_held_flows_leaving(&h) != FCN_HELD_FLOWS_NONE, may != 0);
}

static bool
is_multiple(void *arg, uint32_t slot)
{
	return packet_of[slot] % *(const uint32_t *)arg == 0;
}

/* The packets with some numbers go, wherever they wait. */
static void
remove_some(uint32_t divisor, uint64_t now)
{
	fcn_held_flows_remove(&h, is_multiple, &divisor);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct model *m = &model[i];
		unsigned int kept = 0;

		for (unsigned int n = 0; n < m->n; n++) {
			if (m->number[n] % divisor == 0)
				continue;
			m->number[kept] = m->number[n];
			m->len[kept++] = m->len[n];
		}
		m->n = kept;
	}
	settle(now);
}

/* The time at which something happens is never missed, and a turn then finds it. */
static void
check_next(uint64_t now)
{
	uint64_t next = FCN_HELD_FLOWS_NEVER;

	for (unsigned int i = 0; i < FLOWS; i++) {
		if (model[i].held)
			next = RTE_MIN(next, model[i].until);
		else if (model[i].n != 0)
			next = now;
	}
	/* An end that a newer message has postponed may still be looked at. */
	assert_true(fcn_held_flows_next(&h, now) <= next);
	assert_true(fcn_held_flows_next(&h, now) >= now);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(model)
{
	const struct fcn_hash_key hash = {{0}};
	struct fcn_random random = {.state = 7};
	uint64_t now = 0;

	assert_int_equal(fcn_held_flows_init(&h, TABLE, PACKETS, &hash, SOCKET_ID_ANY), 0);
	for (uint32_t step = 0; step < STEPS; step++) {
		const uint64_t r = fcn_random64(&random);
		const unsigned int i = (r >> 8) % FLOWS;

		now += (r >> 16) % 40;
		fcn_held_flows_update(&h, &conf, now);
		settle(now);
		switch (r % 8) {
		case 0:
			send_message(i, (r >> 32) % 4 == 0 ? 0 : (r >> 32) % 2000, now);
			break;
		case 1:
			if ((r >> 32) % 8 == 0)
				skip_all(now);
			else if ((r >> 32) % 64 == 1)
				remove_some(2 + (r >> 40) % 3, now);
			else
				let_one_leave(now);
			break;
		case 2:
		case 3:
			let_one_leave(now);
			break;
		default:
			send_packet(i, step, 60 + (r >> 32) % 1400);
			break;
		}
		assert_int_equal(h.packets, total_packets());
		assert_int_equal(h.bytes, total_bytes());
		assert_int_equal(h.n_flows, known());
		check_next(now);
	}
	fcn_held_flows_fini(&h);
}
