/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "sim_private.h"

/*
 * The queue is a tournament tree: each event has a leaf with its key, and each inner node holds the
 * smallest key below it. When a key changes, it is compared with one other on each level. Nothing
 * is moved, and no load depends on a comparison, which makes it faster than a heap.
 */

#define ROOM_MIN 16

#define KEY_NEVER (~(fcn_sim_order)0)
#define NOBODY UINT32_MAX

struct node {
	fcn_sim_order key;
	struct fcn_sim_event *ev;
};

_Static_assert((sizeof(struct node) & (sizeof(struct node) - 1)) == 0, "for offsets");

struct fcn_sim {
	/* 1 is the root, 2i and 2i + 1 are the children of i, room + l is leaf l */
	struct node *node;
	uint32_t n, room; /* number of leaves in use and in total, the latter a power of two */
	/* leaf of the event that is running; its key stays until it is scheduled again */
	uint32_t running;
	uint64_t now;
	fcn_sim_order latest; /* the greatest place of an event that has run */
	uint64_t made;        /* number of events that were made so far */
	uint64_t *number;     /* the same, of all simulations that are numbered together */
	uint64_t count, at_once;
};

struct fcn_sim *
fcn_sim_create(void)
{
	struct fcn_sim *sim = calloc(1, sizeof(*sim));

	if (sim == NULL)
		return NULL;
	sim->running = NOBODY;
	sim->number = &sim->made;
	return sim;
}

void
fcn_sim_free(struct fcn_sim *sim)
{
	if (sim == NULL)
		return;
	free(sim->node);
	free(sim);
}

static inline uint64_t
time_of(fcn_sim_order key)
{
	return (uint64_t)(key >> 64);
}

static inline struct node *
leaf_of(const struct fcn_sim *sim, uint32_t leaf)
{
	return &sim->node[sim->room + leaf];
}

static inline struct node *
node_at(const struct fcn_sim *sim, size_t octets)
{
	return (void *)((uint8_t *)sim->node + octets);
}

/*
 * Change the key of a leaf. The outcome of each comparison is unpredictable, so the compiler gets a
 * probability of one half, with which it uses no branches. Nodes are addressed by their byte
 * offset, which saves a shift for each.
 */
static inline void
set_key(struct fcn_sim *sim, uint32_t leaf, fcn_sim_order key)
{
	size_t at = (size_t)(sim->room + leaf) * sizeof(struct node);
	struct fcn_sim_event *ev = node_at(sim, at)->ev;

	node_at(sim, at)->key = key;
	while (at > sizeof(struct node)) {
		const struct node *other = node_at(sim, at ^ sizeof(struct node));
		const fcn_sim_order k = other->key;
		struct fcn_sim_event *rival = other->ev;
		bool loses = k < key;

		ev = __builtin_expect_with_probability(loses, 1, 0.5) ? rival : ev;
		key = __builtin_expect_with_probability(loses, 1, 0.5) ? k : key;
		at = at / 2 & ~(sizeof(struct node) - 1);
		node_at(sim, at)->key = key;
		node_at(sim, at)->ev = ev;
	}
}

/* Double the number of leaves; each keeps its index. */
static int
grow(struct fcn_sim *sim)
{
	uint32_t room = sim->room == 0 ? ROOM_MIN : 2 * sim->room;
	struct node *node = malloc(2 * room * sizeof(node[0]));

	if (node == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < room; i++)
		node[room + i] = i < sim->n ? *leaf_of(sim, i) : (struct node){.key = KEY_NEVER};
	for (uint32_t i = room - 1; i > 0; i--)
		node[i] = node[2 * i + 1].key < node[2 * i].key ? node[2 * i + 1] : node[2 * i];
	free(sim->node);
	sim->node = node;
	sim->room = room;
	return 0;
}

int
fcn_sim_event_init(struct fcn_sim *sim, struct fcn_sim_event *ev, enum fcn_sim_rank rank,
		void (*fn)(void *arg, uint64_t now), void *arg)
{
	if (sim->n == sim->room && grow(sim) != 0)
		return -ENOMEM;
	*ev = (struct fcn_sim_event){.fn = fn,
			.arg = arg,
			.among = (uint64_t)fcn_sim_order_of(0, rank) | (*sim->number)++,
			.leaf = sim->n};
	leaf_of(sim, sim->n++)->ev = ev;
	return 0;
}

