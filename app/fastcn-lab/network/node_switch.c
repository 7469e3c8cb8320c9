/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_learned.h"
#include "fcn_virtual_pool.h"
#include "network.h"

#define MAC_ENTRIES 4096
#define DEST_SETS 1024
#define DESTINATIONS 4096

/* After so many turns without progress at one instant the run fails. */
#define STUCK_TURNS 1000

/* Time 0 of the simulation, for timestamps of traces: nanoseconds since 1970. */
#define EPOCH_NS UINT64_C(1700000000000000000)

static const char *
name_of(const struct lab_net_switch *sw)
{
	return sw->net->sc->node_switch[sw->index].name;
}

/* ---- its platform ---- */

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	struct lab_net_switch *sw = arg;
	const struct lab_scenario *sc = sw->net->sc;

	for (unsigned int i = 0; i < sw->n_ends; i++) {
		struct lab_net_port *p = &sw->ends[i];
		const struct lab_link *link = &sc->link[p->link];
		const uint8_t mac[] = {0x02, 0xf1, p->link >> 8, p->link & 0xFF, 0, p->end};

		if (strcmp(link->port[p->end], port->name) != 0)
			continue;
		sw->by_number[number] = p;
		p->open = true;
		p->number = number;
		memcpy(out->info.mac.addr_bytes, mac, sizeof(mac));
		out->info.link_bps = fcn_link_rate(sw->net->link[p->link].link);
		out->ops = sc->check ? &lab_checker_ops : &fcn_link_port_ops;
		out->priv = sc->check ? (void *)p : p->port;
		return 0;
	}
	snprintf(err, err_size, "no link of the scenario ends at port %s of %s", port->name,
			name_of(sw));
	return -ENODEV;
}

static int
update_port(void *arg, const struct fcn_config_port *port, struct fcn_control_port *open, char *err,
		size_t err_size)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
	if (!port->pfc.hardware)
		return 0;
	snprintf(err, err_size,
			"ports of the lab have no hardware flow control: set pfc %s "
			"hardware off",
			port->name);
	return -ENOTSUP;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	struct lab_net_switch *sw = arg;

	for (unsigned int n = 0; n < FCN_MAX_PORTS; n++) {
		struct lab_net_port *p = sw->by_number[n];

		if (p == NULL || (p != open->priv && p->port != open->priv))
			continue;
		p->open = false;
		sw->by_number[n] = NULL;
	}
}

/* ---- turns ---- */

static const char *
port_name(const struct lab_net_switch *sw, unsigned int number)
{
	return number < FCN_MAX_PORTS ? fcn_control_config(sw->ctl)->port[number].name : "";
}

void
lab_switch_event(void *arg, const struct fcn_event *ev)
{
	struct lab_net_switch *sw = arg;

	lab_measure_switch(sw->net->m, sw->index, port_name(sw, ev->port), ev);
	if (sw->checker != NULL)
		lab_checker_event(sw, ev);
	if (ev->type == FCN_EVENT_NOTICE && fcn_notify_verdict_is_sent(ev->verdict))
		lab_generator_event(sw, ev);
}

/* Report the queues whose number of bytes has changed since the last turn. */
static void
look_at_queues(struct lab_net_switch *sw, uint64_t now)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		unsigned int number = w->own_port[i];
		const struct fcn_egress *eg = w->port[number].egress;
		struct lab_net_port *p = sw->by_number[number];
		unsigned int left;

		for (left = eg->backlog | p->backlog; left != 0; left &= left - 1) {
			unsigned int c = __builtin_ctz(left);
			uint32_t bytes = eg->queue[c].bytes;

			if (bytes == p->seen[c])
				continue;
			p->seen[c] = bytes;
			lab_measure_queue(sw->net->m, sw->index, port_name(sw, number), number, c,
					bytes, now);
		}
		p->backlog = eg->backlog;
	}
}

