/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Queue pairs of senders, configured and reported by hosts, and these hosts. */

#include "fcn_reported.h"
#include "show_private.h"

#define SECOND 1000000000u

/* Whether a query takes a pair: by its receiver, or by its sender. */
static bool
is_wanted(struct fcn_route_query *q, const struct fcn_qp_pair *pair)
{
	const bool by_sender = q->prefix != NULL && pair->sender.version != 0 &&
			       fcn_prefix_contains(q->prefix, &pair->sender);
	const struct fcn_addr *addr = by_sender ? &pair->sender : &pair->receiver;
	const struct fcn_prefix host = {.addr = *addr, .len = addr->version == 4 ? 32 : 128};

	return fcn_show_is_wanted(q, &host);
}

/* @param host NULL: it is configured */
static void
show_pair(const struct fcn_qp_pair *pair, const struct fcn_reported_host *host, uint64_t age_ns,
		json_t *list)
{
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "receiver", fcn_show_addr(&pair->receiver));
	fcn_show_set(o, "receiver_qp", pair->receiver_qp);
	json_object_set_new(o, "sender",
			pair->sender.version != 0 ? fcn_show_addr(&pair->sender) : json_null());
	fcn_show_set(o, "sender_qp", pair->sender_qp);
	fcn_show_set_str(o, "source", host == NULL ? "configured" : "reported");
	fcn_show_set_str(o, "host", host == NULL ? NULL : host->name);
	fcn_show_set_known(o, "age_s", host != NULL, age_ns / SECOND);
}

/* The pairs of a host, the latest first. */
static void
show_host(struct fcn_control *ctl, unsigned int number, struct fcn_route_query *q, json_t *list)
{
	const struct fcn_qp_map *map = fcn_control_build_env(ctl)->qps;
	const struct fcn_reported_host *host = fcn_reported_host(ctl, number);
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_qp_entry e;
	unsigned int i = 0;

	if (map == NULL || host == NULL)
		return;
	for (uint32_t place = fcn_qp_map_first(map, number);
			place != FCN_QP_MAP_NONE && q->limit > 0;
			place = fcn_qp_map_next(map, place)) {
		if (++i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if (fcn_qp_map_get(map, place, &e) && is_wanted(q, &e.pair))
			show_pair(&e.pair, host, now - e.since_ns, list);
	}
}

json_t *
fcn_show_proxy_qps(struct fcn_control *ctl, const struct fcn_route_query *query)
{
	const struct fcn_config_proxy *proxy = &fcn_control_config(ctl)->proxy;
	struct fcn_route_query q = *query;
	json_t *list = json_array();

	for (size_t i = 0; i < proxy->qps.n && q.limit > 0; i++) {
		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if (is_wanted(&q, &proxy->qps.item[i]))
			show_pair(&proxy->qps.item[i], NULL, 0, list);
	}
	for (unsigned int i = 1; i <= FCN_REPORTED_HOSTS; i++)
		show_host(ctl, i, &q, list);
	return list;
}

json_t *
fcn_show_proxy_hosts(struct fcn_control *ctl)
{
	const struct fcn_config_proxy *proxy = &fcn_control_config(ctl)->proxy;
	const struct fcn_qp_map *map = fcn_control_build_env(ctl)->qps;
	const uint64_t now = fcn_control_now(ctl);
	json_t *o = json_object(), *hosts = json_array();

	fcn_show_set(o, "configured", proxy->qps.n);
	fcn_show_set(o, "reported", fcn_qp_map_reported(map));
	fcn_setting_show(&fcn_proxy_scope, "proxy hosts", fcn_control_config(ctl), NULL, o);
	fcn_show_set(o, "hosts_known", fcn_reported_hosts(ctl));
	FCN_SHOW_COUNTERS(o, fcn_reported_counters(ctl), FCN_REPORTED_COUNTERS);
	for (unsigned int i = 1; i <= FCN_REPORTED_HOSTS; i++) {
		const struct fcn_reported_host *host = fcn_reported_host(ctl, i);
		json_t *row;

		if (host == NULL)
			continue;
		row = fcn_show_row(hosts);
		fcn_show_set_str(row, "host", host->name);
		fcn_show_set(row, "queue_pairs", map == NULL ? 0 : fcn_qp_map_count(map, i));
		fcn_show_set(row, "age_s", (now - host->since_ns) / SECOND);
		fcn_show_set(row, "left_s", (RTE_MAX(host->expires_ns, now) - now) / SECOND);
		FCN_SHOW_COUNTERS(row, &host->count, FCN_REPORTED_COUNTERS);
	}
	json_object_set_new(o, "hosts", hosts);
	return o;
}
