/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fcn_pfc.h"
#include "network.h"

#define MAX_VIOLATIONS 20 /* maximum number of violations that are stored */

static void
add_violation(void *arg, const void *text)
{
	struct lab_network *net = arg;

	if (json_array_size(net->violations) < MAX_VIOLATIONS)
		json_array_append_new(net->violations, json_string(text));
}

void
lab_violation(struct lab_part *part, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	if (json_array_size(part->net->violations) >= MAX_VIOLATIONS)
		return;
	n = snprintf(text, sizeof(text), "%" PRIu64 " ns: ", fcn_sim_now(part->sim));
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	lab_log_call(part->log, add_violation, part->net, text, strlen(text) + 1);
}

/*
 * Get the maximum number of bytes in a queue. Bytes of a lossless class count against the account
 * of their ingress port, not against the limit of the queue.
 */
static uint64_t
most_bytes(const struct fcn_worker *w, unsigned int number, unsigned int class)
{
	uint64_t most = w->snap->port[number].egress.queue[class].limit_bytes;

	for (unsigned int p = 0; p < w->n_ports; p++)
		most += w->ingress[p][class].used;
	return most;
}

static void
check_queue(const struct lab_net_switch *sw, unsigned int number, unsigned int class)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	uint32_t bytes = w->port[number].egress->queue[class].bytes;

	/* If the limit was reduced below the occupancy, the queue must not grow. */
	if (bytes > sw->by_number[number]->seen[class] && bytes > most_bytes(w, number, class))
		lab_violation(sw->part, "%s: queue %s class %u holds %u of %" PRIu64 " bytes",
				sw->net->sc->node_switch[sw->index].name,
				fcn_control_config(sw->ctl)->port[number].name, class, bytes,
				most_bytes(w, number, class));
}

/* Check that no event record is lost without being counted. */
static void
check_events(const struct lab_net_switch *sw)
{
	struct lab_net_events e;

	lab_collector_count(sw, &e);
	if (e.made != e.read + e.lost + e.waiting)
		lab_violation(sw->part,
				"%s: %" PRIu64 " events were made, %" PRIu64 " read, %" PRIu64
				" lost, %" PRIu64 " wait",
				sw->net->sc->node_switch[sw->index].name, e.made, e.read, e.lost,
				e.waiting);
}

void
lab_check_switch(struct lab_net_switch *sw)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	const char *name = sw->net->sc->node_switch[sw->index].name;
	struct fcn_conservation sum = {0};

	fcn_control_conservation(sw->ctl, &sum);
	if (!fcn_conservation_holds(&sum))
		lab_violation(sw->part, "%s: packets are not conserved", name);
	check_events(sw);
	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		unsigned int number = w->own_port[i];

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			check_queue(sw, number, c);
	}
}

/*
 * Note the pauses in a frame that a host receives. It obeys pause frames to the group address of
 * flow control (IEEE 802.3 Annex 31B) and to its own address.
 */
void
lab_check_host_got(struct lab_net_host *h, const uint8_t *data, uint32_t len, uint64_t now)
{
	const struct rte_ether_addr *dst = (const struct rte_ether_addr *)data;
	const uint64_t bps = fcn_link_rate(h->link);
	struct fcn_mac_control said;
	enum fcn_mac_control_type type;

	if (len < RTE_ETHER_HDR_LEN || (!rte_is_same_ether_addr(dst, &fcn_mac_control_addr) &&
						       !rte_is_same_ether_addr(dst, &h->mac)))
		return;
	type = fcn_mac_control_parse(data, len, &said);
	if (type != FCN_MAC_CONTROL_IS_PFC && type != FCN_MAC_CONTROL_IS_PAUSE)
		return;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (said.priorities >> c & 1)
			h->paused_until[c] = now + fcn_pfc_quanta_to_ns(said.quanta[c], bps);
	}
}

void
lab_check_host_sends(const struct lab_net_host *h, const struct rte_mbuf *frame, uint64_t now)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, RTE_ETHER_HDR_LEN);
	unsigned int class = (ip[0] & 0xf) >> 1; /* DSCP / 8 */

	if (h->paused_until[class] > now)
		lab_violation(h->part, "%s sends a packet of class %u, paused until %" PRIu64 " ns",
				h->net->sc->host[h->index].name, class, h->paused_until[class]);
}

/*
 * Check that every frame that was generated is in the network, or was delivered, consumed or
 * counted as lost.
 */
static void
check_conservation(struct lab_network *net)
{
	uint64_t made = 0, ended = 0, late = 0;

	for (unsigned int i = 0; i < net->sc->n_hosts; i++) {
		made += net->host[i].sent;
		ended += net->host[i].received;
	}
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		const struct lab_net_switch *sw = &net->node_switch[i];
		struct fcn_conservation sum = {0};

		fcn_control_conservation(sw->ctl, &sum);
		made += sum.generated + sum.returned + sum.replicated + sw->past.made;
		ended += sum.dropped + sum.consumed + sum.queued + sw->past.ended +
			 sw->past.flushed;
		for (unsigned int p = 0; p < sw->n_ends; p++)
			ended += fcn_link_port_waiting(sw->ends[p].port) +
				 fcn_link_port_lost(sw->ends[p].port);
	}
	for (unsigned int i = 0; i < 2 * net->sc->n_links; i++) {
		const struct fcn_link *link = net->link[i / 2].link;
		struct fcn_link_counters c;

		fcn_link_counters(link, i % 2, &c);
		made += c.copies;
		late += c.late;
		ended += c.packets[FCN_LINK_LOST] + c.packets[FCN_LINK_DOWN] +
			 c.packets[FCN_LINK_TOO_LONG] + c.packets[FCN_LINK_NOTICE_LOST] +
			 c.packets[FCN_LINK_NO_MBUF] + c.cut_off + fcn_link_in_flight(link, i % 2);
	}
	if (made != ended)
		lab_violation(net->whole, "%" PRIu64 " frames were made, %" PRIu64 " are known of",
				made, ended);
	if (late != 0)
		lab_violation(net->whole, "%" PRIu64 " frames came to a part after their time",
				late);
}

bool
lab_check_time(struct lab_network *net)
{
	if (fcn_sim_at_once(net->sim) < LAB_EVENTS_AT_ONCE)
		return true;
	lab_violation(net->whole, "time does not go on: %s", lab_network_busy(net));
	return false;
}

void
lab_check_end(struct lab_network *net)
{
	check_conservation(net);
	lab_simbricks_check_end(net);
	for (unsigned int i = 0; i < net->sc->n_switches; i++)
		check_events(&net->node_switch[i]);
}
