/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Commit of a configuration: it is checked, ports are opened and closed, and a snapshot is built
 * and published.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bsd/string.h>

#include "control_kernel.h"
#include "control_private.h"
#include "fcn_route_set.h"

/* Remove an open port from ctl. @return the port, which is still to be closed */
static struct fcn_control_port
take_port(struct fcn_control *ctl, unsigned int p)
{
	struct fcn_control_port port = ctl->port[p];

	ctl->port[p] = (struct fcn_control_port){0};
	ctl->env.port[p] = (struct fcn_build_port){0};
	return port;
}

static void
close_port(struct fcn_control *ctl, unsigned int p)
{
	struct fcn_control_port port = take_port(ctl, p);

	fcn_control_port_close(ctl, &port);
}

/* Whether a port stays the same device: if not, it has to be removed and added again. */
static bool
is_same_device(const struct fcn_config_port *a, const struct fcn_config_port *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->device, b->device) == 0 &&
	       a->queues == b->queues && a->rx_descriptors == b->rx_descriptors &&
	       a->tx_descriptors == b->tx_descriptors;
}

/* After a failed commit, restore the settings of ports that it has updated to the running
 * configuration. Those that cannot be restored are updated with the next commit. */
static void
restore_ports(struct fcn_control *ctl)
{
	char unused[256];

	FCN_PORT_SET_FOREACH (p, &ctl->updated) {
		if (ctl->port[p].ops == NULL || fcn_control_port_update(ctl, &ctl->config->port[p],
								p, unused, sizeof(unused)) == 0)
			fcn_port_set_remove(&ctl->updated, p);
	}
}

static bool
is_last(const struct fcn_control *ctl, const struct fcn_config_port *port)
{
	return ctl->platform->port_is_last != NULL &&
	       ctl->platform->port_is_last(ctl->platform->arg, port);
}

/* Why an open port cannot become what a configuration says of its number: how it would have to be
 * added anew. @return NULL: it can */
static const char *
conflict(const struct fcn_control *ctl, const struct fcn_config *cfg, unsigned int p)
{
	const struct fcn_config_port *port = &cfg->port[p];

	if (port->name[0] == '\0' || ctl->port[p].ops == NULL)
		return NULL;
	if (port->vlan != 0)
		return "as an interface";
	if (ctl->qsbr != NULL && port->worker != FCN_AUTO && port->worker != ctl->place[p].owner)
		return "with another worker";
	if (!is_same_device(port, &ctl->config->port[p]))
		return "with another device or number of queues or descriptors";
	return NULL;
}

void
fcn_control_conflicts(const struct fcn_control *ctl, const struct fcn_config *cfg,
		struct fcn_port_set *set)
{
	*set = (struct fcn_port_set){0};
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (conflict(ctl, cfg, p) != NULL)
			fcn_port_set_add(set, p);
	}
}

/* Check that open ports stay the devices that they are. */
static int
check_devices(const struct fcn_control *ctl, const struct fcn_config *cfg, char *err,
		size_t err_size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const char *how = conflict(ctl, cfg, p);

		if (how == NULL)
			continue;
		snprintf(err, err_size, "port %s: remove it first, then add it %s",
				cfg->port[p].name, how);
		return -1;
	}
	return 0;
}

static int
open_some_ports(struct fcn_control *ctl, const struct fcn_config *cfg, bool last,
		struct fcn_port_set *opened, char *err, size_t err_size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];
		char why[256] = "";
		int rc;

		if (is_last(ctl, port) != last || !fcn_config_has_link(cfg, p))
			continue;
		/* A device that has changed by itself must not keep other changes from being made.
		 */
		if (ctl->port[p].ops != NULL && !fcn_port_set_has(&ctl->updated, p) &&
				memcmp(port, &ctl->config->port[p], sizeof(*port)) == 0) {
			rc = 0;
		} else if (ctl->port[p].ops != NULL) {
			fcn_port_set_add(&ctl->updated, p);
			rc = fcn_control_port_update(ctl, port, p, why, sizeof(why));
		} else {
			rc = fcn_control_port_open(ctl, port, p, why, sizeof(why));
			if (rc == 0) {
				fcn_port_set_add(opened, p);
				fcn_control_link_read(ctl, p);
			}
		}
		if (rc != 0) {
			snprintf(err, err_size, "port %s: %s", port->name, why);
			ctl->unavailable = rc == -ENODEV;
			ctl->lacking = rc == -ENODEV ? (int)p : -1;
			return -1;
		}
	}
	return 0;
}

