/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Three bridges in a ring, and a host that sends to another which nobody knows: its frames are
 * flooded, and go round both ways for ever. s1 closes one of its ports, and opens it a second
 * later.
 */

#include <string.h>

#include "fcn_test.h"
#include "network_util.h"
#include "port_bits.h"

static const char text[] = "buffers 2047\n"
			   "duration 1100ms\n"
			   "check on\n"
			   "switch add s[1-3] latency 0ns bare\n"
			   "host add h1,r\n"
			   "link add h1 s1 rate 10G delay 1us\n"
			   "link add s1 s2 rate 10G delay 1us\n"
			   "link add s2 s3 rate 10G delay 1us\n"
			   "link add s3 s1 rate 10G delay 1us\n"
			   "link add r s3 rate 10G delay 1us\n"
			   "switch s1 do port add h1\n"
			   "switch s1,s3 do port add s2\n"
			   "switch s1,s2 do port add s3\n"
			   "switch s2,s3 do port add s1\n"
			   "switch s[1-3] do bridge add br\n"
			   "switch s1 do bridge br port add h1\n"
			   "switch s1,s3 do bridge br port add s2\n"
			   "switch s1,s2 do bridge br port add s3\n"
			   "switch s2,s3 do bridge br port add s1\n"
			   "flow add f from h1 to r size 1K\n";

static uint64_t was, closed_ns, opened_ns;
static unsigned int changes;

/* What became of the ports of s1, in the first second and a bit. */
static void
look(void)
{
	const uint64_t closed = bits_of(
			fcn_control_build_env(net->node_switch[0].ctl)->err_disabled);

	if (closed == was)
		return;
	was = closed;
	changes++;
	if (closed != 0 && closed_ns == 0)
		closed_ns = fcn_sim_now(net->sim);
	if (closed == 0 && opened_ns == 0)
		opened_ns = fcn_sim_now(net->sim);
}

static uint64_t
frames_of(unsigned int node)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		n += worker(node)->counters[p].rx_packets;
	return n;
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Round a ring of 3 x 1 us in both directions: in 2 ms, some hundred times each. */
TEST(told_only)
{
	changes = 0;
	start(text, "");
	while (fcn_sim_step(net->sim, 2000000))
		look();
	assert_int_equal(changes, 0);
	assert_true(frames_of(0) > 200);
	stop();
}

TEST(closed_and_opened)
{
	const unsigned int number = 2; /* h1, s2, s3 */

	changes = 0;
	was = closed_ns = opened_ns = 0;
	start(text, "switch s1 do set bridge br loop-action disable recover 1s\n");
	while (closed_ns == 0 && fcn_sim_step(net->sim, sc->duration_ns))
		look();
	assert_int_equal(was, 1 << number);
	assert_int_equal(port_named(0, "s3")->number, number);
	/* ten moves, one a round */
	assert_true(closed_ns < 100000);
	while (opened_ns == 0 && fcn_sim_step(net->sim, sc->duration_ns))
		look();
	assert_int_equal(opened_ns, closed_ns + 1000000000);
	/* The host repeats its packet every millisecond. Each comes here twice, by its own port and
	 * once round by the one that is closed, and no more. */
	assert_in_range(frames_of(0), 2000, 2100);
	assert_in_range(worker(0)->counters[number].drop[FCN_DROP_ERR_DISABLED], 990, 1010);
	lab_check_end(net);
	assert_int_equal(json_array_size(net->violations), 0);
	stop();
}
