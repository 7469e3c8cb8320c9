/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What workers copy of their state for a dry run, between two turns. Nothing of it changes. */

#include <string.h>

#include "fcn_dry_run.h"

void
fcn_dry_run_read_receiver(struct fcn_worker *w, void *arg)
{
	struct fcn_dry_run_receiver *r = arg;

	r->now = w->now;
	r->epoch_ns = w->epoch_ns;
	r->mac_port = -1;
	if (r->has_mac)
		r->mac_port = fcn_mac_table_lookup(w->macs, &r->mac, w->now, r->mac_ageing_ns);
	r->bridging = w->bridging[r->in_port];
	memcpy(r->punt_tat, w->punt_tat[r->in_port], sizeof(r->punt_tat));
	memcpy(r->ingress, w->ingress[r->parent], sizeof(r->ingress));
	memcpy(r->ingress_packets, w->ingress_packets[r->parent], sizeof(r->ingress_packets));
	r->any_marks = w->proxy.n_marks != 0;
	if (r->any_marks && r->mark < FCN_PROXY_MARKS)
		memcpy(r->marks, &w->proxy.mark[r->mark], sizeof(r->marks));
}

static void
read_limit(const struct fcn_source_limit *from, struct fcn_dry_run_limit *to)
{
	memcpy(to->set, from->sources.set, sizeof(to->set));
	memcpy(to->total_tat, from->total_tat, sizeof(to->total_tat));
}

void
fcn_dry_run_read_limits(struct fcn_worker *w, void *arg)
{
	struct fcn_dry_run_limits *l = arg;

	read_limit(&w->srv6.nodes, &l->limit[0]);
	read_limit(&w->arn_received.limit, &l->limit[1]);
	read_limit(&w->proxy.limit, &l->limit[2]);
}

static void
read_queue(const struct fcn_queue *q, struct fcn_dry_run_queue *to)
{
	to->packets = fcn_queue_packets(q);
	to->slots = fcn_queue_slots(q);
	to->bytes = q->bytes;
	to->charged = q->charged;
	to->lossless = q->lossless;
	to->head_ns = fcn_queue_is_empty(q) ? 0 : fcn_queue_peek(q)->enqueued_ns;
	to->detector = q->detector;
}

void
fcn_dry_run_read_port(struct fcn_worker *w, void *arg)
{
	struct fcn_dry_run_port *r = arg;
	const struct fcn_egress *eg = w->port[r->port].egress;

	r->open = eg != NULL;
	if (!r->open)
		return;
	r->ring_known = w->port[r->port].ring != NULL;
	r->ring_bytes = eg->ring_bytes;
	r->held = eg->held;
	r->dropping = eg->dropping;
	r->paused = eg->paused;
	r->halted = eg->halted;
	r->congested = eg->congested;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		read_queue(&eg->queue[c], &r->queue[c]);
		if (r->heavy >> c & 1)
			r->flows[c] = *eg->queue[c].flows;
	}
}

static void
read_set(const struct fcn_limit_cache *cache, uint64_t key, struct fcn_dry_run_set *to)
{
	memcpy(to, fcn_limit_cache_set_of(cache, key), sizeof(*to));
}

/* Read what one kind of notice has about a packet. */
static void
read_kind(const struct fcn_notify_state *n, struct fcn_dry_run_decider *d, unsigned int k)
{
	const struct fcn_notify_keys *keys = &d->notify[k];

	d->kind[k].global_tat = n->global_tat;
	d->kind[k].global_share = n->global_share;
	memcpy(d->kind[k].queue_tat, n->queue_tat[d->port], sizeof(d->kind[k].queue_tat));
	memcpy(d->kind[k].share, n->share[d->port], sizeof(d->kind[k].share));
	d->kind[k].mask = n->destinations.mask;
	if (keys->n_destinations != 0)
		read_set(&n->flows, keys->flow, &d->kind[k].flow);
	for (unsigned int i = 0; i < keys->n_destinations; i++)
		read_set(&n->destinations, keys->destination[i], &d->kind[k].destination[i]);
}

void
fcn_dry_run_read_decider(struct fcn_worker *w, void *arg)
{
	struct fcn_dry_run_decider *d = arg;
	const struct fcn_held_flows *flows = &w->arn_held.flows;

	d->now = w->now;
	d->random = w->random;
	d->buffer = w->buffer;
	d->packets = w->packets;
	memcpy(d->notify_link, w->notify_link, sizeof(d->notify_link));
	memcpy(d->loss_link, w->loss_link, sizeof(d->loss_link));
	d->trim_link = w->trim_link[d->port];
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		read_kind(&w->notify[k], d, k);
	d->held_packets = flows->packets;
	d->held_bytes = flows->bytes;
	for (unsigned int i = 0; i < d->n_keys; i++) {
		const uint32_t found = flows->n_flows != 0 ? fcn_held_flows_find(flows, &d->key[i])
							   : FCN_HELD_FLOWS_NONE;

		d->is_held[i] = found != FCN_HELD_FLOWS_NONE;
		if (d->is_held[i])
			d->held[i] = flows->flow[found];
	}
}
