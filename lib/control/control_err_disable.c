/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Ports of bridges that are closed because of a forwarding loop, and opened again after a time. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control_private.h"
#include "fcn_render.h"

/*
 * Time, ns, after a port was closed in which no other port of its bridge is closed, because the
 * loop may be resolved.
 */
#define HOLD_NS UINT64_C(1000000000)

/* Time after which opening a port is tried again if there was no memory for a snapshot. */
#define RETRY_NS UINT64_C(1000000000)

/* The last mac_flapping event of a port. */
struct mark {
	uint64_t time_ns;
	uint16_t from; /* the port where the address was known before */
	uint8_t mac[RTE_ETHER_ADDR_LEN];
};

struct fcn_control_err_disable {
	struct fcn_port_set marked; /* ports with an event since the last poll */
	struct mark mark[FCN_MAX_PORTS];
	uint64_t closed_ns[FCN_MAX_PORTS];    /* when a closed port was closed */
	uint64_t settled_ns[FCN_MAX_BRIDGES]; /* events up to this time are ignored */
	uint64_t retry_ns;                    /* no port is opened before this time */
};

/*
 * Process an event. When two ports form a loop, addresses move to one of them from a port with a
 * lower number, and to the other one from a port with a higher number. Only the first of these two
 * ports is closed, so that the other one stays open.
 */
static void
look_at_event(void *arg, const struct fcn_event *ev)
{
	struct fcn_control_err_disable *e = arg;
	struct mark *m;

	if (ev->type != FCN_EVENT_MAC_FLAPPING || ev->port >= FCN_MAX_PORTS ||
			ev->in_port >= ev->port)
		return;
	m = &e->mark[ev->port];
	fcn_port_set_add(&e->marked, ev->port);
	m->time_ns = ev->time_ns;
	m->from = ev->in_port;
	memcpy(m->mac, ev->sender, sizeof(m->mac));
}

int
fcn_control_err_disable_create(struct fcn_control *ctl)
{
	ctl->err_disable = calloc(1, sizeof(*ctl->err_disable));
	if (ctl->err_disable == NULL)
		return -ENOMEM;
	fcn_collector_watch(ctl->collector, look_at_event, ctl->err_disable);
	return 0;
}

void
fcn_control_err_disable_free(struct fcn_control *ctl)
{
	free(ctl->err_disable);
}

static void
note_event(struct fcn_control *ctl, enum fcn_event_type type, unsigned int port, uint64_t now,
		const struct mark *m)
{
	struct fcn_event ev = {.time_ns = now,
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = port,
			.in_port = port};

	if (m != NULL) {
		ev.in_port = m->from;
		memcpy(ev.sender, m->mac, sizeof(m->mac));
	}
	fcn_collector_note(ctl->collector, &ev);
}

static void
log_line(struct fcn_control *ctl, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fcn_control_log(ctl, line);
}

static void
report_closed(struct fcn_control *ctl, unsigned int port, uint64_t now)
{
	const struct fcn_config *cfg = ctl->config;
	const uint64_t recover = cfg->bridge[cfg->port[port].bridge].recover_ns;
	const struct mark *m = &ctl->err_disable->mark[port];
	char text[32];

	note_event(ctl, FCN_EVENT_ERR_DISABLED, port, now, m);
	fcn_format_time(recover, text, sizeof(text));
	log_line(ctl,
			"port %s: closed because of a loop: MAC addresses move back "
			"and forth between it and port %s; it is opened again %s%s",
			cfg->port[port].name, cfg->port[m->from].name,
			recover != 0 ? "after " : "by clear err-disable", recover != 0 ? text : "");
}

static void
report_opened(struct fcn_control *ctl, const struct fcn_port_set *set, uint64_t now)
{
	FCN_PORT_SET_FOREACH (p, set) {
		note_event(ctl, FCN_EVENT_ERR_RECOVERED, p, now, NULL);
		log_line(ctl, "port %s: open again after it was closed because of a loop",
				ctl->config->port[p].name);
	}
}

