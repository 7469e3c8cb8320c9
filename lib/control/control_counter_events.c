/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Events that report that counters of workers begin to grow. As these events are not about single
 * packets, the control finds them by reading the counters periodically.
 */

#include <stdlib.h>

#include "control_private.h"

/* Counters of all workers, summed. */
struct sums {
	uint64_t drops[FCN_MAX_PORTS];
	uint64_t policed[FCN_MAX_PORTS];
	uint64_t suppressed[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t border[FCN_MAX_PORTS][FCN_BORDER_KIND_COUNT];
};

struct fcn_control_counter_events {
	struct sums last;
	bool dropping[FCN_MAX_PORTS]; /* whether the counter grew before the last call, too */
	bool policing[FCN_MAX_PORTS];
	bool suppressing[FCN_MAX_PORTS][FCN_CLASSES];
	bool refusing[FCN_MAX_PORTS][FCN_BORDER_KIND_COUNT];
};

static void
add_sums(struct fcn_worker *w, void *arg)
{
	struct sums *s = arg;

	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
			s->drops[p] += w->counters[p].drop[r];
		for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++)
			s->border[p][k] += w->counters[p].border[0][k] +
					   w->counters[p].border[1][k];
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
			s->policed[p] += w->counters[p].punt_limited[k] +
					 w->counters[p].punt_backlog[k];
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
				s->suppressed[p][c] += fcn_notify_suppressed(
						&w->notify[k].stats[p][c]);
		}
	}
}

/*
 * Record an event if a counter has grown since the last call and had not grown before that. A
 * period of growth thus has one event.
 *
 * @param had_grown whether it had grown before the last call
 * @return whether it grew since
 */
static bool
note_growth(struct fcn_control *ctl, struct fcn_event ev, uint64_t last, uint64_t now,
		bool had_grown)
{
	uint64_t grew = now >= last ? now - last : now; /* If it fell, it was cleared. */

	ev.time_ns = fcn_control_now(ctl);
	ev.level = FCN_LEVEL_NONE;
	ev.in_port = ev.port;
	ev.len = RTE_MIN(grew, (uint64_t)UINT32_MAX);
	if (grew != 0 && !had_grown)
		fcn_collector_note(ctl->collector, &ev);
	return grew != 0;
}

void
fcn_control_counter_events(struct fcn_control *ctl)
{
	struct sums now = {0};
	struct fcn_control_counter_events *w;

	if (ctl->counter_events == NULL)
		ctl->counter_events = calloc(1, sizeof(*ctl->counter_events));
	w = ctl->counter_events;
	if (w == NULL)
		return;
	fcn_control_read(ctl, add_sums, &now, sizeof(now));
	for (unsigned int p = 0; p < ctl->published->n_ports; p++) {
		w->dropping[p] = note_growth(ctl,
				(struct fcn_event){.type = FCN_EVENT_DROP_BURST, .port = p},
				w->last.drops[p], now.drops[p], w->dropping[p]);
		w->policing[p] = note_growth(ctl,
				(struct fcn_event){.type = FCN_EVENT_POLICED, .port = p},
				w->last.policed[p], now.policed[p], w->policing[p]);
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			w->suppressing[p][c] = note_growth(ctl,
					(struct fcn_event){.type = FCN_EVENT_SUPPRESSED,
							.port = p,
							.class = c},
					w->last.suppressed[p][c], now.suppressed[p][c],
					w->suppressing[p][c]);
		for (unsigned int k = 0; k < FCN_BORDER_KIND_COUNT; k++)
			w->refusing[p][k] = note_growth(ctl,
					(struct fcn_event){.type = FCN_EVENT_BORDER,
							.port = p,
							.verdict = fcn_drop_of_border(k)},
					w->last.border[p][k], now.border[p][k], w->refusing[p][k]);
	}
	w->last = now;
}
