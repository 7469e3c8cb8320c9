/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"
#include "rx_fair.h"

/*
 * Get the number of packets with which a turn ends. When the turn before had a burst or more, that
 * is half a burst for each port by which packets left, and at least one burst. With fewer packets,
 * the work that is done once for each egress port would be a larger part of each. The headers and
 * buffers of more packets would not stay in the first-level cache until they are transmitted.
 */
static inline unsigned int
enough(const struct fcn_worker *w)
{
	const unsigned int all = FCN_BURST_MAX - FCN_RX_BURST + 1;
	unsigned int some = (w->n_tx_ports + w->n_tx_peers) * (FCN_RX_BURST / 2u);

	if (w->received.n < FCN_RX_BURST)
		return all;
	some = RTE_MAX(some, (unsigned int)FCN_RX_BURST);
	return RTE_MIN(some, all);
}

/*
 * Receive packets. Those of all queues are collected, so that small bursts of many ports share the
 * prefetching of the later stages. The queue that is polled first changes from turn to turn, so
 * that a full burst does not starve any queue.
 *
 * With as much traffic as that, fewer packets do: see enough(). Ports that compete share cycles:
 * see fcn_rx_share.h.
 */
void
fcn_stage_rx(struct fcn_worker *w)
{
	struct fcn_received *r = &w->received;
	const unsigned int stop = enough(w);
	unsigned int next = w->rx_first;

	if (unlikely(w->rx_share.on)) {
		fcn_rx_fair(w, stop);
		fcn_rx_share_look(w);
		return;
	}
	r->n = 0;
	r->n_runs = 0;
	for (unsigned int i = 0; i < w->n_rx_queues && r->n < stop; i++) {
		const struct fcn_rx_queue *q = &w->rx_queue[next];
		const uint16_t n = q->burst(q->handle, &r->mbuf[r->n], FCN_RX_BURST, w->now);

		if (n != 0)
			fcn_rx_note(w, next, n);
		next = next + 1 < w->n_rx_queues ? next + 1 : 0;
	}
	w->rx_first = next;
	if (r->n >= FCN_RX_BURST && w->rx_share.is_wanted)
		fcn_rx_share_look(w);
}

void
fcn_rx_begin(struct fcn_burst *b)
{
	b->n = 0;
	b->n_runs = 0;
	b->n_traced = 0;
}

void
fcn_rx_pass(struct fcn_burst *b, uint16_t port, struct rte_mbuf *const *mbuf, unsigned int n)
{
	const struct fcn_packet fresh = fcn_packet_fresh(port);
	const unsigned int from = b->n, end = from + n;

	memcpy(&b->mbuf[from], mbuf, n * sizeof(*mbuf));
	for (unsigned int i = from; i < end; i++)
		fcn_packet_begin(&b->pkt[i], &fresh);
	b->n = end;
	/* Packets that a port has received one after the other are one run. */
	if (from != 0 && b->pkt[from - 1].in_port == port)
		b->run_end[b->n_runs - 1] = end;
	else
		b->run_end[b->n_runs++] = end;
}

void
fcn_rx_pass_all(const struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_received *r = &w->received;
	unsigned int from = 0;

	fcn_rx_begin(b);
	for (unsigned int k = 0; k < r->n_runs; k++) {
		const struct fcn_received_run *run = &r->run[k];

		fcn_rx_pass(b, w->rx_queue[run->queue].port, &r->mbuf[from], run->n);
		from += run->n;
	}
}