/* Publish a snapshot with a set of closed ports. @return false when memory is exhausted */
static bool
put_in_force(struct fcn_control *ctl, const struct fcn_port_set *closed)
{
	const struct fcn_port_set before = ctl->env.err_disabled;

	ctl->env.err_disabled = *closed;
	if (fcn_control_refresh(ctl) == 0)
		return true;
	ctl->env.err_disabled = before;
	return false;
}

/* Whether a port of a bridge forwards frames: it has a link and is not closed. */
static bool
is_passing(const struct fcn_control *ctl, unsigned int port, int bridge)
{
	const struct fcn_config_port *p = &ctl->config->port[port];

	return p->name[0] != '\0' && p->bridge == bridge && !ctl->env.port[port].down &&
	       !fcn_port_set_has(&ctl->env.err_disabled, port);
}

/*
 * Whether the last event of a port is a reason to close it now. Both ports of the loop must be
 * forwarding frames, so the last forwarding port of a bridge is never closed.
 */
static bool
is_to_be_closed(const struct fcn_control *ctl, unsigned int port)
{
	const struct fcn_control_err_disable *e = ctl->err_disable;
	const int bridge = ctl->config->port[port].bridge;
	const struct mark *m = &e->mark[port];

	return ctl->config->port[port].name[0] != '\0' && bridge >= 0 &&
	       ctl->config->bridge[bridge].loop_action == FCN_LOOP_DISABLE &&
	       m->time_ns > e->settled_ns[bridge] && is_passing(ctl, port, bridge) &&
	       is_passing(ctl, m->from, bridge);
}

/* Close a port. @return whether it is closed; false on lack of memory */
static bool
close_port(struct fcn_control *ctl, unsigned int port, uint64_t now)
{
	struct fcn_control_err_disable *e = ctl->err_disable;
	struct fcn_port_set closed = ctl->env.err_disabled;

	fcn_port_set_add(&closed, port);
	if (!put_in_force(ctl, &closed))
		return false; /* While the loop exists, there is another event every second. */
	/* From now on workers learn no addresses there. */
	fcn_control_flush_port(ctl, port);
	e->closed_ns[port] = now;
	e->settled_ns[ctl->config->port[port].bridge] = now + HOLD_NS;
	report_closed(ctl, port, now);
	return true;
}

/* Get the time at which a closed port is to be opened; FCN_HOST_NEVER: only by a command. */
static uint64_t
due_ns(const struct fcn_control *ctl, unsigned int port)
{
	const struct fcn_config *cfg = ctl->config;
	const uint64_t recover = cfg->bridge[cfg->port[port].bridge].recover_ns;

	return recover != 0 ? ctl->err_disable->closed_ns[port] + recover : FCN_HOST_NEVER;
}

/* Open a set of ports. @return whether they are open; false on lack of memory */
static bool
open_ports(struct fcn_control *ctl, const struct fcn_port_set *set, uint64_t now)
{
	struct fcn_port_set closed = ctl->env.err_disabled;

	fcn_port_set_and_not(&closed, set);
	if (!put_in_force(ctl, &closed)) {
		ctl->err_disable->retry_ns = now + RETRY_NS;
		return false;
	}
	report_opened(ctl, set, now);
	return true;
}

/* Get the closed ports that are due to be opened. */
static struct fcn_port_set
due_ports(const struct fcn_control *ctl, uint64_t now)
{
	struct fcn_port_set due = {0};

	if (now < ctl->err_disable->retry_ns)
		return due;
	FCN_PORT_SET_FOREACH (p, &ctl->env.err_disabled) {
		if (due_ns(ctl, p) <= now)
			fcn_port_set_add(&due, p);
	}
	return due;
}

