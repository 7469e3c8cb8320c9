/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Changes of links, and devices that accept no packets: both are logged, and the snapshot is
 * updated. Changes of links are events, too.
 */

#include <stdarg.h>
#include <stdio.h>

#include "control_kernel.h"
#include "control_private.h"
#include "fcn_render.h"

static void
log_port(struct fcn_control *ctl, unsigned int port, const char *fmt, ...)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "port %s: ", ctl->config->port[port].name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	va_end(ap);
	fcn_control_log(ctl, line);
}

/* Count the descriptors of a device's queues. Each of them may hold a packet buffer. */
static uint32_t
read_descriptors(const struct fcn_control_port *port)
{
	const struct fcn_port_ops *ops = port->ops;
	const unsigned int n_rx = ops->rx_queues != NULL ? ops->rx_queues(port->priv) : 1;
	uint32_t sum = 0;

	if (ops->descriptors == NULL)
		return 0;
	for (unsigned int q = 0; q < n_rx; q++)
		sum += RTE_MAX(ops->descriptors(port->priv, false, q), 0);
	return sum + RTE_MAX(ops->descriptors(port->priv, true, 0), 0);
}

static void
read_link(const struct fcn_control_port *port, struct fcn_build_port *info)
{
	*info = port->info;
	info->no_clones = port->ops->accepts_clones != NULL &&
			  !port->ops->accepts_clones(port->priv);
	if (port->ops->link_up != NULL)
		info->down = !port->ops->link_up(port->priv);
	/* Asking for the link has looked at it, too. */
	if (port->ops->tx_max_frame != NULL)
		info->max_frame = port->ops->tx_max_frame(port->priv);
	info->descriptors = read_descriptors(port);
	/* A link that is down has no speed, so the last known speed is kept. */
	if (!info->down && port->ops->link_bps != NULL)
		info->link_bps = port->ops->link_bps(port->priv);
}

/* Store the state of a port's link and device. @return whether the link changed */
static bool
take_link(struct fcn_control *ctl, unsigned int p, const struct fcn_build_port *info)
{
	struct fcn_build_port *known = &ctl->env.port[p], before = *known;

	ctl->port[p].info = *known = *info;
	return known->down != before.down || known->link_bps != before.link_bps;
}

bool
fcn_control_link_read(struct fcn_control *ctl, unsigned int p)
{
	struct fcn_build_port info;

	read_link(&ctl->port[p], &info);
	return take_link(ctl, p, &info);
}

struct links {
	const struct fcn_control *ctl;
	struct fcn_build_port info[FCN_MAX_PORTS];
};

/*
 * Read the links of all ports. This runs within fcn_control_aside(), because some drivers make
 * system calls for it.
 */
static void
read_links(void *arg)
{
	struct links *links = arg;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (links->ctl->port[p].ops != NULL)
			read_link(&links->ctl->port[p], &links->info[p]);
	}
}

static const char *
format_speed(uint64_t bps, char *buf, size_t size)
{
	if (bps == 0)
		return "of unknown speed";
	return fcn_format_rate(bps, buf, size);
}

/* Report a change of a link as an event. */
static void
note_link(struct fcn_control *ctl, unsigned int p, enum fcn_event_type type)
{
	const struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = (uint16_t)p,
			.in_port = (uint16_t)p,
			.len = (uint32_t)RTE_MIN(
					ctl->env.port[p].link_bps / 1000000, (uint64_t)UINT32_MAX),
	};

	fcn_collector_note(ctl->collector, &ev);
}

static void
log_link(struct fcn_control *ctl, unsigned int p, const struct fcn_build_port *before)
{
	const struct fcn_build_port *now = &ctl->env.port[p];
	char buf[32], was[32];
	const char *speed = format_speed(now->link_bps, buf, sizeof(buf));

	if (now->down)
		log_port(ctl, p, "link down");
	else if (before->down)
		log_port(ctl, p, "link up, %s", speed);
	else
		log_port(ctl, p, "link is %s now, was %s", speed,
				format_speed(before->link_bps, was, sizeof(was)));
	note_link(ctl, p,
			now->down      ? FCN_EVENT_LINK_DOWN
			: before->down ? FCN_EVENT_LINK_UP
				       : FCN_EVENT_LINK_SPEED);
}

static void
look_for_stall(struct fcn_control *ctl, unsigned int p)
{
	bool was = fcn_port_set_has(&ctl->stalled, p);
	bool is = __atomic_load_n(&fcn_control_owner(ctl, p)->port[p].stalled, __ATOMIC_RELAXED);

	if (is == was)
		return;
	fcn_port_set_flip(&ctl->stalled, p);
	log_port(ctl, p,
			is ? "its device takes no packets; what waits for it is dropped "
			     "(tx_stalled)"
			   : "its device takes packets again");
}

void
fcn_control_link_poll(struct fcn_control *ctl)
{
	struct links links = {.ctl = ctl};
	struct fcn_port_set lost = {0};
	bool changed = false, resized = false;

	fcn_control_aside(ctl, read_links, &links);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_build_port before = ctl->env.port[p];

		if (ctl->port[p].ops == NULL) {
			fcn_port_set_remove(&ctl->stalled, p);
			continue;
		}
		look_for_stall(ctl, p);
		resized |= links.info[p].max_frame != before.max_frame;
		if (!take_link(ctl, p, &links.info[p]))
			continue;
		changed = true;
		if (ctl->env.port[p].down)
			fcn_port_set_add(&lost, p);
		log_link(ctl, p, &before);
	}
	if (!changed && !resized && !ctl->refresh_failed)
		return;
	fcn_control_refresh(ctl);
	/* With the new snapshot, workers learn no more addresses there. */
	FCN_PORT_SET_FOREACH (p, &lost)
		fcn_control_flush_port(ctl, p);
	fcn_control_host_configure(ctl);
	if (resized)
		fcn_control_kernel_configure(ctl);
}

void
fcn_control_link_log_limits(struct fcn_control *ctl, const struct fcn_port_set *opened)
{
	FCN_PORT_SET_FOREACH (p, opened) {
		const struct fcn_control_port *port = &ctl->port[p];
		const char *limits = port->ops->limits != NULL ? port->ops->limits(port->priv) : "";

		if (limits[0] != '\0')
			log_port(ctl, p, "%s", limits);
	}
}
