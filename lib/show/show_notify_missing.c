/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Why senders get no notices: for each class queue with notices on, or with RoCEv2 in it, the first
 * condition that is not met, in the order in which the switch decides. Once packets of the queue
 * have met congestion, the verdicts about them tell the rest.
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_names.h"
#include "show_private.h"

/* X(symbol, name, why): the conditions before the verdicts. */
#define CONDITIONS(X)                                                                       \
	X(NO_KIND, "no_kind", "no kind of notice is on")                                    \
	X(NOTIFY_OFF, "notify_off", "notices of the queue are off, and RoCEv2 comes to it") \
	X(DETECTOR_OFF, "detector_off", "the queue has no congestion detector")             \
	X(NO_ROCE, "no_roce", "no RoCEv2 has come to the class")                            \
	X(OTHER_CLASS, "other_class",                                                       \
			"the class map puts the RoCEv2 of the port into another class")     \
	X(NOT_CONGESTED, "not_congested", "the detector of the queue has found no congestion")

enum condition {
#define CONDITION_ENUM(sym, name, why) sym,
	CONDITIONS(CONDITION_ENUM)
#undef CONDITION_ENUM
	ALL_MET,
};

static const struct {
	const char *name, *why;
} conditions[] = {
#define CONDITION_ROW(sym, name, why) [sym] = {name, why},
		CONDITIONS(CONDITION_ROW)
#undef CONDITION_ROW
};

/* What a worker copies of a port's queues between two turns. */
struct port_reading {
	unsigned int port;
	bool open;
	struct {
		bool has_roce;
		bool congested; /* now, or since the counters were cleared */
		struct fcn_watermarks wm;
	} class[FCN_CLASSES];
};

/* @param arg a reading of each port. One call of each worker is for all of its ports, as the
 * control thread waits for the end of a worker's turn. */
static void
read_ports(struct fcn_worker *w, void *arg)
{
	struct port_reading *readings = arg;

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		const uint16_t p = w->own_port[i];
		const struct fcn_egress *eg = w->port[p].egress;
		struct port_reading *r = &readings[p];

		r->port = p;
		r->open = eg != NULL;
		for (unsigned int c = 0; r->open && c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = &eg->queue[c];

			r->class[c].has_roce = q->stats.has_roce;
			r->class[c].congested = q->detector.congested || q->detector.enters != 0;
			fcn_queue_watermarks(q, w->now, &r->class[c].wm);
		}
	}
}

/* Verdicts about the packets of a port's queues, summed over the workers. */
struct port_verdicts {
	unsigned int port;
	struct fcn_notify_stats sum[FCN_NOTICE_KIND_MAX][FCN_NOTIFY_CLASSES];
};

static void
add_verdicts(struct fcn_worker *w, void *arg)
{
	struct port_verdicts *r = arg;

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
			for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
				r->sum[k][c].verdict[v] +=
						w->notify[k].stats[r->port][c].verdict[v];
		}
	}
}

/* Find a class of the port to which RoCEv2 comes. @return FCN_CLASSES: there is none */
static unsigned int
class_with_roce(const struct port_reading *r)
{
	unsigned int c = 0;

	while (c < FCN_CLASSES && !r->class[c].has_roce)
		c++;
	return c;
}

static enum condition
first_not_met(const struct fcn_control *ctl, const struct port_reading *r, unsigned int c)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	const struct fcn_config_queue *q = &cfg->port[r->port].queue[c];

	if (cfg->notify.on == 0)
		return NO_KIND;
	if (!q->policy.notify)
		return NOTIFY_OFF;
	if (q->detector.type == FCN_DETECTOR_OFF)
		return DETECTOR_OFF;
	if (!r->class[c].has_roce)
		return class_with_roce(r) == FCN_CLASSES ? NO_ROCE : OTHER_CLASS;
	return r->class[c].congested ? ALL_MET : NOT_CONGESTED;
}

/* Tell with which command the condition is met. */
static json_t *
command_for(const struct fcn_control *ctl, const struct port_reading *r, unsigned int c,
		enum condition which)
{
	const char *port = fcn_show_port_name(ctl, r->port);

