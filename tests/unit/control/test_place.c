/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which of several workers gets a port. */

#include "platform.h"

static struct fcn_control *two; /* beside the platform's own, in the same platform */
static int sockets[FCN_MAX_PORTS];
static int (*open_port)(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size);

/* A device on a NUMA node. */
static int
open_at_socket(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	out->socket = sockets[number];
	return open_port(arg, port, number, out, err, err_size);
}

static void
create(bool threaded, int socket0, int socket1)
{
	struct fcn_control_conf conf = {.name = "two",
			.platform = &platform.ops,
			.socket = SOCKET_ID_ANY,
			.pool = platform.pool,
			.threaded = threaded,
			.n_workers = 2,
			.worker = {{1, socket0, platform.pool}, {2, socket1, platform.pool}},
			.mac_entries = 64,
			.flow_sets = 64,
			.dest_sets = 64};
	char err[256];

	two = fcn_control_create(&conf, err, sizeof(err));
	if (two == NULL)
		fail_msg("%s", err);
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	two = NULL;
	memset(sockets, 0, sizeof(sockets));
	if (platform_setup(false) != 0)
		return -1;
	open_port = platform.ops.port_open;
	platform.ops.port_open = open_at_socket;
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_control_free(two);
	return platform_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct fcn_config *
four_ports(void)
{
	struct fcn_config *cfg = fcn_config_create();

	for (int p = 0; p < 4; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%d", p);
		assert_int_equal(fcn_config_port_add(cfg, name), p);
	}
	return cfg;
}

/* How many receive queues of a port a worker polls. */
static unsigned int
count_rx_queues(const struct fcn_worker *w, unsigned int port)
{
	unsigned int n = 0;

	for (unsigned int q = 0; q < w->n_rx_queues; q++)
		n += w->rx_queue[q].port == port;
	return n;
}

static void
assert_owners(struct fcn_config *cfg, const uint16_t owner[4])
{
	char err[256] = "";

	if (fcn_control_commit(two, cfg, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	for (unsigned int p = 0; p < 4; p++) {
		assert_ptr_equal(fcn_control_owner(two, p), fcn_control_worker(two, owner[p]));
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(count_rx_queues(fcn_control_worker(two, i), p),
					i == owner[p]);
	}
}

/* The worker with fewer ports, or the one that was asked for. */
TEST(fewest)
{
	struct fcn_config *cfg = four_ports();

	create(false, SOCKET_ID_ANY, SOCKET_ID_ANY);
	assert_owners(cfg, (const uint16_t[4]){0, 1, 0, 1});
	assert_owners(fcn_config_copy(cfg), (const uint16_t[4]){0, 1, 0, 1});
}

TEST(asked_for)
{
	struct fcn_config *cfg = four_ports();

	create(false, SOCKET_ID_ANY, SOCKET_ID_ANY);
	cfg->port[0].worker = cfg->port[1].worker = 1;
	assert_owners(cfg, (const uint16_t[4]){1, 1, 0, 0});
}

/* A worker on the device's node is better, although it has more ports. */
TEST(near)
{
	create(false, SOCKET_ID_ANY, 0);
	sockets[3] = SOCKET_ID_ANY;
	assert_owners(four_ports(), (const uint16_t[4]){1, 1, 1, 0});
}

/* There is no such worker: nothing is opened. */
TEST(no_such_worker)
{
	struct fcn_config *cfg = four_ports();
	char err[256] = "";

	create(true, SOCKET_ID_ANY, SOCKET_ID_ANY);
	cfg->port[2].worker = 2;
	assert_int_equal(fcn_control_commit(two, cfg, err, sizeof(err)), -1);
	assert_string_equal(err, "port p2: there is no worker 2, the last is 1");
	assert_int_equal(platform.port[0].opened, 0);
	fcn_config_free(cfg);
}
