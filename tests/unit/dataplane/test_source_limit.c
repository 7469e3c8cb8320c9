/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Limits of messages of other nodes: buckets of each port, and of all ports together. */

#include <rte_memory.h>

#include "fcn_source_limit.h"
#include "fcn_test.h"

static const struct fcn_hash_key key;
static const uint8_t a[16] = {1}, b[16] = {2};
static struct fcn_source_limit limit;
static struct fcn_source_limits conf;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	conf = (struct fcn_source_limits){0};
	limit = (struct fcn_source_limit){0};
	return fcn_source_limit_init(&limit, SOCKET_ID_ANY);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_source_limit_fini(&limit);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* Send n messages at a time. @return how many are taken; the others end with `why` */
static unsigned int
taken(const uint8_t source[16], uint16_t port, unsigned int n, uint64_t now,
		enum fcn_source_verdict why)
{
	unsigned int k = 0;

	for (unsigned int i = 0; i < n; i++) {
		const enum fcn_source_verdict v = fcn_source_limit_take(
				&limit, &key, source, &conf, port, now);

		if (v == FCN_SOURCE_TAKEN)
			k++;
		else
			assert_int_equal(v, why);
	}
	return k;
}

/* A source has a bucket at each port, of the size that is the port's, and others have theirs. */
TEST(each_by_port)
{
	conf.each.by_port = true;
	conf.each.port[3] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 5};
	conf.each.port[4] = (struct fcn_source_bucket){.cost_ns = 500, .burst = 10};
	assert_int_equal(taken(a, 3, 20, 0, FCN_SOURCE_OVER_RATE), 5);
	assert_int_equal(taken(a, 4, 20, 0, FCN_SOURCE_OVER_RATE), 10);
	assert_int_equal(taken(b, 3, 20, 0, FCN_SOURCE_OVER_RATE), 5);
	/* 2 us later there are two tokens more, or four. */
	assert_int_equal(taken(a, 3, 20, 2000, FCN_SOURCE_OVER_RATE), 2);
	assert_int_equal(taken(a, 4, 20, 2000, FCN_SOURCE_OVER_RATE), 4);
	/* A port without a bucket has no limit. */
	assert_int_equal(taken(a, 5, 20, 2000, FCN_SOURCE_OVER_RATE), 20);
}

/* All sources together have a bucket at each port. */
TEST(all_by_port)
{
	conf.all.by_port = true;
	conf.all.port[3] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 5};
	conf.all.port[4] = (struct fcn_source_bucket){.cost_ns = 500, .burst = 10};
	assert_int_equal(taken(a, 3, 3, 0, FCN_SOURCE_OVER_TOTAL), 3);
	assert_int_equal(taken(b, 3, 20, 0, FCN_SOURCE_OVER_TOTAL), 2);
	assert_int_equal(taken(b, 4, 20, 0, FCN_SOURCE_OVER_TOTAL), 10);
	/* With a slower bucket, what was taken delays nobody for longer than it takes to fill. */
	conf.all.port[3].burst = 2;
	fcn_source_limit_reconfigure(&limit, &conf, 0);
	assert_int_equal(taken(a, 3, 20, 2000, FCN_SOURCE_OVER_TOTAL), 2);
	assert_int_equal(taken(a, 4, 20, 2000, FCN_SOURCE_OVER_TOTAL), 4);
}

/* Without by_port, the bucket is the same whatever the port. */
TEST(of_all_ports)
{
	conf.each.port[0] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 5};
	conf.all.port[0] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 8};
	assert_int_equal(taken(a, 3, 3, 0, FCN_SOURCE_OVER_RATE), 3);
	assert_int_equal(taken(a, 4, 20, 0, FCN_SOURCE_OVER_RATE), 2);
	assert_int_equal(taken(b, 9, 4, 0, FCN_SOURCE_OVER_TOTAL), 3);
}

/* Tokens for several messages at once are those of one after the other. */
TEST(some)
{
	const uint64_t hash = fcn_source_limit_hash(&key, a);

	conf.each.by_port = conf.all.by_port = true;
	for (unsigned int p = 3; p < 5; p++) {
		conf.each.port[p] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 5};
		conf.all.port[p] = (struct fcn_source_bucket){.cost_ns = 1000, .burst = 6};
	}
	assert_false(fcn_source_limit_has(&limit, hash, &conf, 3, 0, 6));
	assert_true(fcn_source_limit_has(&limit, hash, &conf, 3, 0, 5));
	fcn_source_limit_take_some(&limit, hash, &conf, 3, 0, 5);
	assert_false(fcn_source_limit_has(&limit, hash, &conf, 3, 0, 1));
	assert_true(fcn_source_limit_has(&limit, hash, &conf, 4, 0, 5));
	assert_int_equal(taken(a, 3, 20, 0, FCN_SOURCE_OVER_RATE), 0);
	assert_int_equal(taken(b, 3, 5, 0, FCN_SOURCE_OVER_TOTAL), 1);
	assert_int_equal(taken(a, 4, 20, 0, FCN_SOURCE_OVER_RATE), 5);
}
