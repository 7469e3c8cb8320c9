/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_show_private.h"

const char *const fcn_show_worker_columns[] = {"worker", "lcore", "numa", "ports", "rx_queues",
		"busy_percent", "packets", "handed_over", "taken_over", "longest_turn_ns", NULL};

struct worker_reading {
	struct fcn_worker_load load;
	uint16_t port[FCN_MAX_PORTS];
	unsigned int n_ports;
	uint16_t rx_port[FCN_WORKER_RX_QUEUES];
	unsigned int n_rx_queues;
	uint64_t handed, taken_over, handover_full;
	uint64_t learn_lost, events_made, events_lost;
};

static void
read_worker(struct fcn_worker *w, void *arg)
{
	struct worker_reading *r = arg;

	*r = (struct worker_reading){
			.load = w->load,
			.n_ports = w->n_own_ports,
			.n_rx_queues = w->n_rx_queues,
			.handed = w->handed,
			.taken_over = w->taken_over,
			.learn_lost = w->learn_lost,
			.events_made = w->events_made,
			.events_lost = w->events_lost,
	};
	memcpy(r->port, w->own_port, sizeof(r->port));
	for (unsigned int i = 0; i < w->n_rx_queues; i++)
		r->rx_port[i] = w->rx_queue[i].port;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		r->handover_full += w->counters[p].drop[FCN_DROP_HANDOVER_FULL];
}

/* Names of ports, with commas between; of a port with several queues, how many of them. */
static json_t *
names(const struct fcn_control *ctl, const uint16_t *port, unsigned int n)
{
	unsigned int count[FCN_MAX_PORTS] = {0};
	json_t *list = json_array();

	for (unsigned int i = 0; i < n; i++)
		count[port[i]]++;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (count[p] == 1)
			json_array_append_new(list, json_string(fcn_show_port_name(ctl, p)));
		else if (count[p] > 1)
			json_array_append_new(
					list, json_sprintf("%s*%u", fcn_show_port_name(ctl, p),
							      count[p]));
	}
	return list;
}

/* One digit behind the point, cut off. In 128 bits the product has room for any time. */
static double
busy_percent(const struct fcn_worker_load *load)
{
	unsigned __int128 thousandths = (unsigned __int128)load->busy_ns * 1000;

	return (double)(uint64_t)(thousandths / (load->busy_ns + load->idle_ns)) / 10;
}

static json_t *
show_worker(const struct fcn_control *ctl, unsigned int i, const struct worker_reading *r)
{
	const uint64_t time = r->load.busy_ns + r->load.idle_ns;
	json_t *o = json_object();

	fcn_show_set(o, "worker", i);
	fcn_show_set(o, "lcore", fcn_control_lcore(ctl, i));
	json_object_set_new(o, "numa", json_integer(fcn_control_worker(ctl, i)->socket));
	json_object_set_new(o, "ports", names(ctl, r->port, r->n_ports));
	json_object_set_new(o, "rx_queues", names(ctl, r->rx_port, r->n_rx_queues));
	json_object_set_new(o, "busy_percent",
			time != 0 ? json_real(busy_percent(&r->load)) : json_null());
	fcn_show_set(o, "packets", r->load.packets);
	fcn_show_set(o, "turns", r->load.turns);
	fcn_show_set(o, "busy_turns", r->load.busy_turns);
	fcn_show_set(o, "busy_ns", r->load.busy_ns);
	fcn_show_set(o, "idle_ns", r->load.idle_ns);
	fcn_show_set(o, "sleeps", r->load.sleeps);
	fcn_show_set(o, "longest_turn_ns", r->load.longest_ns);
	fcn_show_set(o, "handed_over", r->handed);
	fcn_show_set(o, "taken_over", r->taken_over);
	fcn_show_set(o, "handover_full", r->handover_full);
	fcn_show_set(o, "learn_lost", r->learn_lost);
	fcn_show_set(o, "events_made", r->events_made);
	fcn_show_set(o, "events_lost", r->events_lost);
	return o;
}

json_t *
fcn_show_workers(struct fcn_control *ctl)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		struct worker_reading r;

		fcn_worker_call(fcn_control_worker(ctl, i), read_worker, &r);
		json_array_append_new(list, show_worker(ctl, i, &r));
	}
	return list;
}
