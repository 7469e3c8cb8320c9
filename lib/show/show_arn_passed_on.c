/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Halts that are passed on to those who send the packets. */

#include <stdlib.h>

#include "show_private.h"

/* What the workers have, summed up. */
struct sums {
	unsigned int n, limit;
	unsigned int active;
	uint64_t now;
	struct fcn_arn_edge_state counters;
	struct fcn_arn_passed_on passed[];
};

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_arn_edge_state *s = w->arn_edge;
	struct sums *sums = arg;

	FCN_COUNTERS_ADD(&sums->counters, s, FCN_ARN_EDGE_COUNTERS);
	sums->now = RTE_MAX(sums->now, w->now);
	for (unsigned int i = 0; i < s->n; i++) {
		sums->active += s->passed[i].active;
		if (s->passed[i].active && sums->n < sums->limit)
			sums->passed[sums->n++] = s->passed[i];
	}
}

/* The ports of sets, one for each class, with the classes. */
static json_t *
show_ports(const struct fcn_control *ctl, const struct fcn_port_set set[FCN_CLASSES])
{
	json_t *list = json_array();

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		FCN_PORT_SET_FOREACH (p, &set[c])
			json_array_append_new(
					list, json_sprintf("%s/%u", fcn_show_port_name(ctl, p), c));
	}
	return list;
}

static void
show_passed_on(const struct fcn_control *ctl, const struct fcn_arn_passed_on *p, uint64_t now,
		json_t *list)
{
	const bool is_flow = p->flow != FCN_HELD_FLOWS_NONE;
	json_t *o = fcn_show_row(list);

	fcn_show_set_str(o, "mode",
			fcn_arn_mode_name(is_flow ? p->held.mode : FCN_ARN_MODE_PRIORITY));
	if (is_flow) {
		fcn_show_descriptor(&p->held.flow, o);
	} else {
		fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p->port));
		fcn_show_set(o, "class", p->class);
	}
	json_object_set_new(o, "messages", show_ports(ctl, p->asked));
	json_object_set_new(o, "pfc", show_ports(ctl, p->paused));
	fcn_show_set(o, "age_ns", now - p->begun_ns);
}

json_t *
fcn_show_arn_passed_on(struct fcn_control *ctl, unsigned int limit)
{
	const unsigned int most = RTE_MIN(limit, (unsigned int)FCN_ARN_PASSED_ON * FCN_MAX_WORKERS);
	const size_t size = sizeof(struct sums) + most * sizeof(struct fcn_arn_passed_on);
	struct sums *sums = calloc(1, size);
	json_t *o = json_object(), *list = json_array();

	if (sums != NULL) {
		sums->limit = most;
		fcn_control_read(ctl, read_worker, sums, size);
		fcn_show_set(o, "active", sums->active);
		FCN_SHOW_COUNTERS(o, &sums->counters, FCN_ARN_EDGE_COUNTERS);
		for (unsigned int i = 0; i < sums->n; i++)
			show_passed_on(ctl, &sums->passed[i], sums->now, list);
	}
	free(sums);
	json_object_set_new(o, "halts", list);
	return o;
}
