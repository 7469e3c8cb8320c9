/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_pfc.h>

#include "arn_pass_on.h"
#include "arn_send.h"
#include "discard.h"
#include "fcn_stages.h"
#include "proxy.h"
#include "rx_fair.h"
#include "tx_ring.h"

/* Pass a frame to the port. @return whether it was accepted */
static unsigned int
port_tx(struct fcn_worker *w, uint16_t port, struct rte_mbuf *m)
{
	const struct fcn_worker_port *wp = &w->port[port];
	const struct fcn_queue_entry e = {.mbuf = m};
	const bool captured = fcn_capture_is_on_port(&w->capture, FCN_CAPTURE_TX, port);
	unsigned int accepted;

	if (unlikely(captured))
		fcn_capture_tx(w, port, &e, 1, FCN_CAPTURE_PAUSE);
	accepted = wp->ops->tx_burst(wp->priv, &m, 1, w->now);
	if (unlikely(captured))
		fcn_capture_tx_done(w, accepted);
	return accepted;
}

/*
 * Send the PFC frame that is due. It is sent before all packets, without shaping, as soon as the
 * link is free.
 */
static unsigned int
send_frame(struct fcn_worker *w, uint16_t port)
{
	struct fcn_worker_port *wp = &w->port[port];
	const struct fcn_snapshot_port *conf = &w->snap->port[port];
	struct fcn_port_counters *c = &w->counters[port];
	uint16_t quanta[FCN_PFC_PRIORITIES];
	struct fcn_pause sent = wp->pause;
	struct rte_mbuf *m;
	uint8_t priorities;

	if (wp->ops->tx_room != NULL && wp->ops->tx_room(wp->priv, w->now) == 0)
		return 0;
	m = rte_pktmbuf_alloc(w->pool);
	if (unlikely(m == NULL)) {
		c->pause_no_mbuf++; /* the frame is tried again in the next turn */
		return 0;
	}
	priorities = fcn_pause_fill_frame(&sent, &conf->pause, quanta, w->now);
	fcn_pfc_build((uint8_t *)rte_pktmbuf_append(m, FCN_PFC_FRAME_LEN), &conf->mac, priorities,
			quanta);
	if (port_tx(w, port, m) != 1) {
		rte_pktmbuf_free(m);
		return 0;
	}
	wp->pause = sent;
	if (wp->ring != NULL)
		fcn_tx_ring_add(wp->ring, FCN_PFC_FRAME_LEN, 1);
	fcn_shaper_charge(&wp->egress->shaper, &conf->egress.shaper, FCN_PFC_FRAME_LEN, w->now);
	c->pause_sent++;
	c->generated++;
	c->tx_packets++;
	c->tx_bytes += FCN_PFC_FRAME_LEN;
	return 1;
}

/* Push an event that a pause storm of a class has begun or ended. */
static void
storm_event(struct fcn_worker *w, uint16_t port, unsigned int class, enum fcn_event_type type)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = type,
			.class = class,
			.level = FCN_LEVEL_NONE,
			.port = port,
			.in_port = FCN_PORT_NONE,
			.occupancy = w->port[port].egress->queue[class].bytes,
	};

	fcn_worker_event(w, &ev);
}

/*
 * Update the pauses of a port to the present time, push events about pause storms, and drop packets
 * in storms. @return number of packets dropped
 */
static unsigned int
update_pauses(struct fcn_worker *w, uint16_t port)
{
	struct fcn_worker_port *wp = &w->port[port];
	struct fcn_egress *eg = wp->egress;
	struct fcn_pause_update found = {0};
	unsigned int dropped = 0;

	if (!fcn_pause_is_idle(&wp->pause))
		found = fcn_pause_update(
				&wp->pause, &w->snap->port[port].pause, eg->backlog, w->now);
	eg->held = found.held;
	eg->dropping = found.dropped;
	if (unlikely((wp->pause.stopped | wp->pause.halted | eg->paused | eg->halted) != 0))
		fcn_arn_update_paused(w, port);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (unlikely(found.began >> c & 1))
			storm_event(w, port, c, FCN_EVENT_STORM);
		if (unlikely(found.restored >> c & 1))
			storm_event(w, port, c, FCN_EVENT_STORM_OVER);
		if (unlikely(found.dropped >> c & 1))
			dropped += fcn_discard_queued(w, port, c, FCN_REFUSED_PAUSE_STORM);
	}
	return dropped;
}

/*
 * Combine what all workers require of the sender behind a port. Every worker may have packets from
 * that port in its queues, so the port pauses its sender as long as one worker requires it.
 */
static void
combine_xoff(struct fcn_worker *w, uint16_t port)
{
	struct fcn_pause *pause = &w->port[port].pause;
	uint8_t xoff = w->xoff[port];

	for (unsigned int i = 0; i < w->n_peers; i++)
		xoff |= __atomic_load_n(&w->peer[i].worker->xoff[port], __ATOMIC_RELAXED);
	for (unsigned int left = xoff ^ pause->xoff; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);

		fcn_pause_set_xoff(pause, &w->snap->port[port].pause, c, xoff >> c & 1);
		w->port[port].pausing = true;
	}
}

void
fcn_pause_publish(struct fcn_worker *w, uint16_t port, unsigned int class, bool xoff)
{
	uint8_t bit = 1u << class;

	xoff |= w->ingress_packets[port][class].xoff || fcn_arn_edge_pauses(w, port, class) ||
		fcn_proxy_pauses(w, port, class) || fcn_rx_share_pauses(w, port, class);
	__atomic_store_n(&w->xoff[port], xoff ? w->xoff[port] | bit : w->xoff[port] & ~bit,
			__ATOMIC_RELAXED);
	if (likely(w->port[port].egress != NULL)) /* otherwise its owner checks it every turn */
		combine_xoff(w, port);
}

unsigned int
fcn_pause_port(struct fcn_worker *w, uint16_t port)
{
	struct fcn_worker_port *wp = &w->port[port];
	unsigned int moved = update_pauses(w, port);

	if (unlikely(w->n_peers != 0))
		combine_xoff(w, port);
	if (fcn_pause_is_due(&wp->pause, w->now))
		moved += send_frame(w, port);
	/* What other workers require is asked in each turn. */
	wp->pausing = (w->n_peers != 0 && w->snap->port[port].pause_on) ||
		      !fcn_pause_is_idle(&wp->pause) || wp->pause.refresh_at != FCN_PAUSE_NEVER ||
		      wp->pause.pending != 0 || (wp->egress->paused | wp->egress->halted) != 0;
	return moved;
}
