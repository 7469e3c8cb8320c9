/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Equal paths one after the other. If all switches chose by the same key, those of the second stage
 * would only get flows for which the choice is already made, and half of the paths would be idle.
 */

#include "fcn_test.h"
#include "network_util.h"

#define FLOWS 1024
#define FIRST 4 /* links between the second stage and the third begin here */
#define PATHS 4

static const char text[] = "buffers 4095\n"
			   "duration 1ms\n"
			   "check on\n"
			   "switch add edge1,edge2,agg[1-4],core[1-4]\n"
			   "host add a,b\n"
			   "link add a edge1 rate 100G\n"
			   "link add b edge2 rate 100G\n"
			   "link add edge1 agg[1-2] rate 100G\n"
			   "link add agg1 core[1-2] rate 100G\n"
			   "link add agg2 core[3-4] rate 100G\n"
			   "link add edge2 agg[3-4] rate 100G\n"
			   "link add agg3 core[1,3] rate 100G\n"
			   "link add agg4 core[2,4] rate 100G\n"
			   "traffic generator t from a to b flows 1024 packets 1 rate 50G\n";

static void
count(void *arg, unsigned int from, const struct rte_mbuf *frame, enum fcn_link_fate fate,
		uint64_t departed)
{
	unsigned int *n = arg;

	RTE_SET_USED(frame);
	RTE_SET_USED(fate);
	RTE_SET_USED(departed);
	if (from == 0)
		(*n)++;
}

/* Count the flows of a run on each path. */
static void
run_with(const char *seed, unsigned int on[PATHS])
{
	memset(on, 0, PATHS * sizeof(*on));
	start(text, seed);
	for (unsigned int i = 0; i < PATHS; i++)
		fcn_link_observe(net->link[FIRST + i].link, count, &on[i]);
	run(NULL);
	assert_int_equal(stop(), 0);
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Expected are 256 flows on each path, with a standard deviation of 13.9: five of them. */
TEST(all_paths)
{
	unsigned int on[PATHS];

	run_with("seed 1\n", on);
	assert_int_equal(on[0] + on[1] + on[2] + on[3], FLOWS);
	for (unsigned int i = 0; i < PATHS; i++)
		assert_in_range(on[i], 256 - 69, 256 + 69);
}

/* Another seed makes other choices, the same one the same. */
TEST(seeds)
{
	unsigned int one[PATHS], again[PATHS], two[PATHS];

	run_with("seed 1\n", one);
	run_with("seed 1\n", again);
	run_with("seed 2\n", two);
	assert_memory_equal(one, again, sizeof(one));
	assert_memory_not_equal(one, two, sizeof(one));
}
