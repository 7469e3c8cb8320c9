/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Events that no single packet is: what control finds when it looks, and tells the collector. */

#include <stdlib.h>
#include <string.h>

#include "fcn_control_private.h"

/* Counters of all workers, summed. */
struct sums {
	uint64_t drops[FCN_MAX_PORTS];
	uint64_t policed[FCN_MAX_PORTS];
	uint64_t suppressed[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t border[FCN_MAX_PORTS][FCN_BORDER_KIND_COUNT];
};

struct fcn_control_watch {
	struct sums last;
	bool dropping[FCN_MAX_PORTS]; /* they grew the last time, too */
	bool policing[FCN_MAX_PORTS];
	bool suppressing[FCN_MAX_PORTS][FCN_CLASSES];
	bool refusing[FCN_MAX_PORTS][FCN_BORDER_KIND_COUNT];
};

static void
add_sums(struct fcn_worker *w, void *arg)
{
	struct sums *s = arg;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
			s->drops[p] += w->counters[p].drop[r];
		for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++)
			s->border[p][k] += w->counters[p].border[0][k] +
					   w->counters[p].border[1][k];
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
			s->policed[p] += w->counters[p].punt_limited[k] +
					 w->counters[p].punt_backlog[k];
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			for (unsigned int k = 0; k < FCN_NOTICE_KIND_COUNT; k++)
				s->suppressed[p][c] += fcn_notify_suppressed(
						&w->notify[k].stats[p][c]);
		}
	}
}

/* A counter that grew tells, unless it did so the last time. @return the same of this time */
static bool
tell_growth(struct fcn_control *ctl, struct fcn_event ev, uint64_t last, uint64_t now, bool told)
{
	uint64_t grew = now >= last ? now - last : now; /* they were cleared */

	ev.time_ns = fcn_control_now(ctl);
	ev.level = FCN_LEVEL_NONE;
	ev.in_port = ev.port;
	ev.len = RTE_MIN(grew, (uint64_t)UINT32_MAX);
	if (grew != 0 && !told)
		fcn_collector_note(ctl->collector, &ev);
	return grew != 0;
}

void
fcn_control_watch(struct fcn_control *ctl)
{
	struct sums now = {0};
	struct fcn_control_watch *w;

	if (ctl->watch == NULL)
		ctl->watch = calloc(1, sizeof(*ctl->watch));
	w = ctl->watch;
	if (w == NULL)
		return;
	fcn_control_call(ctl, add_sums, &now);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		w->dropping[p] = tell_growth(ctl,
				(struct fcn_event){.type = FCN_EVENT_DROP_BURST, .port = p},
				w->last.drops[p], now.drops[p], w->dropping[p]);
		w->policing[p] = tell_growth(ctl,
				(struct fcn_event){.type = FCN_EVENT_POLICED, .port = p},
				w->last.policed[p], now.policed[p], w->policing[p]);
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			w->suppressing[p][c] = tell_growth(ctl,
					(struct fcn_event){.type = FCN_EVENT_SUPPRESSED,
							.port = p,
							.class = c},
					w->last.suppressed[p][c], now.suppressed[p][c],
					w->suppressing[p][c]);
		for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++)
			w->refusing[p][k] = tell_growth(ctl,
					(struct fcn_event){.type = FCN_EVENT_BORDER,
							.port = p,
							.verdict = fcn_drop_of_border(k)},
					w->last.border[p][k], now.border[p][k], w->refusing[p][k]);
	}
	w->last = now;
}

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
tell_neighbour(struct fcn_control *ctl, enum fcn_event_type type,
		const struct fcn_build_neighbour *n)
{
	struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = n->port,
			.in_port = n->port,
	};

	if (n->addr.version == 6) {
		memcpy(ev.sender, n->addr.bytes, sizeof(ev.sender));
	} else {
		memset(&ev.sender[10], 0xFF, 2); /* RFC 4291 section 2.5.5.2 */
		memcpy(&ev.sender[12], n->addr.bytes, 4);
	}
	fcn_collector_note(ctl->collector, &ev);
}

void
fcn_control_tell_neighbours(struct fcn_control *ctl, struct fcn_build_neighbour *before,
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
			tell_neighbour(ctl, FCN_EVENT_NEIGHBOUR_LOST, &before[i++]);
		} else if (d > 0) {
			tell_neighbour(ctl, FCN_EVENT_NEIGHBOUR, &now[k++]);
		} else {
			if (!rte_is_same_ether_addr(&before[i].mac, &now[k].mac))
				tell_neighbour(ctl, FCN_EVENT_NEIGHBOUR, &now[k]);
			i++;
			k++;
		}
	}
}

static void
tell_sender(struct fcn_control *ctl, enum fcn_event_type type, const uint8_t addr[16])
{
	struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = FCN_MAX_PORTS, /* none */
			.in_port = FCN_MAX_PORTS,
	};

	memcpy(ev.sender, addr, sizeof(ev.sender));
	fcn_collector_note(ctl->collector, &ev);
}

static int
compare_senders(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

void
fcn_control_tell_senders(struct fcn_control *ctl, uint8_t (*before)[16], size_t n_before,
		uint8_t (*now)[16], size_t n_now)
{
	size_t i = 0, k = 0;

	if (n_before > 0)
		qsort(before, n_before, sizeof(*before), compare_senders);
	if (n_now > 0)
		qsort(now, n_now, sizeof(*now), compare_senders);
	while (i < n_before || k < n_now) {
		int d = i == n_before ? 1 : k == n_now ? -1 : compare_senders(before[i], now[k]);

		if (d < 0)
			tell_sender(ctl, FCN_EVENT_SENDER_FORGOTTEN, before[i]);
		else if (d > 0)
			tell_sender(ctl, FCN_EVENT_SENDER, now[k]);
		i += d <= 0;
		k += d >= 0;
	}
}
