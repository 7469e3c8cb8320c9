/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Events about what the host functions found: neighbours, and senders that do not understand
 * notices. */

#include <stdlib.h>
#include <string.h>

#include "control_private.h"

/* Shortest time between two events about refusals that are ignored. */
#define IGNORED_NS 1000000000

static int
compare(const void *va, const void *vb)
{
	const struct fcn_build_neighbour *a = va, *b = vb;

	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	if (a->addr.version != b->addr.version)
		return a->addr.version < b->addr.version ? -1 : 1;
	return memcmp(a->addr.bytes, b->addr.bytes, sizeof(a->addr.bytes));
}

static void
note_neighbour(struct fcn_control *ctl, enum fcn_event_type type,
		const struct fcn_build_neighbour *n)
{
	struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = n->port,
			.in_port = n->port,
	};

	fcn_control_put_address(ev.sender, &n->addr);
	fcn_collector_note(ctl->collector, &ev);
}

void
fcn_control_neighbour_events(struct fcn_control *ctl, struct fcn_build_neighbour *before,
		size_t n_before, struct fcn_build_neighbour *now, size_t n_now)
{
	size_t i = 0, k = 0;

	if (n_before > 0)
		qsort(before, n_before, sizeof(*before), compare);
	if (n_now > 0)
		qsort(now, n_now, sizeof(*now), compare);
	while (i < n_before || k < n_now) {
		int d = i == n_before ? 1 : k == n_now ? -1 : compare(&before[i], &now[k]);

		if (d < 0) {
			note_neighbour(ctl, FCN_EVENT_NEIGHBOUR_LOST, &before[i++]);
		} else if (d > 0) {
			note_neighbour(ctl, FCN_EVENT_NEIGHBOUR, &now[k++]);
		} else {
			if (!rte_is_same_ether_addr(&before[i].mac, &now[k].mac))
				note_neighbour(ctl, FCN_EVENT_NEIGHBOUR, &now[k]);
			i++;
			k++;
		}
	}
}

static void
note_sender(struct fcn_control *ctl, enum fcn_event_type type,
		const struct fcn_host_refusal *refusal)
{
	struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = FCN_MAX_PORTS, /* there is no port */
			.in_port = FCN_MAX_PORTS,
			.kind = refusal->kind,
	};

	memcpy(ev.sender, refusal->sender, sizeof(ev.sender));
	fcn_collector_note(ctl->collector, &ev);
}

void
fcn_control_refusal_ignored(struct fcn_control *ctl, const struct fcn_host_refusal *refusal)
{
	const uint64_t now = fcn_control_now(ctl);

	if (ctl->ignored_ns != 0 && now - ctl->ignored_ns < IGNORED_NS)
		return;
	ctl->ignored_ns = RTE_MAX(now, UINT64_C(1));
	note_sender(ctl, FCN_EVENT_SENDER_IGNORED, refusal);
}

static int
compare_refusals(const void *va, const void *vb)
{
	const struct fcn_host_refusal *a = va, *b = vb;
	int d = memcmp(a->sender, b->sender, sizeof(a->sender));

	return d != 0 ? d : (int)a->kind - (int)b->kind;
}

void
fcn_control_sender_events(struct fcn_control *ctl, struct fcn_host_refusal *before, size_t n_before,
		struct fcn_host_refusal *now, size_t n_now)
{
	size_t i = 0, k = 0;

	if (n_before > 0)
		qsort(before, n_before, sizeof(*before), compare_refusals);
	if (n_now > 0)
		qsort(now, n_now, sizeof(*now), compare_refusals);
	while (i < n_before || k < n_now) {
		int d = i == n_before ? 1 : k == n_now ? -1 : compare_refusals(&before[i], &now[k]);

		if (d < 0)
			note_sender(ctl, FCN_EVENT_SENDER_FORGOTTEN, &before[i]);
		else if (d > 0)
			note_sender(ctl, FCN_EVENT_SENDER, &now[k]);
		i += d <= 0;
		k += d >= 0;
	}
}
