/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_admit.h"
#include "fcn_congestion.h"
#include "fcn_mailbox.h"
#include "fcn_punt.h"
#include "fcn_spin.h"
#include "fcn_tx_ring.h"
#include "fcn_worker.h"

#define MAILBOX_SIZE 8

static struct rte_ring *
create_ring(const struct fcn_worker_conf *conf, const char *what, unsigned int elem_size,
		unsigned int count)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "%s_%s", conf->name, what);
	return rte_ring_create_elem(name, elem_size, count, conf->socket,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

static struct fcn_burst *
create_burst(int socket)
{
	return rte_zmalloc_socket(
			"fcn_burst", sizeof(struct fcn_burst), RTE_CACHE_LINE_SIZE, socket);
}

static int
create_parts(struct fcn_worker *w, const struct fcn_worker_conf *conf)
{
	char name[24];
	int rc;

	rc = fcn_notify_state_init(&w->notify, conf->flow_sets, conf->dest_sets, conf->socket);
	if (rc != 0) {
		rte_errno = -rc;
		return -1;
	}
	snprintf(name, sizeof(name), "%s_macs", conf->name);
	w->macs = fcn_mac_table_create(name, conf->mac_entries, conf->socket);
	w->rx = create_burst(conf->socket);
	w->flood = create_burst(conf->socket);
	w->notices = create_burst(conf->socket);
	w->leaving = create_burst(conf->socket);
	if (w->macs == NULL || w->rx == NULL || w->flood == NULL || w->notices == NULL ||
			w->leaving == NULL)
		return -1;
	if (conf->events != 0) {
		w->events = create_ring(conf, "events", sizeof(struct fcn_event), conf->events);
		if (w->events == NULL)
			return -1;
	}
	if (conf->punts != 0) {
		w->punts = create_ring(conf, "punts", sizeof(struct fcn_punt), conf->punts);
		w->injects = create_ring(conf, "injects", sizeof(struct fcn_inject), conf->punts);
		if (w->punts == NULL || w->injects == NULL)
			return -1;
	}
	if (conf->threaded) {
		w->mailbox = create_ring(conf, "mailbox", sizeof(void *), MAILBOX_SIZE);
		if (w->mailbox == NULL)
			return -1;
	}
	return 0;
}

struct fcn_worker *
fcn_worker_create(const struct fcn_worker_conf *conf)
{
	struct fcn_worker *w;

	w = rte_zmalloc_socket("fcn_worker", sizeof(*w), RTE_CACHE_LINE_SIZE, conf->socket);
	if (w == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	w->id = conf->id;
	w->socket = conf->socket;
	w->pool = conf->pool;
	w->published = conf->published;
	w->qsbr = conf->qsbr;
	w->random.state = conf->seed;
	if (create_parts(w, conf) != 0) {
		int err = rte_errno != 0 ? rte_errno : ENOMEM;

		fcn_worker_free(w);
		rte_errno = err;
		return NULL;
	}
	return w;
}

/* Nobody takes what is in them any more. */
static void
free_rings(struct fcn_worker *w)
{
	struct fcn_inject inject;
	struct fcn_punt punt;

	while (w->punts != NULL && rte_ring_sc_dequeue_elem(w->punts, &punt, sizeof(punt)) == 0)
		rte_pktmbuf_free(punt.mbuf);
	while (w->injects != NULL &&
			rte_ring_sc_dequeue_elem(w->injects, &inject, sizeof(inject)) == 0)
		rte_pktmbuf_free(inject.mbuf);
	rte_ring_free(w->punts);
	rte_ring_free(w->injects);
}

void
fcn_worker_free(struct fcn_worker *w)
{
	if (w == NULL)
		return;
	rte_ring_free(w->mailbox); /* nobody serves it any more: calls are made directly */
	w->mailbox = NULL;
	while (w->n_rx_ports > 0)
		fcn_worker_port_remove(w, w->rx_port[0]);
	rte_pktmbuf_free_bulk(w->spare, w->n_spare);
	fcn_trace_filter_free(&w->trace);
	fcn_notify_state_fini(&w->notify);
	fcn_mac_table_free(w->macs);
	free_rings(w);
	rte_ring_free(w->events);
	rte_free(w->rx);
	rte_free(w->flood);
	rte_free(w->notices);
	rte_free(w->leaving);
	rte_free(w);
}

void
fcn_worker_call(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg)
{
	struct fcn_mailbox_call call = {.fn = fn, .arg = arg};
	unsigned int spins = 0;

	if (w->mailbox == NULL) {
		fn(w, arg);
		return;
	}
	while (rte_ring_sp_enqueue(w->mailbox, &call) != 0)
		fcn_spin_wait(&spins);
	while (!__atomic_load_n(&call.done, __ATOMIC_ACQUIRE))
		fcn_spin_wait(&spins);
}

static void
add_counters(struct fcn_conservation *sum, const struct fcn_port_counters *c)
{
	sum->received += c->rx_packets;
	sum->generated += c->generated;
	sum->replicated += c->replicated;
	sum->transmitted += c->tx_packets;
	sum->consumed += c->consumed;
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		sum->dropped += c->drop[r];
}

static void
add_ledger(struct fcn_conservation *sum, const struct fcn_conservation *c)
{
	sum->received += c->received;
	sum->generated += c->generated;
	sum->replicated += c->replicated;
	sum->transmitted += c->transmitted;
	sum->dropped += c->dropped;
	sum->consumed += c->consumed;
}

/* A port on its way into or out of a worker. */
struct port_change {
	uint16_t number;
	struct fcn_worker_port port;
};

static void
install_port(struct fcn_worker *w, void *arg)
{
	const struct port_change *change = arg;
	struct fcn_watermarks unused;

	/* A port that had this number before keeps its place in the ledger, and nothing else. */
	add_counters(&w->retired, &w->counters[change->number]);
	memset(&w->counters[change->number], 0, sizeof(w->counters[0]));
	memset(&w->notify.stats[change->number], 0, sizeof(w->notify.stats[0]));
	for (unsigned int c = 0; c < FCN_CLASSES; c++) { /* they begin now */
		fcn_queue_watermarks(&change->port.egress->queue[c], w->now, &unused);
		w->ingress[change->number][c].lost_packets = 0;
		w->ingress[change->number][c].lost_bytes = 0;
		/* Bytes of its predecessor may be queued yet; whether to pause is a new question.
		 */
		w->ingress[change->number][c].xoff = false;
		w->loss_told[change->number][c] = 0;
	}
	w->port[change->number] = change->port;
	w->rx_port[w->n_rx_ports++] = change->number;
}

/* What is queued will never leave: other ports' accounts are not to wait for it. */
static void
forsake(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_queue *q = &eg->queue[c];

		if (q->detector.congested) {
			q->detector.left_ns = w->now;
			fcn_congestion_ended(w, port, eg, c);
		}
		for (uint32_t i = q->head; i != q->tail; i++) {
			const struct fcn_queue_entry *e = &q->ring[i & q->mask];

			if (e->flags & FCN_ENTRY_DUTIES)
				fcn_do_duties(w, q, &w->snap->port[port].egress.queue[c], e);
		}
	}
}

static void
uninstall_port(struct fcn_worker *w, void *arg)
{
	struct port_change *change = arg;
	unsigned int i = 0;

	/* The snapshot may be newer than the last turn, and the port's packets leave by it. */
	if (w->snap != NULL)
		fcn_admit_recount(w);
	change->port = w->port[change->number];
	w->port[change->number] = (struct fcn_worker_port){0};
	while (w->rx_port[i] != change->number)
		i++;
	w->n_rx_ports--;
	memmove(&w->rx_port[i], &w->rx_port[i + 1], (w->n_rx_ports - i) * sizeof(w->rx_port[0]));
	w->rx_first = 0;
	w->counters[change->number].drop[FCN_DROP_PORT_GONE] += fcn_egress_packets(
			change->port.egress);
	forsake(w, change->number, change->port.egress);
	fcn_mac_table_flush(w->macs, change->number);
}

int
fcn_worker_port_add(struct fcn_worker *w, uint16_t port, const struct fcn_port_ops *ops, void *priv,
		const uint32_t slots[FCN_CLASSES])
{
	struct port_change change = {.number = port, .port = {.ops = ops, .priv = priv}};
	struct fcn_egress *eg;
	int rc;

	if (ops->tx_backlog != NULL && ops->tx_backlog(priv) >= 0) {
		change.port.ring = rte_zmalloc_socket(
				"fcn_tx_ring", sizeof(*change.port.ring), 0, w->socket);
		if (change.port.ring == NULL)
			return -ENOMEM;
	}

	eg = rte_zmalloc_socket("fcn_egress", sizeof(*eg), RTE_CACHE_LINE_SIZE, w->socket);
	if (eg == NULL) {
		rte_free(change.port.ring);
		return -ENOMEM;
	}
	rc = fcn_egress_init(eg, slots, w->socket);
	if (rc != 0) {
		rte_free(change.port.ring);
		rte_free(eg);
		return rc;
	}
	change.port.egress = eg;
	change.port.pausing = true;
	fcn_pause_reset(&change.port.pause);
	fcn_worker_call(w, install_port, &change);
	return 0;
}

void
fcn_worker_port_remove(struct fcn_worker *w, uint16_t port)
{
	struct port_change change = {.number = port};
	struct fcn_egress *eg;

	if (w->port[port].egress == NULL)
		return;
	fcn_worker_call(w, uninstall_port, &change);
	eg = change.port.egress;
	for (unsigned int i = 0; i < eg->n_staged; i++)
		rte_pktmbuf_free(eg->staged[i].mbuf);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		while (!fcn_queue_is_empty(&eg->queue[c]))
			rte_pktmbuf_free(fcn_queue_pop(&eg->queue[c], 0).mbuf);
	}
	fcn_egress_fini(eg);
	rte_free(eg);
	rte_free(change.port.ring);
}

void
fcn_worker_conservation(const struct fcn_worker *w, struct fcn_conservation *sum)
{
	sum->carried += w->carried;
	add_ledger(sum, &w->retired);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		add_counters(sum, &w->counters[p]);
		if (w->port[p].egress != NULL)
			sum->queued += fcn_egress_packets(w->port[p].egress);
	}
}

void
fcn_worker_clear_counters(struct fcn_worker *w)
{
	w->carried = 0;
	memset(&w->retired, 0, sizeof(w->retired));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_egress *eg = w->port[p].egress;

		if (eg == NULL)
			continue;
		w->carried += fcn_egress_packets(eg);
		fcn_pause_clear_stats(&w->port[p].pause, w->now);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			memset(&eg->queue[c].stats, 0, sizeof(eg->queue[c].stats));
			eg->queue[c].detector.enters = 0;
			eg->queue[c].detector.leaves = 0;
			w->ingress[p][c].lost_packets = 0;
			w->ingress[p][c].lost_bytes = 0;
		}
	}
	memset(w->counters, 0, sizeof(w->counters));
	fcn_notify_state_clear_stats(&w->notify);
	w->events_lost = 0;
}
