/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What the control thread has workers do, and workers that stand still: such a worker is not waited
 * for, and does what it has missed when it turns again.
 */

#include <errno.h>
#include <stdio.h>

#include "control_kernel.h"
#include "control_private.h"
#include "fcn_stages.h"

uint32_t
fcn_control_call(struct fcn_control *ctl, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size)
{
	uint32_t missed = 0;

	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		if (fcn_worker_call(ctl->worker[i], fn, arg, size) != 0)
			missed |= 1u << i;
	}
	return missed;
}

void
fcn_control_read(struct fcn_control *ctl, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size)
{
	for (unsigned int i = 0; i < ctl->n_workers; i++)
		fcn_worker_read(ctl->worker[i], fn, arg, size);
}

bool
fcn_control_is_stalled(const struct fcn_control *ctl, unsigned int worker)
{
	return fcn_worker_is_stalled(ctl->worker[worker]);
}

static void
do_nothing(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(w);
	RTE_SET_USED(arg);
}

int
fcn_control_need_workers(struct fcn_control *ctl, char *err, size_t err_size)
{
	const uint32_t missed = fcn_control_call(ctl, do_nothing, NULL, 0);
	const unsigned int i = missed != 0 ? __builtin_ctz(missed) : 0;

	if (missed == 0)
		return 0;
	snprintf(err, err_size,
			"worker %u is stalled: its thread on lcore %u does not run, and this needs "
			"all workers",
			i, ctl->lcore[i]);
	return -EAGAIN;
}

/* ---- what workers have to do, at once or when they turn again ---- */

static void
flush_port(struct fcn_worker *w, void *arg)
{
	fcn_bridge_forget(w, *(const unsigned int *)arg);
}

void
fcn_control_flush_port(struct fcn_control *ctl, unsigned int port)
{
	uint32_t missed = fcn_control_call(ctl, flush_port, &port, sizeof(port));

	for (; missed != 0; missed &= missed - 1)
		fcn_port_set_add(&ctl->owed[__builtin_ctz(missed)].flush, port);
}

static void
clear_counters(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(arg);
	fcn_worker_clear_counters_once(w);
}

static void
clear_watermarks(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(arg);
	fcn_worker_clear_watermarks(w);
}

static void
clear_macs(struct fcn_worker *w, void *arg)
{
	unsigned int n = fcn_bridge_forget(w, -1);

	*(unsigned int *)arg = RTE_MAX(*(unsigned int *)arg, n);
}

int
fcn_control_clear_counters(struct fcn_control *ctl, char *err, size_t err_size)
{
	uint32_t missed;

	if (fcn_control_need_workers(ctl, err, err_size) != 0)
		return -EAGAIN;
	__atomic_add_fetch(&ctl->clears, 1, __ATOMIC_RELEASE);
	missed = fcn_control_call(ctl, clear_counters, NULL, 0);
	for (; missed != 0; missed &= missed - 1)
		ctl->owed[__builtin_ctz(missed)].counters = true;
	/* The events in the rings are about the time before the counters are cleared. */
	fcn_control_drain(ctl);
	fcn_collector_clear(ctl->collector);
	fcn_host_clear_counters(ctl->host);
	fcn_control_kernel_clear_counters(ctl);
	fcn_control_learned_clear_counters(ctl);
	fcn_control_reported_clear_counters(ctl);
	return 0;
}

int
fcn_control_clear_watermarks(struct fcn_control *ctl, char *err, size_t err_size)
{
	uint32_t missed;

	if (fcn_control_need_workers(ctl, err, err_size) != 0)
		return -EAGAIN;
	missed = fcn_control_call(ctl, clear_watermarks, NULL, 0);
	for (; missed != 0; missed &= missed - 1)
		ctl->owed[__builtin_ctz(missed)].watermarks = true;
	return 0;
}

int
fcn_control_clear_macs(struct fcn_control *ctl, unsigned int *n, char *err, size_t err_size)
{
	uint32_t missed;

	*n = 0;
	if (fcn_control_need_workers(ctl, err, err_size) != 0)
		return -EAGAIN;
	missed = fcn_control_call(ctl, clear_macs, n, sizeof(*n));
	for (; missed != 0; missed &= missed - 1)
		ctl->owed[__builtin_ctz(missed)].flush = fcn_port_set_all();
	return 0;
}

static bool
is_owing(const struct fcn_control *ctl, unsigned int worker)
{
	const struct fcn_control_owed *owed = &ctl->owed[worker];

	return !fcn_port_set_is_empty(&owed->flush) || owed->counters || owed->watermarks;
}

/* Have a worker do what it has missed. @return whether it has done everything */
static bool
settle(struct fcn_control *ctl, unsigned int worker)
{
	struct fcn_control_owed *owed = &ctl->owed[worker];
	struct fcn_worker *w = ctl->worker[worker];

	FCN_PORT_SET_FOREACH (p, &owed->flush) {
		unsigned int port = p;

		if (fcn_worker_call(w, flush_port, &port, sizeof(port)) != 0)
			return false;
		fcn_port_set_remove(&owed->flush, p);
	}
	if (owed->counters && fcn_worker_call(w, clear_counters, NULL, 0) != 0)
		return false;
	owed->counters = false;
	if (owed->watermarks && fcn_worker_call(w, clear_watermarks, NULL, 0) != 0)
		return false;
	owed->watermarks = false;
	return true;
}

/* ---- workers that stall and recover ---- */

static void
report(struct fcn_control *ctl, unsigned int worker, bool stalled)
{
	const struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = stalled ? FCN_EVENT_WORKER_STALLED : FCN_EVENT_WORKER_RECOVERED,
			.level = FCN_LEVEL_NONE,
			.port = FCN_PORT_NONE,
			.in_port = FCN_PORT_NONE,
			.len = worker,
	};
	char place[32];

	ctl->reported ^= 1u << worker;
	fcn_collector_note(ctl->collector, &ev);
	snprintf(place, sizeof(place), "worker %u", worker);
	if (stalled)
		fcn_control_warn(ctl, FCN_WARNING_WORKER, FCN_MAX_PORTS, place,
				"its thread on lcore %u does not run, and its ports forward "
				"nothing",
				ctl->lcore[worker]);
	else
		fcn_control_warning_over(ctl, FCN_WARNING_WORKER, place);
}

void
fcn_control_workers_poll(struct fcn_control *ctl)
{
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		enum fcn_worker_look found = fcn_worker_look(ctl->worker[i]);
		bool stalled;

		if (found == FCN_WORKER_WAKES || found == FCN_WORKER_RECOVERED)
			fcn_control_publish_to(ctl, i);
		if (found == FCN_WORKER_RECOVERED)
			fcn_control_make_room(ctl, ctl->published);
		if (found == FCN_WORKER_RECOVERED ||
				(found == FCN_WORKER_TURNS && is_owing(ctl, i)))
			settle(ctl, i);
		stalled = fcn_control_is_stalled(ctl, i);
		if (stalled != (ctl->reported >> i & 1))
			report(ctl, i, stalled);
	}
	fcn_control_free_retired(ctl);
}
