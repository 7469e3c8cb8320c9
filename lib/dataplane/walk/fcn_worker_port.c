/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Functions that add ports to workers and remove them while the workers run. */

#include <errno.h>

#include <rte_malloc.h>

#include "admit.h"
#include "arn_pass_on.h"
#include "proxy.h"
#include "congestion.h"
#include "cross_core.h"
#include "lossless.h"
#include "rx_fair.h"
#include "fcn_stages.h"
#include "tx_ring.h"
#include "fcn_worker_group.h"

/*
 * A port that is being added to or removed from a worker. Its owner has the whole port, other
 * workers only the ring to it.
 */
struct port_change {
	uint16_t number;
	struct fcn_worker_port port;
	/* The receive queues that this worker polls. */
	struct fcn_rx_queue rx_queue[FCN_MAX_RX_QUEUES];
	unsigned int n_rx_queues;
};

/* Clear the state of the previous port with this number. Only its packet accounting is kept. */
static void
forget_predecessor(struct fcn_worker *w, uint16_t port)
{
	w->n_ports = RTE_MAX(w->n_ports, port + 1);
	fcn_conservation_add(&w->retired, &w->counters[port]);
	memset(&w->counters[port], 0, sizeof(w->counters[0]));
	w->bridging[port] = (struct fcn_bridge_port){0};
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		memset(&w->notify[k].stats[port], 0, sizeof(w->notify[k].stats[0]));
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		fcn_ingress_clear_counters(&w->ingress[port][c]);
		fcn_ingress_clear_watermarks(&w->ingress[port][c]);
		fcn_ingress_clear_watermarks(&w->ingress_packets[port][c]);
		/* Packets of the old port may still be queued. The pause state is reset. */
		w->ingress[port][c].xoff = w->ingress_packets[port][c].xoff = false;
		w->loss_event_ns[port][c] = 0;
	}
	__atomic_store_n(&w->xoff[port], 0, __ATOMIC_RELAXED);
	fcn_arn_edge_forget_port(w, port);
	fcn_proxy_forget_port(w, port);
	fcn_rx_share_forget_port(w, port);
}

static void
renew_port(struct fcn_worker *w, void *arg)
{
	forget_predecessor(w, *(const uint16_t *)arg);
}

void
fcn_worker_group_port_renew(struct fcn_worker *const *workers, unsigned int n, uint16_t port)
{
	for (unsigned int i = 0; i < n; i++)
		fcn_worker_call_patiently(workers[i], renew_port, &port, sizeof(port));
}

static void
install_port(struct fcn_worker *w, void *arg)
{
	const struct port_change *change = arg;

	forget_predecessor(w, change->number);
	w->port[change->number] = change->port;
	memcpy(&w->rx_queue[w->n_rx_queues], change->rx_queue,
			change->n_rx_queues * sizeof(change->rx_queue[0]));
	w->n_rx_queues += change->n_rx_queues;
	if (change->port.cross_core != NULL)
		change->port.cross_core->n_ports++;
	if (change->port.egress == NULL)
		return;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) /* episodes begin now */
		fcn_queue_clear_watermarks(&change->port.egress->queue[c], w->now);
	if (w->snap != NULL)
		fcn_egress_reconfigure(
				change->port.egress, &w->snap->port[change->number].egress, w->now);
	w->own_port[w->n_own_ports++] = change->number;
}

/*
 * Drop the queued packets, which will never leave, so that they are removed from the accounts of
 * other ports.
 */
static void
drop_queued(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg)
{
	for (unsigned int i = 0; i < eg->n_staged; i++) {
		if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
			fcn_capture_drop_queued(w, port, &eg->staged[i], FCN_DROP_PORT_GONE);
		fcn_queued_lost(w, &eg->staged[i], FCN_DROP_PORT_GONE);
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_queue *q = &eg->queue[c];

		if (q->detector.congested) {
			q->detector.left_ns = w->now;
			fcn_congestion_ended(w, port, eg, c);
		}
		for (uint32_t i = q->head; i != q->tail; i++) {
			const struct fcn_queue_entry *e = &q->ring[i & q->mask];

			if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
				fcn_capture_drop_queued(w, port, e, FCN_DROP_PORT_GONE);
			fcn_queued_lost(w, e, FCN_DROP_PORT_GONE);
			if (e->flags & FCN_ENTRY_DEQUEUE_ACTIONS)
				fcn_run_dequeue_actions(
						w, q, &w->snap->port[port].egress.queue[c], e);
		}
	}
}