static void
schedule(struct lab_net_switch *sw, uint64_t control, uint64_t now)
{
	uint64_t next = RTE_MIN(
			fcn_worker_next_event(fcn_control_worker(sw->ctl, 0), now), control);

	const bool waiting = sw->waiting;

	sw->waiting = false;
	for (unsigned int i = 0; waiting && i < sw->n_ends; i++) {
		struct lab_net_port *p = &sw->ends[i];

		if (fcn_link_port_waiting(p->port) == 0)
			continue;
		sw->waiting = p->open || sw->waiting;
		if (p->open)
			next = now;
		else /* the switch has no port at this end of the link */
			sw->past.flushed += fcn_link_port_flush(p->port);
	}
	fcn_sim_schedule(sw->part->sim, &sw->turn, next);
}

static void
turn(void *arg, uint64_t now)
{
	struct lab_net_switch *sw = arg;
	struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	uint64_t host = FCN_SIM_NEVER, control;

	if (fcn_poll_once(w, now) != 0 || now != sw->last_turn)
		sw->idle = 0;
	else
		sw->idle++;
	sw->last_turn = now;
	/* read before the configuration that was used in this turn can change */
	lab_collector_turn(sw);
	if (sw->checker != NULL)
		lab_checker_turn(sw);
	if (fcn_control_build_env(sw->ctl)->host) {
		host = fcn_control_host_poll(sw->ctl, now);
		lab_collector_turn(sw);
	}
	control = fcn_control_err_disable_poll(sw->ctl, now);
	control = RTE_MIN(control, fcn_learned_poll(sw->ctl, now));
	if (sw->net->sc->check)
		lab_check_switch(sw);
	look_at_queues(sw, now);
	if (sw->idle > STUCK_TURNS) {
		lab_violation(sw->part, "switch %s makes no progress", name_of(sw));
		fcn_sim_schedule(sw->part->sim, &sw->turn, now + 1000);
		sw->idle = 0;
		return;
	}
	schedule(sw, RTE_MIN(host, control), now);
}

void
lab_switch_wake(void *arg, uint64_t now)
{
	struct lab_net_switch *sw = arg;

	sw->waiting = true;
	if (fcn_sim_scheduled(sw->part->sim, &sw->turn) > now)
		fcn_sim_schedule(sw->part->sim, &sw->turn, now);
}

/* ---- start, end, restart ---- */

/*
 * Get the key by which a switch chooses among equal paths, from the seed of the run and its name:
 * no two switches choose alike, and a switch more changes no choice of the others.
 */
static uint64_t
hash_secret_of(const struct lab_net_switch *sw)
{
	struct fcn_random r = {.state = sw->net->sc->seed};

	for (const char *c = name_of(sw); *c != '\0'; c++)
		r.state = fcn_random64(&r) ^ (uint8_t)*c;
	return fcn_random64(&r);
}

static int
begin_life(struct lab_net_switch *sw)
{
	char name[16], err[256] = "";
	struct fcn_control_conf conf = {
			.name = name,
			.platform = &sw->platform,
			.socket = SOCKET_ID_ANY,
			.pool = sw->pool,
			.events = LAB_SWITCH_EVENTS,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = sw->net->sc->node_switch[sw->index].flows /
				     FCN_LIMIT_CACHE_WAYS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
			.seed = sw->net->sc->seed + sw->index,
			.hash_secret = hash_secret_of(sw),
			.epoch_ns = EPOCH_NS,
	};

	snprintf(name, sizeof(name), "s%u", sw->index);
	sw->ctl = fcn_control_create(&conf, err, sizeof(err));
	if (sw->ctl == NULL) {
		fprintf(sw->net->err, "%s: %s\n", name_of(sw), err);
		return -ENOMEM;
	}
	fcn_control_set_epoch(sw->ctl, EPOCH_NS);
	sw->session = (struct fcn_session){
			.ctl = sw->ctl, .table = sw->net->table, .out = sw->net->err};
	return lab_switch_configure(sw);
}

