/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Publication of a snapshot to the workers. The previous snapshot is freed when no worker reads it
 * any more.
 */

#include <string.h>

#include "control_private.h"
#include "fcn_spin.h"

/* Wait until every worker has begun another turn. */
static void
wait_for_workers(struct rte_rcu_qsbr *qsbr)
{
	uint64_t token = rte_rcu_qsbr_start(qsbr);
	unsigned int spins = 0;

	while (rte_rcu_qsbr_check(qsbr, token, false) == 0)
		fcn_spin_wait(&spins);
}

void
fcn_control_publish(struct fcn_control *ctl, struct fcn_snapshot *s)
{
	struct fcn_snapshot *old = ctl->published;

	__atomic_store_n(&ctl->published, s, __ATOMIC_RELEASE);
	if (ctl->qsbr != NULL)
		wait_for_workers(ctl->qsbr);
	else
		for (unsigned int i = 0; i < ctl->n_workers; i++)
			ctl->worker[i]->snap = s; /* threads read ctl->published themselves */
	fcn_snapshot_free(old);
	fcn_control_warnings_publish(ctl);
}

void
fcn_control_routes_same(struct fcn_control *ctl, bool same)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		ctl->env.routes[t] = same ? ctl->published->table[t].routes : NULL;
}

void
fcn_control_routes_before(struct fcn_control *ctl, const struct fcn_config *before)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		ctl->env.routes_before[t] = ctl->published->table[t].routes;
	ctl->env.before = before;
}

void
fcn_control_routes_done(struct fcn_control *ctl)
{
	memset(ctl->env.routes_before, 0, sizeof(ctl->env.routes_before));
}

int
fcn_control_refresh(struct fcn_control *ctl)
{
	struct fcn_snapshot *s;
	char err[256];

	ctl->env.generation++;
	fcn_control_routes_same(ctl, !ctl->routes_stale);
	ctl->env.host = fcn_control_host_is_on(ctl, ctl->config);
	s = fcn_snapshot_build(ctl->config, &ctl->env, err, sizeof(err));
	if (s != NULL) {
		ctl->routes_stale = ctl->refresh_failed = false;
		fcn_control_publish(ctl, s);
		return 0;
	}
	/* No snapshot of this generation was published, so the next one gets its number. */
	ctl->env.generation--;
	/* The configuration in force does not contradict itself, so this is lack of memory. It is
	 * tried again by fcn_control_link_poll(). */
	if (!ctl->refresh_failed)
		fcn_control_log(ctl, err);
	ctl->refresh_failed = true;
	return -1;
}
