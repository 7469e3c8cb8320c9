/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_pause.h>

#include "fcn_sim_group.h"
#include "sim_private.h"

/* How long a thread waits awake: so many looks, and after some of them it lets others run. */
#define LOOKS 20000
#define LOOKS_A_TURN 64

struct part {
	struct fcn_sim *sim;
	struct fcn_sim_group *group;
	pthread_t thread;
	bool stuck;
} __rte_cache_aligned;

struct fcn_sim_group {
	unsigned int n;
	uint64_t lookahead, most;
	struct part *part; /* the last one is the whole, which has no thread */
	/* What the threads wait for: a window to begin, and all but the first to have ended it. */
	pthread_mutex_t lock;
	pthread_cond_t began, ended;
	unsigned int looks;
	const struct fcn_sim_group_user *user;
	/* of the window; a new number says to the threads that it begins */
	fcn_sim_order before;
	bool over; /* there is no further window */
	uint64_t window __rte_cache_aligned;
	unsigned int running __rte_cache_aligned;
};

/* ---- threads ---- */

/* A look at something that another thread will change. @return false after too many */
static bool
look_again(unsigned int *looks)
{
	if (*looks == 0)
		return false;
	if (--*looks % LOOKS_A_TURN == 0)
		sched_yield();
	else
		rte_pause();
	return true;
}