static int
find_ends(struct lab_net_switch *sw)
{
	const struct lab_scenario *sc = sw->net->sc;

	sw->ends = calloc(2 * sc->n_links + 1, sizeof(sw->ends[0]));
	if (sw->ends == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < 2 * sc->n_links; i++) {
		const struct lab_node *node = &sc->link[i / 2].end[i % 2];
		struct lab_net_port *p = &sw->ends[sw->n_ends];

		if (node->kind != LAB_SWITCH || node->index != sw->index)
			continue;
		p->sw = sw;
		p->link = i / 2;
		p->end = i % 2;
		p->port = fcn_link_port_create(
				sw->net->link[p->link].link, p->end, lab_switch_wake, sw);
		if (p->port == NULL)
			return -ENOMEM;
		sw->n_ends++;
	}
	return 0;
}

int
lab_switch_init(struct lab_network *net, unsigned int index)
{
	struct lab_net_switch *sw = &net->node_switch[index];
	char name[16];
	int rc;

	sw->net = net;
	sw->index = index;
	sw->last_turn = FCN_SIM_NEVER;
	sw->platform = (struct fcn_platform){
			.name = "lab",
			.port_open = open_port,
			.port_update = update_port,
			.port_close = close_port,
			.arg = sw,
	};
	snprintf(name, sizeof(name), "lab_s%u", index);
	sw->pool = fcn_virtual_pool_create(name, LAB_SWITCH_BUFFERS, 0,
			net->sc->check ? lab_checker_room() : 0, FCN_DATA_ROOM);
	sw->starved = calloc(LAB_SWITCH_BUFFERS, sizeof(sw->starved[0]));
	if (sw->pool == NULL || sw->starved == NULL)
		return -ENOMEM;
	rc = fcn_sim_event_init(sw->part->sim, &sw->turn, FCN_SIM_NODE, turn, sw);
	if (rc == 0)
		rc = find_ends(sw);
	if (rc == 0 && net->sc->check)
		rc = lab_checker_init(sw);
	if (rc == 0)
		rc = begin_life(sw);
	if (rc == 0)
		fcn_sim_schedule(sw->part->sim, &sw->turn, 0);
	return rc;
}

void
lab_switch_restart(struct lab_net_switch *sw, uint64_t now)
{
	struct fcn_conservation sum = {0};

	fcn_control_conservation(sw->ctl, &sum);
	sw->past.n++;
	sw->past.received += sum.received;
	sw->past.transmitted += sum.transmitted;
	sw->past.made += sum.generated + sum.returned + sum.replicated;
	sw->past.ended += sum.dropped + sum.consumed + sum.queued;
	for (unsigned int i = 0; i < sw->n_ends; i++)
		sw->past.flushed += fcn_link_port_flush(sw->ends[i].port);
	lab_counters_read(sw);
	lab_collector_end(sw);
	fcn_control_free(sw->ctl);
	sw->ctl = NULL;
	if (sw->checker != NULL)
		lab_checker_restart(sw);
	if (begin_life(sw) != 0) {
		lab_fail(sw->part, "%s could not be restarted", name_of(sw));
		return;
	}
	lab_counters_begin(sw);
	fcn_sim_schedule(sw->part->sim, &sw->turn, now);
	look_at_queues(sw, now);
	lab_reports_again(sw, now);
}

void
lab_switch_fini(struct lab_net_switch *sw)
{
	if (sw->net == NULL)
		return;
	fcn_sim_event_fini(sw->part->sim, &sw->turn);
	if (sw->ctl != NULL)
		lab_collector_end(sw);
	fcn_control_free(sw->ctl);
	for (unsigned int i = 0; i < sw->n_ends; i++)
		fcn_link_port_free(sw->ends[i].port);
	for (; sw->n_starved > 0; sw->n_starved--)
		rte_pktmbuf_free(sw->starved[sw->n_starved - 1]);
	lab_checker_fini(sw);
	free(sw->ends);
	free(sw->starved);
}