static uint64_t
next_due(const struct fcn_control *ctl)
{
	uint64_t next = FCN_HOST_NEVER;

	FCN_PORT_SET_FOREACH (p, &ctl->env.err_disabled)
		next = RTE_MIN(next, due_ns(ctl, p));
	return RTE_MAX(next, ctl->err_disable->retry_ns);
}

uint64_t
fcn_control_err_disable_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_err_disable *e = ctl->err_disable;
	const struct fcn_port_set due = due_ports(ctl, now);
	bool changed = !fcn_port_set_is_empty(&due) && open_ports(ctl, &due, now);

	/* Highest number first, like the choice between the two ports of a loop. */
	while (!fcn_port_set_is_empty(&e->marked)) {
		unsigned int p = fcn_port_set_last(&e->marked);

		fcn_port_set_remove(&e->marked, p);
		if (is_to_be_closed(ctl, p))
			changed |= close_port(ctl, p, now);
	}
	/* The interface of a bridge is up while one of the bridge's ports is. */
	if (changed)
		fcn_control_host_configure(ctl);
	return fcn_port_set_is_empty(&ctl->env.err_disabled) ? FCN_HOST_NEVER : next_due(ctl);
}

int
fcn_control_err_disable_clear(struct fcn_control *ctl, const struct fcn_port_set *ports)
{
	struct fcn_port_set set = ctl->env.err_disabled;

	fcn_port_set_and(&set, ports);
	if (fcn_port_set_is_empty(&set))
		return 0;
	if (!open_ports(ctl, &set, fcn_control_now(ctl)))
		return -ENOMEM;
	fcn_control_host_configure(ctl);
	return fcn_port_set_count(&set);
}

uint64_t
fcn_control_err_disable_left(struct fcn_control *ctl, unsigned int port)
{
	const uint64_t now = fcn_control_now(ctl);
	uint64_t due;

	if (!fcn_port_set_has(&ctl->env.err_disabled, port))
		return FCN_HOST_NEVER;
	due = due_ns(ctl, port);
	if (due == FCN_HOST_NEVER)
		return due;
	return due > now ? due - now : 0;
}

/* Whether a number belongs to the same port in the same bridge in two configurations. */
static bool
is_same_member(const struct fcn_config *a, const struct fcn_config *b, unsigned int port)
{
	const struct fcn_config_port *x = &a->port[port], *y = &b->port[port];

	if (strcmp(x->name, y->name) != 0)
		return false;
	if (x->name[0] == '\0' || (x->bridge < 0 && y->bridge < 0))
		return true;
	return x->bridge >= 0 && y->bridge >= 0 &&
	       strcmp(a->bridge[x->bridge].name, b->bridge[y->bridge].name) == 0;
}

struct fcn_port_set
fcn_control_err_disable_keep(const struct fcn_control *ctl, const struct fcn_config *cfg)
{
	struct fcn_port_set keep = {0};

	FCN_PORT_SET_FOREACH (p, &ctl->env.err_disabled) {
		if (is_same_member(ctl->config, cfg, p) &&
				cfg->bridge[cfg->port[p].bridge].loop_action == FCN_LOOP_DISABLE)
			fcn_port_set_add(&keep, p);
	}
	return keep;
}

void
fcn_control_err_disable_configure(struct fcn_control *ctl, const struct fcn_config *before,
		const struct fcn_port_set *was_closed)
{
	struct fcn_control_err_disable *e = ctl->err_disable;
	const struct fcn_config *cfg = ctl->config;
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_port_set opened = *was_closed;

	fcn_port_set_and_not(&opened, &ctl->env.err_disabled);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (strcmp(before->port[p].name, cfg->port[p].name) != 0)
			fcn_port_set_remove(&opened, p);
		/* An event in a ring may still be about the port that had this number before. */
		if (!is_same_member(before, cfg, p) && cfg->port[p].bridge >= 0)
			e->settled_ns[cfg->port[p].bridge] = RTE_MAX(
					e->settled_ns[cfg->port[p].bridge], now);
	}
	report_opened(ctl, &opened, now);
}
