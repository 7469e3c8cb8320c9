/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The switch as a proxy for congestion notification. */

#include <stdlib.h>
#include <string.h>

#include "fcn_list.h"
#include "fcn_proxy_state.h"
#include "show_private.h"

#define ALL_COUNTERS(X)               \
	FCN_PROXY_MESSAGE_COUNTERS(X) \
	FCN_PROXY_SENT_COUNTERS(X) FCN_PROXY_SUPPRESSED_COUNTERS(X) FCN_PROXY_TABLE_COUNTERS(X)

/* What the workers have, summed up. */
struct sums {
	struct fcn_proxy_counters counters;
	uint64_t flows_forgotten;
	uint64_t now;
	uint32_t waiting;
	uint32_t marked; /* the highest of all workers, which mark packets of the same flows */
	uint64_t pause_until[FCN_MAX_PORTS][FCN_CLASSES]; /* the latest of all workers */
	unsigned int n, room;
	struct fcn_proxy_flow flow[];
};

static void
read_worker(struct fcn_worker *w, void *arg)
{
	const struct fcn_proxy_state *s = &w->proxy;
	struct sums *sums = arg;

	FCN_COUNTERS_ADD(&sums->counters, &s->counters, ALL_COUNTERS);
	sums->flows_forgotten += s->flows.forgotten;
	sums->now = RTE_MAX(sums->now, w->now);
	sums->waiting += fcn_proxy_n_claims(s);
	for (unsigned int i = 0; i < w->n_peers; i++)
		sums->waiting += rte_ring_count(w->peer[i].rx[FCN_PEER_PROXY_CLAIMS]);
	sums->marked = RTE_MAX(sums->marked, s->n_marks);
	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			sums->pause_until[p][c] = RTE_MAX(
					sums->pause_until[p][c], s->pause_until[p][c]);
	}
	for (unsigned int i = 0; i < FCN_PROXY_FLOWS && sums->n < sums->room; i++) {
		if (s->flows.flow[i].used)
			sums->flow[sums->n++] = s->flows.flow[i];
	}
}

static int
newest_first(const void *a, const void *b)
{
	const struct fcn_proxy_flow *x = a, *y = b;

	if (x->last_ns != y->last_ns)
		return x->last_ns < y->last_ns ? 1 : -1;
	return memcmp(&x->flow, &y->flow, sizeof(x->flow));
}

static void
show_flow(const struct fcn_control *ctl, const struct sums *sums, const struct fcn_proxy_flow *f,
		json_t *list)
{
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "sender", fcn_show_flow_addr(&f->flow, f->flow.src));
	fcn_show_set(o, "sender_port", f->flow.src_port);
	json_object_set_new(o, "receiver", fcn_show_flow_addr(&f->flow, f->flow.dst));
	fcn_show_set(o, "receiver_port", f->flow.dst_port);
	fcn_show_set(o, "protocol", f->flow.proto);
	fcn_show_set_str(o, "translation", fcn_proxy_translation_name(f->how));
	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, f->port));
	fcn_show_set(o, "level", f->level);
	fcn_show_set(o, "messages", f->reports);
	fcn_show_set(o, "notifications", f->notifications);
	fcn_show_set(o, "age_ns", sums->now - f->last_ns);
	fcn_show_set_known(o, "notified_age_ns", f->notified, sums->now - f->notified_ns);
}

static json_t *
show_flows(const struct fcn_control *ctl, const struct sums *sums, unsigned int limit)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < RTE_MIN(sums->n, limit); i++)
		show_flow(ctl, sums, &sums->flow[i], list);
	return list;
}

/* The classes of ports whose senders are paused. */
static json_t *
show_pauses(const struct fcn_control *ctl, const struct sums *sums, unsigned int *n)
{
	json_t *list = json_array();

	*n = 0;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const uint64_t until = sums->pause_until[p][c];
			json_t *o;

			if (until <= sums->now)
				continue;
			o = fcn_show_class_row(ctl, list, p, c);

			fcn_show_set(o, "left_ns", until - sums->now);
			(*n)++;
		}
	}
	return list;
}

static void
show_state(struct fcn_control *ctl, struct sums *sums, unsigned int limit, json_t *o)
{
	unsigned int n_pauses;
	json_t *pauses = show_pauses(ctl, sums, &n_pauses);

	qsort(sums->flow, sums->n, sizeof(sums->flow[0]), newest_first);
	fcn_show_set(o, "flows_known", sums->n);
	fcn_show_set(o, "flows_marked", sums->marked);
	fcn_show_set(o, "paused_classes", n_pauses);
	fcn_show_set(o, "waiting", sums->waiting);
	FCN_SHOW_COUNTERS(o, &sums->counters, ALL_COUNTERS);
	FCN_SHOW_COUNTERS(o, sums, FCN_PROXY_FORGOTTEN);
	json_object_set_new(o, "refusals", fcn_show_refusals(ctl, fcn_drop_is_of_cnm));
	json_object_set_new(o, "pauses", pauses);
	json_object_set_new(o, "flows", show_flows(ctl, sums, limit));
}

json_t *
fcn_show_proxy(struct fcn_control *ctl, unsigned int limit)
{
	const unsigned int room = FCN_PROXY_FLOWS * fcn_control_n_workers(ctl);
	const size_t size = sizeof(struct sums) + room * sizeof(struct fcn_proxy_flow);
	struct sums *sums = calloc(1, size);
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object();

	if (sums == NULL)
		return o;
	sums->room = room;
	fcn_control_read(ctl, read_worker, sums, size);
	fcn_setting_show(&fcn_proxy_scope, "proxy", cfg, NULL, o);
	fcn_list_show_all(cfg, "proxy", o);
	fcn_show_set(o, "queue_pairs", cfg->proxy.qps.n);
	show_state(ctl, sums, limit, o);
	free(sums);
	return o;
}
