/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Nodes divided between threads. A host is in the part of its switch, so that most frames stay in a
 * part; nodes with a link between them that takes no time are in one part, too. The parts get
 * nearly equal shares of the speeds of their switches' links, by which a switch's work grows.
 */

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_lcore.h>

#include "network.h"

/*
 * The longest window, in ns, also where it could be longer. How many buffers there must be depends
 * on how many are taken in a window; and in this time many networks have enough to do.
 */
#define WINDOW_MAX 50000

/* ---- division ---- */

/* A node, or the first of several that stay together. */
struct group {
	unsigned int first; /* the node itself, or one before it in its group */
	uint64_t weight;    /* of the first one: of the group */
	unsigned int part;
};

static unsigned int
number(const struct lab_scenario *sc, const struct lab_node *node)
{
	return node->kind == LAB_SWITCH ? node->index : sc->n_switches + node->index;
}

static unsigned int
first_of(const struct group *g, unsigned int node)
{
	while (g[node].first != node)
		node = g[node].first;
	return node;
}

static void
keep_together(struct group *g, unsigned int a, unsigned int b)
{
	a = first_of(g, a);
	b = first_of(g, b);
	g[RTE_MAX(a, b)].first = RTE_MIN(a, b);
}

/* Get the time that a frame takes at least from an end of a link to the other. */
static uint64_t
delay(const struct lab_scenario *sc, const struct lab_link *link, unsigned int from)
{
	const struct lab_node *node = &link->end[from];

	return link->delay_ns +
	       (node->kind == LAB_SWITCH ? sc->node_switch[node->index].latency_ns : 0);
}

static void
find_groups(const struct lab_scenario *sc, struct group *g)
{
	for (unsigned int i = 0; i < sc->n_switches + sc->n_hosts; i++)
		g[i] = (struct group){.first = i};
	for (unsigned int l = 0; l < sc->n_links; l++) {
		const struct lab_link *link = &sc->link[l];

		if (link->end[0].kind == LAB_HOST || link->end[1].kind == LAB_HOST ||
				delay(sc, link, 0) == 0 || delay(sc, link, 1) == 0)
			keep_together(g, number(sc, &link->end[0]), number(sc, &link->end[1]));
	}
	for (unsigned int l = 0; l < sc->n_links; l++) {
		for (unsigned int e = 0; e < 2; e++)
			g[first_of(g, number(sc, &sc->link[l].end[e]))].weight +=
					sc->link[l].rate_bps;
	}
}

/* Give the heaviest group that has no part yet to the lightest part, until all have one. */
static void
share_out(const struct lab_scenario *sc, struct group *g, unsigned int n_parts, uint64_t *load)
{
	for (;;) {
		const unsigned int none = UINT32_MAX;
		unsigned int heaviest = none, lightest = 0;

		for (unsigned int i = 0; i < sc->n_switches + sc->n_hosts; i++) {
			if (g[i].first == i && g[i].part == 0 &&
					(heaviest == none || g[i].weight > g[heaviest].weight))
				heaviest = i;
		}
		if (heaviest == none)
			return;
		for (unsigned int p = 1; p < n_parts; p++)
			lightest = load[p] < load[lightest] ? p : lightest;
		load[lightest] += g[heaviest].weight + 1;
		g[heaviest].part = 1 + lightest;
	}
}

static unsigned int
count_groups(const struct lab_scenario *sc, const struct group *g)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < sc->n_switches + sc->n_hosts; i++)
		n += g[i].first == i;
	return n;
}

/* Get the least time that anything takes from a part to another. */
static uint64_t
lookahead(const struct lab_scenario *sc, const struct group *g)
{
	uint64_t least = WINDOW_MAX;

	for (unsigned int l = 0; l < sc->n_links; l++) {
		const struct lab_link *link = &sc->link[l];

		if (g[first_of(g, number(sc, &link->end[0]))].part ==
				g[first_of(g, number(sc, &link->end[1]))].part)
			continue;
		least = RTE_MIN(least, delay(sc, link, 0));
		least = RTE_MIN(least, delay(sc, link, 1));
	}
	return least;
}

/* @return why one thread has to run the scenario, or NULL */
static const char *
indivisible(const struct lab_scenario *sc)
{
	if (sc->n_simbricks > 0)
		return "it has hosts in other simulators";
	if (sc->n_goals > 0)
		return "a trace of group operations is one state of all its ranks";
	return NULL;
}

/* ---- parts ---- */

static struct lab_log *
log_create(struct lab_network *net, unsigned int i)
{
	return net->part[i].log = lab_log_create(net->part[i].sim);
}

static int
make_parts(struct lab_network *net, unsigned int n, uint64_t ahead)
{
	const bool one = n == 1;

	net->part = aligned_alloc(RTE_CACHE_LINE_SIZE, (n + !one) * sizeof(net->part[0]));
	if (net->part == NULL)
		return -ENOMEM;
	net->n_parts = n;
	net->whole = &net->part[one ? 0 : n];
	for (unsigned int i = 0; i < n + !one; i++)
		net->part[i] = (struct lab_part){.net = net};
	if (one)
		net->sim = net->part[0].sim = fcn_sim_create();
	else
		net->group = fcn_sim_group_create(n, ahead, LAB_EVENTS_AT_ONCE);
	if (one)
		return net->sim != NULL ? 0 : -ENOMEM;
	if (net->group == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i <= n; i++) {
		net->part[i].sim = fcn_sim_group_part(net->group, i);
		if (i < n && log_create(net, i) == NULL)
			return -ENOMEM;
	}
	net->sim = net->whole->sim;
	return 0;
}

