/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Traces of group operations: what a trace sends is posted to the queue pair of the two ranks, and
 * the trace is told when a message has arrived and when it has been acknowledged. Both happen in
 * the order in which messages were posted.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "distribution.h"
#include "network.h"

/* Messages of a pair on their way: linked by posted[], from the next one to be acknowledged on. */
struct flight {
	uint32_t first, next_arrival, last;
};

struct calc {
	struct lab_net_goal *goal;
	uint32_t op;
	struct fcn_sim_event event;
};

struct rank {
	uint64_t finish_sum;  /* of all iterations, ns from their beginnings */
	uint64_t finish_last; /* in the last one */
	uint64_t calc_ns, messages, bytes;
};

struct lab_net_goal {
	struct lab_network *net;
	const struct lab_goal_job *job;
	struct lab_goal_state *state;
	struct fcn_sim_event event; /* the beginning of an iteration */
	struct calc *calc;          /* by CPU */
	struct flight *flight;      /* by pair */
	uint32_t *pair_of;          /* by flow, from the first one of this trace on */
	uint32_t *posted;
	struct rank *rank;
	struct lab_distribution time; /* of iterations, ns */
	uint64_t begin_ns, end_ns;
	uint32_t iterations; /* that have ended */
	bool begun, ended;
};

static struct lab_net_host *
host_of(const struct lab_net_goal *g, uint32_t rank)
{
	return &g->net->host[g->job->host[rank]];
}

static uint64_t
now_of(const struct lab_net_goal *g)
{
	return fcn_sim_now(g->net->sim);
}

/* ---- what the trace asks for ---- */

static void
goal_calc(void *arg, uint32_t op, uint32_t cpu)
{
	struct lab_net_goal *g = arg;
	const struct lab_goal_op *o = &g->job->goal->op[op];

	g->calc[cpu].op = op;
	g->rank[o->rank].calc_ns += o->size;
	fcn_sim_schedule(g->net->sim, &g->calc[cpu].event, now_of(g) + o->size);
}

static void
goal_send(void *arg, uint32_t op)
{
	struct lab_net_goal *g = arg;
	const struct lab_goal_op *o = &g->job->goal->op[op];
	struct flight *f = &g->flight[o->pair];

	g->rank[o->rank].messages++;
	g->rank[o->rank].bytes += o->size;
	if (g->job->flow[o->pair] == UINT_MAX) { /* to itself */
		lab_goal_arrived(g->state, op);
		lab_goal_sent(g->state, op);
		return;
	}
	g->posted[op] = LAB_GOAL_NONE;
	if (f->first == LAB_GOAL_NONE)
		f->first = op;
	else
		g->posted[f->last] = op;
	if (f->next_arrival == LAB_GOAL_NONE)
		f->next_arrival = op;
	f->last = op;
	/* The least message is of one byte. */
	lab_flow_post(g->net, g->job->flow[o->pair], RTE_MAX(o->size, UINT64_C(1)), now_of(g));
}

static void
rank_done(void *arg, uint32_t rank)
{
	struct lab_net_goal *g = arg;

	g->rank[rank].finish_last = now_of(g) - g->begin_ns;
	g->rank[rank].finish_sum += g->rank[rank].finish_last;
}

/* ---- iterations ---- */

static void
end(struct lab_net_goal *g)
{
	if (g->ended)
		return;
	g->ended = true;
	lab_traffic_ended(g->net->whole);
}

/* To be called after the trace was told anything: has the iteration ended, or can it not go on? */
static void
look(struct lab_net_goal *g, uint64_t now)
{
	if (g->ended || !g->begun || !lab_goal_idle(g->state))
		return;
	if (lab_goal_left(g->state) > 0) {
		lab_violation(g->net->whole,
				"trace %s: %u operations wait for each other, or for messages that "
				"nobody sends",
				g->job->name, lab_goal_left(g->state));
		end(g);
		return;
	}
	g->begun = false;
	g->end_ns = now;
	g->iterations++;
	lab_distribution_add(&g->time, now - g->begin_ns);
	if (now == g->begin_ns) /* it takes no time, and neither do the others */
		g->iterations = g->job->iterations;
	if (g->iterations < g->job->iterations)
		fcn_sim_schedule(g->net->sim, &g->event, now);
	else
		end(g);
}

static int
connect_all(struct lab_net_goal *g, uint64_t now)
{
	int rc = 0;

	for (uint32_t p = 0; rc == 0 && p < g->job->goal->n_pairs; p++) {
		if (g->job->flow[p] != UINT_MAX)
			rc = lab_flow_connect(g->net, g->job->flow[p], now);
	}
	return rc;
}

/* An iteration begins. */
static void
begin(void *arg, uint64_t now)
{
	struct lab_net_goal *g = arg;

	if (g->iterations == 0 && connect_all(g, now) != 0) {
		end(g);
		return;
	}
	for (uint32_t p = 0; p < g->job->goal->n_pairs; p++)
		g->flight[p] = (struct flight){LAB_GOAL_NONE, LAB_GOAL_NONE, LAB_GOAL_NONE};
	g->begin_ns = now;
	g->begun = true;
	lab_goal_begin(g->state);
	for (uint32_t r = 0; r < g->job->goal->n_ranks; r++)
		lab_host_kick(host_of(g, r), now);
	look(g, now);
}

