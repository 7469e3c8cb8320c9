/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* When a proxy notifies the sender of a flow that congested nodes report. */

#include <rte_memory.h>

#include "fcn_proxy_flows.h"
#include "fcn_test.h"

#define US UINT64_C(1000)

static const struct fcn_proxy_interval even = {.longest_ns = 50000, .shortest_ns = 50000};
static const struct fcn_proxy_interval falling = {.longest_ns = 50000, .shortest_ns = 15000};

static struct fcn_proxy_flows flows;
static struct fcn_hash_key key;
static struct fcn_proxy_flow *found;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	fcn_hash_key_make(&key, 0);
	return fcn_proxy_flows_init(&flows, SOCKET_ID_ANY);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_proxy_flows_fini(&flows);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct fcn_flow_descriptor
flow_of(uint16_t number, uint8_t level)
{
	struct fcn_flow_descriptor f;

	memset(&f, 0, sizeof(f));
	f.version = 4;
	f.level = level;
	f.proto = 17;
	f.src_port = number;
	f.dst_port = 4791;
	f.src[0] = 192;
	f.dst[0] = 198;
	return f;
}

/* Report flow 1. */
static enum fcn_proxy_report
report(uint8_t level, const struct fcn_proxy_interval *interval, uint64_t now)
{
	const struct fcn_flow_descriptor f = flow_of(1, level);

	return fcn_proxy_flows_report(
			&flows, &f, fcn_proxy_flow_hash(&key, &f), interval, now, &found);
}

static void
notified(uint64_t now, uint8_t level)
{
	assert_int_equal(fcn_proxy_flow_notified(found, now), level);
}

/* One notification in an interval, however many nodes report the flow. */
TEST(interval)
{
	assert_int_equal(report(3, &even, 0), FCN_PROXY_DUE);
	notified(0, 3);
	for (uint64_t t = 1; t < 50; t++)
		assert_int_equal(report(t % 4, &even, t * US), FCN_PROXY_PACED);
	assert_int_equal(report(0, &even, 50 * US - 1), FCN_PROXY_PACED);
	assert_int_equal(report(0, &even, 50 * US), FCN_PROXY_DUE);
	notified(50 * US, 3); /* the highest level since the last notification */
	assert_int_equal(report(0, &even, 100 * US), FCN_PROXY_DUE);
	notified(100 * US, 0);
	assert_int_equal(found->reports, 53);
	assert_int_equal(found->notifications, 3);
}

/* A higher level within the interval counts at once, and no notification more is due. */
TEST(raised)
{
	assert_int_equal(report(1, &even, 0), FCN_PROXY_DUE);
	notified(0, 1);
	assert_int_equal(report(1, &even, 1 * US), FCN_PROXY_PACED);
	assert_int_equal(report(5, &even, 2 * US), FCN_PROXY_RAISED);
	assert_int_equal(found->level, 5);
	assert_int_equal(report(4, &even, 3 * US), FCN_PROXY_PACED);
	assert_int_equal(report(7, &even, 4 * US), FCN_PROXY_RAISED);
	assert_int_equal(found->level, 7);
	assert_int_equal(report(0, &even, 50 * US), FCN_PROXY_DUE);
	notified(50 * US, 7);
}

/* The interval falls evenly with the highest level since the last notification. */
TEST(falling_interval)
{
	uint64_t now = 0;

	for (unsigned int level = 0; level <= 7; level++) {
		const uint64_t interval = 50000 - 5000 * level;

		assert_int_equal(fcn_proxy_interval_at(&falling, level), interval);
		assert_int_equal(fcn_proxy_interval_at(&even, level), 50000);
		now += 1000000;
		assert_int_equal(report(0, &falling, now), FCN_PROXY_DUE);
		notified(now, 0);
		assert_int_equal(report(level, &falling, now + 1),
				level > 0 ? FCN_PROXY_RAISED : FCN_PROXY_PACED);
		/* The one before counts, so a level of 0 is enough. */
		assert_int_equal(report(0, &falling, now + interval - 1), FCN_PROXY_PACED);
		assert_int_equal(report(0, &falling, now + interval), FCN_PROXY_DUE);
		notified(now + interval, level);
	}
}

/* As long as the sender could not be notified, a notification is due. */
TEST(not_sent)
{
	assert_int_equal(report(6, &even, 1 * US), FCN_PROXY_DUE);
	assert_int_equal(report(2, &even, 2 * US), FCN_PROXY_DUE);
	notified(2 * US, 6);
	assert_int_equal(report(2, &even, 52 * US - 1), FCN_PROXY_PACED);
	assert_int_equal(report(2, &even, 52 * US), FCN_PROXY_DUE);
	assert_int_equal(report(1, &even, 90 * US), FCN_PROXY_DUE);
	notified(90 * US, 2);
}

/* Flows differ in any field but the level. */
TEST(flows)
{
	const struct fcn_flow_descriptor one = flow_of(1, 0), other = flow_of(1, 7);
	struct fcn_flow_descriptor f;

	assert_true(fcn_proxy_flow_is_same(&one, &other));
	assert_int_equal(fcn_proxy_flow_hash(&key, &one), fcn_proxy_flow_hash(&key, &other));
	for (unsigned int i = 0; i < sizeof(f); i++) {
		memcpy(&f, &one, sizeof(f));
		((uint8_t *)&f)[i] ^= 0x40;
		if (i == offsetof(struct fcn_flow_descriptor, level) || i == 3) /* padding */
			continue;
		assert_false(fcn_proxy_flow_is_same(&one, &f));
		assert_int_not_equal(
				fcn_proxy_flow_hash(&key, &one), fcn_proxy_flow_hash(&key, &f));
	}
}

/* That more than 8 of 2048 flows share one of 1024 sets has a
 * chance of 0.0002 for a set (Poisson, 2 flows a set), so hardly a flow is forgotten. */
TEST(quarter_full)
{
	for (unsigned int i = 0; i < 2048; i++) {
		const struct fcn_flow_descriptor f = flow_of((uint16_t)i, 0);

		assert_int_equal(fcn_proxy_flows_report(&flows, &f, fcn_proxy_flow_hash(&key, &f),
						 &even, i, &found),
				FCN_PROXY_DUE);
	}
	assert_in_range(flows.forgotten, 0, 4);
}

/* More flows than the table holds: the oldest ones make room, and are counted. */
TEST(full)
{
	const unsigned int n = 4 * FCN_PROXY_FLOWS;
	unsigned int known = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct fcn_flow_descriptor f = flow_of((uint16_t)i, 0);

		assert_int_equal(fcn_proxy_flows_report(&flows, &f, fcn_proxy_flow_hash(&key, &f),
						 &even, i, &found),
				FCN_PROXY_DUE);
		fcn_proxy_flow_notified(found, i);
	}
	for (unsigned int i = 0; i < FCN_PROXY_FLOWS; i++)
		known += flows.flow[i].used;
	assert_int_equal(known + flows.forgotten, n);
	assert_true(known > FCN_PROXY_FLOWS * 9 / 10);
	/* The newest ones are there. */
	for (unsigned int i = n - 8; i < n; i++) {
		const struct fcn_flow_descriptor f = flow_of((uint16_t)i, 0);

		assert_int_equal(fcn_proxy_flows_report(&flows, &f, fcn_proxy_flow_hash(&key, &f),
						 &even, n, &found),
				FCN_PROXY_PACED);
	}
	fcn_proxy_flows_clear(&flows);
	assert_int_equal(report(0, &even, n), FCN_PROXY_DUE);
}
