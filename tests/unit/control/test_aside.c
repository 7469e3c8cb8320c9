/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* While a device is opened, changed or closed, neighbours are learned and snapshots published. */

#include <string.h>

#include "fcn_control_private.h" /* fcn_control_refresh(), as when neighbours were learned */
#include "world.h"

static unsigned int asides, attended;
static const struct fcn_config *in_force; /* what is to be in force while a port is closed */

/* As if a neighbour had been learned before the work, and another behind it. */
static void
aside(void *arg, void (*work)(void *work_arg), void *work_arg)
{
	const struct fcn_snapshot *before = fcn_control_snapshot(world.ctl);

	assert_ptr_equal(arg, &world);
	asides++;
	if (in_force != NULL)
		assert_ptr_equal(fcn_control_config(world.ctl), in_force);
	fcn_control_refresh(world.ctl);
	assert_ptr_not_equal(fcn_control_snapshot(world.ctl), before);
	work(work_arg);
	fcn_control_refresh(world.ctl);
}

static void
attend(void *arg)
{
	assert_ptr_equal(arg, &world);
	attended++;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	if (world_setup(false) != 0)
		return -1;
	world.ops.aside = aside;
	world.ops.attend = attend;
	asides = attended = 0;
	in_force = NULL;
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	world.ops.aside = NULL;
	return world_teardown();
}

static void
test_ports(void **state)
{
	struct fcn_config *cfg = world_edit();

	RTE_SET_USED(state);
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	world_neighbour(cfg, 1, "2001:db8:1::1", 1);
	world_route(cfg, "2001:db8:9::/48", "2001:db8:1::1", 1);
	world_commit(cfg);
	assert_int_equal(asides, 2); /* opened */
	assert_true(world.port[0].open && world.port[1].open);
	cfg = world_edit();
	cfg->port[1].mtu = 4000;
	world_commit(cfg);
	assert_int_equal(asides, 4); /* each is asked for what may have changed */
	assert_int_equal(world.port[1].mtu, 4000);
	assert_int_equal(fcn_control_snapshot(world.ctl)->port[1].mtu, 4000);
	world_commit(fcn_config_create());
	assert_false(world.port[0].open || world.port[1].open);
	assert_null(fcn_control_port(world.ctl, 0));
	assert_int_equal(asides, 6);
	assert_int_equal(world.port[0].closed, 1);
	assert_int_equal(world.port[1].closed, 1);
}

/* A port is closed when the configuration without it is in force. */
static void
test_close(void **state)
{
	struct fcn_config *cfg = world_edit();

	RTE_SET_USED(state);
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	world_commit(cfg);
	cfg = fcn_config_create();
	in_force = cfg;
	world_commit(cfg);
	assert_int_equal(asides, 2);
	assert_false(world.port[0].open);
}

/* What fails leaves what was, though the switch went on meanwhile. */
static void
test_failure(void **state)
{
	struct fcn_config *cfg = world_edit();

	RTE_SET_USED(state);
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	world_commit(cfg);
	cfg = world_edit();
	in_force = fcn_control_config(world.ctl);
	cfg->port[0].mtu = 4000;
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	assert_int_equal(fcn_config_port_add(cfg, WORLD_BROKEN), 2);
	world_refused(cfg, "port broken: does not open");
	assert_int_equal(world.port[0].mtu, 1500);
	assert_false(world.port[1].open);
	assert_null(fcn_control_port(world.ctl, 1));
	fcn_control_link_poll(world.ctl);
}

static void
test_attend(void **state)
{
	RTE_SET_USED(state);
	fcn_control_attend(world.ctl);
	assert_int_equal(attended, 1);
	world.ops.attend = NULL;
	fcn_control_attend(world.ctl);
	assert_int_equal(attended, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_ports),
			TEST(test_close),
			TEST(test_failure),
			TEST(test_attend),
	};

	return cmocka_run_group_tests_name("aside", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
