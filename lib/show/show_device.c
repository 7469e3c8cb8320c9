/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What lies below the ports: counters of drivers, descriptors, pools of packet buffers. */

#include <stdlib.h>

#include "show_private.h"

#define XSTATS_MAX 8192 /* counters of a device that are shown */

static void
show_port_xstats(struct fcn_control *ctl, unsigned int p, bool all, json_t *list)
{
	const struct fcn_control_port *open = fcn_control_port(ctl, p);
	struct fcn_port_xstat *stats;
	int n;

	if (open == NULL || open->ops->xstats == NULL)
		return;
	n = open->ops->xstats(open->priv, NULL, 0);
	if (n <= 0 || n > XSTATS_MAX)
		return;
	stats = calloc(n, sizeof(*stats));
	if (stats == NULL || open->ops->xstats(open->priv, stats, n) != n)
		n = 0;
	for (int i = 0; i < n; i++) {
		json_t *o;

		if (!all && stats[i].value == 0)
			continue;
		o = fcn_show_port_row(ctl, list, p);
		fcn_show_set_str(o, "counter", stats[i].name);
		fcn_show_set(o, "value", stats[i].value);
	}
	free(stats);
}

json_t *
fcn_show_xstats(struct fcn_control *ctl, int port, bool all)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_show_is_chosen(ctl, p, port))
			show_port_xstats(ctl, p, all, list);
	}
	return list;
}

/* Frames in the queues of a device, as its workers see them; negative: not reported. */
struct waiting {
	unsigned int port;
	const struct fcn_control_port *open;
	unsigned int n_rx;
	int rx[FCN_WORKER_RX_QUEUES];
	int tx;
};

static void *
handle_of(const struct fcn_control_port *open, unsigned int queue)
{
	return open->ops->rx_queue != NULL ? open->ops->rx_queue(open->priv, queue) : open->priv;
}

/* Read the receive queues that a worker polls: one, or with the handle of the port all of them. */
static void
read_rx_waiting(const struct fcn_rx_queue *polled, struct waiting *r)
{
	for (unsigned int q = 0; q < r->n_rx; q++) {
		void *handle = handle_of(r->open, q);

		if (polled->handle == handle || polled->handle == r->open->priv)
			r->rx[q] = r->open->ops->rx_waiting(handle);
	}
}

static void
read_waiting(struct fcn_worker *w, void *arg)
{
	struct waiting *r = arg;
	const struct fcn_port_ops *ops = r->open->ops;

	if (w->port[r->port].egress != NULL && ops->tx_backlog != NULL)
		r->tx = ops->tx_backlog(r->open->priv);
	for (unsigned int i = 0; i < w->n_rx_queues && ops->rx_waiting != NULL; i++) {
		if (w->rx_queue[i].port == r->port)
			read_rx_waiting(&w->rx_queue[i], r);
	}
}

static void
show_descriptors(const struct fcn_control *ctl, const struct fcn_control_port *open, unsigned int p,
		bool tx, uint16_t queue, int waiting, json_t *list)
{
	const int n = open->ops->descriptors(open->priv, tx, queue);
	json_t *o = fcn_show_port_row(ctl, list, p);

	fcn_show_set_str(o, "direction", tx ? "tx" : "rx");
	fcn_show_set(o, "queue", queue);
	fcn_show_set_known(o, "descriptors", n >= 0, n);
	fcn_show_set_known(o, "in_use", waiting >= 0, waiting);
}

json_t *
fcn_show_descriptors(struct fcn_control *ctl, int port)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_control_port *open = fcn_control_port(ctl, p);
		struct waiting r = {.port = p, .open = open, .tx = -1};

		if (!fcn_show_is_chosen(ctl, p, port) || open == NULL ||
				open->ops->descriptors == NULL)
			continue;
		r.n_rx = open->ops->rx_queues != NULL ? open->ops->rx_queues(open->priv) : 1;
		r.n_rx = RTE_MIN(r.n_rx, (unsigned int)RTE_DIM(r.rx));
		for (unsigned int q = 0; q < r.n_rx; q++)
			r.rx[q] = -1;
		fcn_control_read(ctl, read_waiting, &r, sizeof(r));
		for (unsigned int q = 0; q < r.n_rx; q++)
			show_descriptors(ctl, open, p, false, q, r.rx[q], list);
		show_descriptors(ctl, open, p, true, 0, r.tx, list);
	}
	return list;
}

static void
show_mempool(const struct rte_mempool *pool, json_t *list)
{
	json_t *o = fcn_show_row(list);

	fcn_show_set_str(o, "pool", pool->name);
	fcn_show_set_known(o, "numa", pool->socket_id != SOCKET_ID_ANY, pool->socket_id);
	fcn_show_set(o, "buffers", pool->size);
	fcn_show_set(o, "in_use", rte_mempool_in_use_count(pool));
	fcn_show_set(o, "available", rte_mempool_avail_count(pool));
	fcn_show_set(o, "buffer_bytes",
			rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)pool));
}

json_t *
fcn_show_mempools(struct fcn_control *ctl)
{
	const struct rte_mempool *shown[FCN_MAX_WORKERS];
	json_t *list = json_array();
	unsigned int n = 0;

	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		const struct rte_mempool *pool = fcn_control_worker(ctl, i)->pool;
		unsigned int k = 0;

		while (k < n && shown[k] != pool)
			k++;
		if (k < n)
			continue;
		shown[n++] = pool;
		show_mempool(pool, list);
	}
	return list;
}
