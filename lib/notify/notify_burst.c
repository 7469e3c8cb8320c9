/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notify.h"
#include "notice_decide.h"

void
fcn_notify_decide_burst(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const struct fcn_notify_place *place, struct fcn_notify_case *c, unsigned int n,
		uint64_t now)
{
	uint64_t *count = state->stats[place->port][place->class].verdict;
	struct fcn_notify_gates gates;

	fcn_notify_age(conf, state, now);
	gates = fcn_notify_gates_begin(conf, state, place, now);
	for (unsigned int i = 0; i < n; i++, c++) {
		c->verdict = c->due.reason;
		c->replaces_mark = false;
		if (likely(c->verdict == FCN_NOTIFY_NONE)) {
			c->verdict = fcn_notify_limits(conf, state, &gates, place, c, now);
			c->replaces_mark = c->due.replaces_mark &&
					   fcn_notify_verdict_is_told(c->verdict);
		}
		count[c->verdict]++;
	}
	fcn_notify_gates_end(&gates, state, place);
}