static void
stop_polling(struct fcn_worker *w, uint16_t port)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->n_rx_queues; i++) {
		if (w->rx_queue[i].port != port)
			w->rx_queue[n++] = w->rx_queue[i];
	}
	w->n_rx_queues = n;
	w->rx_first = 0;
}

static void
uninstall_port(struct fcn_worker *w, void *arg)
{
	struct port_change *change = arg;
	unsigned int i = 0;

	/* The snapshot may be newer than the last turn, and the packets of the port need it. */
	if (w->snap != NULL)
		fcn_admit_recount(w);
	stop_polling(w, change->number);
	fcn_bridge_forget(w, change->number);
	change->port = w->port[change->number];
	if (change->port.cross_core != NULL) {
		fcn_lossless_drop_held(w, change->port.cross_core, change->number);
		change->port.cross_core->n_ports--;
	}
	w->port[change->number] = (struct fcn_worker_port){0};
	if (change->port.egress == NULL)
		return;
	while (w->own_port[i] != change->number)
		i++;
	w->n_own_ports--;
	memmove(&w->own_port[i], &w->own_port[i + 1],
			(w->n_own_ports - i) * sizeof(w->own_port[0]));
	w->counters[change->number].drop[FCN_DROP_PORT_GONE] += fcn_egress_packets(
			change->port.egress);
	drop_queued(w, change->number, change->port.egress);
	fcn_arn_held_port_gone(w, change->number);
	/* No worker sends packets to this port any more. */
	for (unsigned int k = 0; k < w->n_peers; k++)
		fcn_cross_core_drop(w, w->peer[k].cross_core_rx, change->number);
}

static void
free_egress(struct fcn_worker_port *port)
{
	struct fcn_egress *eg = port->egress;

	for (unsigned int i = 0; i < eg->n_staged; i++)
		rte_pktmbuf_free(eg->staged[i].mbuf);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		while (!fcn_queue_is_empty(&eg->queue[c]))
			rte_pktmbuf_free(fcn_queue_pop(&eg->queue[c], 0).mbuf);
	}
	fcn_egress_fini(eg);
	rte_free(eg);
	rte_free(port->ring);
}

/* Make the state of a port at its owner. @return 0 or -ENOMEM */
static int
make_port(struct fcn_worker_port *port, const struct fcn_port_ops *ops, void *priv,
		const uint32_t slots[FCN_CLASSES], int socket)
{
	struct fcn_egress *eg;
	int rc;

	*port = (struct fcn_worker_port){.ops = ops, .priv = priv, .pausing = true};
	fcn_pause_reset(&port->pause);
	if (ops->tx_backlog != NULL && ops->tx_backlog(priv) >= 0) {
		port->ring = rte_zmalloc_socket("fcn_tx_ring", sizeof(*port->ring), 0, socket);
		if (port->ring == NULL)
			return -ENOMEM;
	}
	eg = rte_zmalloc_socket("fcn_egress", sizeof(*eg), RTE_CACHE_LINE_SIZE, socket);
	rc = eg != NULL ? fcn_egress_init(eg, slots, socket) : -ENOMEM;
	if (rc != 0) {
		rte_free(port->ring);
		rte_free(eg);
		return rc;
	}
	port->egress = eg;
	return 0;
}

/* Choose the receive queues of the port that one worker polls. */
static void
choose_queues(struct port_change *change, const struct fcn_placement *place, unsigned int worker,
		const struct fcn_port_ops *ops, void *priv)
{
	for (unsigned int q = 0; q < place->n_rx_queues; q++) {
		if (place->rx_worker[q] != worker)
			continue;
		change->rx_queue[change->n_rx_queues++] = (struct fcn_rx_queue){
				.burst = ops->rx_burst,
				.handle = ops->rx_queue != NULL ? ops->rx_queue(priv, q) : priv,
				.port = change->number,
		};
	}
}

static int
check_queues(struct fcn_worker *const *workers, unsigned int n, const struct fcn_placement *place)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int polled = workers[i]->n_rx_queues;

		for (unsigned int q = 0; q < place->n_rx_queues; q++)
			polled += place->rx_worker[q] == i;
		if (polled > FCN_WORKER_RX_QUEUES)
			return -ENOSPC;
	}
	return 0;
}