static uint64_t
wait_for_window(struct fcn_sim_group *g, uint64_t last)
{
	unsigned int looks = g->looks;
	uint64_t now;

	while ((now = __atomic_load_n(&g->window, __ATOMIC_ACQUIRE)) == last && look_again(&looks))
		;
	if (now != last)
		return now;
	pthread_mutex_lock(&g->lock);
	while ((now = __atomic_load_n(&g->window, __ATOMIC_ACQUIRE)) == last)
		pthread_cond_wait(&g->began, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return now;
}

static void
begin_window(struct fcn_sim_group *g)
{
	__atomic_store_n(&g->running, g->n - 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&g->lock);
	__atomic_store_n(&g->window, g->window + 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&g->began);
	pthread_mutex_unlock(&g->lock);
}

static void
end_window(struct fcn_sim_group *g)
{
	if (__atomic_sub_fetch(&g->running, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	pthread_mutex_lock(&g->lock);
	pthread_cond_signal(&g->ended);
	pthread_mutex_unlock(&g->lock);
}

static void
wait_for_end(struct fcn_sim_group *g)
{
	unsigned int looks = g->looks;

	while (__atomic_load_n(&g->running, __ATOMIC_ACQUIRE) != 0) {
		if (look_again(&looks))
			continue;
		pthread_mutex_lock(&g->lock);
		while (__atomic_load_n(&g->running, __ATOMIC_ACQUIRE) != 0)
			pthread_cond_wait(&g->ended, &g->lock);
		pthread_mutex_unlock(&g->lock);
	}
}

static void
run_part(struct part *p)
{
	const struct fcn_sim_group *g = p->group;

	while (fcn_sim_step_before(p->sim, g->before)) {
		if (unlikely(fcn_sim_at_once(p->sim) >= g->most)) {
			p->stuck = true;
			return;
		}
	}
}

static void *
part_thread(void *arg)
{
	struct part *p = arg;
	struct fcn_sim_group *g = p->group;
	uint64_t window = 0;

	if (g->user->begin != NULL)
		g->user->begin(g->user->arg);
	for (;;) {
		window = wait_for_window(g, window);
		if (g->over)
			break;
		run_part(p);
		end_window(g);
	}
	if (g->user->end != NULL)
		g->user->end(g->user->arg);
	return NULL;
}

/* End the threads of the parts 1 to n - 1. */
static void
join(struct fcn_sim_group *g, unsigned int n)
{
	g->over = true;
	begin_window(g);
	for (unsigned int i = 1; i < n; i++)
		pthread_join(g->part[i].thread, NULL);
	g->over = false;
}

static bool
start(struct fcn_sim_group *g)
{
	g->window = 0;
	for (unsigned int i = 1; i < g->n; i++) {
		if (pthread_create(&g->part[i].thread, NULL, part_thread, &g->part[i]) != 0) {
			join(g, i);
			return false;
		}
	}
	return true;
}

/* ---- windows ---- */

/* The part with the first event of all but the whole. */
static struct part *
first_of(const struct fcn_sim_group *g)
{
	struct part *first = &g->part[0];

	for (unsigned int i = 1; i < g->n; i++) {
		if (fcn_sim_first(g->part[i].sim) < fcn_sim_first(first->sim))
			first = &g->part[i];
	}
	return first;
}

static enum fcn_sim_group_end
run_together(struct fcn_sim_group *g)
{
	begin_window(g);
	run_part(&g->part[0]);
	wait_for_end(g);
	for (unsigned int i = 0; i < g->n; i++) {
		if (g->part[i].stuck)
			return FCN_SIM_GROUP_STUCK;
	}
	return FCN_SIM_GROUP_DONE;
}

static enum fcn_sim_group_end
run_alone(struct fcn_sim_group *g)
{
	struct part *first = first_of(g);

	while (fcn_sim_step_before(first->sim, g->before)) {
		if (fcn_sim_at_once(first->sim) >= g->most)
			return FCN_SIM_GROUP_STUCK;
		if (!g->user->after(g->user->arg, fcn_sim_now(first->sim)))
			return FCN_SIM_GROUP_STOPPED;
		first = first_of(g);
	}
	return FCN_SIM_GROUP_DONE;
}

/* Run a window from a time on, up to the next event of the whole or to `until`. */
static enum fcn_sim_group_end
run_window(struct fcn_sim_group *g, uint64_t from, uint64_t until)
{
	uint64_t to = from < FCN_SIM_NEVER - g->lookahead ? from + g->lookahead : FCN_SIM_NEVER;
	enum fcn_sim_way way;

	to = RTE_MIN(to, fcn_sim_next(g->part[g->n].sim));
	if (to <= until) {
		g->before = fcn_sim_order_of(to, FCN_SIM_ACTION);
	} else {
		to = until + 1; /* until is below `to`, and so below FCN_SIM_NEVER */
		g->before = fcn_sim_order_of(to, 0);
	}
	way = g->user->window(g->user->arg, from, to);
	if (way == FCN_SIM_END)
		return FCN_SIM_GROUP_STOPPED;
	return way == FCN_SIM_TOGETHER ? run_together(g) : run_alone(g);
}

static enum fcn_sim_group_end
run(struct fcn_sim_group *g, uint64_t until)
{
	struct fcn_sim *whole = g->part[g->n].sim;
	enum fcn_sim_group_end end = FCN_SIM_GROUP_DONE;

	while (end == FCN_SIM_GROUP_DONE) {
		const fcn_sim_order first = fcn_sim_first(first_of(g)->sim);
		const fcn_sim_order global = fcn_sim_first(whole);
		const uint64_t time = (uint64_t)(RTE_MIN(first, global) >> 64);

		if (time > until || time == FCN_SIM_NEVER)
			return FCN_SIM_GROUP_DONE;
		if (global > first) {
			end = run_window(g, time, until);
			g->user->exchange(g->user->arg);
			continue;
		}
		fcn_sim_step(whole, until);
		if (fcn_sim_at_once(whole) >= g->most)
			end = FCN_SIM_GROUP_STUCK;
		else if (!g->user->after(g->user->arg, time))
			end = FCN_SIM_GROUP_STOPPED;
		g->user->exchange(g->user->arg);
	}
	return end;
}

enum fcn_sim_group_end
fcn_sim_group_run(struct fcn_sim_group *group, uint64_t until, bool spare,
		const struct fcn_sim_group_user *user)
{
	enum fcn_sim_group_end end;

	group->looks = spare ? LOOKS : 0;
	group->user = user;
	if (!start(group))
		return FCN_SIM_GROUP_NO_THREAD;
	user->exchange(user->arg);
	end = run(group, until);
	join(group, group->n);
	return end;
}

/* ---- the group ---- */

struct fcn_sim_group *
fcn_sim_group_create(unsigned int n_parts, uint64_t lookahead, uint64_t most)
{
	struct fcn_sim_group *g = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*g));
	const size_t size = (n_parts + 1) * sizeof(struct part);

	if (g == NULL)
		return NULL;
	*g = (struct fcn_sim_group){.n = n_parts,
			.lookahead = lookahead,
			.most = most,
			.lock = PTHREAD_MUTEX_INITIALIZER,
			.began = PTHREAD_COND_INITIALIZER,
			.ended = PTHREAD_COND_INITIALIZER,
			.part = aligned_alloc(RTE_CACHE_LINE_SIZE, size)};
	for (unsigned int i = 0; g->part != NULL && i <= n_parts; i++)
		g->part[i] = (struct part){.group = g};
	for (unsigned int i = 0; g->part != NULL && i <= n_parts; i++) {
		g->part[i].sim = fcn_sim_create();
		if (g->part[i].sim == NULL)
			break;
		fcn_sim_number_as(g->part[i].sim, g->part[0].sim);
		if (i == n_parts)
			return g;
	}
	fcn_sim_group_free(g);
	return NULL;
}

void
fcn_sim_group_free(struct fcn_sim_group *group)
{
	if (group == NULL)
		return;
	for (unsigned int i = 0; group->part != NULL && i <= group->n; i++)
		fcn_sim_free(group->part[i].sim);
	free(group->part);
	free(group);
}

struct fcn_sim *
fcn_sim_group_part(const struct fcn_sim_group *group, unsigned int part)
{
	return group->part[part].sim;
}
