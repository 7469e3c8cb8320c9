/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Publication of a snapshot to the workers. The previous snapshot is freed when no worker reads it
 * any more.
 *
 * Each worker has a pointer of its own to the snapshot that it is to read. A worker that is stalled
 * is given no other one until it turns again, so there are never more than a few old snapshots,
 * however often a new one is published meanwhile.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "control_private.h"

/* Whether a worker has begun another turn since a token was made. */
static bool
has_passed(const struct fcn_control *ctl, unsigned int worker, uint64_t token)
{
	uint64_t seen = __atomic_load_n(
			&ctl->qsbr->qsbr_cnt[ctl->worker[worker]->id].cnt, __ATOMIC_ACQUIRE);

	return seen == __RTE_QSBR_CNT_THR_OFFLINE || seen >= token;
}

/* Wait until every worker that is not stalled has begun another turn, or has stalled. */
static void
wait_for_workers(struct fcn_control *ctl, uint64_t token)
{
	struct fcn_wait wait;
	unsigned int i = 0;

	fcn_wait_begin(&wait, ctl->platform->patience);
	while (i < ctl->n_workers) {
		if (fcn_control_is_stalled(ctl, i) || has_passed(ctl, i, token))
			i++;
		else if (fcn_wait_is_over(&wait))
			fcn_worker_set_stalled(ctl->worker[i]);
	}
}

/* Note which workers an old snapshot is freed after. */
static void
retire(struct fcn_control *ctl, struct fcn_snapshot *old, uint32_t readers)
{
	old->readers = readers;
	old->next_retired = ctl->retired;
	ctl->retired = old;
}

/* Remove the workers from the readers of an old snapshot that do not read it any more. */
static void
forget_readers(struct fcn_control *ctl, struct fcn_snapshot *old)
{
	for (uint32_t set = old->readers; set != 0; set &= set - 1) {
		unsigned int i = __builtin_ctz(set);

		if (ctl->given[i] != old && has_passed(ctl, i, old->token))
			old->readers &= ~(1u << i);
	}
}

void
fcn_control_free_retired(struct fcn_control *ctl)
{
	struct fcn_snapshot **link = &ctl->retired;

	while (*link != NULL) {
		struct fcn_snapshot *old = *link;

		forget_readers(ctl, old);
		if (old->readers != 0) {
			link = &old->next_retired;
			continue;
		}
		*link = old->next_retired;
		fcn_snapshot_free(old);
	}
}

void
fcn_control_publish_to(struct fcn_control *ctl, unsigned int worker)
{
	struct fcn_snapshot *before = ctl->given[worker];

	if (before == ctl->published)
		return;
	__atomic_store_n(&ctl->given[worker], ctl->published, __ATOMIC_RELEASE);
	before->token = rte_rcu_qsbr_start(ctl->qsbr);
}

void
fcn_control_queue_slots(
		const struct fcn_snapshot *s, unsigned int port, uint32_t slots[FCN_CLASSES])
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = s->port[port].egress.queue[c].slots;
}

void
fcn_control_make_room(struct fcn_control *ctl, const struct fcn_snapshot *s)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		char place[FCN_WARNING_PLACE];
		uint32_t slots[FCN_CLASSES];

		if (ctl->port[p].ops == NULL)
			continue;
		fcn_control_queue_slots(s, p, slots);
		if (fcn_worker_group_port_grow(ctl->worker, ctl->n_workers, p, slots) != -ENOMEM)
			continue;
		snprintf(place, sizeof(place), "port %s", ctl->config->port[p].name);
		fcn_warn(ctl->env.warnings, FCN_WARNING_QUEUE_MEMORY, p, place,
				"there is no memory for as many packets as its queues' limits "
				"allow; they hold as many as before");
	}
}

/* Let stalled workers find no queue pairs in maps that are not kept up to date any more. */
static void
forget_old_qps(struct fcn_control *ctl)
{
	for (struct fcn_snapshot *old = ctl->retired; old != NULL; old = old->next_retired) {
		if (old->proxy.qps != NULL && old->proxy.qps != ctl->env.qps)
			fcn_qp_map_clear(old->proxy.qps);
	}
}

void
fcn_control_pass_turn(struct fcn_control *ctl)
{
	if (ctl->qsbr != NULL)
		wait_for_workers(ctl, rte_rcu_qsbr_start(ctl->qsbr));
}

void
fcn_control_publish(struct fcn_control *ctl, struct fcn_snapshot *s)
{
	struct fcn_snapshot *old = ctl->published;
	uint32_t readers = 0;

	fcn_control_make_room(ctl, s);
	ctl->published = s;
	ctl->env.qps = s->proxy.qps;
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		if (ctl->given[i] == old)
			readers |= 1u << i;
		if (!fcn_control_is_stalled(ctl, i))
			__atomic_store_n(&ctl->given[i], s, __ATOMIC_RELEASE);
	}
	if (ctl->qsbr == NULL) {
		for (unsigned int i = 0; i < ctl->n_workers; i++)
			ctl->worker[i]->snap = s; /* threads read ctl->given themselves */
		fcn_snapshot_free(old);
	} else {
		old->token = rte_rcu_qsbr_start(ctl->qsbr);
		retire(ctl, old, readers);
		wait_for_workers(ctl, old->token);
		fcn_control_free_retired(ctl);
		forget_old_qps(ctl);
	}
	fcn_control_reported_follow(ctl);
	fcn_control_warnings_publish(ctl);
}

void
fcn_control_publish_end(struct fcn_control *ctl)
{
	while (ctl->retired != NULL) {
		struct fcn_snapshot *old = ctl->retired;

		ctl->retired = old->next_retired;
		fcn_snapshot_free(old);
	}
	fcn_snapshot_free(ctl->published);
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
