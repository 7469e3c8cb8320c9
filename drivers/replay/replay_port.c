/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_memcpy.h>

#include "replay_impl.h"

/* Copy a packet into as many mbufs as it needs; NULL when the pool does not have enough. */
static struct rte_mbuf *
mbuf_of(struct rte_mempool *pool, const uint8_t *data, uint32_t len)
{
	struct rte_mbuf *head = NULL, **link = &head;
	uint32_t left = len;
	uint16_t nb_segs = 0;

	do {
		struct rte_mbuf *seg = rte_pktmbuf_alloc(pool);

		if (seg == NULL) {
			rte_pktmbuf_free(head);
			return NULL;
		}
		seg->data_len = RTE_MIN(left, (uint32_t)rte_pktmbuf_tailroom(seg));
		rte_memcpy(rte_pktmbuf_mtod(seg, void *), data + (len - left), seg->data_len);
		left -= seg->data_len;
		*link = seg;
		link = &seg->next;
		nb_segs++;
	} while (left > 0);
	head->nb_segs = nb_segs;
	head->pkt_len = len;
	return head;
}

static uint16_t
replay_rx_burst(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_replay_port *port = private;
	uint16_t count = 0;

	while (count < n && port->head != NULL && port->head->arrival <= now) {
		struct replay_input *in = port->head;
		struct rte_mbuf *m = mbuf_of(port->pool, in->data, in->len);

		if (m != NULL) {
			port->stats.in_packets++;
			port->stats.in_bytes += in->len;
			pkts[count++] = m;
		} else {
			port->stats.in_no_mbuf++;
		}
		replay_input_advance(in);
		replay_port_choose(port);
	}
	return count;
}

static uint64_t
replay_tx_ready(void *private, uint64_t now)
{
	const struct fcn_replay_port *port = private;

	RTE_SET_USED(now);
	return fcn_serializer_ready(&port->serializer);
}

static uint16_t
replay_tx_room(void *private, uint64_t now)
{
	const struct fcn_replay_port *port = private;

	return now >= fcn_serializer_ready(&port->serializer);
}

static uint16_t
replay_tx_burst(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_replay_port *port = private;

	if (n == 0 || replay_tx_room(port, now) == 0)
		return 0;
	port->last_departure = fcn_serializer_send(&port->serializer, pkts[0]->pkt_len, now);
	port->stats.out_packets++;
	port->stats.out_bytes += pkts[0]->pkt_len;
	if (port->out != NULL)
		replay_output_write(port, pkts[0], port->replay->base + port->last_departure);
	rte_pktmbuf_free(pkts[0]);
	return 1;
}

static uint64_t
replay_link_bps(void *private)
{
	const struct fcn_replay_port *port = private;

	return port->serializer.bps;
}

const struct fcn_port_ops fcn_replay_port_ops = {
		.kind = "replay",
		.rx_burst = replay_rx_burst,
		.tx_burst = replay_tx_burst,
		.tx_room = replay_tx_room,
		.tx_ready = replay_tx_ready,
		.link_bps = replay_link_bps,
};
