/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A port of the live switch on a device that can do next to nothing. */

#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "fcn_ethdev.h"
#include "fcn_test.h"

static struct rte_mempool *pool;

static int
group_setup(void **state)
{
	char *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "512",
			"--no-telemetry", "--log-level=critical", "-l", "0", "--vdev=net_null0",
			NULL};

	RTE_SET_USED(state);
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("p", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static struct fcn_ethdev *
open_device(void)
{
	char err[256] = "";
	struct fcn_ethdev *dev = fcn_ethdev_open(
			"net_null0", pool, 1500, NULL, 1000000000, err, sizeof(err));

	if (dev == NULL)
		fail_msg("%s", err);
	return dev;
}

/* It has a ring of no kind: asked again and again, it cannot tell. */
static void
test_backlog(void **state)
{
	struct fcn_ethdev *dev = open_device();

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(fcn_ethdev_port_ops.tx_backlog(dev) < 0);
	fcn_ethdev_close(dev);
}

/* EAL is told of a device when a port wants it, and forgets it when the port goes. */
static void
test_made_for_a_port(void **state)
{
	uint16_t id;

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 3; i++) {
		char err[256] = "";
		struct fcn_ethdev *dev;

		assert_int_not_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
		dev = fcn_ethdev_open("net_null_hot,size=78,copy=1", pool, 1500, NULL, 1000000000,
				err, sizeof(err));
		if (dev == NULL)
			fail_msg("%s", err);
		assert_int_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
		fcn_ethdev_close(dev);
	}
	assert_int_not_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_null0", &id), 0); /* EAL's stays */
}

static const char long_name[] = "a_name_that_is_longer_than_the_sixty_three_characters_that_eal_"
				"has_for_one";

static void
test_no_such_device(void **state)
{
	static const char *const devices[] = {
			"nothing0", "net_null_x,size=no", "", ",size=78", long_name};

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(devices); i++) {
		char err[256] = "";

		assert_null(fcn_ethdev_open(devices[i], pool, 1500, NULL, 1, err, sizeof(err)));
		assert_int_equal(strncmp(err, "device ", 7), 0);
	}
}

static void
test_pfc(void **state)
{
	struct fcn_ethdev *dev = open_device();
	char err[256] = "";

	RTE_SET_USED(state);
	assert_int_equal(fcn_ethdev_pfc(dev, 0, 0, 65535, err, sizeof(err)), 0);
	assert_int_equal(fcn_ethdev_pfc(dev, 1 << 4, 1 << 3, 65535, err, sizeof(err)), -ENOTSUP);
	assert_string_equal(err, "device net_null0 does no priority flow control of class 3: "
				 "Operation not supported");
	/* nothing is on, so there is nothing to turn off */
	assert_int_equal(fcn_ethdev_pfc(dev, 0, 0, 65535, err, sizeof(err)), 0);
	fcn_ethdev_close(dev);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_backlog),
			cmocka_unit_test(test_made_for_a_port),
			cmocka_unit_test(test_no_such_device),
			cmocka_unit_test(test_pfc),
	};

	return cmocka_run_group_tests_name("ethdev", tests, group_setup, fcn_test_eal_cleanup);
}
