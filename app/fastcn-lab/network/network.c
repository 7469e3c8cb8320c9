/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include <rte_errno.h>

#include "fcn_mempool_error.h"
#include "fcn_show.h"
#include "fcn_virtual_pool.h"
#include "network.h"

int
lab_link_of_host(const struct lab_scenario *sc, unsigned int host, unsigned int *end)
{
	for (unsigned int l = 0; l < sc->n_links; l++) {
		for (*end = 0; *end < 2; ++*end) {
			const struct lab_node *node = &sc->link[l].end[*end];

			if (node->kind == LAB_HOST && node->index == host)
				return (int)l;
		}
	}
	return -1;
}

/* Count the buffers that a frame takes: a host's its own, and a switch's that is copied; and one of
 * a duplicate. */
static unsigned int
buffers_of(const struct lab_net_link *l, unsigned int from, const struct rte_mbuf *frame,
		enum fcn_link_fate fate)
{
	const bool host = l->net->sc->link[l->index].end[from].kind == LAB_HOST;
	bool copied = frame->pool != l->net->pool;

	for (const struct rte_mbuf *seg = frame; seg != NULL; seg = seg->next)
		copied |= !RTE_MBUF_DIRECT(seg) || rte_mbuf_refcnt_read(seg) > 1;
	return (host || copied ? frame->nb_segs : 0u) +
	       (fate == FCN_LINK_DUPLICATED) * frame->nb_segs;
}

static void
count_fate(void *arg, unsigned int from, const struct rte_mbuf *frame, enum fcn_link_fate fate,
		uint64_t departed)
{
	struct lab_net_link *l = arg;

	l->part[from]->frames++;
	if (l->net->n_parts > 1)
		l->part[from]->taken += buffers_of(l, from, frame, fate);
	lab_measure_frame(l->net->m, l->index, from, frame, fate, departed);
}

/* Check whether a frame is a Congestion Notification Message: one to a UDP port that a switch uses
 * for them. */
static bool
is_cnm(void *arg, const struct rte_mbuf *frame)
{
	const struct lab_network *net = arg;
	const struct fcn_parse_codes codes = {0};
	struct fcn_wire_info info;

	if (fcn_parse(rte_pktmbuf_mtod(frame, const uint8_t *), frame->data_len, frame->pkt_len,
			    &codes, &info) != FCN_WIRE_OK ||
			info.proto != IPPROTO_UDP || info.dst_port == 0)
		return false;
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		if (fcn_control_config(net->node_switch[i].ctl)->proxy.cnm_port == info.dst_port)
			return true;
	}
	return false;
}

static int
make_link(struct lab_network *net, unsigned int i)
{
	const struct lab_link *link = &net->sc->link[i];
	struct fcn_link_conf conf = {
			.rate_bps = link->rate_bps,
			.delay_ns = link->delay_ns,
			.seed = net->sc->seed * UINT64_C(1000003) + i,
			.pool = net->pool,
			.is_notice = is_cnm,
			.is_notice_arg = net,
	};
	struct lab_net_link *l = &net->link[i];

	*l = (struct lab_net_link){.net = net, .index = i};
	for (unsigned int e = 0; e < 2; e++) {
		const struct lab_node *node = &link->end[e];

		l->part[e] = node->kind == LAB_SWITCH ? net->node_switch[node->index].part
						      : net->host[node->index].part;
		conf.sim[e] = l->part[e]->sim;
		if (node->kind == LAB_SWITCH)
			conf.extra_ns[e] = net->sc->node_switch[node->index].latency_ns;
	}
	l->link = fcn_link_create(&conf);
	if (l->link == NULL)
		return -ENOMEM;
	for (unsigned int e = 0; e < 2; e++)
		fcn_link_set_faults(l->link, e, &link->faults[e]);
	fcn_link_observe(l->link, count_fate, l);
	return 0;
}

/*
 * Create the pool of packet buffers. A buffer has room for a frame of the longest MTU in use; that
 * of another simulator is not known. Buffers that each of several threads keeps for itself are
 * beside those of the scenario, because the others cannot have them.
 */
