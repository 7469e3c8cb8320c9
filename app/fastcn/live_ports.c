/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fcn_ethdev.h"
#include "live.h"

/* Time by which a worker may be late, because it sleeps when idle and the kernel may preempt it. */
#define SLACK_NS 100000

/* Interval, ms, at which neighbours are answered during long work. */
#define ATTEND_MS 1

/* Set what the device does itself: its address filter, and priority flow control. */
static int
set_hardware(struct fcn_ethdev *dev, const struct fcn_config_port *port, char *err, size_t err_size)
{
	uint8_t receive = 0, send = 0;
	int rc;

	rc = fcn_ethdev_promiscuous(dev, port->promiscuous || port->bridge >= 0, err, err_size);
	if (rc != 0)
		return rc;
	for (unsigned int c = 0; port->pfc.hardware && c < FCN_CLASSES; c++) {
		receive |= port->pfc.class[c].receive << c;
		send |= port->pfc.class[c].send << c;
	}
	return fcn_ethdev_pfc(dev, receive, send, port->pfc.quanta, err, err_size);
}

/* Runs on a thread of the driver. */
static void
link_changed(void *arg)
{
	const struct fcn_live *live = arg;
	const uint64_t one = 1;

	if (write(live->link_event, &one, sizeof(one)) <
			0) /* the counter is full, and the descriptor readable anyway */
		return;
}

/* The worker whose packet buffers a port uses: the one that the configuration names, else the
 * first. */
static const struct fcn_control_worker *
worker_of(const struct fcn_live *live, const struct fcn_config_port *port)
{
	return &live->conf.worker[port->worker < live->conf.n_workers ? port->worker : 0];
}

static const struct rte_ether_addr *
configured_mac(const struct fcn_config_port *port)
{
	return rte_is_zero_ether_addr(&port->mac) ? NULL : &port->mac;
}

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	struct fcn_live *live = arg;
	const struct fcn_ethdev_conf conf = {
			.device = port->device,
			.pool = worker_of(live, port)->pool,
			.mtu = port->mtu,
			.queues = port->queues,
			.rx_descriptors = port->rx_descriptors,
			.tx_descriptors = port->tx_descriptors,
			.mac = configured_mac(port),
			.link_changed = link_changed,
			.arg = live,
	};
	struct fcn_ethdev *dev;

	RTE_SET_USED(number);
	if (port->device[0] == '\0') {
		snprintf(err, err_size,
				"a port of the live switch needs a device: port add %s device "
				"NAME",
				port->name);
		return -EINVAL;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_control_port(live->ctl, p) != NULL &&
				strcmp(fcn_control_config(live->ctl)->port[p].device,
						port->device) == 0) {
			snprintf(err, err_size,
					"device %s is used by port %s: remove that port first",
					port->device, fcn_control_config(live->ctl)->port[p].name);
			return -EBUSY;
		}
	}
	dev = fcn_ethdev_open(&conf, err, err_size);
	if (dev == NULL)
		return -errno;
	if (set_hardware(dev, port, err, err_size) != 0) {
		fcn_ethdev_close(dev);
		return -ENOTSUP;
	}
	out->ops = &fcn_ethdev_port_ops;
	out->priv = dev;
	fcn_ethdev_mac(dev, &out->info.mac);
	out->socket = fcn_ethdev_socket(dev);
	if (out->socket >= 0 && out->socket != worker_of(live, port)->socket)
		fprintf(stderr, "fastcn: port %s is on NUMA node %d, its packet buffers on %d\n",
				port->name, out->socket, worker_of(live, port)->socket);
	fcn_captures_port(live->captures, number, port->name, fcn_ethdev_port_ops.link_bps(dev));
	return 0;
}

static int
update_port(void *arg, const struct fcn_config_port *port, struct fcn_control_port *open, char *err,
		size_t err_size)
{
	int rc;

	RTE_SET_USED(arg);
	rc = fcn_ethdev_update(open->priv, port->mtu, configured_mac(port), err, err_size);
	if (rc == 0)
		rc = set_hardware(open->priv, port, err, err_size);
	return rc;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	const struct fcn_live *live = arg;

	fcn_ethdev_close(open->priv);
	fcn_stop_step(live->stop);
}

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	fprintf(stderr, "fastcn: %s\n", line);
}

/*
 * Answer neighbours while the helper works, or between two parts of long work.
 *
 * @return milliseconds until the next call
 */
static int
answer_neighbours(void *arg)
{
	struct fcn_live *live = arg;
	uint64_t now = fcn_loops_now(live->loops);

	fcn_control_host_poll(live->ctl, now);
	fcn_control_drain(live->ctl);
	fcn_control_err_disable_poll(live->ctl, now);
	fcn_live_watch(live);
	live->attended_ns = now;
	return ATTEND_MS;
}

static void
aside(void *arg, void (*work)(void *work_arg), void *work_arg)
{
	struct fcn_live *live = arg;

	if (live->helper == NULL || live->loops == NULL)
		work(work_arg);
	else
		fcn_helper_run(live->helper, work, work_arg, answer_neighbours, live);
}

static void
attend(void *arg)
{
	struct fcn_live *live = arg;

	if (live->loops != NULL &&
			fcn_loops_now(live->loops) - live->attended_ns >= ATTEND_MS * 1000000ull)
		answer_neighbours(live);
}

/* The clock by which workers are waited for, as the one that they share starts with them. */
static uint64_t
read_clock(void *arg)
{
	struct timespec ts;

	RTE_SET_USED(arg);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static const struct fcn_patience patience = {.now = read_clock};

bool
fcn_live_needs_all(const struct fcn_config *cfg)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].kernel[0] != '\0')
			return true;
		if (fcn_config_has_link(cfg, p) &&
				fcn_ethdev_sharing(cfg->port[p].device) != FCN_ETHDEV_SHARED)
			return true;
	}
	return false;
}

/* Devices that only one process can have are opened when the other one has let go. */
static bool
is_last(void *arg, const struct fcn_config_port *port)
{
	RTE_SET_USED(arg);
	return fcn_ethdev_sharing(port->device) != FCN_ETHDEV_SHARED;
}

static void
applying(void *arg, const struct fcn_config *cfg)
{
	struct fcn_live *live = arg;

	if (live->take_over != NULL && fcn_live_needs_all(cfg))
		fcn_take_over_release(live->take_over);
}

struct fcn_platform
fcn_live_platform(struct fcn_live *live)
{
	return (struct fcn_platform){
			.name = "live",
			.slack_ns = SLACK_NS,
			.port_open = open_port,
			.port_update = update_port,
			.port_close = close_port,
			.port_is_last = is_last,
			.applying = applying,
			.host = true,
			.kernel = true,
			.patience = &patience,
			.log = log_line,
			.aside = aside,
			.attend = attend,
			.arg = live,
	};
}
