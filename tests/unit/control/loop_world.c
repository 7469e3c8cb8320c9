/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_ether.h>

#include "loop_world.h"

struct loop_world loop_world;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct loop_world_end *e = priv;
	uint16_t take = RTE_MIN(n, e->n_pending);

	RTE_SET_USED(now);
	memcpy(pkts, e->pending, take * sizeof(pkts[0]));
	e->n_pending -= take;
	memmove(e->pending, e->pending + take, e->n_pending * sizeof(e->pending[0]));
	return take;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(now);
	((struct loop_world_end *)priv)->sent += n;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static bool
link_up(void *priv)
{
	return !((const struct loop_world_end *)priv)->down;
}

static const struct fcn_port_ops ops = {
		.kind = "test", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_up = link_up};

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	RTE_SET_USED(arg);
	if (strcmp(port->name, LOOP_WORLD_BROKEN) == 0) {
		snprintf(err, err_size, "does not open");
		return -EIO;
	}
	out->ops = &ops;
	out->priv = &loop_world.end[number];
	out->info.link_bps = UINT64_C(10000000000);
	return 0;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	snprintf(loop_world.said, sizeof(loop_world.said), "%s", line);
}

struct fcn_config *
loop_world_edit(void)
{
	struct fcn_config *cfg = fcn_config_copy(fcn_control_config(loop_world.ctl));

	assert_non_null(cfg);
	return cfg;
}

void
loop_world_commit(struct fcn_config *cfg)
{
	char err[256] = "";

	if (fcn_control_commit(loop_world.ctl, cfg, err, sizeof(err)) != 0)
		fail_msg("%s", err);
}

void
loop_world_add_port(struct fcn_config *cfg, const char *name, unsigned int number)
{
	assert_int_equal(fcn_config_port_add(cfg, name), number);
	cfg->port[number].bridge = 0;
	cfg->port[number].pvid = 1;
}

void
loop_world_set_action(enum fcn_loop_action action, uint64_t recover_ns)
{
	struct fcn_config *cfg = loop_world_edit();

	cfg->bridge[0].loop_action = action;
	cfg->bridge[0].recover_ns = recover_ns;
	loop_world_commit(cfg);
}

int
loop_world_setup(void **state)
{
	struct fcn_control_conf conf = {.name = "loop",
			.platform = &loop_world.platform,
			.socket = SOCKET_ID_ANY,
			.mac_entries = 256,
			.flow_sets = 64,
			.dest_sets = 64,
			.events = 256};
	struct fcn_config *cfg;
	char err[256];

	RTE_SET_USED(state);
	memset(&loop_world, 0, sizeof(loop_world));
	loop_world.now = SECOND;
	loop_world.platform = (struct fcn_platform){.name = "test",
			.port_open = open_port,
			.port_close = close_port,
			.log = log_line};
	loop_world.pool = rte_pktmbuf_pool_create("loop", 4095, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	conf.pool = loop_world.pool;
	loop_world.ctl = fcn_control_create(&conf, err, sizeof(err));
	if (loop_world.pool == NULL || loop_world.ctl == NULL)
		return -1;
	cfg = loop_world_edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	for (unsigned int p = 0; p < LOOP_WORLD_PORTS; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		loop_world_add_port(cfg, name, p);
	}
	loop_world_commit(cfg);
	return 0;
}

int
loop_world_setup_disable(void **state)
{
	if (loop_world_setup(state) != 0)
		return -1;
	loop_world_set_action(FCN_LOOP_DISABLE, 300 * SECOND);
	return 0;
}

int
loop_world_teardown(void **state)
{
	struct fcn_conservation sum = {0};
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_control_conservation(loop_world.ctl, &sum);
	assert_true(fcn_conservation_holds(&sum));
	fcn_control_free(loop_world.ctl);
	missing = rte_mempool_in_use_count(loop_world.pool);
	rte_mempool_free(loop_world.pool);
	return missing == 0 ? 0 : -1;
}

void
loop_world_arrive(unsigned int port, uint8_t station)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(loop_world.pool);
	uint8_t *data;

	assert_non_null(m);
	assert_non_null(rte_pktmbuf_append(m, 60));
	data = rte_pktmbuf_mtod(m, uint8_t *);
	memset(data, 0, 60);
	memset(data, 0xFF, 6);
	data[6] = 2;
	data[11] = station;
	data[12] = 0x88;
	data[13] = 0xB5;
	assert_true(loop_world.end[port].n_pending < LOOP_WORLD_PENDING);
	loop_world.end[port].pending[loop_world.end[port].n_pending++] = m;
	fcn_poll_once(fcn_control_worker(loop_world.ctl, 0), loop_world.now);
	while (fcn_worker_next_event(fcn_control_worker(loop_world.ctl, 0), loop_world.now) <=
			loop_world.now)
		fcn_poll_once(fcn_control_worker(loop_world.ctl, 0), loop_world.now);
}

void
loop_world_control(void)
{
	fcn_control_drain(loop_world.ctl);
	loop_world.due = fcn_control_err_disable_poll(loop_world.ctl, loop_world.now);
}

void
loop_world_loop(unsigned int a, unsigned int b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		loop_world_arrive(a, 10 + a + b);
		loop_world_arrive(b, 10 + a + b);
	}
}

uint64_t
loop_world_closed(void)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_snapshot_port *port =
				&fcn_control_snapshot(loop_world.ctl)->port[p];

		set |= (uint64_t)port->err_disabled << p;
		if (port->mode == FCN_PORT_BRIDGED &&
				!fcn_control_build_env(loop_world.ctl)->port[p].down)
			assert_int_equal(port->err_disabled,
					!(fcn_control_snapshot(loop_world.ctl)
											->bridge[port->bridge]
											.members >>
									p &
							1));
	}
	return set;
}

uint64_t
loop_world_reaches(unsigned int port)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < LOOP_WORLD_PORTS; p++)
		loop_world.end[p].sent = 0;
	loop_world_arrive(port, 100 + port);
	for (unsigned int p = 0; p < LOOP_WORLD_PORTS; p++)
		set |= (uint64_t)(loop_world.end[p].sent != 0) << p;
	return set;
}

unsigned int
loop_world_events(enum fcn_event_type type, struct fcn_event *last)
{
	struct fcn_event ev[FCN_COLLECTOR_EVENTS];
	unsigned int n = fcn_collector_events(
				     fcn_control_collector(loop_world.ctl), ev, RTE_DIM(ev)),
		     found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (ev[i].type != type)
			continue;
		*last = ev[i];
		found++;
	}
	return found;
}