static void
calculated(void *arg, uint64_t now)
{
	struct calc *c = arg;
	struct lab_net_goal *g = c->goal;
	const uint32_t rank = g->job->goal->op[c->op].rank;

	lab_goal_calculated(g->state, c->op);
	lab_host_kick(host_of(g, rank), now);
	look(g, now);
}

void
lab_goals_done(struct lab_network *net, unsigned int flow, bool arrived, uint64_t now)
{
	struct lab_net_goal *g = &net->goal[net->sc->flow[flow].goal - 1];
	struct flight *f = &g->flight[g->pair_of[flow - g->job->first_flow]];
	uint32_t op = arrived ? f->next_arrival : f->first;

	if (op == LAB_GOAL_NONE)
		return;
	if (arrived) {
		f->next_arrival = g->posted[op];
		lab_goal_arrived(g->state, op);
	} else {
		f->first = g->posted[op];
		lab_goal_sent(g->state, op);
	}
	look(g, now);
}

/* ---- result ---- */

static void
set(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static json_t *
rank_result(const struct lab_net_goal *g, uint32_t i)
{
	const struct rank *rank = &g->rank[i];
	json_t *o = json_object();

	json_object_set_new(o, "host", json_string(g->net->sc->host[g->job->host[i]].name));
	set(o, "finish_ns", g->iterations == 0 ? 0 : rank->finish_sum / g->iterations);
	set(o, "last_ns", rank->finish_last);
	set(o, "calc_ns", rank->calc_ns);
	set(o, "messages", rank->messages);
	set(o, "bytes", rank->bytes);
	return o;
}

static json_t *
goal_result(struct lab_net_goal *g)
{
	json_t *o = json_object(), *ranks = json_array();

	set(o, "ranks", g->job->goal->n_ranks);
	set(o, "operations", g->job->goal->n_ops);
	set(o, "iterations", g->iterations);
	set(o, "incomplete", g->job->iterations - g->iterations);
	set(o, "start_ns", g->job->start_ns);
	if (g->iterations > 0) {
		set(o, "end_ns", g->end_ns);
		json_object_set_new(o, "iteration_ns", lab_distribution_json(&g->time, 1));
	}
	for (uint32_t i = 0; i < g->job->goal->n_ranks; i++)
		json_array_append_new(ranks, rank_result(g, i));
	json_object_set_new(o, "rank", ranks);
	return o;
}

json_t *
lab_goals_result(const struct lab_network *net)
{
	json_t *all = net->sc->n_goals > 0 ? json_object() : NULL;

	for (unsigned int i = 0; i < net->sc->n_goals; i++)
		json_object_set_new(all, net->sc->goal[i].name, goal_result(&net->goal[i]));
	return all;
}

/* ---- begin and end ---- */

static int
goal_init(struct lab_network *net, struct lab_net_goal *g, const struct lab_goal_job *job)
{
	const struct lab_goal *trace = job->goal;
	const uint32_t n_cpus = trace->cpu_base[trace->n_ranks];
	const struct lab_goal_user user = {goal_calc, goal_send, rank_done, g};

	g->net = net;
	g->job = job;
	g->state = lab_goal_state_create(trace, &user);
	g->calc = calloc((size_t)n_cpus + 1, sizeof(*g->calc));
	g->flight = calloc((size_t)trace->n_pairs + 1, sizeof(*g->flight));
	g->pair_of = calloc((size_t)trace->n_pairs + 1, sizeof(*g->pair_of));
	g->posted = calloc((size_t)trace->n_ops + 1, sizeof(*g->posted));
	g->rank = calloc(trace->n_ranks, sizeof(*g->rank));
	if (g->state == NULL || g->calc == NULL || g->flight == NULL || g->pair_of == NULL ||
			g->posted == NULL || g->rank == NULL)
		return -ENOMEM;
	for (uint32_t p = 0; p < trace->n_pairs; p++) {
		if (job->flow[p] != UINT_MAX)
			g->pair_of[job->flow[p] - job->first_flow] = p;
	}
	for (uint32_t c = 0; c < n_cpus; c++) {
		g->calc[c].goal = g;
		if (fcn_sim_event_init(net->sim, &g->calc[c].event, FCN_SIM_ACTION, calculated,
				    &g->calc[c]) != 0)
			return -ENOMEM;
	}
	if (fcn_sim_event_init(net->sim, &g->event, FCN_SIM_ACTION, begin, g) != 0)
		return -ENOMEM;
	net->n_ending++;
	fcn_sim_schedule(net->sim, &g->event, job->start_ns);
	return 0;
}

int
lab_goals_init(struct lab_network *net)
{
	int rc = 0;

	net->goal = calloc(net->sc->n_goals + 1, sizeof(net->goal[0]));
	if (net->goal == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < net->sc->n_goals; i++)
		rc = goal_init(net, &net->goal[i], &net->sc->goal[i]);
	return rc;
}

void
lab_goals_fini(struct lab_network *net)
{
	for (unsigned int i = 0; net->goal != NULL && i < net->sc->n_goals; i++) {
		struct lab_net_goal *g = &net->goal[i];

		lab_goal_state_free(g->state);
		lab_distribution_free(&g->time);
		free(g->calc);
		free(g->flight);
		free(g->pair_of);
		free(g->posted);
		free(g->rank);
	}
	free(net->goal);
	net->goal = NULL;
}
