/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What takes long, while neighbours are answered: work beside the control thread, and pauses in it.
 */

#include <stdio.h>

#include "fcn_control_private.h"

void
fcn_control_aside(struct fcn_control *ctl, void (*work)(void *arg), void *arg)
{
	if (ctl->world->aside != NULL)
		ctl->world->aside(ctl->world->arg, work, arg);
	else
		work(arg);
}

void
fcn_control_attend(struct fcn_control *ctl)
{
	if (ctl->world->attend != NULL)
		ctl->world->attend(ctl->world->arg);
}

/* ---- ports ---- */

/* A port on its way in or out. The helper works on this, and not on what the control thread has. */
struct port_work {
	const struct fcn_world *world;
	const struct fcn_config_port *port;
	uint16_t number;
	struct fcn_control_port open;
	char *err;
	size_t err_size;
	int rc;
};

static void
open_port(void *arg)
{
	struct port_work *w = arg;

	w->rc = w->world->port_open(
			w->world->arg, w->port, w->number, &w->open, w->err, w->err_size);
}

int
fcn_control_port_open(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size)
{
	struct port_work w = {ctl->world, port, number, ctl->port[number], err, err_size, 0};

	fcn_control_aside(ctl, open_port, &w);
	if (w.rc == 0)
		ctl->port[number] = w.open;
	return w.rc;
}

static void
update_port(void *arg)
{
	struct port_work *w = arg;

	w->rc = w->world->port_update(w->world->arg, w->port, &w->open, w->err, w->err_size);
}

int
fcn_control_port_update(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size)
{
	struct port_work w = {ctl->world, port, number, ctl->port[number], err, err_size, 0};

	if (ctl->world->port_update != NULL)
		fcn_control_aside(ctl, update_port, &w);
	ctl->port[number] = w.open;
	ctl->env.port[number] = w.open.info; /* the link as last told of */
	return w.rc;
}

static void
close_port(void *arg)
{
	struct port_work *w = arg;

	w->world->port_close(w->world->arg, &w->open);
}

void
fcn_control_port_close(struct fcn_control *ctl, struct fcn_control_port *open)
{
	struct port_work w = {.world = ctl->world, .open = *open};

	fcn_control_aside(ctl, close_port, &w);
}
