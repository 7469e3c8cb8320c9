/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "show_private.h"

/* What a worker is asked for: the sums so far of the uint64_t in a part of it. */
struct part {
	size_t offset, n;
	uint64_t sum[];
};

static void
add_part(struct fcn_worker *w, void *arg)
{
	struct part *part = arg;
	const uint64_t *of = (const uint64_t *)((const char *)w + part->offset);

	for (size_t i = 0; i < part->n; i++)
		part->sum[i] += of[i];
}

void *
fcn_show_sum(struct fcn_control *ctl, size_t offset, size_t size)
{
	struct part *part = calloc(1, sizeof(*part) + size);

	if (part == NULL)
		return NULL;
	part->offset = offset;
	part->n = size / (sizeof(part->sum[0]));
	fcn_control_read(ctl, add_part, part, sizeof(*part) + size);
	return memmove(part, part->sum, size);
}

/* Nothing is read of ports that there never were. */
static void
add_counters(struct fcn_worker *w, void *arg)
{
	struct part *part = arg;

	part->n = w->n_ports * sizeof(w->counters[0]) / sizeof(part->sum[0]);
	add_part(w, part);
}

struct fcn_port_counters *
fcn_show_counters(struct fcn_control *ctl)
{
	const size_t size = FCN_MAX_PORTS * sizeof(struct fcn_port_counters);
	struct part *part = calloc(1, sizeof(*part) + size);

	if (part == NULL)
		return NULL;
	part->offset = offsetof(struct fcn_worker, counters);
	fcn_control_read(ctl, add_counters, part, sizeof(*part) + size);
	return memmove(part, part->sum, size);
}

/* Packets that each class queue refused or lost, by reason. */
struct queue_drops {
	uint64_t drop[FCN_MAX_PORTS][FCN_CLASSES][FCN_QUEUE_VERDICT_COUNT];
};

static void
read_queue_drops(struct fcn_worker *w, void *arg)
{
	struct queue_drops *d = arg;

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		const uint16_t p = w->own_port[i];
		const struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			memcpy(d->drop[p][c], eg->queue[c].stats.drop, sizeof(d->drop[p][c]));
	}
}

/* The class queues that lost packets for a reason, as port/class; NULL if queues do not drop for
 * it. */
static json_t *
queues_of(const struct fcn_control *ctl, const struct queue_drops *d, enum fcn_drop_reason reason)
{
	enum fcn_queue_verdict v = FCN_QUEUE_ACCEPTED + 1;
	json_t *list;

	while (v < FCN_QUEUE_VERDICT_COUNT && fcn_drop_of_refusal(v) != reason)
		v++;
	if (v == FCN_QUEUE_VERDICT_COUNT)
		return NULL;
	list = json_array();
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (d->drop[p][c][v] != 0)
				json_array_append_new(list,
						json_sprintf("%s/%u", fcn_show_port_name(ctl, p),
								c));
		}
	}
	return list;
}

/*
 * A drop is counted at the port where the packet came in. A full queue is at the port where the
 * packet was to leave, so these queues are listed with the drop; `show queue detail` has how many
 * packets each of them lost.
 */
json_t *
fcn_show_drops(struct fcn_control *ctl)
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	struct queue_drops *d = calloc(1, sizeof(*d));
	json_t *list = json_array();

	if (d != NULL)
		fcn_control_read(ctl, read_queue_drops, d, sizeof(*d));
	for (unsigned int p = 0; c != NULL && d != NULL && p < FCN_MAX_PORTS; p++) {
		for (unsigned int r = 1; r < FCN_DROP_REASON_COUNT; r++) {
			json_t *o, *queues;

			if (c[p].drop[r] == 0)
				continue;
			o = fcn_show_port_row(ctl, list, p);
			fcn_show_set_str(o, "reason", fcn_drop_name(r));
			fcn_show_set(o, "packets", c[p].drop[r]);
			queues = queues_of(ctl, d, r);
			if (queues != NULL)
				json_object_set_new(o, "queues", queues);
			fcn_show_set_str(o, "reason_text", fcn_drop_text(r));
		}
	}
	free(d);
	free(c);
	return list;
}

json_t *
fcn_show_refusals(struct fcn_control *ctl, bool (*is_of)(enum fcn_drop_reason reason))
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *list = json_array();

	for (unsigned int r = 0; c != NULL && r < FCN_DROP_REASON_COUNT; r++) {
		uint64_t packets = 0;
		json_t *o;

		for (unsigned int p = 0; p < FCN_MAX_PORTS && is_of(r); p++)
			packets += c[p].drop[r];
		if (packets == 0)
			continue;
		o = fcn_show_row(list);
		fcn_show_set_str(o, "reason", fcn_drop_name(r));
		fcn_show_set(o, "packets", packets);
		fcn_show_set_str(o, "reason_text", fcn_drop_text(r));
	}
	free(c);
	return list;
}
