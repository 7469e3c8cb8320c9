/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A port that is closed because of a loop: which one it is, for how long, and what is told. */

#include "fcn_show.h"
#include "loop_platform.h"
#include "port_bits.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = loop_platform_setup_disable, .teardown = platform_teardown);

TEST_WITH(off_by_default, loop_platform_setup, platform_teardown)
{
	struct fcn_event ev;

	loop_platform_loop(0, 1, 50);
	loop_platform_control();
	assert_int_equal(loop_platform_events(FCN_EVENT_MAC_FLAPPING, &ev), 2);
	assert_int_equal(loop_platform_closed(), 0);
	assert_int_equal(loop_platform.due, FCN_HOST_NEVER);
	assert_string_equal(loop_platform.last_line, "");
}

/* Of the two ports of a loop the one with the higher number, wherever the loop was entered. */
TEST(one_end_is_closed)
{
	struct fcn_mac_key key = {.mac = {{2, 0, 0, 0, 0, 50}}, .vlan = 1};
	const struct fcn_mac_table *macs = fcn_control_worker(platform.ctl, 0)->macs;
	struct fcn_event ev;
	json_t *show, *row;

	loop_platform_arrive(2, 50);
	loop_platform_loop(2, 1, 10); /* ten moves to p1, nine to p2 */
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
	loop_platform_arrive(2, 13);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 2);
	assert_int_equal(loop_platform_events(FCN_EVENT_ERR_DISABLED, &ev), 1);
	assert_int_equal(ev.port, 2);
	assert_int_equal(ev.in_port, 1);
	assert_int_equal(ev.time_ns, loop_platform.now);
	assert_memory_equal(ev.sender, ((uint8_t[]){2, 0, 0, 0, 0, 13}), 6);
	assert_string_equal(loop_platform.last_line,
			"port p2: closed because of a loop: MAC addresses move back "
			"and forth between it and port p1; it is opened again after "
			"300s");
	/* nothing goes out there, nothing comes in, and nobody is known to be there */
	assert_int_equal(loop_platform_reaches(0), 1 << 1 | 1 << 3);
	assert_int_equal(loop_platform_reaches(2), 0);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)
					 ->counters[2]
					 .drop[FCN_DROP_ERR_DISABLED],
			1);
	assert_true(fcn_mac_table_lookup(macs, &key, loop_platform.now, UINT64_MAX / 2) < 0);
	assert_int_equal(fcn_mac_table_count_port(macs, 2), 0);
	loop_platform.now += SECOND;
	show = fcn_show_bridges(platform.ctl, -1);
	row = json_array_get(json_object_get(json_array_get(show, 0), "ports"), 2);
	assert_true(json_is_true(json_object_get(row, "err_disabled")));
	/* the clock is the worker's, which had its last turn when the port was closed */
	assert_int_equal(json_integer_value(json_object_get(row, "recover_in_ns")), 300 * SECOND);
	row = json_array_get(json_object_get(json_array_get(show, 0), "ports"), 1);
	assert_true(json_is_false(json_object_get(row, "err_disabled")));
	assert_true(json_is_null(json_object_get(row, "recover_in_ns")));
	json_decref(show);
}

TEST(recovery)
{
	struct fcn_event ev;
	uint64_t since = loop_platform.now;

	loop_platform_loop(0, 3, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	assert_int_equal(loop_platform.due, since + 300 * SECOND);
	loop_platform.now = loop_platform.due - 1;
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	assert_int_equal(loop_platform_events(FCN_EVENT_ERR_RECOVERED, &ev), 0);
	loop_platform.now = since + 300 * SECOND;
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
	assert_int_equal(loop_platform.due, FCN_HOST_NEVER);
	assert_int_equal(loop_platform_events(FCN_EVENT_ERR_RECOVERED, &ev), 1);
	assert_int_equal(ev.port, 3);
	assert_int_equal(ev.time_ns, loop_platform.now);
	assert_int_equal(loop_platform_reaches(3), 7);
	assert_int_equal(loop_platform_reaches(0), 0xE);
	/* The loop is still there. */
	loop_platform_loop(0, 3, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
}

/* Two loops at once: one port, and a second later another, if it is told of again. */
TEST(one_a_second)
{
	loop_platform_loop(0, 1, 12);
	loop_platform_loop(2, 3, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	loop_platform.now += SECOND; /* told at this very moment: too early */
	loop_platform_loop(0, 1, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	loop_platform.now += SECOND;
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	loop_platform_loop(0, 1, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 1 | 1 << 3);
}

/* Three ports of one segment: the lowest stays. */
TEST(three_ends)
{
	for (unsigned int second = 0; second < 8; second++) {
		for (unsigned int i = 0; i < 12; i++) {
			loop_platform_arrive(1, 7);
			loop_platform_arrive(2, 7);
			loop_platform_arrive(3, 7);
		}
		loop_platform_control();
		loop_platform.now += SECOND;
	}
	assert_int_equal(loop_platform_closed(), 1 << 2 | 1 << 3);
}

/* The other end lost its link before control looked: the one that is left stays open. */
TEST(last_with_link)
{
	for (unsigned int p = 2; p < 4; p++)
		platform.port[p].down = true;
	fcn_control_link_poll(platform.ctl);
	loop_platform_loop(0, 1, 12);
	platform.port[0].down = true;
	fcn_control_link_poll(platform.ctl);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[0].members), 1 << 1);
	/* and a port that is closed is no other end either */
	platform.port[0].down = false;
	fcn_control_link_poll(platform.ctl);
	loop_platform.now += 2 * SECOND;
	loop_platform_loop(0, 1, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 1);
	assert_int_equal(bits_of(fcn_control_snapshot(platform.ctl)->bridge[0].members), 1);
}

TEST(moves_there_and_back_count_apart)
{
	/* nine moves to p2 from p1, and nine from p3 */
	for (unsigned int i = 0; i < 9; i++) {
		loop_platform_arrive(1, 7);
		loop_platform_arrive(2, 7);
		loop_platform_arrive(3, 8);
		loop_platform_arrive(2, 8);
	}
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
}

TEST(clear)
{
	struct fcn_event ev;

	assert_int_equal(loop_platform_clear(UINT64_MAX), 0);
	loop_platform_loop(0, 2, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_clear(0xB), 0);
	assert_int_equal(loop_platform_closed(), 1 << 2);
	assert_int_equal(loop_platform_clear(1 << 2), 1);
	assert_int_equal(loop_platform_closed(), 0);
	assert_int_equal(loop_platform_events(FCN_EVENT_ERR_RECOVERED, &ev), 1);
	assert_int_equal(loop_platform_reaches(2), 0xB);
}
