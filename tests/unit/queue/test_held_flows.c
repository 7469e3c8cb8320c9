/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Held flows: which packets wait, for how long to the nanosecond, in which order they leave, and
 * what each limit does to the packet.
 */

#include <rte_memory.h>

#include "fcn_held_flows.h"
#include "fcn_test.h"

#define US UINT64_C(1000)
#define FLOWS 4
#define PACKETS 8

static struct fcn_held_flows h;

static const struct fcn_held_flows_conf conf = {
		.flows = 3,
		.packets = 6,
		.bytes = 5000,
		.flow_packets = 4,
		.flow_bytes = 4000,
		.max_ns = 10000 * US,
		.detect_ns = 50 * US,
		.restore_ns = 30 * US,
};

static int
setup(void **state)
{
	const struct fcn_hash_key hash = {{0}};

	RTE_SET_USED(state);
	return fcn_held_flows_init(&h, FLOWS, PACKETS, &hash, SOCKET_ID_ANY);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_held_flows_fini(&h);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct fcn_held_key
key(uint16_t port)
{
	struct fcn_held_key k = {.mode = FCN_ARN_MODE_FLOW,
			.flow = {.version = 6, .proto = 17, .dst_port = 4791}};

	k.flow.src_port = port;
	k.flow.src[15] = 1;
	k.flow.dst[15] = 2;
	return k;
}

static enum fcn_held_result
message(uint16_t port, uint64_t time_ns, uint64_t now)
{
	const struct fcn_held_key k = key(port);

	return fcn_held_flows_message(&h, &conf, &k, time_ns, now);
}

static uint32_t
find(uint16_t port)
{
	const struct fcn_held_key k = key(port);

	return fcn_held_flows_find(&h, &k);
}

static uint32_t
push(uint16_t port, uint32_t len)
{
	uint32_t slot = FCN_HELD_FLOWS_NONE;

	assert_int_not_equal(find(port), FCN_HELD_FLOWS_NONE);
	assert_int_equal(fcn_held_flows_push(&h, &conf, find(port), len, &slot), FCN_HELD_WAITS);
	return slot;
}

/* The slot of the packet that leaves at a time; FCN_HELD_FLOWS_NONE: none does. */
static uint32_t
pull(uint64_t now)
{
	uint32_t flow;

	fcn_held_flows_update(&h, &conf, now);
	flow = fcn_held_flows_leaving(&h);
	return flow == FCN_HELD_FLOWS_NONE ? flow : fcn_held_flows_pop(&h, flow);
}

TEST(held_and_expired)
{
	uint32_t a, b;

	assert_int_equal(fcn_held_flows_next(&h, 5), FCN_HELD_FLOWS_NEVER);
	assert_int_equal(find(1), FCN_HELD_FLOWS_NONE);
	assert_int_equal(message(1, 20 * US, 1000), FCN_HELD_BEGAN);
	assert_int_equal(find(2), FCN_HELD_FLOWS_NONE); /* nobody else waits */
	a = push(1, 1000);
	b = push(1, 500);
	assert_int_equal(h.bytes, 1500);
	assert_int_equal(fcn_held_flows_next(&h, 1000), 21 * US);
	assert_int_equal(pull(21 * US - 1), FCN_HELD_FLOWS_NONE);
	assert_int_equal(pull(21 * US), a);
	assert_int_equal(fcn_held_flows_next(&h, 21 * US), 21 * US);
	assert_int_equal(pull(21 * US), b);
	assert_int_equal(pull(21 * US), FCN_HELD_FLOWS_NONE);
	assert_int_equal(h.n_flows, 0);
	assert_int_equal(h.bytes, 0);
	assert_int_equal(h.packets, 0);
	assert_int_equal(fcn_held_flows_next(&h, 21 * US), FCN_HELD_FLOWS_NEVER);
}

TEST(key)
{
	struct fcn_held_key k = key(1);

	message(1, 20 * US, 0);
	k.flow.level = 5;
	assert_int_not_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	k.mode = FCN_ARN_MODE_SERVICE;
	assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	k = key(1);
	k.flow.proto = 6;
	assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	k = key(1);
	k.flow.version = 4;
	assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	k = key(1);
	k.flow.dst_port++;
	assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	for (unsigned int i = 0; i < 16; i++) {
		k = key(1);
		k.flow.src[i] ^= 1;
		assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
		k = key(1);
		k.flow.dst[i] ^= 1;
		assert_int_equal(fcn_held_flows_find(&h, &k), FCN_HELD_FLOWS_NONE);
	}
}

TEST(newest_wins)
{
	message(1, 20 * US, 0);
	push(1, 100);
	assert_int_equal(message(1, 20 * US, 10 * US), FCN_HELD_RENEWED);
	assert_int_equal(pull(20 * US), FCN_HELD_FLOWS_NONE);
	assert_int_equal(pull(30 * US - 1), FCN_HELD_FLOWS_NONE);
	/* A shorter time counts, too; a message that came twice changes nothing. */
	assert_int_equal(message(1, 3 * US, 25 * US), FCN_HELD_RENEWED);
	assert_int_equal(message(1, 3 * US, 25 * US), FCN_HELD_RENEWED);
	assert_int_equal(fcn_held_flows_next(&h, 25 * US), 28 * US);
	assert_int_equal(pull(28 * US - 1), FCN_HELD_FLOWS_NONE);
	assert_int_not_equal(pull(28 * US), FCN_HELD_FLOWS_NONE);
}

TEST(ended)
{
	assert_int_equal(message(1, 0, 0), FCN_HELD_NOT);
	message(1, 20 * US, 0);
	push(1, 100);
	assert_int_equal(message(1, 0, 7), FCN_HELD_ENDED);
	assert_int_equal(fcn_held_flows_next(&h, 7), 7);
	assert_int_equal(message(1, 0, 7), FCN_HELD_NOT);
	assert_int_not_equal(pull(7), FCN_HELD_FLOWS_NONE);
	assert_int_equal(h.n_flows, 0);
	/* Without packets it is forgotten at once. */
	message(1, 20 * US, 8);
	assert_int_equal(message(1, 0, 9), FCN_HELD_ENDED);
	assert_int_equal(h.n_flows, 0);
}

/* Packets that arrive while others of the flow leave go behind them, also in a new hold. */
TEST(order)
{
	uint32_t a, b, c, d;

	message(1, 20 * US, 0);
	a = push(1, 100);
	b = push(1, 100);
	c = push(1, 100);
	assert_int_equal(pull(20 * US), a);
	d = push(1, 100);
	assert_int_equal(pull(20 * US), b);
	assert_int_equal(message(1, 5 * US, 21 * US), FCN_HELD_BEGAN);
	assert_int_equal(pull(26 * US - 1), FCN_HELD_FLOWS_NONE);
	assert_int_equal(pull(26 * US), c);
	assert_int_equal(pull(26 * US), d);
	assert_int_equal(find(1), FCN_HELD_FLOWS_NONE);
}

/* Flows that leave take turns; one that cannot leave now does not stop the others. */
TEST(turns)
{
	uint32_t a1, a2, b1, b2, flow;

	message(1, 20 * US, 0);
	message(2, 20 * US, 0);
	a1 = push(1, 100);
	a2 = push(1, 100);
	b1 = push(2, 100);
	b2 = push(2, 100);
	assert_int_equal(pull(20 * US), a1);
	assert_int_equal(pull(20 * US), b1);
	flow = fcn_held_flows_leaving(&h);
	assert_int_equal(flow, find(1));
	fcn_held_flows_skip(&h);
	assert_int_equal(pull(20 * US), b2);
	assert_int_equal(pull(20 * US), a2);
}

/* When nothing can leave, there is nothing to do until something has changed. */
TEST(all_skipped)
{
	uint32_t a, b, c;

	message(1, 20 * US, 0);
	message(2, 20 * US, 0);
	message(3, 40 * US, 0);
	a = push(1, 100);
	b = push(2, 100);
	c = push(3, 100);
	fcn_held_flows_update(&h, &conf, 20 * US);
	fcn_held_flows_skip(&h);
	assert_int_equal(fcn_held_flows_next(&h, 20 * US), 20 * US);
	fcn_held_flows_skip(&h);
	assert_int_equal(fcn_held_flows_leaving(&h), FCN_HELD_FLOWS_NONE);
	assert_int_equal(fcn_held_flows_next(&h, 20 * US), 40 * US);
	fcn_held_flows_retry(&h);
	assert_int_equal(fcn_held_flows_next(&h, 20 * US), 20 * US);
	assert_int_equal(pull(20 * US), a);
	fcn_held_flows_skip(&h);
	assert_int_equal(fcn_held_flows_leaving(&h), FCN_HELD_FLOWS_NONE);
	/* A further flow may let packets leave, so all are looked at. */
	assert_int_equal(pull(40 * US), b);
	assert_int_equal(pull(40 * US), c);
	assert_int_equal(h.n_flows, 0);
}

static bool
is_slot(void *arg, uint32_t slot)
{
	return slot == *(const uint32_t *)arg;
}

/* Packets are removed at the head, in the middle and at the end of their flow. */
TEST(remove)
{
	uint32_t slot[4];

	message(1, 20 * US, 0);
	for (unsigned int i = 0; i < 4; i++)
		slot[i] = push(1, 100 + i);
	fcn_held_flows_remove(&h, is_slot, &slot[3]);
	fcn_held_flows_remove(&h, is_slot, &slot[1]);
	assert_int_equal(h.bytes, 202);
	slot[1] = push(1, 500);
	fcn_held_flows_remove(&h, is_slot, &slot[0]);
	assert_int_equal(pull(20 * US), slot[2]);
	assert_int_equal(h.leaving, 1);
	fcn_held_flows_remove(&h, is_slot, &slot[1]);
	assert_int_equal(h.leaving, 0);
	assert_int_equal(h.n_flows, 0);
	assert_int_equal(h.packets, 0);
}

TEST(maximum)
{
	struct fcn_held_flows_conf c = conf;
	const struct fcn_held_key k = key(1);

	c.detect_ns = 0;
	/* Until told otherwise, and nobody does. */
	fcn_held_flows_message(&h, &c, &k, UINT64_MAX, 5);
	push(1, 100);
	assert_int_equal(fcn_held_flows_next(&h, 5), 10000 * US + 5);
	fcn_held_flows_update(&h, &c, 10000 * US + 4);
	assert_int_equal(fcn_held_flows_leaving(&h), FCN_HELD_FLOWS_NONE);
	fcn_held_flows_update(&h, &c, 10000 * US + 5);
	assert_int_not_equal(fcn_held_flows_leaving(&h), FCN_HELD_FLOWS_NONE);
}

TEST(flow_limits)
{
	uint32_t slot;

	message(1, 20 * US, 0);
	push(1, 1000);
	push(1, 2999);
	assert_int_equal(fcn_held_flows_push(&h, &conf, find(1), 2, &slot), FCN_HELD_FLOW_LIMIT);
	push(1, 1);
	assert_int_equal(fcn_held_flows_push(&h, &conf, find(1), 1, &slot), FCN_HELD_FLOW_LIMIT);
	assert_int_equal(message(2, 20 * US, 0), FCN_HELD_BEGAN);
	push(2, 1);
	push(2, 1);
	push(2, 1);
	assert_int_equal(h.packets, 6);
	assert_int_equal(fcn_held_flows_push(&h, &conf, find(2), 1, &slot), FCN_HELD_TOTAL_LIMIT);
}

TEST(total_limits)
{
	uint32_t slot;

	message(1, 20 * US, 0);
	message(2, 20 * US, 0);
	assert_int_equal(message(3, 20 * US, 0), FCN_HELD_BEGAN);
	assert_int_equal(message(4, 20 * US, 0), FCN_HELD_FULL);
	assert_int_equal(find(4), FCN_HELD_FLOWS_NONE);
	push(1, 2500);
	assert_int_equal(
			fcn_held_flows_push(&h, &conf, find(2), 2501, &slot), FCN_HELD_TOTAL_LIMIT);
	push(2, 2500);
	/* Room that is free again can be used again. */
	message(1, 0, 1);
	assert_int_not_equal(pull(1), FCN_HELD_FLOWS_NONE);
	push(2, 100);
	assert_int_equal(message(4, 20 * US, 2), FCN_HELD_BEGAN);
}

/* 1 us of messages, each for 20 us, until the flow was held for 50 us without interruption. */
TEST(watchdog)
{
	uint64_t now;

	assert_int_equal(message(1, 20 * US, 1), FCN_HELD_BEGAN);
	push(1, 100);
	for (now = US + 1; now < 50 * US; now += US)
		assert_int_equal(message(1, 20 * US, now), FCN_HELD_RENEWED);
	assert_int_equal(fcn_held_flows_next(&h, now), 50 * US + 1);
	assert_int_equal(pull(50 * US), FCN_HELD_FLOWS_NONE);
	assert_int_not_equal(pull(50 * US + 1), FCN_HELD_FLOWS_NONE);
	assert_int_equal(h.n_flows, 1); /* the storm is remembered, */
	assert_int_equal(find(1), FCN_HELD_FLOWS_NONE);
	/* until no message has come for 30 us. */
	assert_int_equal(message(1, 20 * US, 60 * US), FCN_HELD_STORM);
	assert_int_equal(find(1), FCN_HELD_FLOWS_NONE);
	assert_int_equal(fcn_held_flows_next(&h, 60 * US), 79 * US + 1); /* nothing is due then */
	fcn_held_flows_update(&h, &conf, 79 * US + 1);
	assert_int_equal(message(1, 20 * US, 90 * US - 1), FCN_HELD_STORM);
	fcn_held_flows_update(&h, &conf, 120 * US - 2);
	assert_int_equal(h.n_flows, 1);
	fcn_held_flows_update(&h, &conf, 120 * US - 1);
	assert_int_equal(h.n_flows, 0);
	assert_int_equal(message(1, 20 * US, 120 * US), FCN_HELD_BEGAN);
}

/*
 * Who ends holds and begins them again does not escape. 300 ns between two holds deduct 5 us, as 3
 * us deduct 50 us: after holds of 20 us, 20, 15 + 20 = 35 and 30 + 20 = 50 us are used up. That is
 * no storm yet; 45 us are left of it 300 ns later, and the next hold ends after 5 us.
 */
TEST(watchdog_in_total)
{
	for (uint64_t now = 1; now < 60 * US; now += 20 * US + 300) {
		assert_int_equal(message(1, 1000 * US, now), FCN_HELD_BEGAN);
		assert_int_equal(message(1, 0, now + 20 * US), FCN_HELD_ENDED);
		assert_int_equal(h.n_flows, 0);
	}
	assert_int_equal(message(1, 20 * US, 60901), FCN_HELD_BEGAN);
	push(1, 100);
	fcn_held_flows_update(&h, &conf, 62 * US);
	assert_int_equal(fcn_held_flows_next(&h, 62 * US), 65901);
	assert_int_equal(pull(65900), FCN_HELD_FLOWS_NONE);
	assert_int_not_equal(pull(65901), FCN_HELD_FLOWS_NONE);
	assert_int_equal(message(1, 20 * US, 67 * US), FCN_HELD_STORM);
}

/* A flow that is twice as fast as its line is held for half of the time, for ever. */
TEST(watchdog_of_half)
{
	for (uint64_t now = 1; now < 3000 * US; now += 40 * US) {
		assert_int_equal(message(1, 1000 * US, now), FCN_HELD_BEGAN);
		assert_int_equal(message(1, 0, now + 20 * US), FCN_HELD_ENDED);
	}
}

/* After 30 us without one, nothing is left of the holds before. */
TEST(watchdog_forgets)
{
	for (uint64_t now = 1; now < 1000 * US; now += 50 * US) {
		assert_int_equal(message(1, 20 * US, now), FCN_HELD_BEGAN);
		fcn_held_flows_update(&h, &conf, now + 20 * US);
	}
}

/* What is remembered of flows takes no room from others. */
TEST(remembered_flows)
{
	for (unsigned int i = 0; i < 250; i++) {
		assert_int_equal(message(i, 20 * US, 1 + i), FCN_HELD_BEGAN);
		assert_int_equal(message(i, 0, 1 + i), FCN_HELD_ENDED);
	}
	assert_int_equal(h.n_flows, 0);
}

TEST(release_all)
{
	message(1, 20 * US, 0);
	message(2, 20 * US, 0);
	push(1, 100);
	fcn_held_flows_release_all(&h);
	assert_int_equal(h.n_flows, 1);
	assert_int_equal(fcn_held_flows_next(&h, 3), 3);
	assert_int_not_equal(pull(3), FCN_HELD_FLOWS_NONE);
	assert_int_equal(h.n_flows, 0);
}
