/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

static const char *
state_name(enum fcn_neighbour_state state)
{
	switch (state) {
	case FCN_NEIGHBOUR_INCOMPLETE:
		return "incomplete";
	case FCN_NEIGHBOUR_REACHABLE:
		return "reachable";
	case FCN_NEIGHBOUR_PROBE:
		return "probe";
	case FCN_NEIGHBOUR_FAILED:
		return "failed";
	}
	return "unknown";
}

void
fcn_show_found_neighbours(struct fcn_control *ctl, json_t *list)
{
	struct fcn_host_neighbour n;
	uint32_t next = 0;

	while (fcn_host_neighbour_next(fcn_control_host(ctl), &next, &n)) {
		json_t *o = fcn_show_port_row(ctl, list, n.port);

		json_object_set_new(o, "address", fcn_show_addr(&n.addr));
		json_object_set_new(o, "mac",
				rte_is_zero_ether_addr(&n.mac) ? json_null()
							       : fcn_show_mac(&n.mac));
		fcn_show_set_str(o, "state", state_name(n.state));
	}
}

void
fcn_show_found_senders(struct fcn_control *ctl, json_t *list)
{
	const uint64_t now = fcn_control_now(ctl);
	struct fcn_host_sender s;
	uint32_t next = 0;

	while (fcn_host_sender_next(fcn_control_host(ctl), &next, &s)) {
		struct fcn_prefix p = {.addr = fcn_addr_unmap(s.refusal.sender)};
		json_t *o = fcn_show_row(list);

		p.len = p.addr.version == 4 ? 32 : 128;
		json_object_set_new(o, "prefix", fcn_show_prefix(&p));
		fcn_show_set_str(o, "capability", "none");
		fcn_show_set_str(o, "origin", "answer");
		fcn_show_set_str(o, "notice", fcn_notice_kind_of(s.refusal.kind)->name);
		fcn_show_set(o, "left_ns", s.until_ns > now ? s.until_ns - now : 0);
		fcn_show_set(o, "parameter_problems", s.answers);
	}
}

json_t *
fcn_show_host(struct fcn_control *ctl)
{
	json_t *o = json_object(), *counters = json_object(), *conf = json_object();
	struct fcn_host_neighbour n;
	uint32_t next = 0, found = 0;

	while (fcn_host_neighbour_next(fcn_control_host(ctl), &next, &n))
		found++;
	fcn_show_set_bool(o, "on", fcn_control_build_env(ctl)->host);
	fcn_show_set(o, "neighbours", found);
	fcn_show_set(o, "waiting_packets", fcn_host_waiting(fcn_control_host(ctl)));
	fcn_setting_show(
			&fcn_host_scope, "host.configuration", fcn_control_config(ctl), NULL, conf);
	for (unsigned int c = 0; c < FCN_HOST_COUNTER_COUNT; c++)
		fcn_show_set(counters, fcn_host_counter_name(c),
				fcn_host_counter(fcn_control_host(ctl), c));
	json_object_set_new(o, "configuration", conf);
	json_object_set_new(o, "counters", counters);
	return o;
}
