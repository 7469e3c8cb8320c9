/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What becomes of a port that is closed because of a loop when the configuration changes. */

#include "loop_platform.h"
#include "port_bits.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = loop_platform_setup_disable, .teardown = platform_teardown);

/* What has nothing to do with the port leaves it closed; so does what is refused. */
TEST(commit_keeps)
{
	struct fcn_config *cfg;
	char err[256] = "";

	loop_platform_loop(0, 2, 12);
	loop_platform_control();
	cfg = platform_edit();
	cfg->bridge[0].ageing_ns++;
	cfg->port[2].tagged[0] = 4;
	fcn_config_port_remove(cfg, 0);
	platform_commit(cfg);
	assert_int_equal(loop_platform_closed(), 1 << 2);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[2].tagged[0], 0);
	cfg = platform_edit();
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
	cfg->bridge[0].move_limit = 0;
	cfg->bridge[1].loop_action = FCN_LOOP_DISABLE;
	cfg->bridge[1].move_limit = 0;
	assert_int_equal(fcn_control_commit(platform.ctl, cfg, err, sizeof(err)), -1);
	assert_string_equal(
			err, "bridge br1: loop-action disable needs a move-limit, which is off");
	fcn_config_free(cfg);
	cfg = platform_edit();
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
	assert_int_equal(fcn_config_port_add(cfg, PLATFORM_BROKEN), 0);
	assert_int_equal(fcn_control_commit(platform.ctl, cfg, err, sizeof(err)), -1);
	fcn_config_free(cfg);
	assert_int_equal(loop_platform_closed(), 1 << 2);
	assert_int_equal(bits_of(fcn_control_build_env(platform.ctl)->err_disabled), 1 << 2);
	assert_int_equal(loop_platform_clear(UINT64_MAX), 1);
	assert_int_equal(loop_platform_closed(), 0);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[2].tagged[0], 4);
}

static void
log_instead(struct fcn_config *cfg)
{
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
}

static void
leave(struct fcn_config *cfg)
{
	fcn_config_bridge_leave(cfg, 2);
}

static void
change_bridge(struct fcn_config *cfg)
{
	cfg->bridge[1].loop_action = FCN_LOOP_DISABLE;
	cfg->port[2].bridge = 1;
}

static void
remove_port(struct fcn_config *cfg)
{
	fcn_config_port_remove(cfg, 2);
}

/* And what ends it: told, where the port is still there. */
TEST(commit_forgets)
{
	static const struct {
		void (*change)(struct fcn_config *cfg);
		bool told;
	} changes[] = {{log_instead, true}, {leave, true}, {change_bridge, true},
			{remove_port, false}};

	for (size_t i = 0; i < RTE_DIM(changes); i++) {
		struct fcn_config *cfg;
		struct fcn_event ev;

		platform_teardown(state);
		loop_platform_setup_disable(state);
		loop_platform_loop(0, 2, 12);
		loop_platform_control();
		assert_int_equal(loop_platform_closed(), 1 << 2);
		cfg = platform_edit();
		changes[i].change(cfg);
		platform_commit(cfg);
		assert_int_equal(loop_platform_closed(), 0);
		assert_int_equal(bits_of(fcn_control_build_env(platform.ctl)->err_disabled), 0);
		assert_int_equal(loop_platform_events(FCN_EVENT_ERR_RECOVERED, &ev),
				changes[i].told);
		loop_platform_control();
		assert_int_equal(loop_platform.due, FCN_HOST_NEVER);
	}
}

/* What was told of a port is not held against the one that got its number. */
TEST(number_of_another)
{
	struct fcn_config *cfg;

	loop_platform_loop(0, 2, 12);
	cfg = platform_edit();
	remove_port(cfg);
	platform_commit(cfg);
	cfg = platform_edit();
	loop_platform_add_port(cfg, "other", 2);
	platform_commit(cfg);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
	loop_platform.now += 2 * SECOND;
	loop_platform_loop(0, 2, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 2);
}

/* The bridge's interface has no port to be heard by, until the closed one is open again: it tells
 * the link of its groups then. */
TEST(interface_comes_back)
{
	struct fcn_prefix prefix = {
			.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, [15] = 1}}, .len = 64};
	struct fcn_config *cfg = platform_edit();
	int number = fcn_config_bridge_interface_add(cfg, "br0.1", 0, 1);

	assert_true(number >= 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, number, prefix), 0);
	cfg->host.mode = FCN_HOST_ON;
	platform_commit(cfg);
	loop_platform_loop(0, 1, 12);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 1);
	platform.port[0].down = platform.port[2].down = platform.port[3].down = true;
	fcn_control_link_poll(platform.ctl);
	platform.port[1].sent = 0;
	for (unsigned int i = 0; i < 400; i++) {
		if (i == 300) /* its time has come */
			assert_int_equal(platform.port[1].sent, 0);
		fcn_control_host_poll(platform.ctl, loop_platform.now);
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), loop_platform.now);
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), loop_platform.now);
		loop_platform_control();
		loop_platform.now += SECOND;
	}
	assert_int_equal(loop_platform_closed(), 0);
	assert_true(platform.port[1].sent > 0);
}

/* A time that is set meanwhile counts for a port that is closed already. */
TEST(new_time)
{
	uint64_t since = loop_platform.now;

	loop_platform_loop(0, 3, 12);
	loop_platform_control();
	loop_platform_set_action(FCN_LOOP_DISABLE, 0);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	assert_int_equal(loop_platform.due, FCN_HOST_NEVER);
	loop_platform.now += 100000 * SECOND;
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 1 << 3);
	loop_platform_set_action(FCN_LOOP_DISABLE, 100001 * SECOND);
	loop_platform_control();
	assert_int_equal(loop_platform.due, since + 100001 * SECOND);
	loop_platform_set_action(FCN_LOOP_DISABLE, 100000 * SECOND);
	loop_platform_control();
	assert_int_equal(loop_platform_closed(), 0);
}
