/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "measure_private.h"

#define WATCHED_MAX 256 /* maximum number of queues that have a series */

static void
queue_init(struct lab_queue *q)
{
	q->first_congested_ns = LAB_NEVER;
	q->congested_since = LAB_NEVER;
	q->episode_ns = LAB_NEVER;
	q->first_notice_ns = LAB_NEVER;
}

static void
watch_queue(struct lab_measure *m, unsigned int node, struct lab_port *port, unsigned int class)
{
	struct lab_queue *q = &port->queue[class];
	char where[80];

	if (m->n_watched == WATCHED_MAX)
		return;
	m->n_watched++;
	snprintf(where, sizeof(where), "%s.%s.%u", m->sc->node_switch[node].name, port->name,
			class);
	q->series = lab_series_add(m->series, "queue", where, false);
	if (q->series == NULL)
		m->failed = true;
	else
		lab_series_put(q->series, 0, 0);
}

/*
 * Create the series of the queues of a port that the scenario watches. If it watches no queue, all
 * queues get a series when they are used first.
 */
void
measure_queue_look(struct lab_measure *m, unsigned int node, struct lab_port *port)
{
	if (port->looked)
		return;
	port->looked = true;
	for (unsigned int i = 0; m->series != NULL && i < m->sc->n_watches; i++) {
		const struct lab_watch *w = &m->sc->watch[i];

		if (w->node == node && strcmp(w->port, port->name) == 0 && w->class < LAB_CLASSES)
			watch_queue(m, node, port, w->class);
	}
}

static bool
grow(struct lab_node_measure *node, unsigned int n)
{
	struct lab_port **port = realloc(node->port, n * sizeof(struct lab_port *));

	if (port == NULL)
		return false;
	while (node->n_ports < n)
		port[node->n_ports++] = NULL;
	node->port = port;
	return true;
}

static struct lab_port *
port_create(const char *name, bool to_switch)
{
	struct lab_port *port = calloc(1, sizeof(*port));

	if (port == NULL)
		return NULL;
	strlcpy(port->name, name, sizeof(port->name));
	port->to_switch = to_switch;
	for (unsigned int c = 0; c < LAB_CLASSES; c++) {
		queue_init(&port->queue[c]);
		port->xoff_since[c] = LAB_NEVER;
	}
	return port;
}

/* Create the measure of a port at its first event. */
static __rte_noinline struct lab_port *
port_begin(struct lab_measure *m, unsigned int node, const char *name, unsigned int number)
{
	struct lab_node_measure *nm = &m->node[node];

	if ((number >= nm->n_ports && !grow(nm, number + 1)) ||
			(nm->port[number] = port_create(
					 name, measure_pause_to_switch(m, node, name))) == NULL) {
		m->failed = true;
		return NULL;
	}
	return nm->port[number];
}

struct lab_port *
measure_port(struct lab_measure *m, unsigned int node, const char *name, unsigned int number)
{
	const struct lab_node_measure *nm = &m->node[node];

	if (node >= m->sc->n_switches || number > UINT16_MAX)
		return NULL;
	if (likely(number < nm->n_ports && nm->port[number] != NULL))
		return nm->port[number];
	return port_begin(m, node, name, number);
}

void
measure_queue_fini(struct lab_measure *m)
{
	for (unsigned int s = 0; m->node != NULL && s < m->sc->n_switches; s++) {
		for (unsigned int p = 0; p < m->node[s].n_ports; p++) {
			struct lab_port *port = m->node[s].port[p];

			for (unsigned int c = 0; port != NULL && c < LAB_CLASSES; c++)
				lab_distribution_free(&port->queue[c].occupancy);
			free(port);
		}
		free(m->node[s].port);
	}
}

/*
 * Account for the occupancy that the queue has had until now. The time before settle does not
 * count.
 */
static void
account(const struct lab_measure *m, struct lab_queue *q, uint64_t now)
{
	uint64_t from = RTE_MAX(q->since, m->sc->settle_ns);

	if (now > from)
		lab_distribution_weigh(&q->occupancy, q->bytes, now - from);
	q->since = now;
}

/*
 * Update the first peak, which is the maximum occupancy between the first congestion and the time
 * at which the occupancy falls below half of that maximum. Later peaks, for example when all
 * senders increase their rates again, do not count.
 */
static void
first_peak(struct lab_queue *q, uint32_t bytes, uint64_t now)
{
	if (bytes > q->first_peak) {
		q->first_peak = bytes;
		q->first_peak_ns = now;
	} else if (bytes < q->first_peak / 2) {
		q->state = LAB_PEAK_OVER;
	}
}

/* The length of a queue that has no series yet. */
struct length {
	struct lab_port *port;
	unsigned int node, class;
	uint32_t bytes;
	uint64_t now;
};

static void
replay_length(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct length *l = data;
	struct lab_queue *q = &l->port->queue[l->class];

	measure_queue_look(m, l->node, l->port);
	if (q->series == NULL && !q->unwatched && m->sc->n_watches == 0 && l->bytes > 0)
		watch_queue(m, l->node, l->port, l->class);
	if (q->series != NULL)
		lab_series_put(q->series, l->now, l->bytes);
	else
		q->unwatched = m->sc->n_watches > 0 || l->bytes > 0;
}

