/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* While a device is opened, changed or closed, neighbours are learned and snapshots published. */

#include <string.h>

#include "control_private.h" /* fcn_control_refresh(), as when neighbours were learned */
#include "platform.h"

static unsigned int asides, attended;
static const struct fcn_config *in_force; /* what is to be in force while a port is closed */

/* As if a neighbour had been learned before the work, and another behind it. */
static void
aside(void *arg, void (*work)(void *work_arg), void *work_arg)
{
	const struct fcn_snapshot *before = fcn_control_snapshot(platform.ctl);

	assert_ptr_equal(arg, &platform);
	asides++;
	if (in_force != NULL)
		assert_ptr_equal(fcn_control_config(platform.ctl), in_force);
	fcn_control_refresh(platform.ctl);
	assert_ptr_not_equal(fcn_control_snapshot(platform.ctl), before);
	work(work_arg);
	fcn_control_refresh(platform.ctl);
}

static void
attend(void *arg)
{
	assert_ptr_equal(arg, &platform);
	attended++;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	platform.ops.aside = aside;
	platform.ops.attend = attend;
	asides = attended = 0;
	in_force = NULL;
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	platform.ops.aside = NULL;
	return platform_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST(ports)
{
	struct fcn_config *cfg = platform_edit();

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_neighbour(cfg, 1, "2001:db8:1::1", 1);
	platform_route(cfg, "2001:db8:9::/48", "2001:db8:1::1", 1);
	platform_commit(cfg);
	assert_int_equal(asides, 2); /* opened */
	assert_true(platform.port[0].open && platform.port[1].open);
	cfg = platform_edit();
	cfg->port[1].mtu = 4000;
	platform_commit(cfg);
	assert_int_equal(asides, 3); /* only the port that is changed */
	assert_int_equal(platform.port[1].mtu, 4000);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[1].mtu, 4000);
	platform_commit(fcn_config_create());
	assert_false(platform.port[0].open || platform.port[1].open);
	assert_null(fcn_control_port(platform.ctl, 0));
	assert_int_equal(asides, 5);
	assert_int_equal(platform.port[0].closed, 1);
	assert_int_equal(platform.port[1].closed, 1);
}

/* A port is closed when the configuration without it is in force. */
TEST(close)
{
	struct fcn_config *cfg = platform_edit();

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	platform_commit(cfg);
	cfg = fcn_config_create();
	in_force = cfg;
	platform_commit(cfg);
	assert_int_equal(asides, 2);
	assert_false(platform.port[0].open);
}

/* What fails leaves what was, though the switch went on meanwhile. */
TEST(failure)
{
	struct fcn_config *cfg = platform_edit();

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	platform_commit(cfg);
	cfg = platform_edit();
	in_force = fcn_control_config(platform.ctl);
	cfg->port[0].mtu = 4000;
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	assert_int_equal(fcn_config_port_add(cfg, PLATFORM_BROKEN), 2);
	platform_refused(cfg, "port broken: does not open");
	assert_int_equal(platform.port[0].mtu, 1500);
	assert_false(platform.port[1].open);
	assert_null(fcn_control_port(platform.ctl, 1));
	fcn_control_link_poll(platform.ctl);
}

TEST(attend)
{
	fcn_control_attend(platform.ctl);
	assert_int_equal(attended, 1);
	platform.ops.attend = NULL;
	fcn_control_attend(platform.ctl);
	assert_int_equal(attended, 1);
}
