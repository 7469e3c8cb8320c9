/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "qp_map.h"

#include <errno.h>
#include <string.h>

#include "qp_map_private.h"

/* ---- devices ---- */

/* @return its place; QP_MAP_DEVICES: it is not known */
static unsigned int
device_place(const struct qp_map *map, uint32_t index)
{
	unsigned int i = 0;

	while (i < map->n_devices && map->device[i].index != index)
		i++;
	return i < map->n_devices ? i : QP_MAP_DEVICES;
}

int
qp_map_device(struct qp_map *map, uint32_t index, const char *name)
{
	unsigned int place = device_place(map, index);
	struct qp_device *d;

	if (place == QP_MAP_DEVICES && map->n_devices < QP_MAP_DEVICES)
		place = map->n_devices++;
	/* The place of one that was there before. */
	for (unsigned int i = 0; i < QP_MAP_DEVICES && place == QP_MAP_DEVICES; i++)
		if (map->device[i].seen != map->round)
			place = i;
	if (place == QP_MAP_DEVICES)
		return -ENOSPC;
	d = &map->device[place];
	d->index = index;
	d->seen = map->round;
	memset(d->name, 0, sizeof(d->name));
	memcpy(d->name, name, strnlen(name, sizeof(d->name) - 1));
	return 0;
}

bool
qp_map_next_device(const struct qp_map *map, unsigned int place, uint32_t *index)
{
	for (unsigned int i = 0; i < map->n_devices; i++) {
		if (map->device[i].seen != map->round)
			continue;
		if (place-- == 0) {
			*index = map->device[i].index;
			return true;
		}
	}
	return false;
}

static void
drop_devices(struct qp_map *map)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < map->n_devices; i++)
		if (map->device[i].seen == map->round)
			map->device[n++] = map->device[i];
	map->n_devices = n;
}

/* ---- a round ---- */

void
qp_map_begin(struct qp_map *map)
{
	map->round++;
	map->in_round = true;
	map->had_cm_ids = map->is_confirming = false;
}

/* What was known of another connection of it. */
static void
forget_remote(struct qp_map *map, struct qp_entry *e)
{
	qp_map_untell(map, e);
	e->is_probed = e->has_cm = e->is_pending = false;
}

void
qp_map_qp(struct qp_map *map, const struct rdma_nl_qp *qp)
{
	const bool is_connected = qp_map_is_connected(qp->state) && qp->has_remote;
	const uint8_t state = is_connected || !qp_map_is_connected(qp->state) ? qp->state
									      : STATE_INIT;
	struct qp_entry *e;

	if (qp->type != RDMA_NL_TYPE_RC || device_place(map, qp->device) == QP_MAP_DEVICES)
		return;
	e = qp_map_get(map, qp->device, qp->local_qp);
	if (e == NULL || e->is_gone)
		return;
	e->seen = map->round;
	if (!map->is_confirming)
		e->cm_other = e->cm_ambiguous = false;
	if (e->touched == map->round) {
		e->pid = qp->pid;
		e->is_kernel = qp->is_kernel;
		return;
	}
	if (!is_connected || e->qp.remote_qp != qp->remote_qp || e->pid != qp->pid ||
			e->is_kernel != qp->is_kernel)
		forget_remote(map, e);
	e->state = state;
	e->qp.remote_qp = is_connected ? qp->remote_qp : 0;
	e->pid = qp->pid;
	e->is_kernel = qp->is_kernel;
	if (map->is_confirming)
		e->is_pending = false;
}

static bool
is_owner(const struct qp_map *map, const struct qp_entry *e, const struct rdma_nl_cm_id *id)
{
	if (e->is_kernel || id->is_kernel)
		return e->is_kernel && id->is_kernel;
	if (e->pid == 0 || id->pid == 0)
		return false;
	return e->pid == id->pid ||
	       (map->conf.same_process != NULL && map->conf.same_process(e->pid, id->pid));
}

void
qp_map_cm_id(struct qp_map *map, const struct rdma_nl_cm_id *id)
{
	struct qp_entry *e;
	bool is_same;

	if (id->local_qp == 0 || !id->has_addresses)
		return;
	e = qp_map_find(map, id->device, id->local_qp);
	if (e == NULL || e->is_gone || e->is_probed || !qp_map_is_connected(e->state))
		return;
	if (!is_owner(map, e, id)) {
		e->cm_other = true;
		return;
	}
	is_same = e->has_cm && memcmp(e->qp.local, id->local, sizeof(id->local)) == 0 &&
		  memcmp(e->qp.remote, id->remote, sizeof(id->remote)) == 0;
	if (e->cm_seen == map->round && e->has_cm) {
		e->cm_ambiguous |= !is_same;
		return;
	}
	e->cm_seen = map->round;
	if (is_same)
		return;
	qp_map_untell(map, e);
	memcpy(e->qp.local, id->local, sizeof(id->local));
	memcpy(e->qp.remote, id->remote, sizeof(id->remote));
	e->has_cm = e->is_pending = true;
}

bool
qp_map_wants_cm_ids(struct qp_map *map)
{
	for (uint32_t i = 0; i < map->n_entries && !map->had_cm_ids; i++) {
		const struct qp_entry *e = &map->entry[i];

		map->had_cm_ids = e->is_used && e->seen == map->round && !e->is_gone &&
				  !e->is_probed && qp_map_is_connected(e->state);
	}
	return map->had_cm_ids;
}