unsigned int
lab_switch_free_pool(struct lab_net_switch *sw)
{
	unsigned int leaked = sw->pool != NULL ? rte_mempool_in_use_count(sw->pool) : 0;

	rte_mempool_free(sw->pool);
	sw->pool = NULL;
	return leaked;
}

/* ---- actions of scenarios ---- */

/* Get what a counter lost when it was cleared. A line that does not clear it only increases it. */
static uint64_t
cleared(uint64_t before, uint64_t after)
{
	return after < before ? before - after : 0;
}

static int
run_plain(struct lab_net_switch *sw, const char *line)
{
	return fcn_session_line(&sw->session, line, -1);
}

/* Run a line. If it clears the counters, what they had belongs to the past. */
static int
run_line(struct lab_net_switch *sw, const char *line)
{
	struct fcn_conservation before = {0}, after = {0};
	int rc;

	fcn_control_conservation(sw->ctl, &before);
	lab_counters_read(sw);
	rc = run_plain(sw, line);
	lab_counters_begin(sw);
	fcn_control_conservation(sw->ctl, &after);
	sw->past.received += cleared(before.received, after.received);
	sw->past.transmitted += cleared(before.transmitted, after.transmitted);
	sw->past.made += cleared(before.generated, after.generated) +
			 cleared(before.returned, after.returned) +
			 cleared(before.replicated, after.replicated);
	sw->past.ended += cleared(before.dropped, after.dropped) +
			  cleared(before.consumed, after.consumed);
	return rc;
}

/* Run a line in one of these ways. An error is a violation. */
static int
run_in(struct lab_net_switch *sw, int (*run)(struct lab_net_switch *sw, const char *line),
		const char *line, const struct lab_place *place)
{
	char *said = NULL;
	size_t size = 0;
	int rc;

	sw->session.out = open_memstream(&said, &size);
	if (sw->session.out == NULL) {
		sw->session.out = sw->net->err;
		lab_fail(sw->part, "%s:%u: out of memory", place->file, place->line);
		return -ENOMEM;
	}
	rc = run(sw, line);
	fclose(sw->session.out);
	sw->session.out = sw->net->err;
	if (rc != 0)
		lab_violation(sw->part, "%s:%u: %s: %s", place->file, place->line, line, said);
	free(said);
	return rc;
}

int
lab_switch_line(struct lab_net_switch *sw, const char *line, const struct lab_place *place)
{
	return run_in(sw, run_line, line, place);
}

int
lab_switch_tell(struct lab_net_switch *sw, const char *line, const struct lab_place *place)
{
	return run_in(sw, run_plain, line, place);
}

void
lab_switch_starve(struct lab_net_switch *sw, uint64_t left)
{
	if (left == UINT64_MAX) {
		for (; sw->n_starved > 0; sw->n_starved--)
			rte_pktmbuf_free(sw->starved[sw->n_starved - 1]);
		return;
	}
	while (rte_mempool_avail_count(sw->pool) > left) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(sw->pool);

		if (m == NULL)
			break;
		sw->starved[sw->n_starved++] = m;
	}
}

struct rte_ether_addr
lab_switch_gateway(
		const struct lab_net_switch *sw, unsigned int link, const struct lab_net_host *to)
{
	for (unsigned int n = 0; n < FCN_MAX_PORTS; n++) {
		const struct lab_net_port *p = sw->by_number[n];
		const struct fcn_config_port *conf = &fcn_control_config(sw->ctl)->port[n];

		if (p == NULL || p->link != link)
			continue;
		if (conf->bridge >= 0)
			break;
		return fcn_build_mac(conf, &fcn_control_build_env(sw->ctl)->port[n], n);
	}
	return to->mac;
}