static struct rte_mempool *
make_pool(const struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;
	const unsigned int kept = RTE_MIN(256u, sc->buffers / 2);
	const unsigned int more = net->n_parts > 1 ? 2 * kept * net->n_parts : 0;
	uint32_t room = sc->n_simbricks == 0 ? FCN_DATA_ROOM
					     : RTE_PKTMBUF_HEADROOM + FCN_ENDPOINT_MAX_FRAME;

	for (unsigned int h = 0; h < sc->n_hosts; h++) {
		if (sc->host[h].conf.payload > 1024)
			room = RTE_PKTMBUF_HEADROOM + FCN_ENDPOINT_MAX_FRAME;
	}
	return fcn_virtual_pool_create(
			"lab", sc->buffers + more, kept, sc->check ? lab_checker_room() : 0, room);
}

static int
make_nodes(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;
	int rc = 0;

	for (unsigned int i = 0; i < sc->n_hosts; i++)
		lab_host_identify(net, i);
	for (unsigned int i = 0; i < sc->n_links && rc == 0; i++)
		rc = make_link(net, i);
	for (unsigned int i = 0; i < sc->n_switches && rc == 0; i++)
		rc = lab_switch_init(net, i);
	for (unsigned int i = 0; i < sc->n_hosts && rc == 0; i++)
		rc = lab_host_init(net, i);
	for (unsigned int i = 0; i < sc->n_captures && rc == 0; i++)
		rc = lab_capture_init(net, &sc->capture[i]);
	if (rc == 0)
		rc = lab_simbricks_init(net);
	if (rc == 0)
		rc = lab_flows_init(net);
	if (rc == 0)
		rc = lab_reports_init(net);
	if (rc == 0)
		rc = lab_goals_init(net);
	if (rc == 0)
		rc = lab_generators_init(net);
	if (rc == 0)
		rc = lab_actions_init(net);
	return rc;
}

struct lab_network *
lab_network_create(const struct lab_scenario *sc, struct lab_measure *m, FILE *err)
{
	struct lab_network *net = calloc(1, sizeof(*net));
	char why[256];
	int rc = -ENOMEM;

	if (net == NULL)
		return NULL;
	net->sc = sc;
	net->m = m;
	net->err = err;
	lab_measure_set_cnm(m, is_cnm, net);
	net->random.state = sc->seed;
	net->violations = json_array();
	net->table = fcn_session_commands();
	net->link = calloc(sc->n_links + 1, sizeof(net->link[0]));
	net->node_switch = calloc(sc->n_switches + 1, sizeof(net->node_switch[0]));
	net->host = calloc(sc->n_hosts + 1, sizeof(net->host[0]));
	if (net->table != NULL && net->link != NULL && net->node_switch != NULL &&
			net->host != NULL)
		rc = lab_parts_init(net);
	if (rc == 0)
		net->pool = make_pool(net);
	if (rc == 0 && net->pool == NULL) {
		fprintf(err, "%u packet buffers: %s\n", sc->buffers,
				fcn_mempool_error(why, sizeof(why)));
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = make_nodes(net);
	if (rc != 0) {
		if (rc == -ENOMEM)
			fputs("out of memory\n", err);
		lab_network_free(net);
		return NULL;
	}
	return net;
}

unsigned int
lab_network_free(struct lab_network *net)
{
	unsigned int leaked = 0;

	if (net == NULL)
		return 0;
	lab_simbricks_fini(net);
	for (unsigned int i = 0; net->host != NULL && i < net->sc->n_hosts; i++)
		lab_host_fini(&net->host[i]);
	for (unsigned int i = 0; net->node_switch != NULL && i < net->sc->n_switches; i++)
		lab_switch_fini(&net->node_switch[i]);
	for (unsigned int i = 0; net->link != NULL && i < net->sc->n_links; i++)
		fcn_link_free(net->link[i].link);
	/* Links can hold buffers of these pools, so the pools are freed after the links. */
	for (unsigned int i = 0; net->node_switch != NULL && i < net->sc->n_switches; i++)
		net->leaked += lab_switch_free_pool(&net->node_switch[i]);
	lab_generators_fini(net);
	lab_goals_fini(net);
	lab_flows_fini(net);
	lab_actions_fini(net);
	free(net->host);
	free(net->node_switch);
	free(net->link);
	free(net->hops);
	fcn_command_table_free(net->table);
	if (net->pool != NULL)
		leaked += rte_mempool_in_use_count(net->pool);
	leaked += net->leaked;
	rte_mempool_free(net->pool);
	lab_parts_fini(net);
	json_decref(net->violations);
	free(net);
	return leaked;
}

void
lab_fail(struct lab_part *part, const char *fmt, ...)
{
	struct lab_network *net = part->net;
	va_list ap;

	if (__atomic_exchange_n(&net->failed, true, __ATOMIC_RELAXED))
		return;
	fprintf(net->err, "%" PRIu64 " ns: ", fcn_sim_now(part->sim));
	va_start(ap, fmt);
	vfprintf(net->err, fmt, ap);
	va_end(ap);
	fputs(": the run cannot go on\n", net->err);
}

const char *
lab_network_busy(const struct lab_network *net)
{
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		const struct lab_net_switch *sw = &net->node_switch[i];

		if (fcn_sim_scheduled(sw->part->sim, &sw->turn) <= fcn_sim_now(sw->part->sim))
			return net->sc->node_switch[i].name;
	}
	for (unsigned int i = 0; i < net->sc->n_hosts; i++) {
		const struct lab_net_host *h = &net->host[i];

		if (fcn_sim_scheduled(h->part->sim, &h->nic) <= fcn_sim_now(h->part->sim))
			return net->sc->host[i].name;
	}
	return "nobody";
}

