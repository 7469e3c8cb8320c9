/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_show_private.h"

/* What is read of a port's queues, between two turns of the worker. */
struct queue_reading {
	unsigned int port;
	bool open;
	struct {
		struct fcn_queue_stats stats;
		struct fcn_watermarks wm;
		struct fcn_detector detector;
		uint32_t packets;
	} class[FCN_CLASSES];
};

static void
read_queues(struct fcn_worker *w, void *arg)
{
	struct queue_reading *r = arg;
	struct fcn_egress *eg = w->port[r->port].egress;

	r->open = eg != NULL;
	for (unsigned int c = 0; r->open && c < FCN_CLASSES; c++) {
		struct fcn_queue *q = &eg->queue[c];

		r->class[c].stats = q->stats;
		r->class[c].detector = q->detector;
		r->class[c].packets = fcn_queue_packets(q);
		fcn_queue_watermarks(q, w->now, &r->class[c].wm);
	}
}

static json_t *
show_queue(const struct fcn_control *ctl, const struct queue_reading *r, unsigned int c)
{
	const struct fcn_queue_conf *conf = &ctl->published->port[r->port].egress.queue[c];
	const struct fcn_queue_stats *s = &r->class[c].stats;
	const struct fcn_watermarks *wm = &r->class[c].wm;
	const struct fcn_detector *d = &r->class[c].detector;
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(fcn_show_port_name(ctl, r->port)));
	fcn_show_set(o, "class", c);
	json_object_set_new(o, "sched", json_string(conf->strict ? "strict" : "drr"));
	fcn_show_set(o, "weight", conf->weight);
	json_object_set_new(
			o, "detector", json_string(fcn_detector_type_name(conf->detector.type)));
	json_object_set_new(o, "ecn", json_boolean(conf->ecn));
	json_object_set_new(o, "notify", json_boolean(conf->notify));
	fcn_show_set(o, "limit_bytes", conf->limit_bytes);
	fcn_show_set(o, "limit_packets", conf->limit_packets);
	fcn_show_set(o, "packets", s->deq_packets + r->class[c].packets);
	fcn_show_set(o, "bytes", s->deq_bytes + wm->last);
	fcn_show_set(o, "sent", s->deq_packets);
	fcn_show_set(o, "tail_drops", s->drop_bytes_limit + s->drop_packets_limit);
	fcn_show_set(o, "queued_packets", r->class[c].packets);
	fcn_show_set(o, "occ_min", wm->min);
	fcn_show_set(o, "occ_avg", wm->avg);
	fcn_show_set(o, "occ_max", wm->max);
	fcn_show_set(o, "occ_last", wm->last);
	json_object_set_new(o, "congested", json_boolean(d->congested));
	json_object_set_new(o, "level",
			d->level == FCN_LEVEL_NONE ? json_null() : json_integer(d->level));
	fcn_show_set(o, "enters", d->enters);
	fcn_show_set(o, "leaves", d->leaves);
	fcn_show_set(o, "congested_packets", s->congested_packets);
	fcn_show_set(o, "ce_seen", s->ce_seen);
	fcn_show_set(o, "ce_marked", s->ce_marked);
	fcn_show_set(o, "not_ect", s->not_ect);
	return o;
}

json_t *
fcn_show_queues(struct fcn_control *ctl, int port, bool all)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct queue_reading r = {.port = p};

		if (ctl->config->port[p].name[0] == '\0' || (port >= 0 && (unsigned int)port != p))
			continue;
		fcn_worker_call(ctl->worker, read_queues, &r);
		for (unsigned int c = 0; r.open && c < FCN_CLASSES; c++) {
			const struct fcn_queue_stats *s = &r.class[c].stats;

			if (all || s->deq_packets + r.class[c].packets + s->drop_bytes_limit +
									s->drop_packets_limit !=
							0)
				json_array_append_new(list, show_queue(ctl, &r, c));
		}
	}
	return list;
}
