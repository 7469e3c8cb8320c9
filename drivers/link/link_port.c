/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_common.h>

#include "fcn_link_port.h"

struct fcn_link_port {
	struct fcn_link *link;
	const struct fcn_serializer *serializer; /* for frames that leave by this port */
	unsigned int end;
	void (*wake)(void *arg, uint64_t now);
	void *arg;
	struct rte_mbuf **frame;
	/* a ring of the frames that have arrived; room is a power of two */
	uint32_t room, first, n;
	uint64_t lost;
};

static int
grow(struct fcn_link_port *port)
{
	uint32_t room = port->room == 0 ? 64 : 2 * port->room;
	struct rte_mbuf **frame = malloc(room * sizeof(frame[0]));

	if (frame == NULL)
		return -1;
	for (uint32_t i = 0; i < port->n; i++)
		frame[i] = port->frame[(port->first + i) & (port->room - 1)];
	free(port->frame);
	port->frame = frame;
	port->room = room;
	port->first = 0;
	return 0;
}

static void
deliver(void *arg, struct rte_mbuf *frame, uint64_t now)
{
	struct fcn_link_port *port = arg;

	if (unlikely(port->n == port->room) && grow(port) != 0) {
		port->lost++;
		rte_pktmbuf_free(frame);
		return;
	}
	port->frame[(port->first + port->n++) & (port->room - 1)] = frame;
	if (port->n == 1)
		port->wake(port->arg, now);
}

struct fcn_link_port *
fcn_link_port_create(struct fcn_link *link, unsigned int end, void (*wake)(void *arg, uint64_t now),
		void *arg)
{
	struct fcn_link_port *port = calloc(1, sizeof(*port));

	if (port == NULL)
		return NULL;
	port->link = link;
	port->serializer = fcn_link_serializer(link, end);
	port->end = end;
	port->wake = wake;
	port->arg = arg;
	fcn_link_attach(link, end, deliver, port);
	return port;
}

unsigned int
fcn_link_port_flush(struct fcn_link_port *port)
{
	unsigned int n = port->n;

	for (; port->n > 0; port->n--) {
		rte_pktmbuf_free(port->frame[port->first]);
		port->first = (port->first + 1) & (port->room - 1);
	}
	return n;
}

void
fcn_link_port_free(struct fcn_link_port *port)
{
	if (port == NULL)
		return;
	fcn_link_port_flush(port);
	free(port->frame);
	free(port);
}

unsigned int
fcn_link_port_waiting(const struct fcn_link_port *port)
{
	return port->n;
}

uint64_t
fcn_link_port_lost(const struct fcn_link_port *port)
{
	return port->lost;
}

static uint16_t
link_rx_burst(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_link_port *port = private;
	uint16_t count = 0;

	RTE_SET_USED(now);
	for (; count < n && port->n > 0; port->n--) {
		pkts[count++] = port->frame[port->first];
		port->first = (port->first + 1) & (port->room - 1);
	}
	return count;
}

static uint64_t
link_tx_ready(void *private, uint64_t now)
{
	const struct fcn_link_port *port = private;

	RTE_SET_USED(now);
	return fcn_serializer_ready(port->serializer);
}

static uint16_t
link_tx_room(void *private, uint64_t now)
{
	return now >= link_tx_ready(private, now);
}

static uint16_t
link_tx_burst(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_link_port *port = private;

	if (n == 0 || link_tx_room(port, now) == 0)
		return 0;
	fcn_link_send(port->link, port->end, pkts[0], now);
	return 1;
}

static uint64_t
link_bps(void *private)
{
	const struct fcn_link_port *port = private;

	return fcn_link_rate(port->link);
}

static bool
link_up(void *private)
{
	const struct fcn_link_port *port = private;

	return fcn_link_is_up(port->link);
}

const struct fcn_port_ops fcn_link_port_ops = {
		.kind = "link",
		.rx_burst = link_rx_burst,
		.tx_burst = link_tx_burst,
		.tx_room = link_tx_room,
		.tx_ready = link_tx_ready,
		.link_bps = link_bps,
		.link_up = link_up,
};
