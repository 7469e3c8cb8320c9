/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "arn_order.h"

#include <rte_ring_elem.h>

/* Orders taken from the ring of another worker in a turn. */
#define ORDER_BURST 32

_Static_assert(sizeof(struct fcn_arn_order) % sizeof(uint32_t) == 0, "elements of a ring");

static void
count(struct fcn_arn_held *h, enum fcn_held_result result)
{
	switch (result) {
	case FCN_HELD_BEGAN:
		h->began++;
		break;
	case FCN_HELD_RENEWED:
		h->renewed++;
		break;
	case FCN_HELD_ENDED:
		h->ended++;
		break;
	case FCN_HELD_NOT:
		h->not_held++;
		break;
	case FCN_HELD_STORM:
		h->storm++;
		break;
	case FCN_HELD_FULL:
		h->full++;
		break;
	}
}

/* Halt a class of a port of this worker, or let it resume. */
static void
halt_class(struct fcn_worker *w, const struct fcn_arn_order *order, uint64_t time_ns)
{
	const struct fcn_held_flows_conf *held = &w->snap->arn.held;
	const struct fcn_halt_conf limits = {.max_ns = held->max_ns,
			.detect_ns = held->detect_ns,
			.restore_ns = held->restore_ns};
	struct fcn_arn_held *h = &w->arn_held;
	struct fcn_worker_port *port;

	if (order->port >= FCN_MAX_PORTS || w->port[order->port].egress == NULL)
		return;
	port = &w->port[order->port];
	port->pausing = true;
	switch (fcn_pause_halt(&port->pause, &w->snap->port[order->port].pause, &limits,
			order->arn.priority, time_ns, w->now)) {
	case FCN_HALT_EXEMPT:
		h->exempt++;
		break;
	case FCN_HALT_STORM:
		h->storm++;
		break;
	case FCN_HALT_OBEYED:
		h->halted += time_ns != 0;
		h->resumed += time_ns == 0;
		break;
	}
}

/*
 * Hold or release a flow or a service. All workers have the same result, unless one of them has no
 * room, so only the worker that received the message counts it.
 */
static void
hold_flow(struct fcn_worker *w, const struct fcn_arn_order *order, uint64_t time_ns, bool received)
{
	struct fcn_held_key key = {
			.mode = fcn_arn_mode_of_flow(&order->arn.flow), .flow = order->arn.flow};
	struct fcn_arn_held *h = &w->arn_held;
	enum fcn_held_result result;

	result = fcn_held_flows_message(&h->flows, &w->snap->arn.held, &key, time_ns, w->now);
	h->flows_max = RTE_MAX(h->flows_max, (uint64_t)h->flows.n_flows);
	if (received || result == FCN_HELD_FULL)
		count(h, result);
}

static void
obey(struct fcn_worker *w, const struct fcn_arn_order *order, bool received)
{
	const uint64_t time_ns = fcn_arn_is_end(&order->arn) ? 0 : fcn_arn_time_ns(&order->arn);

	if (unlikely(!w->snap->arn.receive))
		return;
	if (fcn_arn_mode_of(&order->arn) == FCN_ARN_MODE_PRIORITY)
		halt_class(w, order, time_ns);
	else
		hold_flow(w, order, time_ns, received);
}

void
fcn_arn_distribute(struct fcn_worker *w, const struct fcn_arn_order *order)
{
	struct fcn_arn_order copy = *order; /* the ring wants no constant */

	obey(w, order, true);
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (rte_ring_sp_enqueue_elem(
				    w->peer[i].tx[FCN_PEER_ARN_ORDERS], &copy, sizeof(copy)) != 0)
			w->arn_held.not_distributed++;
	}
}

void
fcn_arn_order_rx(struct fcn_worker *w)
{
	struct fcn_arn_order order[ORDER_BURST];

	for (unsigned int i = 0; i < w->n_peers; i++) {
		unsigned int n = 0;

		if (unlikely(!rte_ring_empty(w->peer[i].rx[FCN_PEER_ARN_ORDERS])))
			n = rte_ring_sc_dequeue_burst_elem(w->peer[i].rx[FCN_PEER_ARN_ORDERS],
					order, sizeof(order[0]), ORDER_BURST, NULL);
		for (unsigned int k = 0; k < n; k++)
			obey(w, &order[k], false);
	}
}

bool
fcn_arn_order_is_pending(const struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (!rte_ring_empty(w->peer[i].rx[FCN_PEER_ARN_ORDERS]))
			return true;
	}
	return false;
}
