/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "show_private.h"

static void
summary_of(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c,
		json_t *list)
{
	json_t *o = fcn_show_port_row(ctl, list, p);

	fcn_show_set(o, "received", c->rx_packets);
	fcn_show_set(o, "sent", c->tx_packets);
	fcn_show_set(o, "dropped", fcn_port_drops(c));
	fcn_show_set(o, "notices", fcn_port_notices(c));
}

json_t *
fcn_show_summary(struct fcn_control *ctl)
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *ports = json_array(), *o = json_object();

	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		if (fcn_config_has_link(fcn_control_config(ctl), p))
			summary_of(ctl, p, &c[p], ports);
	}
	free(c);
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "conservation", fcn_show_conservation(ctl));
	return o;
}
