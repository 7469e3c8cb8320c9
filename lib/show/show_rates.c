/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

FCN_SHOW_COUNTERS(show_port_rates, struct fcn_port_rates, FCN_PORT_RATES)
FCN_SHOW_COUNTERS(show_queue_rates, struct fcn_queue_rates, FCN_QUEUE_RATES)

static json_t *
show_port(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_rates *r)
{
	json_t *o = json_object();

	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p));
	show_port_rates(o, r);
	return o;
}

static json_t *
show_queue(const struct fcn_control *ctl, unsigned int p, unsigned int c,
		const struct fcn_queue_rates *r)
{
	json_t *o = json_object();

	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p));
	fcn_show_set(o, "class", c);
	show_queue_rates(o, r);
	return o;
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
		json_array_append_new(ports, show_port(ctl, p, &r));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (q[c].packets + q[c].drops != 0)
				json_array_append_new(queues, show_queue(ctl, p, c, &q[c]));
		}
	}
	fcn_show_set(o, "over_ns", fcn_rates_over(fcn_control_rates(ctl)));
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "queues", queues);
	return o;
}
