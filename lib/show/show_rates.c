/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

static void
show_port(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_rates *r,
		json_t *list)
{
	json_t *o = fcn_show_port_row(ctl, list, p);

	FCN_SHOW_COUNTERS(o, r, FCN_PORT_RATES);
}

static void
show_queue(const struct fcn_control *ctl, unsigned int p, unsigned int c,
		const struct fcn_queue_rates *r, json_t *list)
{
	json_t *o = fcn_show_class_row(ctl, list, p, c);

	FCN_SHOW_COUNTERS(o, r, FCN_QUEUE_RATES);
}

json_t *
fcn_show_rates(struct fcn_control *ctl, int port)
{
	json_t *o = json_object(), *ports = json_array(), *queues = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_port_rates r;
		struct fcn_queue_rates q[FCN_CLASSES];

		if (!fcn_show_is_chosen(ctl, p, port) ||
				!fcn_rates_get(fcn_control_rates(ctl), p, &r, q))
			continue;
		show_port(ctl, p, &r, ports);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (q[c].packets + q[c].drops != 0)
				show_queue(ctl, p, c, &q[c], queues);
		}
	}
	fcn_show_set(o, "over_ns", fcn_rates_over(fcn_control_rates(ctl)));
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "queues", queues);
	return o;
}
