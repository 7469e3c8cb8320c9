/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Precise flow control by Adaptive Routing Notifications. */

#include "fcn_list.h"
#include "show_private.h"

static json_t *
ports(const struct fcn_control *ctl, const struct fcn_config *cfg)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		json_t *o;

		if (!fcn_config_has_link(cfg, p))
			continue;
		o = fcn_show_port_row(ctl, list, p);
		fcn_setting_show(&fcn_arn_port_scope, "arn.ports", &cfg->port[p], NULL, o);
	}
	return list;
}

/* Whether halts of flows are not passed on by the bytes that wait, as a flow never has so many. */
static bool
is_pass_on_above_limit(const struct fcn_config_arn *arn)
{
	return arn->pass_on_bytes > RTE_MIN(arn->held.flow_bytes, arn->held.bytes);
}

json_t *
fcn_show_arn(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object();

	fcn_setting_show(&fcn_arn_scope, "arn", cfg, NULL, o);
	fcn_show_set_bool(o, "pass_on_above_limit", is_pass_on_above_limit(&cfg->arn));
	fcn_list_show_all(cfg, "arn", o);
	json_object_set_new(o, "ports", ports(ctl, cfg));
	return o;
}