int
fcn_worker_group_port_add(struct fcn_worker *const *workers, unsigned int n,
		const struct fcn_placement *place, uint16_t port, const struct fcn_port_ops *ops,
		void *priv, const uint32_t slots[FCN_CLASSES])
{
	const int socket = workers[place->owner]->socket;
	struct port_change owner = {.number = port};
	int rc = check_queues(workers, n, place);

	if (rc == 0)
		rc = make_port(&owner.port, ops, priv, slots, socket);
	if (rc != 0)
		return rc;
	/* Install the port at its owner first, before the first packet can enter a ring. */
	choose_queues(&owner, place, place->owner, ops, priv);
	fcn_worker_call_patiently(workers[place->owner], install_port, &owner, sizeof(owner));
	for (unsigned int i = 0; i < n; i++) {
		struct port_change other = {.number = port};

		if (i == place->owner)
			continue;
		other.port.cross_core =
				workers[i]->peer[place->owner - (place->owner > i)].cross_core_tx;
		choose_queues(&other, place, i, ops, priv);
		fcn_worker_call_patiently(workers[i], install_port, &other, sizeof(other));
	}
	return 0;
}

static bool
has_port(const struct fcn_worker *w, uint16_t port)
{
	return w->port[port].egress != NULL;
}

/* More memory for the class queues of a port. */
struct growth {
	uint16_t port;
	uint32_t slots[FCN_CLASSES];
	struct fcn_queue_entry *ring[FCN_CLASSES]; /* NULL: no more for this queue */
};

static void
grow_queues(struct fcn_worker *w, void *arg)
{
	const struct growth *g = arg;
	struct fcn_egress *eg = w->port[g->port].egress;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (g->ring[c] != NULL)
			fcn_queue_grow(&eg->queue[c], g->ring[c], g->slots[c]);
	}
}

/* Free the memory that queues had before they grew. A worker that turns does not know it any more.
 */
static void
free_before(struct fcn_egress *eg)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		rte_free(eg->queue[c].before);
		eg->queue[c].before = NULL;
	}
}

int
fcn_worker_group_port_grow(struct fcn_worker *const *workers, unsigned int n, uint16_t port,
		const uint32_t slots[FCN_CLASSES])
{
	struct growth g = {.port = port};
	unsigned int o = 0, wanted = 0, made = 0;
	struct fcn_egress *eg;
	int rc = 0;

	while (o < n && !has_port(workers[o], port))
		o++;
	if (o == n)
		return 0;
	if (fcn_worker_is_stalled(workers[o]))
		return -EAGAIN;
	eg = workers[o]->port[port].egress;
	free_before(eg);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		/* Only the calls of this thread change how many slots there are. */
		if (slots[c] <= fcn_queue_slots(&eg->queue[c]))
			continue;
		g.slots[c] = slots[c];
		g.ring[c] = fcn_queue_ring_create(slots[c], workers[o]->socket);
		wanted++;
		made += g.ring[c] != NULL;
	}
	if (made > 0)
		rc = fcn_worker_call(workers[o], grow_queues, &g, sizeof(g));
	if (rc == 0)
		free_before(eg);
	for (unsigned int c = 0; c < FCN_CLASSES && rc != 0 && rc != -EINPROGRESS; c++)
		rte_free(g.ring[c]);
	return rc != 0 || made == wanted ? rc : -ENOMEM;
}

static void
forget_macs(struct fcn_worker *w, void *arg)
{
	fcn_bridge_forget(w, *(const uint16_t *)arg);
}

void
fcn_worker_group_port_remove(struct fcn_worker *const *workers, unsigned int n, uint16_t port)
{
	struct port_change owner = {.number = port};
	unsigned int o = 0;

	while (o < n && !has_port(workers[o], port))
		o++;
	if (o == n)
		return;
	for (unsigned int i = 0; i < n; i++) {
		struct port_change other = {.number = port};

		if (i != o)
			fcn_worker_call_patiently(
					workers[i], uninstall_port, &other, sizeof(other));
	}
	/* Remove the port from its owner last, when no worker sends packets to it any more. */
	fcn_worker_call_patiently(workers[o], uninstall_port, &owner, sizeof(owner));
	/*
	 * Workers that polled the port until later may have sent the others the addresses that they
	 * learned there.
	 */
	for (unsigned int i = 0; i < n; i++) {
		if (i != o)
			fcn_worker_call_patiently(workers[i], forget_macs, &port, sizeof(port));
	}
	free_egress(&owner.port);
}

void
fcn_worker_port_remove(struct fcn_worker *w, uint16_t port)
{
	fcn_worker_group_port_remove(&w, 1, port);
}