static int
open_new_ports(struct fcn_control *ctl, const struct fcn_config *cfg, struct fcn_port_set *opened,
		char *err, size_t err_size)
{
	if (open_some_ports(ctl, cfg, false, opened, err, err_size) != 0)
		return -1;
	if (ctl->platform->applying != NULL)
		ctl->platform->applying(ctl->platform->arg, cfg);
	return open_some_ports(ctl, cfg, true, opened, err, err_size);
}

static void
close_ports(struct fcn_control *ctl, const struct fcn_port_set *set)
{
	FCN_PORT_SET_FOREACH (p, set)
		close_port(ctl, p);
}

/* Check that the workers that ports are configured for exist. If everything runs on one thread, as
 * in replay, this is not checked. */
static int
check_workers(const struct fcn_control *ctl, const struct fcn_config *cfg, char *err,
		size_t err_size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (ctl->qsbr == NULL || port->name[0] == '\0' || port->worker == FCN_AUTO)
			continue;
		if (port->worker >= ctl->n_workers) {
			snprintf(err, err_size, "port %s: there is no worker %u, the last is %u",
					port->name, port->worker, ctl->n_workers - 1);
			return -1;
		}
	}
	return 0;
}

/* Whether worker a is a better choice for a port than worker b: on the device's NUMA node, or with
 * fewer ports. */
static bool
is_better(const struct fcn_control *ctl, const struct fcn_control_port *port, unsigned int a,
		unsigned int b)
{
	bool near_a = ctl->worker[a]->socket == port->socket;
	bool near_b = ctl->worker[b]->socket == port->socket;

	if (near_a != near_b)
		return near_a;
	return ctl->worker[a]->n_own_ports < ctl->worker[b]->n_own_ports;
}

/*
 * Choose the worker that owns a port's class queues: the configured one, or the best one. The
 * receive queues of the port are distributed to this worker and the following ones in turn.
 */
static void
place_port(struct fcn_control *ctl, const struct fcn_config_port *port, unsigned int p)
{
	const struct fcn_control_port *open = &ctl->port[p];
	struct fcn_placement *place = &ctl->place[p];

	*place = (struct fcn_placement){.owner = port->worker, .n_rx_queues = 1};
	if (port->worker >= ctl->n_workers) {
		place->owner = 0;
		for (unsigned int i = 1; i < ctl->n_workers; i++) {
			if (is_better(ctl, open, i, place->owner))
				place->owner = i;
		}
	}
	if (open->ops->rx_queues != NULL)
		place->n_rx_queues = open->ops->rx_queues(open->priv);
	for (unsigned int q = 0; q < place->n_rx_queues; q++)
		place->rx_worker[q] = (place->owner + q) % ctl->n_workers;
}

static int
add_ports(struct fcn_control *ctl, const struct fcn_config *cfg, const struct fcn_snapshot *s,
		const struct fcn_port_set *set)
{
	FCN_PORT_SET_FOREACH (p, set) {
		uint32_t slots[FCN_CLASSES];

		fcn_control_queue_slots(s, p, slots);
		place_port(ctl, &cfg->port[p], p);
		if (fcn_worker_group_port_add(ctl->worker, ctl->n_workers, &ctl->place[p], p,
				    ctl->port[p].ops, ctl->port[p].priv, slots) != 0)
			return -1;
	}
	return 0;
}

static void
remove_port(struct fcn_control *ctl, unsigned int p)
{
	fcn_worker_group_port_remove(ctl->worker, ctl->n_workers, p);
}

/*
 * Collect the ports that the configuration no longer has.
 *
 * @return number of ports to close once the configuration is applied
 */