/* Get the number of parts with the whole. */
static unsigned int
all_parts(const struct lab_network *net)
{
	return (unsigned int)(net->whole - net->part) + 1;
}

uint64_t
lab_now(const struct lab_network *net)
{
	uint64_t now = 0;

	for (unsigned int i = 0; i < all_parts(net); i++)
		now = RTE_MAX(now, fcn_sim_now(net->part[i].sim));
	return now;
}

uint64_t
lab_frames(const struct lab_network *net)
{
	uint64_t frames = 0;

	for (unsigned int i = 0; i < net->n_parts; i++)
		frames += net->part[i].frames;
	return frames;
}

static uint64_t
events(const struct lab_network *net)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < all_parts(net); i++)
		n += fcn_sim_count(net->part[i].sim);
	return n;
}

unsigned int
lab_unfinished(const struct lab_network *net, uint64_t *ended_ns)
{
	unsigned int ended = 0;

	*ended_ns = 0;
	for (unsigned int i = 0; i < all_parts(net); i++) {
		ended += net->part[i].ended;
		*ended_ns = RTE_MAX(*ended_ns, net->part[i].ended_ns);
	}
	return net->n_ending - ended;
}

void
lab_traffic_ended(struct lab_part *part)
{
	part->ended++;
	part->ended_ns = RTE_MAX(fcn_sim_now(part->sim), fcn_sim_now(part->net->sim));
}