void
lab_measure_queue(struct lab_measure *m, unsigned int node, const char *port_name,
		unsigned int port_number, unsigned int class, uint32_t bytes, uint64_t now)
{
	struct lab_port *port = measure_port(m, node, port_name, port_number);
	struct lab_queue *q;

	if (port == NULL || class >= LAB_CLASSES)
		return;
	q = &port->queue[class];
	account(m, q, now);
	q->bytes = bytes;
	if (bytes > q->peak) {
		q->peak = bytes;
		q->peak_ns = now;
	}
	if (q->state == LAB_PEAK_RISING)
		first_peak(q, bytes, now);
	if (q->series != NULL) {
		lab_series_put(q->series, now, bytes);
	} else if (m->series != NULL && !q->unwatched) {
		const struct length length = {port, node, class, bytes, now};

		lab_log_call(measure_switch_log(m, node), replay_length, m, &length,
				sizeof(length));
	}
}

/* When a queue became congested. */
struct congested {
	struct lab_queue *queue;
	uint64_t now;
};

static void
replay_congested(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct congested *c = data;

	if (c->queue->first_congested_ns == LAB_NEVER)
		c->queue->first_congested_ns = c->now;
	if (m->first_congested_ns == LAB_NEVER)
		m->first_congested_ns = c->now;
}

void
measure_queue_state(struct lab_measure *m, unsigned int node, struct lab_queue *q,
		const struct fcn_event *ev)
{
	uint64_t now = ev->time_ns;

	if (ev->type == FCN_EVENT_CONGESTED) {
		const struct congested congested = {q, now};

		lab_log_call(measure_switch_log(m, node), replay_congested, m, &congested,
				sizeof(congested));
		if (q->congested_since == LAB_NEVER)
			q->congested_since = now;
		q->episode_ns = now;
		q->episodes++;
		if (q->state == LAB_PEAK_BEFORE) {
			q->state = LAB_PEAK_RISING;
			first_peak(q, q->bytes, now);
		}
	} else if (q->congested_since != LAB_NEVER) {
		q->congested_ns += now > q->congested_since ? now - q->congested_since : 0;
		q->congested_since = LAB_NEVER;
		q->episode_ns = LAB_NEVER;
	}
}

static void
finish(struct lab_measure *m, struct lab_queue *q, uint64_t now)
{
	account(m, q, now);
	if (q->congested_since != LAB_NEVER && now > q->congested_since)
		q->congested_ns += now - q->congested_since;
	q->congested_since = LAB_NEVER;
	m->failed |= q->occupancy.failed;
}

void
measure_queue_finish(struct lab_measure *m, uint64_t now)
{
	for (unsigned int s = 0; s < m->sc->n_switches; s++)
		for (unsigned int p = 0; p < m->node[s].n_ports; p++)
			for (unsigned int c = 0; c < LAB_CLASSES; c++)
				if (m->node[s].port[p] != NULL)
					finish(m, &m->node[s].port[p]->queue[c], now);
}

static json_t *
queue_json(struct lab_queue *q)
{
	bool congested = q->first_congested_ns != LAB_NEVER;
	json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "peak",
			(json_int_t)q->peak, "peak_ns", (json_int_t)q->peak_ns, "first_peak",
			(json_int_t)(congested ? q->first_peak : q->peak), "first_peak_ns",
			(json_int_t)(congested ? q->first_peak_ns : q->peak_ns), "mean",
			(json_int_t)lab_distribution_mean(&q->occupancy), "p50",
			(json_int_t)lab_distribution_percentile(&q->occupancy, 500), "p99",
			(json_int_t)lab_distribution_percentile(&q->occupancy, 990), "p999",
			(json_int_t)lab_distribution_percentile(&q->occupancy, 999));

	json_object_set_new(o, "end", json_integer(q->bytes));
	json_object_set_new(o, "episodes", json_integer((json_int_t)q->episodes));
	json_object_set_new(o, "congested_ns", json_integer((json_int_t)q->congested_ns));
	if (congested)
		json_object_set_new(o, "first_congested_ns",
				json_integer((json_int_t)q->first_congested_ns));
	json_object_set_new(o, "notices", json_integer((json_int_t)q->notices));
	json_object_set_new(o, "suppressed", json_integer((json_int_t)q->suppressed));
	if (q->first_notice_ns != LAB_NEVER)
		json_object_set_new(
				o, "first_notice_ns", json_integer((json_int_t)q->first_notice_ns));
	return o;
}

static json_t *
port_json(struct lab_port *port)
{
	json_t *o = json_object();
	char class[8];

	for (unsigned int c = 0; c < LAB_CLASSES; c++) {
		struct lab_queue *q = &port->queue[c];

		if (q->peak == 0 && q->episodes == 0 && q->suppressed == 0)
			continue;
		snprintf(class, sizeof(class), "%u", c);
		json_object_set_new(o, class, queue_json(q));
	}
	return o;
}

json_t *
measure_queue_result(const struct lab_measure *m)
{
	json_t *all = json_object();

	for (unsigned int s = 0; s < m->sc->n_switches; s++) {
		json_t *o = json_object(), *port;

		for (unsigned int p = 0; p < m->node[s].n_ports; p++) {
			if (m->node[s].port[p] == NULL)
				continue;
			port = port_json(m->node[s].port[p]);
			if (json_object_size(port) > 0)
				json_object_set_new(o, m->node[s].port[p]->name, port);
			else
				json_decref(port);
		}
		json_object_set_new(all, m->sc->node_switch[s].name, o);
	}
	return all;
}
