/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Precise flow control by Adaptive Routing Notifications. */

#include "show_private.h"

static json_t *
neighbours(const struct fcn_control *ctl, const struct fcn_config_arn *arn)
{
	json_t *list = json_array();

	for (size_t i = 0; i < arn->neighbours.n; i++) {
		const struct fcn_config_arn_neighbour *n = &arn->neighbours.item[i];
		json_t *o = json_object();

		json_object_set_new(o, "address", fcn_show_addr(&n->addr));
		json_object_set_new(o, "port",
				n->port == FCN_PORT_NONE
						? json_null()
						: json_string(fcn_show_port_name(ctl, n->port)));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *
fcn_show_arn(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object();

	fcn_setting_show(&fcn_arn_scope, "arn", cfg, NULL, o);
	json_object_set_new(o, "neighbours", neighbours(ctl, &cfg->arn));
	return o;
}
