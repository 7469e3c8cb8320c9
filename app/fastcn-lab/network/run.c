/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_virtual_eal.h"
#include "last_run.h"
#include "network.h"
#include "run.h"

/* Number of events after which signals are checked and the progress bar is updated. */
#define LOOK_EVERY 4096

/*
 * Maximum time, in ns, for which the run continues after the last message while packets are in the
 * network. A pause can hold them.
 */
#define LINGER_NS 100000000

#define MB (1024 * 1024)
#define BASE_MB 192  /* MB for EAL */
#define SWITCH_MB 48 /* MB for the tables of a switch */

/* Memory of a queue: slots, and a little more for each. */
#define PACKETS_LEAST 4096
#define PACKETS_MAX 65536
#define BITS_A_PACKET (UINT64_C(512) * 8 * 1000000 / 320) /* for each second of a rate */
#define SLOT_BYTES 16
#define QUEUE_BYTES 8192

int
lab_eal_init(unsigned int switches, unsigned int queues_mb)
{
	return fcn_virtual_eal_init("fastcn-lab", BASE_MB + switches * SWITCH_MB + queues_mb);
}

/* Get the number of packets for which a queue has room by default at this rate: doc/congestion.md,
 * "Defaults by speed". */
static uint64_t
packets_at(uint64_t bps)
{
	uint64_t packets = bps / BITS_A_PACKET;

	packets = RTE_MAX(packets, (uint64_t)PACKETS_LEAST);
	return RTE_MIN(packets, (uint64_t)PACKETS_MAX);
}

/* Get the number of packets for which a line can make a queue have room: "limit ... packets N", or
 * many if it has a limit without that, or makes a class lossless. */
static uint64_t
packets_in(const char *line)
{
	const char *at = strstr(line, " packets ");
	char *end;
	uint64_t n;

	if (at == NULL)
		return strstr(line, "limit ") != NULL || strstr(line, "pfc ") != NULL ? PACKETS_MAX
										      : 0;
	n = strtoull(at + strlen(" packets "), &end, 10);
	return *end == '\0' || *end == ' ' ? RTE_MIN(n, (uint64_t)PACKETS_MAX) : PACKETS_MAX;
}

/* Get the number of packets for which the longest queue of a switch may have room, beside what its
 * links need. */
static uint64_t
longest_queue(const struct lab_scenario *sc, unsigned int index)
{
	const struct lab_switch *sw = &sc->node_switch[index];
	uint64_t most = sw->file == NULL ? 0 : PACKETS_MAX;

	for (unsigned int i = 0; i < sw->n_lines; i++)
		most = RTE_MAX(most, packets_in(sw->lines[i].text));
	for (unsigned int i = 0; i < sc->n_actions; i++) {
		if (sc->action[i].kind == LAB_SWITCH_LINE && sc->action[i].target == index)
			most = RTE_MAX(most, packets_in(sc->action[i].text));
	}
	return most;
}

/* Get the highest speed that a link has in the scenario. */
static uint64_t
fastest(const struct lab_scenario *sc, unsigned int link)
{
	uint64_t bps = sc->link[link].rate_bps;

	for (unsigned int i = 0; i < sc->n_actions; i++) {
		if (sc->action[i].kind == LAB_LINK_RATE && sc->action[i].target == link)
			bps = RTE_MAX(bps, sc->action[i].count);
	}
	return bps;
}

unsigned int
lab_queues_mb(const struct lab_scenario *sc)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < 2 * sc->n_links; i++) {
		const struct lab_node *node = &sc->link[i / 2].end[i % 2];
		uint64_t packets = packets_at(fastest(sc, i / 2));

		if (node->kind != LAB_SWITCH)
			continue;
		packets = rte_align64pow2(RTE_MAX(packets, longest_queue(sc, node->index)));
		bytes += FCN_CLASSES * (packets * SLOT_BYTES + QUEUE_BYTES);
	}
	return (unsigned int)(bytes / MB) + 1;
}

/* Whether a switch has no frames to process. */
static bool
is_at_rest(const struct lab_net_switch *sw)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);

	for (unsigned int i = 0; i < sw->n_ends; i++) {
		if (fcn_link_port_waiting(sw->ends[i].port) != 0)
			return false;
	}
	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		const struct fcn_egress *eg = w->port[w->own_port[i]].egress;

		if (eg->backlog != 0 || eg->n_staged != 0)
			return false;
	}
	return w->arn_held.flows.packets == 0;
}

/* Whether all finite traffic has ended, and all of its packets have arrived or were lost. */
static bool
is_over(const struct lab_network *net, uint64_t ended, uint64_t now)
{
	if (now - ended > LINGER_NS)
		return true;
	for (unsigned int i = 0; i < 2 * net->sc->n_links; i++) {
		if (fcn_link_in_flight(net->link[i / 2].link, i % 2) != 0)
			return false;
	}
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		if (!is_at_rest(&net->node_switch[i]))
			return false;
	}
	return true;
}

