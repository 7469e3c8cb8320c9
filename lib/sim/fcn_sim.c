/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "fcn_sim.h"

/* Children of a place in the heap: four are one cache line and a half, and half as deep as two. */
#define WAYS 4

struct entry {
	uint64_t time;
	uint64_t order; /* rank, then when it was scheduled */
	struct fcn_sim_event *ev;
};

struct fcn_sim {
	struct entry *heap;
	uint32_t n, room;
	uint32_t n_events; /* that may be scheduled at once */
	uint64_t now;
	uint64_t scheduled; /* so many times, ever */
	uint64_t count;
	bool vacant; /* the root is that of the event that runs: the next one scheduled goes there
		      */
};

struct fcn_sim *
fcn_sim_create(void)
{
	return calloc(1, sizeof(struct fcn_sim));
}

void
fcn_sim_free(struct fcn_sim *sim)
{
	if (sim == NULL)
		return;
	free(sim->heap);
	free(sim);
}

int
fcn_sim_event_init(struct fcn_sim *sim, struct fcn_sim_event *ev, enum fcn_sim_rank rank,
		void (*fn)(void *arg, uint64_t now), void *arg)
{
	if (sim->n_events == sim->room) {
		uint32_t room = sim->room == 0 ? 64 : 2 * sim->room;
		struct entry *heap = realloc(sim->heap, room * sizeof(heap[0]));

		if (heap == NULL)
			return -ENOMEM;
		sim->heap = heap;
		sim->room = room;
	}
	sim->n_events++;
	*ev = (struct fcn_sim_event){.fn = fn, .arg = arg, .rank = rank};
	return 0;
}

static inline bool
before(const struct entry *a, const struct entry *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static inline void
put(struct fcn_sim *sim, uint32_t i, const struct entry *e)
{
	sim->heap[i] = *e;
	e->ev->place = i + 1;
}

static void
sift_up(struct fcn_sim *sim, uint32_t i, const struct entry *e)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / WAYS;

		if (!before(e, &sim->heap[parent]))
			break;
		put(sim, i, &sim->heap[parent]);
		i = parent;
	}
	put(sim, i, e);
}

static void
sift_down(struct fcn_sim *sim, uint32_t i, const struct entry *e)
{
	for (;;) {
		uint32_t first = i * WAYS + 1, least = first;
		uint32_t end = RTE_MIN(first + WAYS, sim->n);

		if (first >= sim->n)
			break;
		for (uint32_t c = first + 1; c < end; c++) {
			if (before(&sim->heap[c], &sim->heap[least]))
				least = c;
		}
		if (!before(&sim->heap[least], e))
			break;
		put(sim, i, &sim->heap[least]);
		i = least;
	}
	put(sim, i, e);
}

/* An entry for a place whose own is gone. */
static void
settle(struct fcn_sim *sim, uint32_t i, const struct entry *e)
{
	if (i > 0 && before(e, &sim->heap[(i - 1) / WAYS]))
		sift_up(sim, i, e);
	else
		sift_down(sim, i, e);
}

static void
take_out(struct fcn_sim *sim, struct fcn_sim_event *ev)
{
	uint32_t i = ev->place - 1;
	struct entry last;

	ev->place = 0;
	last = sim->heap[--sim->n];
	if (i < sim->n)
		settle(sim, i, &last);
}

void
fcn_sim_event_fini(struct fcn_sim *sim, struct fcn_sim_event *ev)
{
	if (ev->fn == NULL)
		return;
	if (ev->place != 0)
		take_out(sim, ev);
	sim->n_events--;
	ev->fn = NULL;
}

void
fcn_sim_schedule(struct fcn_sim *sim, struct fcn_sim_event *ev, uint64_t time)
{
	struct entry e = {
			.time = RTE_MAX(time, sim->now),
			.order = (uint64_t)ev->rank << 56 | sim->scheduled++,
			.ev = ev,
	};

	if (time == FCN_SIM_NEVER) {
		if (ev->place != 0)
			take_out(sim, ev);
		return;
	}
	if (ev->place == 0 && sim->vacant) {
		sim->vacant = false;
		sift_down(sim, 0, &e);
	} else if (ev->place == 0) {
		sift_up(sim, sim->n++, &e);
	} else if (sim->heap[ev->place - 1].time != e.time) { /* else it stays where it is */
		settle(sim, ev->place - 1, &e);
	}
}

uint64_t
fcn_sim_scheduled(const struct fcn_sim *sim, const struct fcn_sim_event *ev)
{
	return ev->place != 0 ? sim->heap[ev->place - 1].time : FCN_SIM_NEVER;
}

uint64_t
fcn_sim_now(const struct fcn_sim *sim)
{
	return sim->now;
}

uint64_t
fcn_sim_next(const struct fcn_sim *sim)
{
	uint64_t next = FCN_SIM_NEVER;

	if (!sim->vacant)
		return sim->n != 0 ? sim->heap[0].time : FCN_SIM_NEVER;
	for (uint32_t i = 1; i <= WAYS && i < sim->n; i++) {
		if (sim->heap[i].time < next)
			next = sim->heap[i].time;
	}
	return next;
}

/* Nothing was scheduled to take the place of the event that ran. */
static void
fill_root(struct fcn_sim *sim)
{
	struct entry last = sim->heap[--sim->n];

	sim->vacant = false;
	if (sim->n > 0)
		sift_down(sim, 0, &last);
}

bool
fcn_sim_step(struct fcn_sim *sim, uint64_t until)
{
	struct fcn_sim_event *ev;

	if (sim->n == 0 || sim->heap[0].time > until)
		return false;
	ev = sim->heap[0].ev;
	sim->now = sim->heap[0].time;
	sim->count++;
	ev->place = 0;
	/* Most events schedule one: it takes the place, which stands before all others meanwhile.
	 */
	sim->vacant = true;
	sim->heap[0].time = 0;
	sim->heap[0].order = 0;
	ev->fn(ev->arg, sim->now);
	if (sim->vacant)
		fill_root(sim);
	return true;
}

void
fcn_sim_advance(struct fcn_sim *sim, uint64_t time)
{
	if (time > fcn_sim_next(sim))
		time = fcn_sim_next(sim);
	if (time > sim->now)
		sim->now = time;
}

uint64_t
fcn_sim_count(const struct fcn_sim *sim)
{
	return sim->count;
}
