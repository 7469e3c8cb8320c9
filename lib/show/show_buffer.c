/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "show_private.h"

struct buffer_reading {
	struct fcn_buffer buffer;                  /* sums */
	struct fcn_buffer worker[FCN_MAX_WORKERS]; /* the part of each */
	uint32_t charged[FCN_MAX_PORTS][FCN_CLASSES];
	struct fcn_ingress ingress[FCN_MAX_PORTS][FCN_CLASSES];
};

static void
read_buffer(struct fcn_worker *w, void *arg)
{
	struct buffer_reading *r = arg;

	r->worker[w->id] = w->buffer;
	r->buffer.shared_used += w->buffer.shared_used;
	r->buffer.shared_max += w->buffer.shared_max;
	r->buffer.headroom_used += w->buffer.headroom_used;
	r->buffer.headroom_max += w->buffer.headroom_max;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			fcn_show_add_ingress(&r->ingress[p][c], &w->ingress[p][c]);
		for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++)
			r->charged[p][c] = eg->queue[c].charged;
	}
}

static const struct fcn_buffer *
owners_part(const struct fcn_control *ctl, const struct buffer_reading *r, unsigned int port)
{
	return &r->worker[fcn_control_owner(ctl, port)->id];
}

static void
show_queue(const struct fcn_control *ctl, const struct buffer_reading *r, unsigned int p,
		unsigned int c, json_t *list)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_account_conf *a = &s->port[p].egress.queue[c].account;
	json_t *o = fcn_show_class_row(ctl, list, p, c);

	fcn_show_set(o, "used", r->charged[p][c]);
	fcn_setting_show(&fcn_queue_buffer_scope, "buffer.queues",
			&fcn_control_config(ctl)->port[p].queue[c], NULL, o);
	fcn_show_set(o, "threshold",
			a->reserve + fcn_buffer_threshold(
						     owners_part(ctl, r, p), &s->buffer, a->alpha));
}

static void
show_ingress(const struct fcn_control *ctl, const struct buffer_reading *r, unsigned int p,
		unsigned int c, json_t *list)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_ingress_conf *conf = &s->port[p].ingress[c];
	const struct fcn_config_pfc_in_force in_force = {.conf = *conf};
	const struct fcn_ingress *in = &r->ingress[p][c];
	json_t *o = fcn_show_class_row(ctl, list, p, c);

	fcn_show_set(o, "used", in->used);
	fcn_show_set(o, "in_headroom", in->headroom);
	fcn_setting_show(&fcn_pfc_class_scope, "buffer.ingress",
			&fcn_control_config(ctl)->port[p].pfc.class[c], &in_force, o);
	fcn_show_set(o, "threshold",
			fcn_ingress_threshold(conf, owners_part(ctl, r, p), &s->buffer));
}

static void
show_accounts(const struct fcn_control *ctl, const struct buffer_reading *r, json_t *o)
{
	json_t *queues = json_array(), *ingress = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (r->charged[p][c] != 0)
				show_queue(ctl, r, p, c, queues);
			if (r->ingress[p][c].used != 0)
				show_ingress(ctl, r, p, c, ingress);
		}
	}
	json_object_set_new(o, "queues", queues);
	json_object_set_new(o, "ingress", ingress);
}

json_t *
fcn_show_buffer(struct fcn_control *ctl)
{
	struct buffer_reading *r = calloc(1, sizeof(*r));
	json_t *o = json_object();
	uint64_t headroom = 0;

	if (r == NULL)
		return o;
	fcn_control_read(ctl, read_buffer, r, sizeof(*r));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			headroom += (uint64_t)fcn_control_n_workers(ctl) *
				    fcn_control_snapshot(ctl)->port[p].ingress[c].headroom;
	}
	fcn_setting_show(&fcn_buffer_scope, "buffer", fcn_control_config(ctl), NULL, o);
	fcn_show_set(o, "shared",
			fcn_control_n_workers(ctl) * fcn_control_snapshot(ctl)->buffer.shared);
	fcn_show_set(o, "shared_used", r->buffer.shared_used);
	fcn_show_set(o, "shared_max", r->buffer.shared_max);
	fcn_show_set(o, "headroom", headroom);
	fcn_show_set(o, "headroom_used", r->buffer.headroom_used);
	fcn_show_set(o, "headroom_max", r->buffer.headroom_max);
	show_accounts(ctl, r, o);
	free(r);
	return o;
}
