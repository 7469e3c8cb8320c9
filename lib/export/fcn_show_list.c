/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>
#include <rte_version.h>

#include "fcn_config_scopes.h"
#include "fcn_exports.h"
#include "fcn_show.h"
#include "fcn_show_list.h"

#define FLOWS 10
#define HALTS 100
#define MOST_FLOWS 256

/* The function of a show, whose value is an expression of its source and its query. */
#define GET(name, value)                                                                      \
	static json_t *get_##name(                                                            \
			const struct fcn_show_source *source, const struct fcn_show_query *q) \
	{                                                                                     \
		RTE_SET_USED(source);                                                         \
		RTE_SET_USED(q);                                                              \
		return value;                                                                 \
	}

static unsigned int
rows(const struct fcn_show_query *q)
{
	return RTE_MIN(q->number, (uint64_t)UINT32_MAX);
}

static unsigned int
flows(const struct fcn_show_query *q)
{
	return q->number == UINT64_MAX ? FLOWS : RTE_MIN(q->number, (uint64_t)MOST_FLOWS);
}

static json_t *
get_routes(const struct fcn_show_source *source, const struct fcn_show_query *q)
{
	const struct fcn_route_query query = {.table = q->table,
			.prefix = q->prefix,
			.skip = q->skip,
			.limit = q->number};

	return fcn_show_some_routes(source->ctl, &query);
}

static json_t *
get_pnc(const struct fcn_show_source *source, const struct fcn_show_query *q)
{
	const struct fcn_route_query query = {
			.prefix = q->prefix, .skip = q->skip, .limit = q->number};

	return fcn_show_pnc(source->ctl, &query);
}

static json_t *
get_proxy_qps(const struct fcn_show_source *source, const struct fcn_show_query *q)
{
	const struct fcn_route_query query = {
			.prefix = q->prefix, .skip = q->skip, .limit = q->number};

	return fcn_show_proxy_qps(source->ctl, &query);
}

static json_t *
show_exports(const struct fcn_show_source *source)
{
	json_t *o = fcn_exports_show(source->exports);

	fcn_setting_show(&fcn_event_log_scope, "export.events", fcn_control_config(source->ctl),
			NULL, json_object_get(o, "events"));
	return o;
}

GET(status, fcn_exports_show_status(source->exports, source->ctl))
GET(summary, fcn_show_summary(source->ctl))
GET(ports, fcn_show_ports(source->ctl, q->port))
GET(queues, fcn_show_queues(source->ctl, q->port, q->class, q->all))
GET(rates, fcn_show_rates(source->ctl, q->port))
GET(episodes, fcn_show_episodes(source->ctl, q->port, q->class, rows(q)))
GET(log, fcn_exports_show_log(
			 source->exports, q->number == UINT64_MAX ? FCN_LOG_LINES_SHOWN : rows(q)))
GET(events, fcn_show_events(source->ctl, rows(q)))
GET(warnings, fcn_show_warnings(source->ctl))
GET(buffer, fcn_show_buffer(source->ctl))
GET(pfc, fcn_show_pfc(source->ctl, q->port))
GET(ioam, fcn_show_ioam(source->ctl))
GET(trim, fcn_show_trim(source->ctl))
GET(border, fcn_show_border(source->ctl))
GET(proxy_option, fcn_show_proxy_option(source->ctl))
GET(pnc_protocols, fcn_show_pnc_protocols(source->ctl))
GET(srv6_policies, fcn_show_srv6_policies(source->ctl))
GET(srv6_steering, fcn_show_srv6_steering(source->ctl))
GET(srv6_sids, fcn_show_srv6_sids(source->ctl))
GET(srv6_endcon, fcn_show_srv6_endcon(source->ctl))
GET(arn, fcn_show_arn(source->ctl))
GET(arn_held, fcn_show_arn_held(source->ctl, q->number == UINT64_MAX ? HALTS : rows(q)))
GET(arn_passed_on, fcn_show_arn_passed_on(source->ctl, q->number == UINT64_MAX ? HALTS : rows(q)))
GET(arn_sent, fcn_show_arn_sent(source->ctl, q->number == UINT64_MAX ? HALTS : rows(q)))
GET(arn_received, fcn_show_arn_received(source->ctl))
GET(proxy_hosts, fcn_show_proxy_hosts(source->ctl))
GET(proxy, fcn_show_proxy(source->ctl, q->number == UINT64_MAX ? HALTS : rows(q)))
GET(xstats, fcn_show_xstats(source->ctl, q->port, q->all))
GET(descriptors, fcn_show_descriptors(source->ctl, q->port))
GET(mempools, fcn_show_mempools(source->ctl))
GET(drops, fcn_show_drops(source->ctl))
GET(errors, fcn_show_errors(source->ctl))
GET(conservation, fcn_show_conservation(source->ctl))
GET(notify, fcn_show_notify(source->ctl))
GET(notify_missing, fcn_show_notify_missing(source->ctl, q->port))
GET(flows, fcn_show_flows(source->ctl, q->port, q->class, flows(q)))
GET(notified_flows, fcn_show_notified_flows(source->ctl, flows(q)))
GET(senders, fcn_show_senders(source->ctl))
GET(bridges, fcn_show_bridges(source->ctl, q->bridge))
GET(macs, fcn_show_macs(source->ctl))
GET(addresses, fcn_show_addresses(source->ctl))
GET(tables, fcn_show_tables(source->ctl))
GET(route_count, fcn_show_route_count(source->ctl))
GET(neighbours, fcn_show_neighbours(source->ctl))
GET(class_map, fcn_show_class_map(source->ctl))
GET(host, fcn_show_host(source->ctl))
GET(police, fcn_show_police(source->ctl, q->port))
GET(kernel, fcn_show_kernel(source->ctl))
GET(workers, fcn_show_workers(source->ctl))
GET(stage_cycles, fcn_show_stage_cycles(source->ctl))
GET(trace, fcn_show_trace(source->ctl, q->bytes))
GET(captures, fcn_captures_show(source->captures))
GET(exports, show_exports(source))
GET(rollback, fcn_exports_show_rollback(source->exports))
GET(sessions, fcn_exports_show_sessions(source->exports))
GET(version, json_pack("{s:s, s:s}", "fastcn", FCN_VERSION, "dpdk", rte_version()))

#define SHOW(name, arguments, text, size, function, help, more)                               \
	{name, FCN_SHOW_SYNTAX(name, arguments, text), FCN_SHOW_PARAMETERS_##arguments, help, \
			FCN_SHOW_COLUMNS_##text, FCN_SHOW_IS_##size, &fcn_shape_##function,   \
			get_##function},

const struct fcn_show fcn_shows[] = {FCN_SHOWS(SHOW){NULL}};

/* Tell whether text is the name, or the name that telemetry has for it, with '_' for ' ' and '-'.
 */
static bool
is_name(const char *name, const char *text)
{
	while (*name != '\0' &&
			(*name == *text || ((*name == ' ' || *name == '-') && *text == '_'))) {
		name++;
		text++;
	}
	return *name == '\0' && *text == '\0';
}

const struct fcn_show *
fcn_show_find(const char *name)
{
	for (const struct fcn_show *show = fcn_shows; show->name != NULL; show++) {
		if (is_name(show->name, name))
			return show;
	}
	return NULL;
}

json_t *
fcn_show_get(const struct fcn_show_source *source, const struct fcn_show *show,
		const struct fcn_show_query *query)
{
	return show->get(source, query);
}
