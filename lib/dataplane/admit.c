/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_admit.h"

#define LOSS_EVENT_NS 1000000

/* Whether the sender behind a port is to pause changed. */
static void
set_xoff(struct fcn_worker *w, uint16_t port, uint8_t class, bool xoff)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = xoff ? FCN_EVENT_PFC_XOFF : FCN_EVENT_PFC_XON,
			.class = class,
			.level = FCN_LEVEL_NONE,
			.port = port,
			.in_port = port,
			.occupancy = w->ingress[port][class].used,
	};

	fcn_pause_publish(w, port, class, xoff);
	fcn_worker_event(w, &ev);
}

/* The port whose line a packet came in by: what is lossless is the line. */
static inline uint16_t
line_of(const struct fcn_worker *w, const struct fcn_packet *p)
{
	return w->snap->port[p->in_port].phys;
}

/* One event tells of all the losses of a millisecond. */
static void
loss_event(struct fcn_worker *w, const struct fcn_packet *p)
{
	const uint16_t line = line_of(w, p);
	uint64_t *told = &w->loss_told[line][p->class];
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_LOSSLESS_LOSS,
			.class = p->class,
			.level = FCN_LEVEL_NONE,
			.port = line,
			.in_port = line,
			.occupancy = w->ingress[line][p->class].used,
	};

	if (*told != 0 && w->now - *told < LOSS_EVENT_NS)
		return;
	*told = RTE_MAX(w->now, (uint64_t)1);
	fcn_worker_event(w, &ev);
}

/*
 * A packet of a lossless class stands on the account of where it came in:
 * neither the queue's limit in bytes nor the shared buffer's threshold loses it.
 */
static enum fcn_queue_verdict
admit_lossless(struct fcn_worker *w, const struct fcn_packet *p, const struct fcn_queue *q,
		uint32_t len)
{
	const uint16_t line = line_of(w, p);
	const struct fcn_ingress_conf *conf = &w->snap->port[line].ingress[p->class];
	struct fcn_ingress *in = &w->ingress[line][p->class];
	const bool was_xoff = in->xoff;
	enum fcn_queue_verdict v = FCN_QUEUE_TAKEN;

	if (unlikely(fcn_queue_packets(q) > q->mask)) {
		in->lost_packets++;
		in->lost_bytes += len;
		v = FCN_REFUSED_LOSSLESS_PACKETS;
	} else if (unlikely(!fcn_ingress_charge(in, conf, &w->buffer, &w->snap->buffer, len))) {
		v = FCN_REFUSED_LOSSLESS_HEADROOM;
	}
	if (unlikely(in->xoff != was_xoff))
		set_xoff(w, line, p->class, true);
	if (unlikely(v != FCN_QUEUE_TAKEN))
		loss_event(w, p);
	return v;
}

enum fcn_queue_verdict
fcn_admit(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		const struct fcn_queue_conf *conf, uint32_t len, uint8_t *flags)
{
	struct fcn_queue *q = &eg->queue[p->class];
	enum fcn_queue_verdict v;

	if (unlikely(eg->dropping >> p->class & 1))
		return FCN_REFUSED_PAUSE_STORM;
	if (unlikely(p->flags & FCN_PACKET_LOSSLESS)) {
		*flags |= FCN_ENTRY_LOSSLESS;
		return admit_lossless(w, p, q, len);
	}
	v = fcn_queue_check(q, conf, len);
	/* Notices are small and few: their queue's own limits hold them. */
	if (likely(v != FCN_QUEUE_TAKEN || w->snap->buffer.size == 0 ||
			    p->flags & FCN_PACKET_NOTICE))
		return v;
	if (!fcn_account_admits(&w->buffer, &w->snap->buffer, &conf->account, q->charged, len))
		return FCN_REFUSED_BUFFER;
	fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged + len);
	q->charged += len;
	*flags |= FCN_ENTRY_CHARGED;
	return FCN_QUEUE_TAKEN;
}

void
fcn_note_duties(const struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint8_t *flags)
{
	m->port = line_of(w, p); /* a sub-interface may be gone when the packet leaves */
	m->vlan_tci = p->flags & FCN_PACKET_BRIDGED ? p->vlan : 0;
	if (*flags & FCN_ENTRY_IOAM)
		m->hash.fdir.hi = p->delay_off;
	if (conf->contributors && !(*flags & FCN_ENTRY_NOTICE)) {
		uint32_t slot = fcn_flow_slot(fcn_notify_flow_hash(
				&w->notify.key, rte_pktmbuf_mtod(m, const uint8_t *), &p->info));

		m->hash.fdir.lo = slot;
		fcn_flow_share_add(q->flows, slot, m->pkt_len);
		*flags |= FCN_ENTRY_FLOW;
	}
}

static void
release_lossless(struct fcn_worker *w, uint16_t port, uint8_t class, uint32_t len)
{
	struct fcn_ingress *in = &w->ingress[port][class];
	const bool was_xoff = in->xoff;

	fcn_ingress_release(
			in, &w->snap->port[port].ingress[class], &w->buffer, &w->snap->buffer, len);
	if (unlikely(in->xoff != was_xoff))
		set_xoff(w, port, class, false);
}

void
fcn_do_duties(struct fcn_worker *w, struct fcn_queue *q, const struct fcn_queue_conf *conf,
		const struct fcn_queue_entry *e)
{
	struct rte_mbuf *m = e->mbuf;

	if (e->flags & FCN_ENTRY_LOSSLESS)
		release_lossless(w, m->port, e->flags & FCN_ENTRY_CLASS, e->len);
	if (e->flags & FCN_ENTRY_CHARGED) {
		fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged - e->len);
		q->charged -= e->len;
	}
	if (e->flags & FCN_ENTRY_FLOW)
		fcn_flow_share_remove(q->flows, m->hash.fdir.lo, e->len);
	if (e->flags & FCN_ENTRY_IOAM) {
		uint32_t delay = (uint32_t)w->now - e->enqueued_ns;

		delay = rte_cpu_to_be_32(RTE_MIN(delay, FCN_IOAM_DELAY_OVERFLOW));
		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, m->hash.fdir.hi), &delay,
				sizeof(delay));
	}
}

void
fcn_admit_recount(struct fcn_worker *w)
{
	const struct fcn_snapshot *s = w->snap;
	uint64_t shared = 0, headroom = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_ingress *in = &w->ingress[p][c];

			shared += fcn_ingress_shared(in, &s->port[p].ingress[c]);
			headroom += in->headroom;
			if (w->port[p].egress != NULL)
				shared += fcn_buffer_over(w->port[p].egress->queue[c].charged,
						s->port[p].egress.queue[c].account.reserve);
		}
	}
	w->buffer.shared_used = shared;
	w->buffer.shared_max = RTE_MAX(w->buffer.shared_max, shared);
	w->buffer.headroom_used = headroom;
}
