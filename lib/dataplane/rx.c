/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

/* Initialise the packets received from a queue of a port. */
static inline void
begin(struct fcn_worker *w, struct fcn_burst *b, uint16_t port, unsigned int n)
{
	const struct fcn_packet fresh = fcn_packet_fresh(port);
	struct fcn_port_counters *c = &w->counters[port];
	const unsigned int end = b->n + n;
	uint64_t bytes = 0;

	for (unsigned int k = b->n; k < end; k++) {
		rte_prefetch0(rte_pktmbuf_mtod(b->mbuf[k], void *));
		bytes += b->mbuf[k]->pkt_len;
		fcn_packet_begin(&b->pkt[k], &fresh);
	}
	c->rx_packets += n;
	c->rx_bytes += bytes;
	b->n = end;
	b->run_end[b->n_runs++] = end;
}

/*
 * Receive a burst. The packets of all queues are collected into one burst, so that small bursts of
 * many ports share the prefetching of the later stages. The queue that is polled first changes from
 * turn to turn, so that a full burst does not starve any queue.
 */
void
fcn_stage_rx(struct fcn_worker *w, struct fcn_burst *b)
{
	unsigned int next = w->rx_first;

	b->n = 0;
	b->n_runs = 0;
	for (unsigned int i = 0; i < w->n_rx_queues && b->n + FCN_RX_BURST <= FCN_BURST_MAX; i++) {
		const struct fcn_rx_queue *q = &w->rx_queue[next];
		uint16_t n;

		next = next + 1 < w->n_rx_queues ? next + 1 : 0;
		n = q->burst(q->handle, &b->mbuf[b->n], FCN_RX_BURST, w->now);
		if (n != 0)
			begin(w, b, q->port, n);
	}
	w->rx_first = next;
}
