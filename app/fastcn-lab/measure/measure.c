/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "folder.h"
#include "measure_private.h"

static int
init_files(struct lab_measure *m, const char *dir, char *err, size_t err_size)
{
	if (dir == NULL)
		return 0;
	if (lab_make_folder(dir, err, err_size) != 0)
		return -1;
	m->dir = strdup(dir);
	m->series = lab_series_create();
	if (m->dir == NULL || m->series == NULL) {
		snprintf(err, err_size, "out of memory");
		return -1;
	}
	m->frames = lab_frames_create(m->sc, dir, err, err_size);
	if (m->frames == NULL)
		return -1;
	m->records = lab_records_create(m->sc, dir, err, err_size);
	return m->records == NULL ? -1 : 0;
}

static int
init_parts(struct lab_measure *m)
{
	const struct lab_scenario *sc = m->sc;

	m->first_congested_ns = LAB_NEVER;
	m->first_pause_ns = LAB_NEVER;
	m->notices.first_ns = LAB_NEVER;
	m->notices.first_cnp_ns = LAB_NEVER;
	m->node = calloc((size_t)sc->n_switches + 1, sizeof(*m->node));
	m->host = calloc((size_t)sc->n_hosts + 1, sizeof(*m->host));
	if (m->node == NULL || m->host == NULL)
		return -1;
	for (unsigned int h = 0; h < sc->n_hosts; h++)
		for (unsigned int c = 0; c < LAB_CLASSES; c++)
			m->host[h].paused_since[c] = LAB_NEVER;
	m->has_crc = fcn_crc32_init(&m->crc) == 0;
	return m->has_crc && measure_flow_init(m) == 0 && measure_phase_init(m) == 0 ? 0 : -1;
}

struct lab_measure *
lab_measure_create(const struct lab_scenario *sc, const char *dir, char *err, size_t err_size)
{
	struct lab_measure *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		snprintf(err, err_size, "out of memory");
		return NULL;
	}
	m->sc = sc;
	if (init_parts(m) != 0)
		snprintf(err, err_size, "out of memory");
	else if (init_files(m, dir, err, err_size) == 0)
		return m;
	lab_measure_free(m);
	return NULL;
}

void
lab_measure_divide(struct lab_measure *m, struct lab_log *const *of_switch,
		struct lab_log *const *of_host)
{
	m->switch_log = of_switch;
	m->host_log = of_host;
}

void
lab_measure_incomplete(struct lab_measure *m)
{
	m->failed = true;
}

void
lab_measure_free(struct lab_measure *m)
{
	if (m == NULL)
		return;
	lab_frames_close(m->frames);
	lab_records_close(m->records);
	measure_queue_fini(m);
	measure_flow_fini(m);
	measure_phase_fini(m);
	lab_distribution_free(&m->notices.latency);
	lab_distribution_free(&m->notices.episode);
	lab_distribution_free(&m->repair);
	lab_series_free(m->series);
	if (m->has_crc)
		fcn_crc32_fini(&m->crc);
	free(m->node);
	free(m->host);
	free(m->dir);
	free(m);
}

void
measure_event(struct lab_measure *m, struct lab_series **s, const char *what, const char *where,
		uint64_t now, uint64_t value)
{
	if (m->series == NULL)
		return;
	if (*s == NULL)
		*s = lab_series_add(m->series, what, where, true);
	if (*s == NULL)
		m->failed = true;
	else
		lab_series_put(*s, now, value);
}

/* An event of a host, and the flow that it sends; NULL: it is about none. */
struct host_event {
	struct lab_flow_measure *flow;
	unsigned int host;
	struct fcn_endpoint_event ev;
};

/* Process what has to do with other nodes, or needs a series. */
static void
replay_host(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct host_event *e = data;

	if (e->ev.type == FCN_ENDPOINT_PAUSE)
		measure_pause_host(m, e->host, &e->ev);
	else if (e->ev.type == FCN_ENDPOINT_COMPLETE)
		measure_flow_complete(m, e->flow, &e->ev);
	else if (e->ev.type == FCN_ENDPOINT_REPAIR)
		lab_distribution_add(&m->repair, e->ev.value);
	else if (e->ev.type == FCN_ENDPOINT_CNP)
		measure_cnp_accepted(m, e->flow, e->ev.time_ns);
	else
		measure_notice_accepted(m, e->flow, e->ev.time_ns);
}