static void
set(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static json_t *
host_totals(const struct lab_net_host *h, uint64_t now)
{
	struct fcn_endpoint_counters c;
	json_t *o = json_object(), *paused = json_array();

	json_object_set_new(o, "name", json_string(h->net->sc->host[h->index].name));
	fcn_endpoint_counters(h->ep, &c, now);
#define SET(field, text) set(o, #field, c.field);
	FCN_ENDPOINT_COUNTERS(SET)
#undef SET
	set(o, "no_mbuf", h->no_mbuf);
	for (unsigned int i = 0; i < RTE_DIM(c.paused_ns); i++)
		json_array_append_new(paused, json_integer((json_int_t)c.paused_ns[i]));
	json_object_set_new(o, "paused_ns", paused);
	if (h->peer != NULL)
		json_object_set_new(o, "simbricks", lab_simbricks_result(h->peer));
	return o;
}

static json_t *
event_totals(const struct lab_net_switch *sw)
{
	struct lab_net_events events;
	json_t *o = json_object();

	lab_collector_total(sw, &events);
	set(o, "made", events.made);
	set(o, "read", events.read);
	set(o, "lost", events.lost);
	set(o, "waiting", events.waiting);
	return o;
}

static json_t *
arn_totals(const struct lab_net_switch *sw)
{
	json_t *o = json_object();

	json_object_set_new(o, "held", fcn_show_arn_held(sw->ctl, 0));
	json_object_set_new(o, "received", fcn_show_arn_received(sw->ctl));
	json_object_set_new(o, "sent", fcn_show_arn_sent(sw->ctl, 0));
	json_object_set_new(o, "passed_on", fcn_show_arn_passed_on(sw->ctl, 0));
	return o;
}

static json_t *
switch_totals(struct lab_net_switch *sw)
{
	json_t *o = json_object();

	lab_counters_read(sw);
	json_object_set_new(o, "name", json_string(sw->net->sc->node_switch[sw->index].name));
	/* Counted first, because the functions below read events. */
	json_object_set_new(o, "events", event_totals(sw));
	json_object_set_new(o, "ports", fcn_show_ports(sw->ctl, -1));
	json_object_set_new(o, "queues", fcn_show_queues(sw->ctl, -1, -1, false));
	json_object_set_new(o, "drops", fcn_show_drops(sw->ctl));
	json_object_set_new(o, "errors", fcn_show_errors(sw->ctl));
	json_object_set_new(o, "notify", fcn_show_notify(sw->ctl));
	json_object_set_new(o, "episodes", fcn_show_episodes(sw->ctl, -1, -1, UINT32_MAX));
	json_object_set_new(o, "pfc", fcn_show_pfc(sw->ctl, -1));
	json_object_set_new(o, "arn", arn_totals(sw));
	json_object_set_new(o, "proxy", fcn_show_proxy(sw->ctl, 0));
	json_object_set_new(o, "buffer", fcn_show_buffer(sw->ctl));
	json_object_set_new(o, "conservation", fcn_show_conservation(sw->ctl));
	set(o, "restarts", sw->past.n);
	return o;
}

static json_t *
link_totals(const struct lab_network *net, unsigned int i, unsigned int from)
{
	const struct lab_link *link = &net->sc->link[i];
	struct fcn_link_counters c;
	json_t *o = json_object(), *fates = json_object();
	const char *name[2];

	for (unsigned int e = 0; e < 2; e++)
		name[e] = link->end[e].kind == LAB_HOST
					  ? net->sc->host[link->end[e].index].name
					  : net->sc->node_switch[link->end[e].index].name;
	fcn_link_counters(net->link[i].link, from, &c);
	json_object_set_new(o, "from", json_string(name[from]));
	json_object_set_new(o, "to", json_string(name[!from]));
	for (unsigned int f = 0; f < FCN_LINK_FATE_COUNT; f++)
		set(fates, fcn_link_fate_name(f), c.packets[f]);
	json_object_set_new(o, "packets", fates);
	set(o, "bytes", c.bytes);
	set(o, "copies", c.copies);
	set(o, "delivered", c.delivered);
	set(o, "cut_off", c.cut_off);
	set(o, "on_way", fcn_link_in_flight(net->link[i].link, from));
	return o;
}

void
lab_network_totals(struct lab_network *net, struct lab_totals *totals)
{
	const struct lab_scenario *sc = net->sc;

	totals->now = lab_now(net);
	totals->frames = lab_frames(net);
	totals->events = events(net);
	totals->hosts = json_array();
	totals->switches = json_array();
	totals->links = json_array();
	totals->goals = lab_goals_result(net);
	totals->generators = lab_generators_result(net);
	totals->violations = json_incref(net->violations);
	for (unsigned int i = 0; i < sc->n_hosts; i++)
		json_array_append_new(totals->hosts, host_totals(&net->host[i], totals->now));
	for (unsigned int i = 0; i < sc->n_switches; i++)
		json_array_append_new(totals->switches, switch_totals(&net->node_switch[i]));
	for (unsigned int i = 0; i < 2 * sc->n_links; i++)
		json_array_append_new(totals->links, link_totals(net, i / 2, i % 2));
}
