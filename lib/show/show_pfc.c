/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "show_private.h"

/* What a worker copies of a port between two turns. */
struct pause_reading {
	unsigned int port;
	bool open;
	uint8_t stopped, storm, xoff;
	struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES];
	struct fcn_ingress ingress[FCN_CLASSES];
	struct fcn_buffer buffer;
	FCN_PORT_PFC_COUNTERS(FCN_COUNTER_MEMBER)
};

/* Read from the worker that owns the port, and from no other. */
static void
read_pause(const struct fcn_worker *w, struct fcn_worker_port *port, struct pause_reading *r)
{
	r->open = true;
	fcn_pause_read(&port->pause, w->now, r->stats);
	r->stopped = port->pause.stopped;
	r->storm = port->pause.storm;
	r->xoff = port->pause.sent_xoff;
	r->buffer = w->buffer;
}

static void
read_worker(struct fcn_worker *w, void *arg)
{
	struct pause_reading *r = arg;
	struct fcn_worker_port *port = &w->port[r->port];
	const struct fcn_port_counters *counters = &w->counters[r->port];

	if (port->egress != NULL)
		read_pause(w, port, r);
	FCN_COUNTERS_ADD(r, counters, FCN_PORT_PFC_COUNTERS);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		fcn_show_add_ingress(&r->ingress[c], &w->ingress[r->port][c]);
}

static void
show_port(const struct fcn_control *ctl, const struct pause_reading *r, json_t *list)
{
	const struct fcn_pause_conf *conf = &fcn_control_snapshot(ctl)->port[r->port].pause;
	json_t *o = fcn_show_port_row(ctl, list, r->port);

	fcn_show_set(o, "link_bps", conf->link_bps);
	fcn_show_set(o, "refresh_ns", conf->refresh_ns);
	fcn_setting_show(&fcn_pfc_scope, "pfc.ports", &fcn_control_config(ctl)->port[r->port], NULL,
			o);
#define PFC_COUNTER(member, name, ...) fcn_show_set(o, "frames_" name, r->member);
	FCN_PORT_PFC_COUNTERS(PFC_COUNTER)
#undef PFC_COUNTER
}

/* The settings of a class. A dynamic threshold has the value that it has at this moment. */
static void
show_settings(const struct fcn_control *ctl, const struct pause_reading *r, unsigned int c,
		json_t *o)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_ingress_conf *conf = &s->port[r->port].ingress[c];
	struct fcn_config_pfc_in_force now = {.conf = *conf, .xon = conf->xon};

	now.xoff = fcn_ingress_threshold(conf, &r->buffer, &s->buffer);
	if (conf->dynamic)
		now.xon = now.xoff > conf->xon_below ? now.xoff - conf->xon_below : 0;
	fcn_setting_show(&fcn_pfc_class_scope, "pfc.classes",
			&fcn_control_config(ctl)->port[r->port].pfc.class[c], &now, o);
}

/* A lossless class as a receiver: pauses sent to the link partner, and bytes held of what it sent.
 */
static void
show_receiver(const struct pause_reading *r, unsigned int c, json_t *o)
{
	const struct fcn_ingress *in = &r->ingress[c];

	fcn_show_set_bool(o, "asks", r->xoff >> c & 1);
	FCN_SHOW_COUNTERS(o, &r->stats[c], FCN_PAUSE_SENT_COUNTERS);
	fcn_show_set(o, "used", in->used);
	fcn_show_set(o, "used_max", in->used_max);
	fcn_show_set(o, "headroom_used", in->headroom);
	fcn_show_set(o, "headroom_max", in->headroom_max);
	FCN_SHOW_COUNTERS(o, in, FCN_INGRESS_COUNTERS);
}

static void
show_class(const struct fcn_control *ctl, const struct pause_reading *r, unsigned int c,
		json_t *list)
{
	json_t *o = fcn_show_class_row(ctl, list, r->port, c);

	show_settings(ctl, r, c, o);
	fcn_show_set_bool(o, "stopped", r->stopped >> c & 1);
	fcn_show_set_bool(o, "storm", r->storm >> c & 1);
	FCN_SHOW_COUNTERS(o, &r->stats[c], FCN_PAUSE_RECEIVED_COUNTERS);
	show_receiver(r, c, o);
}

/* Classes with flow control, and those that paused or lost packets before it was turned off. */
static bool
has_class(const struct fcn_snapshot_port *port, const struct pause_reading *r, unsigned int c)
{
	static const struct fcn_pause_class_stats none;

	if ((port->pause.rx_classes | port->pause.tx_classes) >> c & 1)
		return true;
	return memcmp(&r->stats[c], &none, sizeof(none)) != 0 || r->ingress[c].used != 0 ||
	       r->ingress[c].lost_packets != 0;
}

json_t *
fcn_show_pfc(struct fcn_control *ctl, int port)
{
	json_t *o = json_object(), *ports = json_array(), *classes = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_snapshot_port *sp = &fcn_control_snapshot(ctl)->port[p];
		struct pause_reading r = {.port = p};

		if (!fcn_show_is_chosen(ctl, p, port))
			continue;
		fcn_control_read(ctl, read_worker, &r, sizeof(r));
		if (!r.open || (!sp->pause_on && port < 0 && r.pause_sent + r.pause_received == 0))
			continue;
		show_port(ctl, &r, ports);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (has_class(sp, &r, c))
				show_class(ctl, &r, c, classes);
		}
	}
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "classes", classes);
	return o;
}
