/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Prefixes of senders and their proxies, configured and learned. */

#include <stdlib.h>

#include "fcn_learned.h"
#include "show_private.h"

#define SECOND 1000000000u

/* A row of the list, and the prefix before it, which has priority if it is the same. */
static void
show_row(const struct fcn_learned *p, const struct fcn_learned *before, uint64_t now, json_t *list)
{
	const bool learned = p->item.origin != FCN_PROXY_STATIC;
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "prefix", fcn_show_prefix(&p->item.prefix));
	json_object_set_new(o, "address", fcn_show_addr(&p->item.proxy));
	fcn_show_set_str(o, "protocol", fcn_proxy_origin_name(p->item.origin));
	fcn_show_set_bool(o, "used",
			before == NULL || !fcn_prefix_equal(&before->item.prefix, &p->item.prefix));
	fcn_show_set_known(o, "age_s", learned, (now - p->since_ns) / SECOND);
	fcn_show_set_known(o, "left_s", learned, (RTE_MAX(p->expires_ns, now) - now) / SECOND);
}

static int
compare(const void *va, const void *vb)
{
	const struct fcn_learned *a = va, *b = vb;
	int d = fcn_prefix_compare(&a->item.prefix, &b->item.prefix);

	return d != 0 ? d : (int)a->item.origin - (int)b->item.origin;
}

/* All prefixes in order: those of the configuration, and those learned. */
static struct fcn_learned *
collect(const struct fcn_control *ctl, size_t *n)
{
	const struct fcn_config_proxy *proxy = &fcn_control_config(ctl)->proxy;
	uint32_t n_learned;
	struct fcn_learned *learned = fcn_learned_list(ctl, FCN_LEARNED_PROXY, &n_learned);
	struct fcn_learned *list = NULL;

	*n = n_learned + proxy->prefixes.n;
	if (learned != NULL)
		list = realloc(learned, (*n + 1) * sizeof(*list));
	if (list == NULL) {
		free(learned);
		return NULL;
	}
	for (size_t i = 0; i < proxy->prefixes.n; i++)
		list[n_learned + i] = (struct fcn_learned){
				.item = {.prefix = proxy->prefixes.item[i].prefix,
						.proxy = proxy->prefixes.item[i].address,
						.origin = FCN_PROXY_STATIC}};
	qsort(list, *n, sizeof(*list), compare);
	return list;
}

json_t *
fcn_show_pnc(struct fcn_control *ctl, const struct fcn_route_query *query)
{
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_route_query q = *query;
	size_t n;
	struct fcn_learned *list = collect(ctl, &n);
	json_t *rows = json_array();

	for (size_t i = 0; list != NULL && i < n && q.limit > 0; i++) {
		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if (fcn_show_is_wanted(&q, &list[i].item.prefix))
			show_row(&list[i], i > 0 ? &list[i - 1] : NULL, now, rows);
	}
	free(list);
	return rows;
}

json_t *
fcn_show_pnc_protocols(struct fcn_control *ctl)
{
	json_t *o = json_object(), *protocols = json_array();
	struct fcn_learned_state state;

	fcn_learned_state(ctl, FCN_LEARNED_PROXY, &state);
	fcn_show_set(o, "configured", fcn_control_config(ctl)->proxy.prefixes.n);
	fcn_show_set(o, "learned", state.n);
	fcn_show_set(o, "limit", FCN_LEARNED_MAX);
	fcn_show_set(o, "share", FCN_LEARNED_SHARE);
	fcn_show_set_bool(o, "pending", state.pending);
	fcn_show_set(o, "builds", state.builds);
	fcn_show_set(o, "events_skipped", state.events_skipped);
	for (unsigned int p = FCN_PROXY_STATIC + 1; p < FCN_PROXY_ORIGIN_COUNT; p++) {
		json_t *row = fcn_show_row(protocols);

		fcn_show_set_str(row, "protocol", fcn_proxy_origin_name(p));
		fcn_show_set(row, "prefixes", state.n_of[p]);
		fcn_show_set(row, "room", state.room[p]);
		FCN_SHOW_COUNTERS(row, &state.count[p], FCN_LEARNED_COUNTERS);
	}
	json_object_set_new(o, "protocols", protocols);
	return o;
}
