/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Of each kind so many lines a second, and the number of the others. */

#include <string.h>

#include "event_sample.h"
#include "fcn_test.h"

static uint64_t told[FCN_EVENT_TYPE_COUNT];
static unsigned int times;

static void
tell(void *arg, enum fcn_event_type type, uint64_t left_out)
{
	RTE_SET_USED(arg);
	told[type] += left_out;
	times++;
}

static void
next(struct event_sample *sample)
{
	memset(told, 0, sizeof(told));
	times = 0;
	event_sample_next(sample, tell, NULL);
}

TEST(rate)
{
	struct event_sample sample = {0};
	unsigned int taken = 0;

	for (unsigned int i = 0; i < 940; i++)
		taken += event_sample_take(&sample, FCN_EVENT_NOTICE, 10);
	assert_int_equal(taken, 10);
	assert_true(event_sample_take(&sample, FCN_EVENT_CONGESTED, 10)); /* another kind */
	next(&sample);
	assert_int_equal(told[FCN_EVENT_NOTICE], 930);
	assert_int_equal(times, 1);
	assert_true(event_sample_take(&sample, FCN_EVENT_NOTICE, 10)); /* another second */
	next(&sample);
	assert_int_equal(times, 0);
}

TEST(all)
{
	struct event_sample sample = {0};

	for (unsigned int i = 0; i < 5000; i++)
		assert_true(event_sample_take(&sample, FCN_EVENT_NOTICE, 0));
	next(&sample);
	assert_int_equal(times, 0);
}

/* What people did and what links do is never left out. */
TEST(always)
{
	static const enum fcn_event_type types[] = {FCN_EVENT_LINK_UP, FCN_EVENT_LINK_DOWN,
			FCN_EVENT_LINK_SPEED, FCN_EVENT_CONFIGURED, FCN_EVENT_RELOADED,
			FCN_EVENT_RELOAD_FAILED, FCN_EVENT_REVERTED, FCN_EVENT_STARTED,
			FCN_EVENT_STOPPED, FCN_EVENT_FORWARDING, FCN_EVENT_PAUSED};
	struct event_sample sample = {0};

	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		for (unsigned int k = 0; k < 100; k++)
			assert_true(event_sample_take(&sample, types[i], 1));
	}
	assert_true(event_sample_take(&sample, FCN_EVENT_WORKER_STALLED, 1));
	assert_false(event_sample_take(&sample, FCN_EVENT_WORKER_STALLED, 1));
}
