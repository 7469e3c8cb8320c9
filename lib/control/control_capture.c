/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>

#include "control_private.h"

static void
set_ring(struct fcn_worker *w, void *arg)
{
	w->capture.ring = *(struct rte_ring **)arg;
}

static int
make_ring(const struct fcn_control *ctl, struct fcn_worker *w, uint32_t units)
{
	char name[RTE_RING_NAMESIZE];
	struct rte_ring *ring;
	int rc;

	if (w->capture.ring != NULL) /* may be read here: the worker does not change it */
		return 0;
	snprintf(name, sizeof(name), "%s_capture%u", ctl->env.name, w->id);
	ring = fcn_capture_ring_create(name, units, w->socket);
	if (ring == NULL)
		return -rte_errno;
	rc = fcn_worker_call(w, set_ring, &ring, sizeof(ring));
	if (rc == 0)
		return 0;
	if (rc != -EINPROGRESS) /* then it will have the ring */
		rte_ring_free(ring);
	return rc == -ENOMEM ? rc : -EAGAIN;
}

int
fcn_control_tap_prepare(struct fcn_control *ctl, uint32_t units)
{
	int rc = 0;

	for (unsigned int i = 0; i < ctl->n_workers && rc == 0; i++)
		rc = make_ring(ctl, ctl->worker[i], units);
	return rc;
}

struct tap_call {
	unsigned int number;
	struct fcn_capture_tap tap;
	struct fcn_tap_counts counts;
};

static void
open_tap(struct fcn_worker *w, void *arg)
{
	const struct tap_call *call = arg;

	fcn_capture_open(w, call->number, &call->tap);
}

void
fcn_control_tap_open(
		struct fcn_control *ctl, unsigned int number, const struct fcn_capture_tap *tap)
{
	struct tap_call call = {.number = number, .tap = *tap};

	fcn_control_call(ctl, open_tap, &call, sizeof(call));
}

static void
read_tap(struct fcn_worker *w, void *arg)
{
	struct tap_call *call = arg;

	for (unsigned int p = 0; p < w->n_ports; p++)
		call->counts.missed[p] += w->capture.tap[call->number].missed[p];
	call->counts.time_ns = RTE_MAX(call->counts.time_ns, w->epoch_ns + w->now);
}

static void
close_tap(struct fcn_worker *w, void *arg)
{
	const struct tap_call *call = arg;

	fcn_capture_close(w, call->number);
	read_tap(w, arg);
}

void
fcn_control_tap_read(struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts)
{
	struct tap_call call = {.number = number};

	fcn_control_read(ctl, read_tap, &call, sizeof(call));
	*counts = call.counts;
}

int
fcn_control_tap_close(struct fcn_control *ctl, unsigned int number, struct fcn_tap_counts *counts)
{
	struct tap_call call = {.number = number};
	char unused[128];

	/* While one is stalled, the others go on, too. */
	if (fcn_control_need_workers(ctl, unused, sizeof(unused)) != 0)
		return -EAGAIN;
	if (fcn_control_call(ctl, close_tap, &call, sizeof(call)) != 0)
		return -EAGAIN;
	*counts = call.counts;
	return 0;
}

static void
forget_port(struct fcn_worker *w, void *arg)
{
	fcn_capture_forget_port(w, *(const uint16_t *)arg);
}

void
fcn_control_tap_forget_port(struct fcn_control *ctl, uint16_t port)
{
	fcn_control_call(ctl, forget_port, &port, sizeof(port));
}
