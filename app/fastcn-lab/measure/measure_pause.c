/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <string.h>

#include "measure_private.h"

bool
measure_pause_to_switch(const struct lab_measure *m, unsigned int node, const char *port)
{
	for (unsigned int i = 0; i < 2 * m->sc->n_links; i++) {
		const struct lab_link *link = &m->sc->link[i / 2];
		const struct lab_node *end = &link->end[i % 2];

		if (end->kind == LAB_SWITCH && end->index == node &&
				strcmp(link->port[i % 2], port) == 0)
			return link->end[!(i % 2)].kind == LAB_SWITCH;
	}
	return false;
}

/* A host's class was paused or resumed. */
void
measure_pause_host(struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev)
{
	struct lab_host_measure *h = &m->host[host];
	unsigned int c = ev->qp % LAB_CLASSES;
	char where[2 * LAB_NAME_LEN];

	snprintf(where, sizeof(where), "%s.%u", m->sc->host[host].name, c);
	measure_event(m, &h->pause_series[c], "pause", where, ev->time_ns, ev->value != 0);
	if (ev->value != 0) {
		h->pauses[c]++;
		if (m->first_pause_ns == LAB_NEVER && m->first_congested_ns != LAB_NEVER)
			m->first_pause_ns = ev->time_ns - m->first_congested_ns;
		if (h->paused_since[c] == LAB_NEVER)
			h->paused_since[c] = ev->time_ns;
	} else if (h->paused_since[c] != LAB_NEVER) {
		h->paused_ns[c] += ev->time_ns - h->paused_since[c];
		h->paused_since[c] = LAB_NEVER;
	}
}

/* A switch asked to pause a class or to resume it, for its series. */
struct asked {
	struct lab_port *port;
	unsigned int node, class;
	uint64_t now;
	bool xoff;
};

static void
replay_asked(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct asked *a = data;
	char where[3 * LAB_NAME_LEN];

	measure_queue_look(m, a->node, a->port);
	snprintf(where, sizeof(where), "%s.%s.%u", m->sc->node_switch[a->node].name, a->port->name,
			a->class);
	measure_event(m, &a->port->xoff_series[a->class], "xoff", where, a->now, a->xoff);
}

/* A switch asked the sender behind a port to pause a class, or to resume it. */
void
measure_pause_switch(struct lab_measure *m, unsigned int node, struct lab_port *port,
		const struct fcn_event *ev)
{
	unsigned int c = ev->class % LAB_CLASSES;
	const struct asked asked = {port, node, c, ev->time_ns, ev->type == FCN_EVENT_PFC_XOFF};

	if (m->series != NULL)
		lab_log_call(measure_switch_log(m, node), replay_asked, m, &asked, sizeof(asked));
	if (ev->type == FCN_EVENT_PFC_XOFF) {
		port->xoffs[c]++;
		port->xoffs_settled[c] += ev->time_ns > m->sc->settle_ns;
		if (port->xoff_since[c] == LAB_NEVER)
			port->xoff_since[c] = ev->time_ns;
	} else if (port->xoff_since[c] != LAB_NEVER) {
		port->xoff_ns[c] += ev->time_ns - port->xoff_since[c];
		port->xoff_since[c] = LAB_NEVER;
	}
}

static void
set(json_t *o, const char *name, uint64_t value)
{
	json_object_set_new(o, name, json_integer((json_int_t)value));
}

struct sums {
	uint64_t paused_ns, paused_max_ns, pauses, xoffs, xoffs_settled, xoff_ns;
	uint64_t switch_paused_ns, switch_paused_max_ns, switch_pauses;
};

static json_t *
host_json(const struct lab_host_measure *h, uint64_t now, struct sums *sums)
{
	json_t *o = json_object();
	char name[8];

	for (unsigned int c = 0; c < LAB_CLASSES; c++) {
		uint64_t ns = h->paused_ns[c];

		if (h->paused_since[c] != LAB_NEVER && now > h->paused_since[c])
			ns += now - h->paused_since[c];
		if (h->pauses[c] == 0)
			continue;
		sums->paused_ns += ns;
		sums->pauses += h->pauses[c];
		if (ns > sums->paused_max_ns)
			sums->paused_max_ns = ns;
		snprintf(name, sizeof(name), "%u", c);
		json_object_set_new(o, name,
				json_pack("{s:I, s:I}", "paused_ns", (json_int_t)ns, "pauses",
						(json_int_t)h->pauses[c]));
	}
	return o;
}

static json_t *
port_json(const struct lab_port *port, uint64_t now, struct sums *sums)
{
	json_t *o = json_object();
	char name[8];

	for (unsigned int c = 0; c < LAB_CLASSES; c++) {
		uint64_t ns = port->xoff_ns[c];

		if (port->xoffs[c] == 0 && port->paused_ns[c] == 0)
			continue;
		if (port->xoff_since[c] != LAB_NEVER && now > port->xoff_since[c])
			ns += now - port->xoff_since[c];
		sums->xoffs += port->xoffs[c];
		sums->xoffs_settled += port->xoffs_settled[c];
		sums->xoff_ns += ns;
		sums->switch_pauses += port->to_switch ? port->xoffs[c] : 0;
		sums->switch_paused_ns += port->paused_ns[c];
		if (port->paused_ns[c] > sums->switch_paused_max_ns)
			sums->switch_paused_max_ns = port->paused_ns[c];
		snprintf(name, sizeof(name), "%u", c);
		json_object_set_new(o, name,
				json_pack("{s:I, s:I, s:I}", "xoffs", (json_int_t)port->xoffs[c],
						"xoff_ns", (json_int_t)ns, "paused_ns",
						(json_int_t)port->paused_ns[c]));
	}
	return o;
}

/* Set a member of an object, unless its value is empty. */
static void
set_unless_empty(json_t *o, const char *name, json_t *value)
{
	if (json_object_size(value) > 0)
		json_object_set_new(o, name, value);
	else
		json_decref(value);
}

json_t *
measure_pause_result(struct lab_measure *m, uint64_t now)
{
	json_t *o = json_object(), *hosts = json_object(), *switches = json_object();
	struct sums sums = {0};

	for (unsigned int i = 0; i < m->sc->n_hosts; i++)
		set_unless_empty(hosts, m->sc->host[i].name, host_json(&m->host[i], now, &sums));
	for (unsigned int s = 0; s < m->sc->n_switches; s++) {
		json_t *ports = json_object();

		for (unsigned int p = 0; p < m->node[s].n_ports; p++)
			if (m->node[s].port[p] != NULL)
				set_unless_empty(ports, m->node[s].port[p]->name,
						port_json(m->node[s].port[p], now, &sums));
		set_unless_empty(switches, m->sc->node_switch[s].name, ports);
	}
	set(o, "paused_ns", sums.paused_ns);
	set(o, "paused_max_ns", sums.paused_max_ns);
	set(o, "pauses", sums.pauses);
	set(o, "switch_paused_ns", sums.switch_paused_ns);
	set(o, "switch_paused_max_ns", sums.switch_paused_max_ns);
	set(o, "switch_pauses", sums.switch_pauses);
	set(o, "xoffs", sums.xoffs);
	set(o, "xoffs_settled", sums.xoffs_settled);
	set(o, "xoff_ns", sums.xoff_ns);
	if (m->first_pause_ns != LAB_NEVER)
		set(o, "first_ns", m->first_pause_ns);
	json_object_set_new(o, "host", hosts);
	json_object_set_new(o, "switch", switches);
	return o;
}
