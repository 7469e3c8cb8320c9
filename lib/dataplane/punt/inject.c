/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames that the host functions inject, and punted packets that they return. */

#include "fast_route.h"
#include "fcn_punt.h"
#include "fcn_stages.h"

/* Continue with a packet that waited for its neighbour, as if it had just been routed. */
static void
resume(struct fcn_worker *w, const struct fcn_inject *frame, struct rte_mbuf *m,
		struct fcn_packet *p)
{
	const struct fcn_snapshot_port *in = &w->snap->port[frame->in_port];

	fcn_parse_slow(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len,
			&w->snap->codes, &p->info);
	if (in->ioam.transit && fcn_has_trace(&p->info))
		p->flags |= FCN_PACKET_IOAM;
	if (in->lossless >> p->class & 1)
		p->flags |= FCN_PACKET_LOSSLESS;
}

/* Send a frame of the host functions by its port, sub-interface or bridge interface. */
static void
send_out(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct fcn_inject *frame)
{
	const struct fcn_snapshot_port *conf = &w->snap->port[frame->out_port];
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];

	p->out_port = conf->parent;
	if (frame->kind == FCN_INJECT_SEND) {
		w->counters[frame->out_port].generated++;
		w->counters[frame->out_port].injected++;
		p->flags = FCN_PACKET_OWN;
		if (unlikely(fcn_capture_wants_notes(&w->capture)))
			fcn_capture_note_host(m);
	}
	if (conf->mode == FCN_PORT_BRIDGE_INTERFACE && frame->kind == FCN_INJECT_SEND) {
		fcn_bridge_inject(w, b, i);
		return;
	}
	if (conf->vlan != 0 && !fcn_sub_interface_tag(w, m, frame->out_port, frame->class)) {
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
		return;
	}
	if (frame->kind == FCN_INJECT_FORWARD)
		resume(w, frame, m, p);
}

/* Let the stage `route` choose where a packet goes that the host functions made. Its hop limit is
 * that of a packet that leaves. While it waited, its table may have been removed. */
static void
prepare_route(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_inject *frame)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];

	w->counters[frame->in_port].generated++;
	w->counters[frame->in_port].injected++;
	p->flags = FCN_PACKET_OWN | FCN_PACKET_REROUTE | FCN_PACKET_HOP_COUNTED;
	p->table = frame->table;
	fcn_parse_slow(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len,
			&w->snap->codes, &p->info);
	if (unlikely(fcn_capture_wants_notes(&w->capture)))
		fcn_capture_note_host(m);
	if (unlikely(w->snap->table[frame->table].fib == NULL))
		fcn_drop(w, b, i, FCN_DROP_NO_ROUTE);
}

/* Put a packet of the host functions into the burst: to be sent, forwarded, routed or dropped. */
static void
inject(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct fcn_inject *frame)
{
	b->mbuf[i] = frame->mbuf;
	b->pkt[i] = (struct fcn_packet){
			.out_port = FCN_PORT_NONE,
			.in_port = frame->kind == FCN_INJECT_SEND ? frame->out_port
								  : frame->in_port,
			.class = frame->class,
			.level = FCN_LEVEL_NONE,
	};
	if (frame->kind == FCN_INJECT_FORWARD || frame->kind == FCN_INJECT_DROP)
		w->counters[frame->in_port].returned++;
	if (frame->kind == FCN_INJECT_DROP)
		fcn_drop(w, b, i, frame->drop);
	else if (frame->kind == FCN_INJECT_ROUTE)
		prepare_route(w, b, i, frame);
	else
		send_out(w, b, i, frame);
}

void
fcn_stage_inject(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_inject frame[FCN_RX_BURST];
	uint16_t at[FCN_RX_BURST];
	unsigned int n = 0;

	b->n = 0;
	b->n_traced = 0;
	if (likely(w->injects == NULL || rte_ring_empty(w->injects)))
		return;
	b->n = rte_ring_sc_dequeue_burst_elem(
			w->injects, frame, sizeof(frame[0]), RTE_DIM(frame), NULL);
	for (unsigned int i = 0; i < b->n; i++) {
		inject(w, b, i, &frame[i]);
		if (frame[i].kind == FCN_INJECT_ROUTE && b->mbuf[i] != NULL)
			at[n++] = i;
	}
	if (n == 0)
		return;
	fcn_reroute(w, b, at, n);
	fcn_stage_local(w, b);
}

void
fcn_inject_refused(struct fcn_worker *w, void *arg)
{
	struct fcn_burst *b = w->notices;

	b->n = 1;
	b->n_traced = 0;
	inject(w, b, 0, arg);
	rte_pktmbuf_free_bulk(w->dead, w->n_dead);
	w->n_dead = 0;
}
