/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_memcpy.h>

#include "replay_impl.h"

/* Append bytes to a chain of mbufs; those of NULL are zeros. @return the last mbuf; NULL: the pool
 * does not have enough */
static struct rte_mbuf *
append(struct rte_mempool *pool, struct rte_mbuf *head, struct rte_mbuf *last, const uint8_t *data,
		uint32_t len)
{
	while (len > 0) {
		uint16_t n = RTE_MIN(len, (uint32_t)rte_pktmbuf_tailroom(last));
		uint8_t *to = rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len);

		if (n == 0) {
			last->next = rte_pktmbuf_alloc(pool);
			if (last->next == NULL)
				return NULL;
			last = last->next;
			head->nb_segs++;
			continue;
		}
		if (data != NULL) {
			rte_memcpy(to, data, n);
			data += n;
		} else {
			memset(to, 0, n);
		}
		last->data_len += n;
		head->pkt_len += n;
		len -= n;
	}
	return last;
}

/* Make a packet of the look-ahead, in as many mbufs as it needs; NULL when the pool does not have
 * enough. */
static struct rte_mbuf *
mbuf_of(struct rte_mempool *pool, const struct replay_input *in)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *last = m;
	uint8_t head[REPLAY_IPV6_HEAD];
	uint32_t n_head = 0, read = 0;

	if (m == NULL)
		return NULL;
	if (in->place.as_ipv6)
		n_head = replay_ipv6_head(in->data, in->len, head, &read);
	last = append(pool, m, last, head, n_head);
	if (last != NULL)
		last = append(pool, m, last, in->data + read, in->captured - read);
	if (last != NULL)
		last = append(pool, m, last, NULL, in->len - in->captured);
	if (last == NULL) {
		rte_pktmbuf_free(m);
		return NULL;
	}
	if (in->place.has_to)
		memcpy(rte_pktmbuf_mtod(m, void *), in->place.to, sizeof(in->place.to));
	return m;
}

static uint16_t
replay_rx_burst(void *private, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_replay_port *port = private;
	uint16_t count = 0;

	while (count < n && port->head != NULL && port->head->arrival <= now) {
		struct replay_input *in = port->head;
		struct rte_mbuf *m = mbuf_of(port->pool, in);

		if (m != NULL) {
			port->stats.in_packets++;
			port->stats.in_bytes += m->pkt_len;
			port->stats.in_padded += in->captured < in->len;
			pkts[count++] = m;
		} else {
			port->stats.in_no_mbuf++;
		}
		replay_input_advance(in);
		if (in->port != port)
			replay_port_choose(in->port);
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
	if (port->replay->watch.sent != NULL)
		port->replay->watch.sent(port->replay->watch.arg, pkts[0], port->last_departure);
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
