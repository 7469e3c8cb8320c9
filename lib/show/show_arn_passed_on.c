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
add_counters(struct fcn_arn_edge_state *sum, const struct fcn_arn_edge_state *c)
{
	FCN_ARN_EDGE_COUNTERS(FCN_COUNTER_ADD)
}

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_arn_edge_state *s = w->arn_edge;
	struct sums *sums = arg;

	add_counters(&sums->counters, s);
	sums->now = RTE_MAX(sums->now, w->now);
	for (unsigned int i = 0; i < s->n; i++) {
		sums->active += s->passed[i].active;
		if (s->passed[i].active && sums->n < sums->limit)
			sums->passed[sums->n++] = s->passed[i];
	}
}

static json_t *
address(const struct fcn_flow_descriptor *flow, const uint8_t *bytes)
{
	struct fcn_addr addr = {.version = flow->version};

	memcpy(addr.bytes, bytes, flow->version == 4 ? 4 : 16);
	return fcn_show_addr(&addr);
}

/* The ports in bit sets, one for each class, with the classes. */
static json_t *
show_ports(const struct fcn_control *ctl, const uint64_t set[FCN_CLASSES])
{
	json_t *list = json_array();

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		for (uint64_t left = set[c]; left != 0; left &= left - 1)
			json_array_append_new(list,
					json_sprintf("%s/%u",
							fcn_show_port_name(
									ctl, __builtin_ctzll(left)),
							c));
	}
	return list;
}

static json_t *
show_passed_on(const struct fcn_control *ctl, const struct fcn_arn_passed_on *p, uint64_t now)
{
	const bool is_flow = p->flow != FCN_HELD_FLOWS_NONE;
	const struct fcn_flow_descriptor *f = &p->held.flow;
	json_t *o = json_object();

	fcn_show_set_str(o, "mode",
			fcn_arn_mode_name(is_flow ? p->held.mode : FCN_ARN_MODE_PRIORITY));
	if (is_flow) {
		json_object_set_new(o, "source", address(f, f->src));
		json_object_set_new(o, "destination", address(f, f->dst));
		fcn_show_set(o, "protocol", f->proto);
		fcn_show_set(o, "source_port", f->src_port);
		fcn_show_set(o, "destination_port", f->dst_port);
	} else {
		fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p->port));
		fcn_show_set(o, "class", p->class);
	}
	json_object_set_new(o, "messages", show_ports(ctl, p->asked));
	json_object_set_new(o, "pfc", show_ports(ctl, p->paused));
	fcn_show_set(o, "age_ns", now - p->begun_ns);
	return o;
}

FCN_SHOW_COUNTERS(show_counters, struct fcn_arn_edge_state, FCN_ARN_EDGE_COUNTERS)

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
		show_counters(o, &sums->counters);
		for (unsigned int i = 0; i < sums->n; i++)
			json_array_append_new(
					list, show_passed_on(ctl, &sums->passed[i], sums->now));
	}
	free(sums);
	json_object_set_new(o, "halts", list);
	return o;
}
