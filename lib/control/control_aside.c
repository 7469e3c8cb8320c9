/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Long work, during which neighbours still have to be answered: it runs in another thread, or is
 * interrupted to answer them.
 */

#include "control_private.h"

void
fcn_control_aside(struct fcn_control *ctl, void (*work)(void *arg), void *arg)
{
	if (ctl->platform->aside != NULL)
		ctl->platform->aside(ctl->platform->arg, work, arg);
	else
		work(arg);
}

void
fcn_control_attend(struct fcn_control *ctl)
{
	if (ctl->platform->attend != NULL)
		ctl->platform->attend(ctl->platform->arg);
}

/* ---- ports ---- */

/*
 * A port that is being opened, updated or closed. The other thread works on this copy, and not on
 * data that the control thread uses meanwhile.
 */
struct port_work {
	const struct fcn_platform *platform;
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

	w->rc = w->platform->port_open(
			w->platform->arg, w->port, w->number, &w->open, w->err, w->err_size);
}

int
fcn_control_port_open(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size)
{
	struct port_work w = {ctl->platform, port, number, ctl->port[number], err, err_size, 0};

	fcn_control_aside(ctl, open_port, &w);
	if (w.rc == 0)
		ctl->port[number] = w.open;
	return w.rc;
}

static void
update_port(void *arg)
{
	struct port_work *w = arg;

	w->rc = w->platform->port_update(w->platform->arg, w->port, &w->open, w->err, w->err_size);
}

int
fcn_control_port_update(struct fcn_control *ctl, const struct fcn_config_port *port,
		unsigned int number, char *err, size_t err_size)
{
	struct port_work w = {ctl->platform, port, number, ctl->port[number], err, err_size, 0};

	if (ctl->platform->port_update != NULL)
		fcn_control_aside(ctl, update_port, &w);
	/* Of what was last read of the device, an update changes only this. */
	if (w.open.ops->tx_max_frame != NULL)
		w.open.info.max_frame = w.open.ops->tx_max_frame(w.open.priv);
	ctl->port[number] = w.open;
	ctl->env.port[number] = w.open.info;
	return w.rc;
}

static void
close_port(void *arg)
{
	struct port_work *w = arg;

	w->platform->port_close(w->platform->arg, &w->open);
}

void
fcn_control_port_close(struct fcn_control *ctl, struct fcn_control_port *open)
{
	struct port_work w = {.platform = ctl->platform, .open = *open};

	fcn_control_aside(ctl, close_port, &w);
}