	switch (which) {
	case NO_KIND:
		return json_string("set notify fast-cnp on");
	case NOTIFY_OFF:
		return json_sprintf("set queue %s class %u notify on", port, c);
	case DETECTOR_OFF:
		return json_sprintf("set queue %s class %u detector step", port, c);
	case OTHER_CLASS:
		return json_sprintf("set class-map dscp DSCP class %u, or set queue %s class %u "
				    "notify on",
				c, port, class_with_roce(r));
	case NOT_CONGESTED:
		return json_sprintf("show queue %s class %u detail: it held at most %u bytes", port,
				c, r->class[c].wm.max);
	default:
		return json_string("");
	}
}

static void
show_condition(const struct fcn_control *ctl, const struct port_reading *r, unsigned int c,
		enum condition which, json_t *rows)
{
	json_t *o = fcn_show_class_row(ctl, rows, r->port, c);

	fcn_show_set_str(o, "kind", NULL);
	fcn_show_set_str(o, "missing", conditions[which].name);
	fcn_show_set_str(o, "packets", NULL);
	fcn_show_set_str(o, "why", conditions[which].why);
	json_object_set_new(o, "help", command_for(ctl, r, c, which));
}

/* The reasons for which packets that met congestion caused no notice, if something can be done. */
static void
show_verdicts(const struct fcn_control *ctl, unsigned int kind, unsigned int port, unsigned int c,
		const struct fcn_notify_stats *stats, json_t *rows)
{
	for (unsigned int v = 0; v < FCN_NOTIFY_SENT; v++) {
		const char *help = fcn_notify_verdict_help(v);
		json_t *o;

		if (stats->verdict[v] == 0 || help[0] == '\0')
			continue;
		o = fcn_show_class_row(ctl, rows, port, c);
		fcn_show_set_str(o, "kind", fcn_notice_kinds[kind]->name);
		fcn_show_set_str(o, "missing", fcn_notify_verdict_name(fcn_notice_kinds[kind], v));
		fcn_show_set(o, "packets", stats->verdict[v]);
		fcn_show_set_str(o, "why", fcn_notify_verdict_text(fcn_notice_kinds[kind], v));
		fcn_show_set_str(o, "help", help);
	}
}

/* Read the verdicts of a port, unless they have been read. */
static void
read_verdicts(struct fcn_control *ctl, unsigned int port, struct port_verdicts *verdicts)
{
	if (verdicts->port == port)
		return;
	memset(verdicts, 0, sizeof(*verdicts));
	verdicts->port = port;
	fcn_control_read(ctl, add_verdicts, verdicts, sizeof(*verdicts));
}

static void
show_port(struct fcn_control *ctl, const struct port_reading *r, struct port_verdicts *verdicts,
		json_t *rows)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);

	for (unsigned int c = 0; r->open && c < FCN_CLASSES; c++) {
		enum condition which;

		if (!cfg->port[r->port].queue[c].policy.notify && !r->class[c].has_roce)
			continue;
		which = first_not_met(ctl, r, c);
		if (which != ALL_MET) {
			show_condition(ctl, r, c, which, rows);
			continue;
		}
		read_verdicts(ctl, r->port, verdicts);
		for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
			if (fcn_config_notices_on(cfg) >> k & 1)
				show_verdicts(ctl, k, r->port, c, &verdicts->sum[k][c], rows);
		}
	}
}

json_t *
fcn_show_notify_missing(struct fcn_control *ctl, int port)
{
	const size_t size = FCN_MAX_PORTS * sizeof(struct port_reading);
	struct port_verdicts *verdicts = calloc(1, sizeof(*verdicts));
	struct port_reading *readings = calloc(1, size);
	json_t *rows = json_array();

	if (verdicts != NULL && readings != NULL) {
		verdicts->port = FCN_MAX_PORTS; /* of none yet */
		fcn_control_read(ctl, read_ports, readings, size);
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			if (fcn_show_is_chosen(ctl, p, port))
				show_port(ctl, &readings[p], verdicts, rows);
		}
	}
	free(readings);
	free(verdicts);
	return rows;
}
