/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Receiving from ports by their shares in the cycles of the worker: see fcn_rx_share.h.
 */

#ifndef RX_FAIR_H
#define RX_FAIR_H

#include "fcn_stages.h"

/**
 * Receive as fcn_stage_rx() does, while ports compete.
 *
 * @param enough number of packets with which the turn ends
 */
void fcn_rx_fair(struct fcn_worker *w, unsigned int enough);

/** Find out, when a turn has received, whether ports compete: a full burst and packets of another
 * port came. */
void fcn_rx_share_look(struct fcn_worker *w);

/** What follows is not work of the packets that are measured. */
void fcn_rx_share_interrupt(struct fcn_worker *w);
/** What follows is again. */
void fcn_rx_share_resume(struct fcn_worker *w);
/** The work of the packets that are measured is done. */
void fcn_rx_share_measured(struct fcn_worker *w);

/** Adapt to a new snapshot: shares begin anew. */
void fcn_rx_share_reconfigure(struct fcn_worker *w);

/** Forget a port, as another port has its number now. */
void fcn_rx_share_forget_port(struct fcn_worker *w, uint16_t port);

/** Check whether a class of the link partner of a port is paused because the port has to wait. */
static inline bool
fcn_rx_share_pauses(const struct fcn_worker *w, uint16_t port, unsigned int class)
{
	return w->rx_share.port[port].pauses && (w->snap->port[port].lossless >> class & 1) != 0;
}

/** Count packets that a queue has delivered, and fetch their headers into the cache. */
static inline void
fcn_rx_note(struct fcn_worker *w, unsigned int queue, unsigned int n)
{
	struct fcn_received *r = &w->received;
	struct fcn_port_counters *c = &w->counters[w->rx_queue[queue].port];
	const unsigned int end = r->n + n;
	uint32_t bytes = 0;

	for (unsigned int k = r->n; k < end; k++) {
		rte_prefetch0(rte_pktmbuf_mtod(r->mbuf[k], void *));
		bytes += r->mbuf[k]->pkt_len;
	}
	c->rx_packets += n;
	c->rx_bytes += bytes;
	r->n = end;
	r->run[r->n_runs++] = (struct fcn_received_run){.queue = queue, .n = n, .bytes = bytes};
}

#endif /* RX_FAIR_H */
