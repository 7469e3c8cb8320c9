/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_ether.h>

#include "loop_platform.h"

struct loop_platform loop_platform;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct loop_platform_end *e = priv;
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
	((struct loop_platform_end *)priv)->sent += n;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static bool
link_up(void *priv)
{
	return !((const struct loop_platform_end *)priv)->down;
}

static const struct fcn_port_ops ops = {
		.kind = "test", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_up = link_up};

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	RTE_SET_USED(arg);
	if (strcmp(port->name, LOOP_PLATFORM_BROKEN) == 0) {
		snprintf(err, err_size, "does not open");
		return -EIO;
	}
	out->ops = &ops;
	out->priv = &loop_platform.end[number];
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
	snprintf(loop_platform.said, sizeof(loop_platform.said), "%s", line);
}

struct fcn_config *
loop_platform_edit(void)
{
	struct fcn_config *cfg = fcn_config_copy(fcn_control_config(loop_platform.ctl));

	assert_non_null(cfg);
	return cfg;
}

void
loop_platform_commit(struct fcn_config *cfg)
{
	char err[256] = "";

	if (fcn_control_commit(loop_platform.ctl, cfg, err, sizeof(err)) != 0)
		fail_msg("%s", err);
}

void
loop_platform_add_port(struct fcn_config *cfg, const char *name, unsigned int number)
{
	assert_int_equal(fcn_config_port_add(cfg, name), number);
	cfg->port[number].bridge = 0;
	cfg->port[number].pvid = 1;
}

void
loop_platform_set_action(enum fcn_loop_action action, uint64_t recover_ns)
{
	struct fcn_config *cfg = loop_platform_edit();

	cfg->bridge[0].loop_action = action;
	cfg->bridge[0].recover_ns = recover_ns;
	loop_platform_commit(cfg);
}

int
loop_platform_setup(void **state)
{
	struct fcn_control_conf conf = {.name = "loop",
			.platform = &loop_platform.platform,
			.socket = SOCKET_ID_ANY,
			.mac_entries = 256,
			.flow_sets = 64,
			.dest_sets = 64,
			.events = 256};
	struct fcn_config *cfg;
	char err[256];

	RTE_SET_USED(state);
	memset(&loop_platform, 0, sizeof(loop_platform));
	loop_platform.now = SECOND;
	loop_platform.platform = (struct fcn_platform){.name = "test",
			.port_open = open_port,
			.port_close = close_port,
			.log = log_line};
	loop_platform.pool = rte_pktmbuf_pool_create(
			"loop", 4095, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	conf.pool = loop_platform.pool;
	loop_platform.ctl = fcn_control_create(&conf, err, sizeof(err));
	if (loop_platform.pool == NULL || loop_platform.ctl == NULL)
		return -1;
	cfg = loop_platform_edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		loop_platform_add_port(cfg, name, p);
	}
	loop_platform_commit(cfg);
	return 0;
}

int
loop_platform_setup_disable(void **state)
{
	if (loop_platform_setup(state) != 0)
		return -1;
	loop_platform_set_action(FCN_LOOP_DISABLE, 300 * SECOND);
	return 0;
}

int
loop_platform_teardown(void **state)
{
	struct fcn_conservation sum = {0};
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_control_conservation(loop_platform.ctl, &sum);
	assert_true(fcn_conservation_holds(&sum));
	fcn_control_free(loop_platform.ctl);
	missing = rte_mempool_in_use_count(loop_platform.pool);
	rte_mempool_free(loop_platform.pool);
	return missing == 0 ? 0 : -1;
}

void
loop_platform_arrive(unsigned int port, uint8_t station)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(loop_platform.pool);
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
	assert_true(loop_platform.end[port].n_pending < LOOP_PLATFORM_PENDING);
	loop_platform.end[port].pending[loop_platform.end[port].n_pending++] = m;
	fcn_poll_once(fcn_control_worker(loop_platform.ctl, 0), loop_platform.now);
	while (fcn_worker_next_event(fcn_control_worker(loop_platform.ctl, 0), loop_platform.now) <=
			loop_platform.now)
		fcn_poll_once(fcn_control_worker(loop_platform.ctl, 0), loop_platform.now);
}

void
loop_platform_control(void)
{
	fcn_control_drain(loop_platform.ctl);
	loop_platform.due = fcn_control_err_disable_poll(loop_platform.ctl, loop_platform.now);
}

void
loop_platform_loop(unsigned int a, unsigned int b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		loop_platform_arrive(a, 10 + a + b);
		loop_platform_arrive(b, 10 + a + b);
	}
}

uint64_t
loop_platform_closed(void)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_snapshot_port *port =
				&fcn_control_snapshot(loop_platform.ctl)->port[p];

		set |= (uint64_t)port->err_disabled << p;
		if (port->mode == FCN_PORT_BRIDGED &&
				!fcn_control_build_env(loop_platform.ctl)->port[p].down)
			assert_int_equal(port->err_disabled,
					!(fcn_control_snapshot(loop_platform.ctl)
											->bridge[port->bridge]
											.members >>
									p &
							1));
	}
	return set;
}

uint64_t
loop_platform_reaches(unsigned int port)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++)
		loop_platform.end[p].sent = 0;
	loop_platform_arrive(port, 100 + port);
	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++)
		set |= (uint64_t)(loop_platform.end[p].sent != 0) << p;
	return set;
}

unsigned int
loop_platform_events(enum fcn_event_type type, struct fcn_event *last)
{
	struct fcn_event ev[FCN_COLLECTOR_EVENTS];
	unsigned int n = fcn_collector_events(
				     fcn_control_collector(loop_platform.ctl), ev, RTE_DIM(ev)),
		     found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (ev[i].type != type)
			continue;
		*last = ev[i];
		found++;
	}
	return found;
}