/* Remove an event from the queue. The last leaf gets the index of the removed one. */
void
fcn_sim_event_fini(struct fcn_sim *sim, struct fcn_sim_event *ev)
{
	const uint32_t leaf = ev->leaf;
	uint32_t last;

	if (ev->fn == NULL)
		return;
	last = --sim->n;
	if (sim->running == leaf)
		sim->running = NOBODY;
	else if (sim->running == last)
		sim->running = leaf;
	leaf_of(sim, leaf)->ev = leaf_of(sim, last)->ev;
	leaf_of(sim, leaf)->ev->leaf = leaf;
	set_key(sim, leaf, leaf_of(sim, last)->key);
	set_key(sim, last, KEY_NEVER);
	ev->fn = NULL;
}

void
fcn_sim_schedule(struct fcn_sim *sim, struct fcn_sim_event *ev, uint64_t time)
{
	if (sim->running == ev->leaf) {
		if (time == FCN_SIM_NEVER)
			return;
		sim->running = NOBODY;
	} else if (time_of(leaf_of(sim, ev->leaf)->key) == RTE_MAX(time, sim->now)) {
		return;
	}
	set_key(sim, ev->leaf,
			time == FCN_SIM_NEVER
					? KEY_NEVER
					: (fcn_sim_order)RTE_MAX(time, sim->now) << 64 | ev->among);
}

uint64_t
fcn_sim_scheduled(const struct fcn_sim *sim, const struct fcn_sim_event *ev)
{
	return sim->running != ev->leaf ? time_of(leaf_of(sim, ev->leaf)->key) : FCN_SIM_NEVER;
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

	if (sim->running == NOBODY)
		return sim->n != 0 ? time_of(sim->node[1].key) : FCN_SIM_NEVER;
	/* the smallest key of all other leaves */
	for (uint32_t i = sim->room + sim->running; i > 1; i /= 2)
		next = RTE_MIN(next, time_of(sim->node[i ^ 1].key));
	return next;
}

/* Run the next event, which exists. */
static inline void
run_first(struct fcn_sim *sim)
{
	const fcn_sim_order order = sim->node[1].key;
	const uint64_t time = time_of(order);
	struct fcn_sim_event *ev = sim->node[1].ev;

	sim->at_once = time != sim->now ? 1 : sim->at_once + 1;
	sim->now = time;
	sim->latest = RTE_MAX(sim->latest, order);
	sim->count++;
	/*
	 * The key of the event stays until the event is scheduled again. Most events schedule
	 * themselves, so the key is changed once instead of twice.
	 */
	sim->running = ev->leaf;
	ev->fn(ev->arg, time);
	if (sim->running != NOBODY) {
		set_key(sim, sim->running, KEY_NEVER);
		sim->running = NOBODY;
	}
}

fcn_sim_order
fcn_sim_first(const struct fcn_sim *sim)
{
	return sim->n != 0 ? sim->node[1].key : KEY_NEVER;
}

bool
fcn_sim_step_before(struct fcn_sim *sim, fcn_sim_order before)
{
	if (fcn_sim_first(sim) >= before)
		return false;
	run_first(sim);
	return true;
}

bool
fcn_sim_step(struct fcn_sim *sim, uint64_t until)
{
	const uint64_t time = time_of(fcn_sim_first(sim));

	if (unlikely(time > until || time == FCN_SIM_NEVER))
		return false;
	run_first(sim);
	return true;
}

void
fcn_sim_number_as(struct fcn_sim *sim, struct fcn_sim *other)
{
	sim->number = other->number;
}

fcn_sim_order
fcn_sim_place(const struct fcn_sim *sim)
{
	return sim->latest;
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
fcn_sim_at_once(const struct fcn_sim *sim)
{
	return sim->at_once;
}

uint64_t
fcn_sim_count(const struct fcn_sim *sim)
{
	return sim->count;
}