static void
report_host(struct lab_measure *m, struct lab_flow_measure *f, unsigned int host,
		const struct fcn_endpoint_event *ev)
{
	const struct host_event e = {f, host, *ev};

	lab_log_call(measure_host_log(m, host), replay_host, m, &e, sizeof(e));
}

/*
 * Process an event of the sender of a flow. What receivers accept is not followed event by event,
 * but sampled.
 */
static void
sender_event(struct lab_measure *m, struct lab_flow_measure *f, unsigned int host,
		const struct fcn_endpoint_event *ev)
{
	switch (ev->type) {
	case FCN_ENDPOINT_COMPLETE:
	case FCN_ENDPOINT_CNP:
	case FCN_ENDPOINT_FASTCNP:
		report_host(m, f, host, ev);
		break;
	case FCN_ENDPOINT_RATE:
		measure_flow_rate(m, f, ev->value, ev->time_ns);
		break;
	case FCN_ENDPOINT_DETOUR:
		f->detours++;
		break;
	case FCN_ENDPOINT_REPEAT:
		f->repeats++;
		break;
	default:
		break;
	}
}

void
lab_measure_host(struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev)
{
	struct lab_flow_measure *f;

	if (ev->type == FCN_ENDPOINT_PAUSE || ev->type == FCN_ENDPOINT_REPAIR) {
		report_host(m, NULL, host, ev);
		return;
	}
	f = measure_flow_of_host(m, host, ev->qp);
	if (f != NULL)
		sender_event(m, f, host, ev);
}

void
lab_measure_switch(struct lab_measure *m, unsigned int node, const char *port_name,
		const struct fcn_event *ev)
{
	struct lab_port *port = measure_port(m, node, port_name, ev->port);

	if (port == NULL || ev->class >= LAB_CLASSES)
		return;
	switch (ev->type) {
	case FCN_EVENT_NOTICE:
		measure_notice(m, node, port, ev);
		break;
	case FCN_EVENT_CONGESTED:
	case FCN_EVENT_RECOVERED:
		measure_queue_state(m, node, &port->queue[ev->class], ev);
		break;
	case FCN_EVENT_PFC_XOFF:
	case FCN_EVENT_PFC_XON:
		measure_pause_switch(m, node, port, ev);
		break;
	default:
		break;
	}
}

void
lab_measure_counters(struct lab_measure *m, unsigned int node, const char *port_name,
		unsigned int port_number, unsigned int class, const struct lab_counters *new)
{
	struct lab_port *port = measure_port(m, node, port_name, port_number);

	m->notices.suppressed += new->suppressed;
	if (port == NULL || class >= LAB_CLASSES)
		return;
	measure_queue_look(m, node, port);
	port->queue[class].suppressed += new->suppressed;
	port->paused_ns[class] += new->paused_ns;
}

static bool
does_not_arrive(enum fcn_link_fate fate)
{
	return fate == FCN_LINK_LOST || fate == FCN_LINK_NOTICE_LOST || fate == FCN_LINK_DOWN ||
	       fate == FCN_LINK_TOO_LONG || fate == FCN_LINK_CORRUPTED;
}

void
lab_measure_frame(struct lab_measure *m, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed)
{
	const struct lab_node *from = &m->sc->link[link].end[direction];

	if (likely(m->frames == NULL && fate == FCN_LINK_SENT))
		return;
	if (m->frames != NULL)
		lab_frames_put(m->frames, link, direction, frame, fate, departed);
	if (unlikely(does_not_arrive(fate)))
		measure_notice_lost(m,
				from->kind == LAB_SWITCH ? measure_switch_log(m, from->index)
							 : measure_host_log(m, from->index),
				frame, departed);
}

int
lab_measure_keep_series(struct lab_measure *m)
{
	if (m->series == NULL)
		m->series = lab_series_create();
	return m->series != NULL ? 0 : -1;
}

const char *
lab_measure_dir(const struct lab_measure *m)
{
	return m->dir;
}

const struct lab_series_set *
lab_measure_series(const struct lab_measure *m)
{
	return m->series;
}

int
lab_measure_close_files(struct lab_measure *m)
{
	int rc = lab_frames_close(m->frames), rc_records = lab_records_close(m->records);

	m->frames = NULL;
	m->records = NULL;
	return rc != 0 ? rc : rc_records;
}