static void
assign(struct lab_network *net, const struct group *g)
{
	const struct lab_scenario *sc = net->sc;

	for (unsigned int i = 0; i < sc->n_switches + sc->n_hosts; i++) {
		struct lab_part *part =
				&net->part[net->n_parts > 1 ? g[first_of(g, i)].part - 1 : 0];

		if (i < sc->n_switches) {
			net->node_switch[i].part = part;
			net->of_switch[i] = part->log;
		} else {
			net->host[i - sc->n_switches].part = part;
			net->of_host[i - sc->n_switches] = part->log;
		}
	}
}

static int
by_start(const void *a, const void *b, void *arg)
{
	const struct lab_scenario *sc = arg;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (sc->flow[x].start_ns != sc->flow[y].start_ns)
		return sc->flow[x].start_ns < sc->flow[y].start_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
sort_flows(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;

	net->start = calloc(sc->n_flows + 1, sizeof(net->start[0]));
	if (net->start == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < sc->n_flows; i++)
		net->start[i] = i;
	qsort_r(net->start, sc->n_flows, sizeof(net->start[0]), by_start, (void *)(uintptr_t)sc);
	return 0;
}

static int
divide(struct lab_network *net, struct group *g, uint64_t *load)
{
	const struct lab_scenario *sc = net->sc;
	const char *why = indivisible(sc);
	unsigned int n = RTE_MAX(sc->threads, 1u);
	int rc;

	find_groups(sc, g);
	if (why == NULL && count_groups(sc, g) == 1)
		why = "it has one switch, or no time passes on the links between its switches";
	if (n > 1 && why != NULL)
		fprintf(net->err, "one thread runs the scenario: %s\n", why);
	n = why != NULL ? 1 : RTE_MIN(n, count_groups(sc, g));
	if (n > 1)
		share_out(sc, g, n, load);
	rc = make_parts(net, n, n > 1 ? lookahead(sc, g) : 0);
	if (rc != 0)
		return rc;
	assign(net, g);
	if (n == 1)
		return 0;
	lab_measure_divide(net->m, net->of_switch, net->of_host);
	return sort_flows(net);
}

int
lab_parts_init(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;
	struct group *g = calloc(sc->n_switches + sc->n_hosts + 1, sizeof(*g));
	uint64_t *load = calloc(RTE_MAX(sc->threads, 1u), sizeof(*load));
	int rc = -ENOMEM;

	net->of_switch = calloc(sc->n_switches + 1, sizeof(net->of_switch[0]));
	net->of_host = calloc(sc->n_hosts + 1, sizeof(net->of_host[0]));
	if (g != NULL && load != NULL && net->of_switch != NULL && net->of_host != NULL)
		rc = divide(net, g, load);
	free(g);
	free(load);
	return rc;
}

void
lab_parts_fini(struct lab_network *net)
{
	lab_measure_divide(net->m, NULL, NULL);
	for (unsigned int i = 0; net->part != NULL && i < net->n_parts; i++)
		lab_log_free(net->part[i].log);
	if (net->group != NULL)
		fcn_sim_group_free(net->group);
	else
		fcn_sim_free(net->sim);
	free(net->part);
	free(net->start);
	free(net->of_switch);
	free(net->of_host);
}

/* ---- run ---- */

/* With a number of its own a thread keeps buffers for itself, and does not fetch and return each of
 * them among all threads. */
static void
begin(void *arg)
{
	RTE_SET_USED(arg);
	rte_thread_register();
}

static void
end(void *arg)
{
	RTE_SET_USED(arg);
	rte_thread_unregister();
}

enum fcn_sim_group_end
lab_parts_run(struct lab_network *net, uint64_t until, const struct fcn_sim_group_user *user)
{
	struct fcn_sim_group_user with = *user;
	cpu_set_t cpus;
	const bool spare = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 &&
			   (unsigned int)CPU_COUNT(&cpus) >= net->n_parts;

	with.begin = begin;
	with.end = end;
	return fcn_sim_group_run(net->group, until, spare, &with);
}

void
lab_parts_exchange(struct lab_network *net)
{
	struct lab_log *log[net->n_parts];

	for (unsigned int i = 0; i < net->sc->n_links; i++) {
		if (net->link[i].part[0] != net->link[i].part[1])
			fcn_link_exchange(net->link[i].link);
	}
	for (unsigned int i = 0; i < net->n_parts; i++)
		log[i] = net->part[i].log;
	if (!lab_log_replay(log, net->n_parts))
		lab_measure_incomplete(net->m);
}

bool
lab_parts_on_way(struct lab_network *net, uint64_t time)
{
	const unsigned int n = 2 * net->sc->n_links;

	/* begin where there was one the last time */
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int at = (net->last_busy + i) % n;

		if (fcn_link_last_arrival(net->link[at / 2].link, at % 2) >= time) {
			net->last_busy = at;
			return true;
		}
	}
	return false;
}

void
lab_parts_check_buffers(struct lab_network *net)
{
	uint64_t taken = 0;

	for (unsigned int i = 0; i < net->n_parts; i++)
		taken += net->part[i].taken;
	/* each host may have taken one for its next frame */
	if (net->in_use + (taken - net->taken) + net->sc->n_hosts > net->sc->buffers)
		lab_fail(net->whole,
				"%u packet buffers may run out, and with several threads it cannot "
				"be "
				"said when: give it more (buffers N), or one thread",
				net->sc->buffers);
	net->in_use = rte_mempool_in_use_count(net->pool);
	net->taken = taken;
}
