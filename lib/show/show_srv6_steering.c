/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Steering rules, by which packets take SRv6 policies. */

#include <stdlib.h>

#include "fcn_list.h"
#include "show_private.h"

/* What the workers have counted, by the slots of rules. */
struct counted {
	struct fcn_steering_counters rule[FCN_SRV6_STEERING];
};

static void
add_rule(struct fcn_steering_counters *sum, const struct fcn_steering_counters *c)
{
	FCN_STEERING_COUNTERS(FCN_COUNTER_ADD)
}

static void
add_worker(struct fcn_worker *w, void *arg)
{
	struct counted *sum = arg;

	for (unsigned int i = 0; i < FCN_SRV6_STEERING; i++)
		add_rule(&sum->rule[i], &w->srv6.steering[i]);
}

FCN_SHOW_COUNTERS(show_rule_counters, struct fcn_steering_counters, FCN_STEERING_COUNTERS)

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

static json_t *
show_rule(const struct fcn_control *ctl, const struct fcn_config_srv6_steering *r,
		const struct fcn_steering_counters *c)
{
	json_t *o = json_object();

	fcn_list_show(fcn_list_of("srv6 steering"), fcn_control_config(ctl), r, o);
	fcn_show_set(o, "rule", r->slot);
	fcn_show_set_bool(o, "live", is_live(fcn_control_snapshot(ctl), r->serial));
	show_rule_counters(o, c);
	return o;
}

json_t *
fcn_show_srv6_steering(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct counted *c = calloc(1, sizeof(*c));
	json_t *list = json_array();

	if (c != NULL)
		fcn_control_read(ctl, add_worker, c, sizeof(*c));
	for (size_t i = 0; c != NULL && i < cfg->srv6.steering.n; i++) {
		const struct fcn_config_srv6_steering *r = &cfg->srv6.steering.item[i];

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		json_array_append_new(list, show_rule(ctl, r, &c->rule[r->slot]));
	}
	free(c);
	return list;
}