static unsigned int
remove_gone_ports(struct fcn_control *ctl, const struct fcn_config *cfg,
		struct fcn_control_port gone[FCN_MAX_PORTS])
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < ctl->published->n_ports; p++) {
		if (cfg->port[p].name[0] != '\0' || ctl->port[p].ops == NULL)
			continue;
		remove_port(ctl, p);
		fcn_control_tap_forget_port(ctl, p);
		gone[n++] = take_port(ctl, p);
	}
	return n;
}

static void
remove_ports(struct fcn_control *ctl, const struct fcn_port_set *set)
{
	FCN_PORT_SET_FOREACH (p, set)
		remove_port(ctl, p);
}

/* Whether a number stands for another sub-interface or bridge interface than before. */
static bool
is_other_interface(const struct fcn_config_port *was, const struct fcn_config_port *is)
{
	return strcmp(was->name, is->name) != 0 || was->vlan != is->vlan ||
	       was->parent != is->parent || was->of_bridge != is->of_bridge;
}

/* Check that all workers turn if ports or interfaces come or go, as each of them has a part of it.
 */
static int
check_turning(struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size)
{
	for (unsigned int p = 0; p < RTE_MAX(cfg->n_ports, ctl->config->n_ports); p++) {
		const bool is_open = ctl->port[p].ops != NULL;

		if (is_open != fcn_config_has_link(cfg, p) ||
				is_other_interface(&ctl->config->port[p], &cfg->port[p]))
			return fcn_control_need_workers(ctl, err, err_size);
	}
	return 0;
}

/* Remove the MAC addresses learned on ports that are no longer in the same bridge. */
static void
forget_moved_ports(struct fcn_control *ctl, const struct fcn_config *cfg)
{
	for (unsigned int p = 0; p < ctl->config->n_ports; p++) {
		int was = ctl->config->port[p].bridge, is = cfg->port[p].bridge;

		if (ctl->config->port[p].name[0] == '\0' || was < 0)
			continue;
		if (was != is || strcmp(ctl->config->bridge[was].name, cfg->bridge[is].name) != 0)
			fcn_control_flush_port(ctl, p);
	}
}

/*
 * Let workers reset their state for the numbers that belong to another sub-interface or bridge
 * interface than before. For ports with a link, removing and adding them has this effect.
 */
static void
renew_sub_interfaces(struct fcn_control *ctl, const struct fcn_config *cfg)
{
	for (unsigned int p = 0; p < RTE_MAX(cfg->n_ports, ctl->config->n_ports); p++) {
		const struct fcn_config_port *was = &ctl->config->port[p], *is = &cfg->port[p];

		if (!is_other_interface(was, is))
			continue;
		if (ctl->config->port[p].name[0] != '\0' && ctl->config->port[p].vlan != 0)
			fcn_control_tap_forget_port(ctl, p);
		if (is->name[0] != '\0' && is->vlan != 0)
			fcn_worker_group_port_renew(ctl->worker, ctl->n_workers, p);
	}
}

/*
 * Let the snapshot in force have room for all ports of a configuration: workers read it at the
 * number of a port as soon as the port is added.
 */
static int
make_room(struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size)
{
	if (cfg->n_ports <= ctl->published->n_ports)
		return 0;
	ctl->env.n_ports = cfg->n_ports;
	if (fcn_control_refresh(ctl) == 0)
		return 0;
	strlcpy(err, "ports: out of memory", err_size);
	return -1;
}

int
fcn_control_check(struct fcn_control *ctl, const struct fcn_config *cfg,
		struct fcn_warnings *warnings, char *err, size_t err_size)
{
	struct fcn_build_env env = ctl->env;
	struct fcn_snapshot *s;

