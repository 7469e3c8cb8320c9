/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

const char *const fcn_show_worker_columns[] = {"worker", "lcore", "numa", "ports", "rx_queues",
		"busy_percent", "packets", "cross_core_tx", "cross_core_rx", "longest_turn_ns",
		NULL};

struct worker_reading {
	struct fcn_worker_load load;
	uint16_t port[FCN_MAX_PORTS];
	unsigned int n_ports;
	uint16_t rx_port[FCN_WORKER_RX_QUEUES];
	unsigned int n_rx_queues;
	FCN_WORKER_CROSS_CORE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t cross_core_full;
	FCN_WORKER_COUNTERS(FCN_COUNTER_MEMBER)
};

static void
read_worker(struct fcn_worker *w, void *arg)
{
	struct worker_reading *r = arg;

	*r = (struct worker_reading){.load = w->load,
			.n_ports = w->n_own_ports,
			.n_rx_queues = w->n_rx_queues,
#define COPY(member, ...) .member = w->member,
			FCN_WORKER_CROSS_CORE_COUNTERS(COPY) FCN_WORKER_COUNTERS(COPY)
#undef COPY
	};
	memcpy(r->port, w->own_port, sizeof(r->port));
	for (unsigned int i = 0; i < w->n_rx_queues; i++)
		r->rx_port[i] = w->rx_queue[i].port;
	for (unsigned int p = 0; p < w->n_ports; p++)
		r->cross_core_full += w->counters[p].drop[FCN_DROP_CROSS_CORE_FULL];
}

/* List the names of ports. A port that is n > 1 times in the array, once for each of its queues, is
 * listed as NAME*n. */
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

/* A percentage with one decimal, cut off. In 128 bits the product cannot overflow. */
static double
busy_percent(const struct fcn_worker_load *load)
{
	unsigned __int128 thousandths = (unsigned __int128)load->busy_ns * 1000;

	return (double)(uint64_t)(thousandths / (load->busy_ns + load->idle_ns)) / 10;
}

static void
show_worker(const struct fcn_control *ctl, unsigned int i, const struct worker_reading *r,
		json_t *list)
{
	const uint64_t time = r->load.busy_ns + r->load.idle_ns;
	json_t *o = fcn_show_row(list);

	fcn_show_set(o, "worker", i);
	fcn_show_set_str(o, "state", fcn_control_is_stalled(ctl, i) ? "stalled" : "running");
	fcn_show_set_bool(o, "stalled", fcn_control_is_stalled(ctl, i));
	fcn_show_set(o, "stalls", fcn_control_worker(ctl, i)->watch.stalls);
	fcn_show_set(o, "lcore", fcn_control_lcore(ctl, i));
	json_object_set_new(o, "numa", json_integer(fcn_control_worker(ctl, i)->socket));
	json_object_set_new(o, "ports", names(ctl, r->port, r->n_ports));
	json_object_set_new(o, "rx_queues", names(ctl, r->rx_port, r->n_rx_queues));
	json_object_set_new(o, "busy_percent",
			time != 0 ? json_real(busy_percent(&r->load)) : json_null());
	FCN_SHOW_COUNTERS(o, &r->load, FCN_WORKER_LOAD_COUNTERS);
	FCN_SHOW_COUNTERS(o, r, FCN_WORKER_CROSS_CORE_COUNTERS);
	fcn_show_set(o, "cross_core_full", r->cross_core_full);
	FCN_SHOW_COUNTERS(o, r, FCN_WORKER_COUNTERS);
}

json_t *
fcn_show_workers(struct fcn_control *ctl)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		struct worker_reading r = {.n_ports = 0};

		fcn_worker_read(fcn_control_worker(ctl, i), read_worker, &r, sizeof(r));
		show_worker(ctl, i, &r, list);
	}
	return list;
}
