/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include "host_timer.h"

int
fcn_host_timers_reserve(struct fcn_host_timers *t, uint32_t n)
{
	struct fcn_host_timer **heap;

	if (n <= t->room)
		return 0;
	heap = realloc(t->heap, ((size_t)n + 1) * sizeof(struct fcn_host_timer *));
	if (heap == NULL)
		return -ENOMEM;
	t->heap = heap;
	t->room = n;
	return 0;
}

void
fcn_host_timers_free(struct fcn_host_timers *t)
{
	free(t->heap);
	*t = (struct fcn_host_timers){.heap = NULL};
}

static void
put(struct fcn_host_timers *t, uint32_t pos, struct fcn_host_timer *timer)
{
	t->heap[pos] = timer;
	timer->pos = pos;
}

static void
sift_up(struct fcn_host_timers *t, struct fcn_host_timer *timer)
{
	uint32_t pos = timer->pos;

	while (pos > 1 && t->heap[pos / 2]->due > timer->due) {
		put(t, pos, t->heap[pos / 2]);
		pos /= 2;
	}
	put(t, pos, timer);
}

static void
sift_down(struct fcn_host_timers *t, struct fcn_host_timer *timer)
{
	uint32_t pos = timer->pos;

	while (2 * pos <= t->n) {
		uint32_t child = 2 * pos;

		if (child < t->n && t->heap[child + 1]->due < t->heap[child]->due)
			child++;
		if (t->heap[child]->due >= timer->due)
			break;
		put(t, pos, t->heap[child]);
		pos = child;
	}
	put(t, pos, timer);
}

void
fcn_host_timer_set(struct fcn_host_timers *t, struct fcn_host_timer *timer, uint64_t due)
{
	timer->due = due;
	if (timer->pos == 0)
		put(t, ++t->n, timer);
	sift_up(t, timer);
	sift_down(t, timer);
}

void
fcn_host_timer_stop(struct fcn_host_timers *t, struct fcn_host_timer *timer)
{
	struct fcn_host_timer *last;
	uint32_t pos = timer->pos;

	if (pos == 0)
		return;
	timer->pos = 0;
	last = t->heap[t->n--];
	if (last == timer)
		return;
	put(t, pos, last);
	sift_up(t, last);
	sift_down(t, last);
}