bool
qp_map_wants_again(struct qp_map *map)
{
	for (uint32_t i = 0; i < map->n_entries && !map->is_confirming; i++)
		map->is_confirming = map->entry[i].is_used && map->entry[i].is_pending;
	return map->is_confirming;
}

void
qp_map_end(struct qp_map *map, bool complete)
{
	for (uint32_t i = 0; i < map->n_entries; i++) {
		struct qp_entry *e = &map->entry[i];

		if (!e->is_used)
			continue;
		if (e->is_gone || (complete && e->seen != map->round)) {
			qp_map_untell(map, e);
			qp_map_drop(map, e);
			continue;
		}
		if (complete && map->had_cm_ids && e->has_cm && e->cm_seen != map->round) {
			qp_map_untell(map, e);
			e->has_cm = e->is_pending = false;
		}
		qp_map_settle(map, e);
	}
	if (complete)
		drop_devices(map);
	map->in_round = map->is_confirming = false;
}

/* ---- events ---- */

static void
destroyed(struct qp_map *map, struct qp_entry *e)
{
	forget_remote(map, e);
	if (!map->in_round) {
		qp_map_drop(map, e);
		return;
	}
	/* What the round has still to say of it is old. */
	e->is_gone = true;
	e->seen = e->touched = map->round;
}

static void
set_addresses(struct qp_map *map, struct qp_entry *e, const struct qp_map_event *event)
{
	if (e->is_probed && e->is_roce_v2 == event->is_roce_v2 &&
			memcmp(e->qp.local, event->local, sizeof(event->local)) == 0 &&
			memcmp(e->qp.remote, event->remote, sizeof(event->remote)) == 0)
		return;
	/* What RDMA CM has told can be the same. */
	if (!e->is_told || !event->is_roce_v2 ||
			memcmp(e->qp.local, event->local, sizeof(event->local)) != 0 ||
			memcmp(e->qp.remote, event->remote, sizeof(event->remote)) != 0)
		qp_map_untell(map, e);
	memcpy(e->qp.local, event->local, sizeof(event->local));
	memcpy(e->qp.remote, event->remote, sizeof(event->remote));
	e->is_probed = true;
	e->is_roce_v2 = event->is_roce_v2;
	e->has_cm = e->is_pending = false;
}

int
qp_map_event(struct qp_map *map, const struct qp_map_event *event)
{
	struct qp_entry *e;

	if (device_place(map, event->device) == QP_MAP_DEVICES)
		return -ENODEV;
	if (event->is_destroyed) {
		e = qp_map_find(map, event->device, event->local_qp);
		if (e != NULL)
			destroyed(map, e);
		return 0;
	}
	e = qp_map_get(map, event->device, event->local_qp);
	if (e == NULL)
		return 0;
	e->is_gone = false;
	e->seen = map->round;
	if (map->in_round)
		e->touched = map->round;
	if (event->has_state) {
		if (!qp_map_is_connected(event->state))
			forget_remote(map, e);
		e->state = event->state;
	}
	if (!qp_map_is_connected(e->state))
		return 0;
	if (event->has_remote_qp && event->remote_qp != e->qp.remote_qp) {
		forget_remote(map, e);
		e->qp.remote_qp = event->remote_qp;
	}
	if (event->has_addresses)
		set_addresses(map, e, event);
	qp_map_settle(map, e);
	return 0;
}

/* ---- for people ---- */

static enum host_qp_reason
reason_of(const struct qp_entry *e, bool has_probes)
{
	if (!qp_map_is_connected(e->state))
		return HOST_QP_NONE;
	if (e->is_probed)
		return e->is_roce_v2 ? HOST_QP_NONE : HOST_QP_NOT_ROCE_V2;
	if (e->has_cm)
		return e->cm_ambiguous ? HOST_QP_AMBIGUOUS
		       : e->is_pending ? HOST_QP_UNCONFIRMED
				       : HOST_QP_NONE;
	if (e->cm_other)
		return HOST_QP_OTHER_PROCESS;
	return has_probes ? HOST_QP_NO_ADDRESS : HOST_QP_OUT_OF_BAND;
}

void
qp_map_walk(const struct qp_map *map, bool has_probes,
		void (*each)(void *arg, const struct host_qp_view *view), void *arg)
{
	static const char *const states[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};

	for (uint32_t i = 0; i < map->n_entries; i++) {
		const struct qp_entry *e = &map->entry[i];
		const unsigned int place = device_place(map, e->device);
		const size_t n_states = sizeof(states) / sizeof(states[0]);

		if (!e->is_used || e->is_gone)
			continue;
		const struct host_qp_view view = {.qp = e->qp,
				.adapter = place < QP_MAP_DEVICES ? map->device[place].name : "",
				.state = e->state < n_states ? states[e->state] : "?",
				.pid = e->pid,
				.is_connected = qp_map_is_connected(e->state),
				.is_probed = e->is_probed,
				.reason = reason_of(e, has_probes)};

		each(arg, &view);
	}
}

void
qp_map_counts(const struct qp_map *map, struct host_qp_counts *counts)
{
	counts->queue_pairs = map->n_used;
	counts->told = map->n_told;
	counts->added = map->added;
	counts->removed = map->removed;
	counts->full = map->full;
}