	if (check_workers(ctl, cfg, err, err_size) != 0 ||
			check_devices(ctl, cfg, err, err_size) != 0)
		return -1;
	/* As a commit would; this one is published nowhere, and made without the sets of routes
	 * that are in force. */
	memset(env.routes, 0, sizeof(env.routes));
	memset(env.routes_before, 0, sizeof(env.routes_before));
	env.before = NULL;
	env.generation++;
	env.n_ports = RTE_MAX(env.n_ports, cfg->n_ports);
	env.host = fcn_control_host_is_on(ctl, cfg);
	env.err_disabled = (struct fcn_port_set){0};
	env.warnings = warnings;
	s = fcn_snapshot_build(cfg, &env, err, err_size);
	fcn_snapshot_free(s);
	return s != NULL ? 0 : -1;
}

int
fcn_control_commit(struct fcn_control *ctl, struct fcn_config *cfg, char *err, size_t err_size)
{
	struct fcn_control_port gone[FCN_MAX_PORTS];
	struct fcn_config *before;
	struct fcn_snapshot *s;
	unsigned int n_gone;
	struct fcn_port_set opened = {0}, closed;
	bool host;

	ctl->unavailable = false;
	ctl->lacking = -1;
	/* Everything that can fail is done before the first change that is visible to workers. */
	if (check_workers(ctl, cfg, err, err_size) != 0 ||
			check_devices(ctl, cfg, err, err_size) != 0 ||
			check_turning(ctl, cfg, err, err_size) != 0)
		return -1;
	if (open_new_ports(ctl, cfg, &opened, err, err_size) != 0)
		goto fail;
	if (fcn_control_kernel_prepare(ctl, cfg, err, err_size) != 0) {
		ctl->unavailable = true;
		goto fail;
	}
	if (make_room(ctl, cfg, err, err_size) != 0)
		goto fail;
	ctl->env.generation++;
	fcn_control_routes_same(ctl, !ctl->routes_stale && fcn_route_set_is_same(cfg, ctl->config));
	if (!ctl->routes_stale)
		fcn_control_routes_before(ctl, ctl->config);
	closed = ctl->env.err_disabled;
	host = ctl->env.host;
	ctl->env.err_disabled = fcn_control_err_disable_keep(ctl, cfg);
	ctl->env.host = fcn_control_host_is_on(ctl, cfg);
	s = fcn_snapshot_build(cfg, &ctl->env, err, err_size);
	fcn_control_routes_done(ctl);
	if (s == NULL)
		goto fail_build;
	/* Devices may have taken seconds to open. */
	if (check_turning(ctl, cfg, err, err_size) != 0) {
		fcn_snapshot_free(s);
		goto fail_build;
	}
	if (add_ports(ctl, cfg, s, &opened) != 0) {
		strlcpy(err, "queues: out of memory", err_size);
		remove_ports(ctl, &opened);
		fcn_snapshot_free(s);
		goto fail_build;
	}
	/*
	 * This is done while the snapshot still contains these ports, because a worker does not
	 * drain a port that is not in its snapshot.
	 */
	n_gone = remove_gone_ports(ctl, cfg, gone);
	renew_sub_interfaces(ctl, cfg);
	fcn_control_publish(ctl, s);
	ctl->routes_stale = ctl->refresh_failed = false;
	ctl->updated = (struct fcn_port_set){0};
	forget_moved_ports(ctl, cfg);
	before = ctl->config;
	ctl->config = cfg;
	ctl->commits++;
	fcn_control_err_disable_configure(ctl, before, &closed);
	fcn_config_free(before);
	fcn_control_host_configure(ctl);
	fcn_control_link_log_limits(ctl, &opened);
	fcn_control_kernel_configure(ctl);
	/*
	 * Closing a port may take seconds, during which neighbours are answered. It is therefore
	 * done last, when the snapshot is that of the new configuration.
	 */
	for (unsigned int i = 0; i < n_gone; i++)
		fcn_control_port_close(ctl, &gone[i]);
	return 0;
fail_build:
	/* No snapshot of this generation was published, so the next one gets its number: names of
	 * tables alternate with it. */
	ctl->env.generation--;
	ctl->env.err_disabled = closed;
	ctl->env.host = host;
fail:
	fcn_control_kernel_abandon(ctl);
	close_ports(ctl, &opened);
	restore_ports(ctl);
	return -1;
}
