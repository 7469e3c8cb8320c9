/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Steering rules, by which packets take SRv6 policies. */

#include <stdlib.h>

#include "fcn_list.h"
#include "show_private.h"

/* Tell whether packets can leave by the policy of a rule in the current snapshot. */
static bool
is_live(const struct fcn_snapshot *s, uint64_t serial)
{
	for (uint32_t i = 0; i < s->srv6.n_select; i++) {
		if (s->srv6.select[i].serial == serial)
			return s->srv6.select[i].is_live;
	}
	return false;
}

static void
show_rule(const struct fcn_control *ctl, const struct fcn_config_srv6_steering *r,
		const struct fcn_steering_counters *c, json_t *list)
{
	json_t *o = fcn_show_row(list);

	fcn_list_show(fcn_list_of("srv6 steering"), fcn_control_config(ctl), r, o);
	fcn_show_set(o, "rule", r->slot);
	fcn_show_set_bool(o, "live", is_live(fcn_control_snapshot(ctl), r->serial));
	FCN_SHOW_COUNTERS(o, c, FCN_STEERING_COUNTERS);
}

json_t *
fcn_show_srv6_steering(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct fcn_steering_counters *c = FCN_SHOW_SUM(ctl, srv6.steering); /* by slots of rules */
	json_t *list = json_array();

	for (size_t i = 0; c != NULL && i < cfg->srv6.steering.n; i++) {
		const struct fcn_config_srv6_steering *r = &cfg->srv6.steering.item[i];

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		show_rule(ctl, r, &c[r->slot], list);
	}
	free(c);
	return list;
}
