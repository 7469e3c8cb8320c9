/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notice_state.h"
#include "fcn_worker.h"

void
fcn_notice_accounting_add(struct fcn_notice_accounting *sum, const struct fcn_notice_accounting *c)
{
	FCN_COUNTERS_ADD(sum, c, FCN_NOTICE_COUNTERS);
	sum->cross_core_tx += c->cross_core_tx;
	sum->cross_core_rx += c->cross_core_rx;
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		sum->lost[r] += c->lost[r];
}

void
fcn_worker_notice_accounting(
		const struct fcn_worker *w, unsigned int kind, struct fcn_notice_accounting *sum)
{
	fcn_notice_accounting_add(sum, &w->notice_accounting[kind]);
}

uint64_t
fcn_notice_accounting_lost(const struct fcn_notice_accounting *l)
{
	uint64_t lost = 0;

	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		lost += l->lost[r];
	return lost;
}

void
fcn_notice_accounting_clear(struct fcn_notice_accounting *l)
{
	*l = (struct fcn_notice_accounting){
			.carried = l->queued + l->cross_core_tx - l->cross_core_rx,
			.queued = l->queued,
			.cross_core_tx = l->cross_core_tx,
			.cross_core_rx = l->cross_core_rx,
	};
}
