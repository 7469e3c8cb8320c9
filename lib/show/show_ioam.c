/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "fcn_config_names.h"
#include "show_private.h"

static json_t *
data(enum fcn_ioam_data what, uint64_t value)
{
	return what == FCN_IOAM_DATA_VALUE ? json_sprintf("0x%llx", (unsigned long long)value)
					   : json_string(fcn_ioam_data_name(what));
}

static void
show_namespace(const struct fcn_ioam_namespace *ns, json_t *list)
{
	char hex[2 * sizeof(ns->schema) + 1] = "";
	json_t *o = fcn_show_row(list);

	for (unsigned int i = 0; i < 4u * ns->schema_words; i++)
		snprintf(hex + 2 * i, 3, "%02x", ns->schema[i]);
	fcn_show_set(o, "namespace", ns->id);
	json_object_set_new(o, "short", data(ns->short_data, ns->short_value));
	json_object_set_new(o, "wide", data(ns->wide_data, ns->wide_value));
	fcn_show_set_known(o, "schema", ns->schema_id != FCN_IOAM_NO_SCHEMA, ns->schema_id);
	fcn_show_set_str(o, "opaque", ns->schema_words != 0 ? hex : NULL);
}

static void
show_port(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c,
		json_t *list)
{
	json_t *o = fcn_show_port_row(ctl, list, p);

	fcn_setting_show(&fcn_ioam_port_scope, "ioam.ports", &fcn_control_config(ctl)->port[p],
			&fcn_control_snapshot(ctl)->port[p].ioam, o);
	FCN_SHOW_COUNTERS(o, c, FCN_IOAM_PORT_COUNTERS);
	fcn_show_set(o, "malformed", c->ioam_malformed);
	fcn_show_set(o, "dropped", c->drop[FCN_DROP_IOAM_EDGE]);
}

json_t *
fcn_show_ioam(struct fcn_control *ctl)
{
	const struct fcn_ioam_conf *conf = &fcn_control_snapshot(ctl)->ioam;
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *o = json_object(), *namespaces = json_array(), *ports = json_array();

	fcn_setting_show(&fcn_ioam_scope, "ioam", fcn_control_config(ctl), NULL, o);
	for (uint32_t i = 0; i < conf->n_namespaces; i++)
		show_namespace(&conf->ns[i], namespaces);
	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		if (fcn_control_config(ctl)->port[p].name[0] != '\0')
			show_port(ctl, p, &c[p], ports);
	}
	free(c);
	json_object_set_new(o, "namespaces", namespaces);
	json_object_set_new(o, "ports", ports);
	return o;
}
