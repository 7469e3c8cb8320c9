/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "loop_platform.h"
#include "port_bits.h"

struct loop_platform loop_platform;

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	snprintf(loop_platform.last_line, sizeof(loop_platform.last_line), "%s", line);
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
	struct fcn_config *cfg = platform_edit();

	cfg->bridge[0].loop_action = action;
	cfg->bridge[0].recover_ns = recover_ns;
	platform_commit(cfg);
}

int
loop_platform_setup(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	memset(&loop_platform, 0, sizeof(loop_platform));
	loop_platform.now = SECOND;
	if (platform_setup_sized(&(struct fcn_platform){0}, false,
			    &(struct platform_size){
					    .mac_entries = 256, .events = 256, .mbufs = 4095}) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		loop_platform_add_port(cfg, name, p);
	}
	platform_commit(cfg);
	/* The log begins after the ports were opened. */
	platform.ops.log = log_line;
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

void
loop_platform_arrive(unsigned int port, uint8_t station)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);
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
	platform_arrive(port, m);
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), loop_platform.now);
	while (fcn_worker_next_event(fcn_control_worker(platform.ctl, 0), loop_platform.now) <=
			loop_platform.now)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), loop_platform.now);
}

void
loop_platform_control(void)
{
	fcn_control_drain(platform.ctl);
	loop_platform.due = fcn_control_err_disable_poll(platform.ctl, loop_platform.now);
}

void
loop_platform_loop(unsigned int a, unsigned int b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		loop_platform_arrive(a, 10 + a + b);
		loop_platform_arrive(b, 10 + a + b);
	}
}

int
loop_platform_clear(uint64_t bits)
{
	const struct fcn_port_set ports = ports_of(bits);

	return fcn_control_err_disable_clear(platform.ctl, &ports);
}

uint64_t
loop_platform_closed(void)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < fcn_control_snapshot(platform.ctl)->n_ports; p++) {
		const struct fcn_snapshot_port *port = &fcn_control_snapshot(platform.ctl)->port[p];

		set |= (uint64_t)port->err_disabled << p;
		if (port->mode == FCN_PORT_BRIDGED &&
				!fcn_control_build_env(platform.ctl)->port[p].down)
			assert_int_equal(port->err_disabled,
					!fcn_port_set_has(&fcn_control_snapshot(platform.ctl)
									   ->bridge[port->bridge]
									   .members,
							p));
	}
	return set;
}

uint64_t
loop_platform_reaches(unsigned int port)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++)
		platform.port[p].sent = 0;
	loop_platform_arrive(port, 100 + port);
	for (unsigned int p = 0; p < LOOP_PLATFORM_PORTS; p++)
		set |= (uint64_t)(platform.port[p].sent != 0) << p;
	return set;
}

unsigned int
loop_platform_events(enum fcn_event_type type, struct fcn_event *last)
{
	struct fcn_event ev[FCN_COLLECTOR_EVENTS];
	unsigned int n = fcn_collector_events(fcn_control_collector(platform.ctl), ev, RTE_DIM(ev)),
		     found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (ev[i].type != type)
			continue;
		*last = ev[i];
		found++;
	}
	return found;
}
