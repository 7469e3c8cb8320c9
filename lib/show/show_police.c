/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

json_t *
fcn_show_police(struct fcn_control *ctl, int port)
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *list = json_array();

	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		/* What reaches an interface of a bridge is policed at the port it came in by. */
		if (fcn_config_is_bridge_interface(fcn_control_config(ctl), p))
			continue;
		for (unsigned int k = 0;
				fcn_show_is_chosen(ctl, p, port) && k < FCN_PUNT_KIND_COUNT; k++) {
			const struct fcn_punt_rate rate = fcn_config_police(
					fcn_control_config(ctl), p, k);
			json_t *o = fcn_show_port_row(ctl, list, p);

			fcn_show_set_str(o, "kind", fcn_punt_kind_name(k));
			fcn_setting_show(&fcn_police_port_scope, "host police",
					&fcn_control_config(ctl)->port[p].police[k], &rate, o);
#define POLICE_COUNTER(member, name, ...) fcn_show_set(o, name, c[p].member[k]);
			FCN_POLICE_COUNTERS(POLICE_COUNTER)
#undef POLICE_COUNTER
		}
	}
	free(c);
	return list;
}
