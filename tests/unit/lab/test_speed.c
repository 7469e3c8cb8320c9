/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The speed of a link changes while the scenario runs. Both ends follow: frames leave at the new
 * speed, and the switch has the defaults of it.
 */

#include "fcn_test.h"
#include "network_util.h"

/* Packets of 1126 bytes on the line, one after the other, without end. The times are those of
 * serialisation, and 1 us for each link. */
#define NETWORK                                          \
	"switch add s latency 0ns\n"                     \
	"host add h,r\n"                                 \
	"link add h,r s rate 100G delay 1us\n"           \
	"host all set window none\n"                     \
	"host all set timeout 0\n"                       \
	"switch s do set queue r class 3 detector red\n" \
	"switch s do set pfc h class 3 send on\n"        \
	"switch s do set pfc h delay 1us\n"              \
	"flow add f from h to r size 100M dscp 26\n"     \
	"check on\n"                                     \
	"buffers 2047\n"                                 \
	"duration 300us\n"

#define BITS (1126 * 8)

static uint64_t
delivered(unsigned int link, unsigned int from)
{
	struct fcn_link_counters c;

	fcn_link_counters(net->link[link].link, from, &c);
	return c.delivered;
}

static const struct fcn_queue_conf *
conf_of(const char *port)
{
	return &worker(0)->snap->port[port_named(0, port)->number].egress.queue[3];
}

static void
run_with(const char *line)
{
	start(NETWORK, line);
	assert_int_equal(conf_of("r")->limit_bytes, 4000000);
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* The link to the receiver: link 1, whose second end is the switch. */
TEST(receiver)
{
	const unsigned int number = 1;
	/* Two links on the way before 100 us, and one after it. */
	double want = (100000 - 1090) * 100.0 / BITS + (300000 - 100000 - 1000) * 10.0 / BITS;

	run_with("at 100us link r s rate 10G\n");
	assert_in_range(delivered(1, 1), (unsigned int)want - 3, (unsigned int)want + 3);
	assert_true(worker(0)->snap->port[number].link_bps == UINT64_C(10000000000));
	assert_int_equal(conf_of("r")->limit_bytes, 1000000);
	assert_int_equal(conf_of("r")->detector.enter, 40000);
	assert_int_equal(conf_of("h")->limit_bytes, 4000000);
	/* It was lossless all the time: the host obeyed pauses at its own speed. */
	assert_int_equal(queue_to(0, "r")->stats.drop_bytes, 0);
	assert_int_equal(stop(), 0);
}

/* The link of the sender: the host sends more slowly, and then as fast as the link is now. */
TEST(sender)
{
	/* At 1G, a packet takes 9008 ns. The twelfth ends after the link has become faster. */
	double want = 100000 * 100.0 / BITS + 12 + (199000 - 12 * BITS) * 50.0 / BITS;

	run_with("at 100us link h s rate 1G\nat 200us link h s rate 50G\n");
	assert_in_range(delivered(0, 0), (unsigned int)want - 3, (unsigned int)want + 3);
	assert_true(worker(0)->snap->port[port_named(0, "h")->number].link_bps ==
			UINT64_C(50000000000));
	assert_int_equal(conf_of("h")->limit_bytes, 2000000);
	assert_int_equal(stop(), 0);
}

/* Faster than at the beginning: the queues have room for it. */
TEST(faster)
{
	run_with("at 100us link r s rate 400G\nat 100us link h s rate 400G\n");
	assert_int_equal(conf_of("r")->limit_bytes, 16000000);
	assert_int_equal(fcn_queue_slots(queue_to(0, "r")), 32768);
	assert_int_equal(fcn_control_warnings(net->node_switch[0].ctl)->n, 0);
	assert_in_range(delivered(1, 1),
			(100000 - 2180) * 100.0 / BITS + 198000 * 400.0 / BITS - 20,
			(100000 - 1090) * 100.0 / BITS + 199000 * 400.0 / BITS + 20);
	assert_int_equal(stop(), 0);
}
