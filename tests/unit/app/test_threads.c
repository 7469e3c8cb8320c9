/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Workers on threads of their own, and control above them: frames go between the workers while the
 * configuration changes, counters are read and cleared, packets are traced, events are collected,
 * and the host functions answer. What happens in which order is chance; that nothing is lost is
 * not.
 */

#include <stdlib.h>
#include <string.h>

#include "threads_switch.h"

static uint64_t events;

/* What is done again and again while packets go through. Each leaves things as it found them. */
static const char *const commands[] = {
		"route add 2001:db8:9::/48 via 2001:db8:0:1::2 port p1",
		"set queue p1 class 3 limit 20K",
		"show port",
		"show queue json",
		"route remove 2001:db8:9::/48",
		"set notify interval 1us",
		"show notify",
		"show conservation",
		"set port p2 mtu 1400",
		"show worker",
		"trace add 4",
		"set notify cnp on",
		"set proxy reported 64",
		"proxy qp learned add 2001:db8:0:1::2 0 sender 2001:db8::6 sender-qp 2 host a "
		"lifetime 9",
		"proxy qp learned add 2001:db8:0:1::2 0 sender 2001:db8::6 sender-qp 3 host a "
		"lifetime 9",
		"proxy qp learned keep host a lifetime 9",
		"show proxy qp",
		"proxy qp learned remove 2001:db8:0:1::2 0 sender 2001:db8::6 host a",
		"show proxy hosts json",
		"set proxy reported 0",
		"set notify cnp off",
		"show trace",
		"set queue p1 class 3 limit 10K",
		"neighbour remove p1 2001:db8:0:1::2",
		"show drops json",
		"neighbour add p1 2001:db8:0:1::2 02:00:00:00:01:01",
		"port add p9 worker 1",
		"set port p2 mtu 1500",
		"show events",
		"show neighbour",
		"clear counters",
		"port remove p9",
		"bridge add br0",
		"bridge br0 port add p9",
};

static void
do_one(unsigned int i)
{
	const char *text = commands[i % RTE_DIM(commands)];

	/* The last two want a port, and take it away again. */
	if (strcmp(text, "bridge br0 port add p9") == 0) {
		threads_line("port add p9 worker 0");
		threads_line(text);
		threads_line("show mac");
		threads_line("bridge br0 port remove p9");
		threads_line("bridge remove br0");
		threads_line("port remove p9");
		return;
	}
	threads_line(text);
}

static void
collect(void *arg, const struct fcn_event *ev)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(ev);
	events++;
}

TEST_FIXTURE(.begin = threads_setup, .end = threads_teardown);

TEST(together)
{
	const char *wish = getenv("FCN_TEST_MS");
	const uint64_t end = threads_milliseconds() +
			     (wish != NULL ? strtoul(wish, NULL, 10) : 1500);
	struct fcn_conservation c = {0};
	unsigned int i = 0, rounds;

	threads_configure();
	fcn_collector_listen(fcn_control_collector(threads.ctl), collect, NULL);
	fcn_loops_forward(threads.loops, true);
	/* Each command at least once, however slow the machine is. */
	for (rounds = 0; threads_milliseconds() < end || i < RTE_DIM(commands); rounds++) {
		do_one(i++);
		fcn_control_host_poll(threads.ctl, fcn_loops_now(threads.loops));
		fcn_control_link_poll(threads.ctl);
		fcn_control_drain(threads.ctl);
		fcn_control_conservation(threads.ctl, &c);
		assert_true(fcn_conservation_holds(&c));
	}
	fcn_loops_forward(threads.loops, false);
	threads_line("show conservation");
	assert_true(events > 0);
	for (unsigned int p = 0; p <= PORTS; p++)
		assert_true(threads.port[p].received > 0);
	fcn_collector_listen(fcn_control_collector(threads.ctl), NULL, NULL);
	for (unsigned int p = PORTS + 1; p < PORTS + FLOODED; p++)
		assert_true(threads.port[p].sent > 0);
	print_message("%u rounds, %" PRIu64 " events\n", rounds, events);
}

TEST(stands_in_turn)
{
	threads_stand_in_turn();
}

TEST(stands_in_call)
{
	threads_stand_in_call();
}

TEST(stands_unasked)
{
	threads_stand_unasked();
}