/* Let other simulators go on, up to the next event. @return false if the run ends */
static bool
go_on(struct lab_network *net, struct lab_totals *totals)
{
	if (net->sc->n_simbricks == 0 || lab_simbricks_turn(net))
		return true;
	totals->interrupted = !net->failed;
	return false;
}

/* A run, and how far it is. */
struct run {
	struct lab_network *net;
	struct lab_totals totals;
	bool ends; /* it ends with its traffic, not at a given time */
	uint64_t events;
	const volatile sig_atomic_t *stop;
	lab_progress progress;
	void *arg;
};

/* Show the progress. @return false if the run is to be stopped */
static bool
look(struct run *run, uint64_t now)
{
	if (run->progress != NULL)
		run->progress(run->arg, now, run->net->sc->duration_ns, lab_frames(run->net));
	if (run->stop != NULL && *run->stop != 0)
		run->totals.interrupted = true;
	return !run->totals.interrupted;
}

/* An event has run, and nothing runs beside it. @return false if it was the last */
static bool
goes_on(void *arg, uint64_t now)
{
	struct run *run = arg;
	uint64_t ended;

	if (run->ends && lab_unfinished(run->net, &ended) == 0 && is_over(run->net, ended, now))
		return false;
	if (run->net->failed)
		return false;
	return ++run->events % LOOK_EVERY != 0 || look(run, now);
}

static void
run_one(struct run *run)
{
	struct lab_network *net = run->net;

	lab_simbricks_meet(net);
	while (go_on(net, &run->totals) && fcn_sim_step(net->sim, net->sc->duration_ns)) {
		if (!goes_on(run, fcn_sim_now(net->sim)) || !lab_check_time(net))
			break;
	}
}

static void
exchange(void *arg)
{
	struct run *run = arg;

	lab_parts_exchange(run->net);
	lab_parts_check_buffers(run->net);
}

/*
 * The run may end in this window, with the event after which all traffic has ended and is nowhere
 * on its way. It cannot while a frame is on a link that arrives later; then the parts may run side
 * by side.
 */
static enum fcn_sim_way
window(void *arg, uint64_t from, uint64_t to)
{
	struct run *run = arg;
	uint64_t ended;

	if (run->net->failed || !look(run, from))
		return FCN_SIM_END;
	lab_flows_get_ready(run->net, to);
	if (!run->ends)
		return FCN_SIM_TOGETHER;
	if (lab_unfinished(run->net, &ended) == 0 && to > ended + LINGER_NS)
		return FCN_SIM_ALONE;
	return lab_parts_on_way(run->net, to) ? FCN_SIM_TOGETHER : FCN_SIM_ALONE;
}

static void
run_parts(struct run *run)
{
	struct lab_network *net = run->net;
	const struct fcn_sim_group_user user = {
			.exchange = exchange, .window = window, .after = goes_on, .arg = run};

	switch (lab_parts_run(net, net->sc->duration_ns, &user)) {
	case FCN_SIM_GROUP_STUCK:
		lab_violation(net->whole, "time does not go on: %s", lab_network_busy(net));
		break;
	case FCN_SIM_GROUP_NO_THREAD:
		lab_fail(net->whole, "a thread could not be made");
		break;
	case FCN_SIM_GROUP_DONE:
	case FCN_SIM_GROUP_STOPPED:
		break;
	}
}

/* Let all parts have the same time at the end, up to which there is nothing more to do. */
static void
advance(struct lab_network *net, uint64_t now)
{
	for (struct lab_part *part = net->part; part <= net->whole; part++)
		fcn_sim_advance(part->sim, now);
}

json_t *
lab_run(const struct lab_scenario *sc, struct lab_measure *m, const volatile sig_atomic_t *stop,
		lab_progress progress, void *arg, bool last, FILE *err)
{
	struct lab_network *net = lab_network_create(sc, m, err);
	struct run run = {.net = net,
			.ends = sc->duration_ns == FCN_ENDPOINT_NEVER,
			.stop = stop,
			.progress = progress,
			.arg = arg};
	unsigned int leaked;

	if (net == NULL)
		return NULL;
	net->stop = stop;
	if (net->group == NULL)
		run_one(&run);
	else
		run_parts(&run);
	if (net->failed) {
		lab_network_free(net);
		return NULL;
	}
	advance(net, run.totals.interrupted || run.ends ? lab_now(net) : sc->duration_ns);
	lab_simbricks_end(net);
	lab_flows_sample(net, lab_now(net));
	lab_check_end(net);
	lab_network_totals(net, &run.totals);
	if (last)
		lab_last_run_ends();
	leaked = lab_network_free(net);
	if (leaked != 0)
		json_array_append_new(run.totals.violations,
				json_sprintf("%u packet buffers leaked", leaked));
	return lab_measure_result(m, &run.totals);
}
