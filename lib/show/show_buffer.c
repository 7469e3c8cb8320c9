/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "show_private.h"

struct buffer_reading {
	struct fcn_buffer buffer;                   /* sums */
	struct fcn_buffer worker[FCN_MAX_WORKERS];  /* the part of each */
	struct fcn_buffer packets;                  /* sums */
	struct fcn_packet_use use[FCN_MAX_WORKERS]; /* the part of each */
	uint32_t charged[FCN_MAX_PORTS][FCN_CLASSES];
	uint32_t queued[FCN_MAX_PORTS]
		       [FCN_CLASSES]; /* packets, without those of lossless classes */
	struct fcn_ingress ingress[FCN_MAX_PORTS][FCN_CLASSES];
	struct fcn_ingress ingress_packets[FCN_MAX_PORTS][FCN_CLASSES];
};

static void
add_buffer(struct fcn_buffer *sum, const struct fcn_buffer *b)
{
	sum->shared_used += b->shared_used;
	sum->shared_max += b->shared_max;
	sum->headroom_used += b->headroom_used;
	sum->headroom_max += b->headroom_max;
}

static void
read_buffer(struct fcn_worker *w, void *arg)
{
	struct buffer_reading *r = arg;

	r->worker[w->id] = w->buffer;
	r->use[w->id] = w->packets;
	add_buffer(&r->buffer, &w->buffer);
	add_buffer(&r->packets, &w->packets.packets);
	for (unsigned int p = 0; p < w->n_ports; p++) {
		const struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			fcn_show_add_ingress(&r->ingress[p][c], &w->ingress[p][c]);
			fcn_show_add_ingress(&r->ingress_packets[p][c], &w->ingress_packets[p][c]);
		}
		for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = &eg->queue[c];

			r->charged[p][c] = q->charged;
			r->queued[p][c] = fcn_queue_packets(q) - q->lossless;
		}
	}
}

static const struct fcn_buffer *
owners_part(const struct fcn_control *ctl, const struct buffer_reading *r, unsigned int port)
{
	return &r->worker[fcn_control_owner(ctl, port)->id];
}

/* Without a budget, there is no threshold in packets. */
static void
set_packets(const struct fcn_snapshot *s, json_t *o, const char *name, uint64_t packets)
{
	fcn_show_set_known(o, name, s->budget.packets.size != 0, packets);
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
	fcn_show_set(o, "packets", r->queued[p][c]);
	set_packets(s, o, "packets_reserve", s->budget.reserve);
	set_packets(s, o, "packets_threshold", r->use[fcn_control_owner(ctl, p)->id].most);
}

static void
show_ingress(const struct fcn_control *ctl, const struct buffer_reading *r, unsigned int p,
		unsigned int c, json_t *list)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_ingress_conf *conf = &s->port[p].ingress[c];
	const struct fcn_config_pfc_in_force in_force = {.conf = *conf};
	const struct fcn_ingress_conf *packets = &s->port[p].ingress_packets[c];
	const struct fcn_ingress *in = &r->ingress[p][c];
	json_t *o = fcn_show_class_row(ctl, list, p, c);

	fcn_show_set(o, "used", in->used);
	fcn_show_set(o, "in_headroom", in->headroom);
	fcn_setting_show(&fcn_pfc_class_scope, "buffer.ingress",
			&fcn_control_config(ctl)->port[p].pfc.class[c], &in_force, o);
	fcn_show_set(o, "threshold",
			fcn_ingress_threshold(conf, owners_part(ctl, r, p), &s->buffer));
	fcn_show_set(o, "packets", r->ingress_packets[p][c].used);
	fcn_show_set(o, "packets_in_headroom", r->ingress_packets[p][c].headroom);
	set_packets(s, o, "packets_reserve", packets->reserve);
	set_packets(s, o, "packets_threshold",
			fcn_ingress_threshold(packets,
					&r->use[fcn_control_owner(ctl, p)->id].packets,
					&s->budget.packets));
	set_packets(s, o, "packets_headroom", packets->headroom);
}

static void
show_accounts(const struct fcn_control *ctl, const struct buffer_reading *r, json_t *o)
{
	json_t *queues = json_array(), *ingress = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if ((r->charged[p][c] | r->queued[p][c]) != 0)
				show_queue(ctl, r, p, c, queues);
			if (r->ingress[p][c].used != 0)
				show_ingress(ctl, r, p, c, ingress);
		}
	}
	json_object_set_new(o, "queues", queues);
	json_object_set_new(o, "ingress", ingress);
}

/* Get the packet buffers that are free now, of the pool that has fewest. */
static unsigned int
free_buffers(struct fcn_control *ctl)
{
	unsigned int least = UINT32_MAX;

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++)
		least = RTE_MIN(least, rte_mempool_avail_count(fcn_control_worker(ctl, i)->pool));
	return least;
}

/* Show the budget of packet buffers. */
static void
show_budget(struct fcn_control *ctl, const struct buffer_reading *r, json_t *o)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_packet_budget *b = &s->budget;
	const uint64_t n = fcn_control_n_workers(ctl), shared = n * b->packets.shared;
	uint64_t headroom = 0;

	for (unsigned int p = 0; p < s->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			headroom += n * s->port[p].ingress_packets[c].headroom;
	}
	set_packets(s, o, "packets_size", b->packets.size);
	set_packets(s, o, "packets_reserved",
			fcn_buffer_over(b->packets.size, (uint32_t)(shared + headroom)));
	set_packets(s, o, "packets_shared", shared);
	fcn_show_set(o, "packets_shared_used", r->packets.shared_used);
	fcn_show_set(o, "packets_shared_max", r->packets.shared_max);
	fcn_show_set(o, "packets_headroom", headroom);
	fcn_show_set(o, "packets_headroom_used", r->packets.headroom_used);
	fcn_show_set(o, "packets_headroom_max", r->packets.headroom_max);
	fcn_show_set_known(o, "buffers", b->total != 0, b->total);
	fcn_show_set(o, "buffers_free", free_buffers(ctl));
	fcn_show_set(o, "buffers_for_devices", b->devices);
	fcn_show_set(o, "buffers_for_workers", b->workers);
	fcn_show_set(o, "buffers_for_control", b->control);
	fcn_show_set(o, "buffers_per_packet", b->per_packet);
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
	for (unsigned int p = 0; p < fcn_control_snapshot(ctl)->n_ports; p++) {
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
	show_budget(ctl, r, o);
	show_accounts(ctl, r, o);
	free(r);
	return o;
}
