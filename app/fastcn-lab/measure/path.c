/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "path.h"

#define PS_PER_NS 1000

/* Get the index of a node in the search: switches come first, hosts follow. */
static unsigned int
place_of(const struct lab_scenario *sc, struct lab_node node)
{
	return node.kind == LAB_SWITCH ? node.index : sc->n_switches + node.index;
}

struct search {
	const struct lab_scenario *sc;
	unsigned int *queue, head, tail;
	unsigned int *by; /* by node: twice the link by which it was reached, plus the direction */
};

#define NOT_REACHED UINT32_MAX

static void
spread(struct search *s, unsigned int node, unsigned int from)
{
	for (unsigned int l = 0; l < s->sc->n_links; l++)
		for (unsigned int d = 0; d < 2; d++) {
			unsigned int there = place_of(s->sc, s->sc->link[l].end[!d]);

			if (place_of(s->sc, s->sc->link[l].end[d]) != node || there == from ||
					s->by[there] != NOT_REACHED)
				continue;
			s->by[there] = 2 * l + d;
			s->queue[s->tail++] = there;
		}
}

/* Breadth-first search for the path with the fewest links. Hosts do not forward. */
static void
search(struct search *s, unsigned int from, unsigned int to)
{
	s->queue[s->tail++] = from;
	while (s->head < s->tail && s->by[to] == NOT_REACHED) {
		unsigned int node = s->queue[s->head++];

		if (node == from || node < s->sc->n_switches)
			spread(s, node, from);
	}
}

static int
collect(const struct search *s, unsigned int from, unsigned int to, struct lab_path *path)
{
	const struct lab_scenario *sc = s->sc;
	unsigned int n = 0;

	for (unsigned int v = to; v != from; n++)
		v = place_of(sc, sc->link[s->by[v] / 2].end[s->by[v] % 2]);
	path->hop = calloc(RTE_MAX(n, 1u), sizeof(*path->hop));
	if (path->hop == NULL)
		return -ENOMEM;
	path->n_hops = n;
	for (unsigned int v = to; v != from;) {
		const struct lab_link *link = &sc->link[s->by[v] / 2];
		struct lab_hop *hop = &path->hop[--n];

		hop->link = s->by[v] / 2;
		hop->direction = s->by[v] % 2;
		hop->rate_bps = link->rate_bps;
		hop->delay_ns = link->delay_ns;
		if (v < sc->n_switches)
			hop->delay_ns += sc->node_switch[v].latency_ns;
		v = place_of(sc, link->end[hop->direction]);
	}
	return 0;
}

int
lab_path_find(const struct lab_scenario *sc, struct lab_node from, struct lab_node to,
		struct lab_path *path)
{
	unsigned int n = sc->n_switches + sc->n_hosts, a = place_of(sc, from), b = place_of(sc, to);
	struct search s = {.sc = sc};
	int rc = -ENOMEM;

	path->n_hops = 0;
	path->hop = NULL;
	s.queue = calloc(n + 1, sizeof(*s.queue));
	s.by = malloc((n + 1) * sizeof(*s.by));
	if (s.queue != NULL && s.by != NULL) {
		for (unsigned int i = 0; i < n; i++)
			s.by[i] = NOT_REACHED;
		search(&s, a, b);
		rc = a == b || s.by[b] == NOT_REACHED ? -ENOENT : collect(&s, a, b, path);
	}
	free(s.queue);
	free(s.by);
	return rc;
}

void
lab_path_free(struct lab_path *path)
{
	free(path->hop);
	path->hop = NULL;
	path->n_hops = 0;
}

static uint64_t
wire_ps(uint64_t bytes, uint64_t rate_bps)
{
	return (uint64_t)((unsigned __int128)bytes * 8 * PS_PER_NS * 1000000000 / rate_bps);
}

/*
 * Compute the time, in ps, until the last bit of the last of n packets has arrived. All packets but
 * the last have the same length, and follow each other at the rate of the slowest link so far. The
 * last packet may be shorter.
 */
static uint64_t
forward_ps(const struct lab_path *path, uint64_t full, uint64_t last, uint64_t n, uint64_t rate_bps)
{
	uint64_t pace = rate_bps != 0 ? wire_ps(full, rate_bps) : 0;
	uint64_t delay = 0, sum = 0, before = 0, end = 0;

	if (n > 1)
		end = (n - 1) * pace; /* time at which the last packet may start */
	for (unsigned int i = 0; i < path->n_hops; i++) {
		uint64_t line = wire_ps(full, path->hop[i].rate_bps);

		pace = RTE_MAX(pace, line);
		sum += line;
		before = n > 1 ? delay + sum + (n - 2) * pace : 0;
		end = RTE_MAX(end, before) + wire_ps(last, path->hop[i].rate_bps);
		delay += path->hop[i].delay_ns * PS_PER_NS;
		end += path->hop[i].delay_ns * PS_PER_NS;
	}
	return end;
}

uint64_t
lab_path_ideal_ns(const struct lab_path *path, uint64_t bytes, uint32_t payload, uint64_t rate_bps)
{
	uint64_t n, rest, ps;

	if (path->n_hops == 0 || bytes == 0 || payload == 0)
		return 0;
	n = (bytes + payload - 1) / payload;
	rest = bytes - (n - 1) * payload;
	ps = forward_ps(path, payload + LAB_PACKET_OVERHEAD,
			RTE_ALIGN_CEIL(rest, 4) + LAB_PACKET_OVERHEAD, n, rate_bps);
	for (unsigned int i = 0; i < path->n_hops; i++)
		ps += wire_ps(LAB_ACK_WIRE, path->hop[i].rate_bps) +
		      path->hop[i].delay_ns * PS_PER_NS;
	return (ps + PS_PER_NS - 1) / PS_PER_NS;
}
