/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "show_private.h"

static json_t *
prefixes(const struct fcn_prefix *prefix, size_t n)
{
	char text[FCN_PREFIX_STRLEN];
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
				json_string(fcn_prefix_format(&prefix[i], text, sizeof(text))));
	return list;
}

static json_t *
classes(uint8_t set)
{
	json_t *list = json_array();

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (set >> c & 1)
			json_array_append_new(list, json_integer(c));
	}
	return list;
}

static void
show_port(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c,
		json_t *list)
{
	uint64_t sum[2] = {0};
	json_t *o = fcn_show_row(list);

	for (unsigned int way = 0; way < RTE_DIM(sum); way++) {
		for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++)
			sum[way] += c->border[way][k];
	}
	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p));
	fcn_setting_show(&fcn_border_port_scope, "border.ports", &fcn_control_config(ctl)->port[p],
			NULL, o);
	fcn_show_set_bool(o, "trusted", !fcn_control_snapshot(ctl)->port[p].untrusted.untrusted);
	fcn_show_set(o, "in_dropped", sum[0]);
	fcn_show_set(o, "out_dropped", sum[1]);
	FCN_SHOW_COUNTERS(o, c, FCN_UNTRUSTED_PORT_COUNTERS);
}

static void
show_drops(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c,
		json_t *list)
{
	for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++) {
		json_t *o;

		if (c->border[0][k] == 0 && c->border[1][k] == 0)
			continue;
		o = fcn_show_port_row(ctl, list, p);
		fcn_show_set_str(o, "reason", fcn_drop_name(fcn_drop_of_border(k)));
		fcn_show_set(o, "in", c->border[0][k]);
		fcn_show_set(o, "out", c->border[1][k]);
	}
}

/* What crosses the border that may be meant to be dropped there. */
static json_t *
warnings(const struct fcn_control *ctl)
{
	const struct fcn_warnings *set = fcn_control_warnings(ctl);
	json_t *list = json_array();

	for (unsigned int i = 0; i < set->n; i++) {
		if (set->item[i].kind == FCN_WARNING_BORDER)
			json_array_append_new(list, json_string(set->item[i].reason));
	}
	return list;
}

json_t *
fcn_show_border(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *o = json_object(), *ports = json_array(), *drops = json_array();

	fcn_setting_show(&fcn_notify_scope, "border", cfg, NULL, o);
	fcn_setting_show(&fcn_border_scope, "border", cfg, &fcn_control_snapshot(ctl)->border, o);
	json_object_set_new(o, "peers", prefixes(cfg->border.peers.item, cfg->border.peers.n));
	json_object_set_new(o, "sids", prefixes(cfg->border.sids.item, cfg->border.sids.n));
	json_object_set_new(o, "exempt_sources",
			prefixes(cfg->border.unchecked.item, cfg->border.unchecked.n));
	json_object_set_new(o, "protected_classes",
			classes(fcn_control_snapshot(ctl)->protected_classes));
	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		if (!fcn_config_has_link(cfg, p))
			continue;
		show_port(ctl, p, &c[p], ports);
		show_drops(ctl, p, &c[p], drops);
	}
	free(c);
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "drops", drops);
	json_object_set_new(o, "warnings", warnings(ctl));
	return o;
}
