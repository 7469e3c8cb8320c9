/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

json_t *
fcn_show_trim(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object(), *ports = json_array();

	fcn_setting_show(&fcn_trim_scope, "trim", cfg, NULL, o);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (!fcn_config_has_link(cfg, p))
			continue;
		fcn_setting_show(&fcn_trim_port_scope, "trim.ports", &cfg->port[p], NULL,
				fcn_show_port_row(ctl, ports, p));
	}
	json_object_set_new(o, "ports", ports);
	return o;
}
