/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What upstream neighbours are asked to halt. */

#include <stdlib.h>

#include "show_private.h"

/* What the workers have, summed up. */
struct sums {
	unsigned int n, limit;
	unsigned int active;
	uint64_t now;
	struct fcn_arn_sender counters;
	struct fcn_arn_halt halt[];
};

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_arn_sender *s = w->arn;
	struct sums *sums = arg;

	FCN_COUNTERS_ADD(&sums->counters, s, FCN_ARN_SENDER_COUNTERS);
	sums->now = RTE_MAX(sums->now, w->now);
	sums->active += s->n;
	for (unsigned int i = 0; i < s->n && sums->n < sums->limit; i++)
		sums->halt[sums->n++] = s->halt[s->heap[i]];
}

void
fcn_show_descriptor(const struct fcn_flow_descriptor *flow, json_t *o)
{
	json_object_set_new(o, "source", fcn_show_flow_addr(flow, flow->src));
	json_object_set_new(o, "destination", fcn_show_flow_addr(flow, flow->dst));
	fcn_show_set(o, "protocol", flow->proto);
	fcn_show_set(o, "source_port", flow->src_port);
	fcn_show_set(o, "destination_port", flow->dst_port);
}

/* The names of a set of reasons. */
static json_t *
show_reasons(unsigned int set)
{
	json_t *list = json_array();

#define REASON(sym, bit, name) \
	if (set & (bit))       \
		json_array_append_new(list, json_string(name));
	FCN_ARN_REASONS(REASON)
#undef REASON
	return list;
}

static void
show_halt(const struct fcn_control *ctl, const struct fcn_arn_halt *h, uint64_t now, json_t *list)
{
	json_t *o = fcn_show_class_row(ctl, list, h->cause.key.port, h->cause.key.class);

	fcn_show_set_str(o, "mode", fcn_arn_mode_name(h->cause.key.mode));
	if (h->cause.key.mode != FCN_ARN_MODE_PRIORITY)
		fcn_show_descriptor(&h->cause.key.flow, o);
	fcn_show_set_known(o, "path", h->cause.has_path, h->cause.path_id);
	fcn_show_set(o, "level", h->cause.level);
	fcn_show_set(o, "time_us", h->cause.time_us);
	json_object_set_new(o, "reasons", show_reasons(h->cause.reason));
	fcn_show_set_str(o, "state", h->ending ? "ending" : "halted");
	fcn_show_set(o, "neighbours", __builtin_popcount(h->told));
	fcn_show_set(o, "messages", h->messages);
	fcn_show_set(o, "age_ns", now - h->begun_ns);
}

json_t *
fcn_show_arn_sent(struct fcn_control *ctl, unsigned int limit)
{
	const unsigned int most = RTE_MIN(limit, (unsigned int)FCN_ARN_HALTS);
	const size_t size = sizeof(struct sums) + most * sizeof(struct fcn_arn_halt);
	struct sums *sums = calloc(1, size);
	json_t *o = json_object(), *list = json_array();

	if (sums != NULL) {
		sums->limit = most;
		fcn_control_read(ctl, read_worker, sums, size);
		fcn_show_set(o, "active", sums->active);
		FCN_SHOW_COUNTERS(o, &sums->counters, FCN_ARN_SENDER_COUNTERS);
		for (unsigned int i = 0; i < sums->n; i++)
			show_halt(ctl, &sums->halt[i], sums->now, list);
	}
	free(sums);
	json_object_set_new(o, "halts", list);
	return o;
}
