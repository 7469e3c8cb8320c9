/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "admit.h"
#include "lossless.h"

/*
 * Decide about a packet of a lossless class. It is charged to the account of its ingress port, so
 * neither the limit of the queue in bytes nor the threshold of the shared buffer drops it.
 */
static enum fcn_queue_verdict
admit_lossless(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q, uint32_t len)
{
	const uint16_t parent = fcn_parent_port_of(w, p);
	enum fcn_queue_verdict v = FCN_QUEUE_ACCEPTED;

	if (unlikely(fcn_queue_packets(q) > q->mask)) {
		fcn_lossless_lost(w, parent, p->class, len);
		return FCN_REFUSED_LOSSLESS_PACKETS;
	}
	/* The worker that received it has added it to the account already. */
	if (!(p->flags & FCN_PACKET_ACCOUNTED))
		v = fcn_lossless_charge(w, parent, p->class, len);
	q->lossless += v == FCN_QUEUE_ACCEPTED;
	return v;
}

enum fcn_queue_verdict
fcn_admit(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		const struct fcn_queue_conf *conf, uint32_t len, uint16_t *flags)
{
	struct fcn_queue *q = &eg->queue[p->class];
	enum fcn_queue_verdict v;

	if (unlikely(eg->dropping >> p->class & 1))
		return FCN_REFUSED_PAUSE_STORM;
	if (unlikely(p->flags & FCN_PACKET_LOSSLESS)) {
		*flags |= FCN_ENTRY_LOSSLESS;
		return admit_lossless(w, p, q, len);
	}
	v = fcn_queue_check(q, conf, w->packets.most, len);
	/* Notices and what was trimmed here are small and few: only the limits of their queue
	 * apply. */
	if (likely(v != FCN_QUEUE_ACCEPTED || w->snap->buffer.size == 0 ||
			    p->flags & FCN_PACKET_NOTICE || fcn_packet_is_trimmed_here(p)))
		return v;
	if (!fcn_account_admits(&w->buffer, &w->snap->buffer, &conf->account, q->charged, len))
		return FCN_REFUSED_BUFFER;
	fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged + len);
	q->charged += len;
	*flags |= FCN_ENTRY_CHARGED;
	return FCN_QUEUE_ACCEPTED;
}

void
fcn_admit_add(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t bytes, uint32_t n)
{
	if (p->flags & FCN_PACKET_LOSSLESS) {
		if (!(p->flags & FCN_PACKET_ACCOUNTED))
			fcn_lossless_add_all(w, fcn_parent_port_of(w, p), p->class, bytes, n);
		if (q != NULL)
			q->lossless += n;
		return;
	}
	fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged + bytes);
	q->charged += bytes;
}

bool
fcn_admits_all(const struct fcn_worker *w, const struct fcn_packet *p, const struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t bytes, uint32_t n)
{
	if (!(p->flags & FCN_PACKET_LOSSLESS))
		return fcn_account_admits_all(
				&w->buffer, &w->snap->buffer, &conf->account, q->charged, bytes);
	return p->flags & FCN_PACKET_ACCOUNTED ||
	       fcn_lossless_admits_all(w, fcn_parent_port_of(w, p), p->class, bytes, n);
}

bool
fcn_admit_all(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t bytes, uint32_t n)
{
	if (unlikely(!fcn_admits_all(w, p, q, conf, bytes, n)))
		return false;
	fcn_admit_add(w, p, q, conf, bytes, n);
	return true;
}

bool
fcn_admit_has_room(const struct fcn_worker *w, const struct fcn_packet *p,
		const struct fcn_egress *eg, const struct fcn_queue_conf *conf, uint32_t len)
{
	const struct fcn_queue *q = &eg->queue[p->class];

	if (p->flags & FCN_PACKET_LOSSLESS)
		return fcn_queue_packets(q) <= q->mask;
	if (fcn_queue_check(q, conf, w->packets.most, len) != FCN_QUEUE_ACCEPTED)
		return fcn_queue_is_empty(q);
	return w->snap->buffer.size == 0 || w->buffer.shared_used == 0 ||
	       fcn_account_admits(&w->buffer, &w->snap->buffer, &conf->account, q->charged, len);
}

void
fcn_note_dequeue_actions(const struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint16_t *flags)
{
	struct fcn_queued *queued = fcn_queued_of(w, m);

	if (!(p->flags & FCN_PACKET_ACCOUNTED)) {
		/* A sub-interface may have been removed when the packet leaves. */
		queued->in_port = fcn_parent_port_of(w, p);
		queued->account = w->index;
	}
	queued->vlan = p->flags & FCN_PACKET_BRIDGED ? p->vlan : 0;
	queued->proxy_front = fcn_wire_proxy_front(&p->info);
	if (*flags & FCN_ENTRY_IOAM)
		queued->delay_off = p->delay_off;
	*flags |= FCN_ENTRY_NOTED;
	if (conf->policy.heavy_flows && !(*flags & FCN_ENTRY_NOTICE)) {
		uint32_t slot = fcn_flow_slot(fcn_notify_flow_hash(
				&w->hash_key, rte_pktmbuf_mtod(m, const uint8_t *), &p->info));

		queued->flow = slot;
		fcn_flow_occupancy_add(q->flows, slot, m->pkt_len);
		*flags |= FCN_ENTRY_FLOW;
	}
}

void
fcn_run_dequeue_actions(struct fcn_worker *w, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, const struct fcn_queue_entry *e)
{
	struct rte_mbuf *m = e->mbuf;

	if (e->flags & FCN_ENTRY_LOSSLESS) {
		fcn_lossless_release(w, m, e->flags & FCN_ENTRY_CLASS, e->len);
		q->lossless--;
	}
	if (e->flags & FCN_ENTRY_CHARGED) {
		fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged - e->len);
		q->charged -= e->len;
	}
	if (e->flags & FCN_ENTRY_FLOW)
		fcn_flow_occupancy_remove(q->flows, fcn_queued_of(w, m)->flow, e->len);
	if (e->flags & FCN_ENTRY_IOAM) {
		uint32_t delay = (uint32_t)w->now - e->enqueued_ns;

		delay = rte_cpu_to_be_32(RTE_MIN(delay, FCN_IOAM_DELAY_OVERFLOW));
		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, fcn_queued_of(w, m)->delay_off),
				&delay, sizeof(delay));
	}
}

/*
 * Remove successive packets with the actions of the first one from the account of their queue.
 *
 * @return number of packets
 */
static unsigned int
uncharge_run(struct fcn_worker *w, struct fcn_queue *q, const struct fcn_queue_conf *conf,
		struct fcn_queue_entry *e, unsigned int n)
{
	const uint16_t mask = FCN_ENTRY_CLASS | FCN_ENTRY_DEQUEUE_ACTIONS;
	const uint16_t same = e[0].flags & mask;
	unsigned int i = 0;
	uint32_t bytes = 0;

	do {
		bytes += e[i].len;
		e[i].flags &= ~FCN_ENTRY_DEQUEUE_ACTIONS;
		i++;
	} while (i < n && (e[i].flags & mask) == same);
	fcn_account_move(&w->buffer, &conf->account, q->charged, q->charged - bytes);
	q->charged -= bytes;
	return i;
}

void
fcn_run_all_dequeue_actions(struct fcn_worker *w, struct fcn_egress *eg,
		const struct fcn_egress_conf *conf, struct fcn_queue_entry *e, unsigned int n)
{
	for (unsigned int i = 0; i < n;) {
		const unsigned int class = e[i].flags & FCN_ENTRY_CLASS;
		struct fcn_queue *q = &eg->queue[class];
		unsigned int released;

		switch (e[i].flags & FCN_ENTRY_DEQUEUE_ACTIONS) {
		case 0:
			i++;
			break;
		case FCN_ENTRY_CHARGED:
			i += uncharge_run(w, q, &conf->queue[class], &e[i], n - i);
			break;
		case FCN_ENTRY_LOSSLESS:
			released = fcn_lossless_release_run(w, &e[i], n - i);
			q->lossless -= released;
			i += released;
			break;
		default:
			fcn_run_dequeue_actions(w, q, &conf->queue[class], &e[i]);
			e[i++].flags &= ~FCN_ENTRY_DEQUEUE_ACTIONS;
			break;
		}
	}
}

void
fcn_admit_recount(struct fcn_worker *w)
{
	const struct fcn_snapshot *s = w->snap;
	uint64_t shared = 0, headroom = 0, packets = w->packets.counted, packets_headroom = 0;

	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_ingress *in = &w->ingress[p][c];

			shared += fcn_ingress_shared(in, &s->port[p].ingress[c]);
			headroom += in->headroom;
			packets += fcn_ingress_shared(
					&w->ingress_packets[p][c], &s->port[p].ingress_packets[c]);
			packets_headroom += w->ingress_packets[p][c].headroom;
			if (w->port[p].egress != NULL)
				shared += fcn_buffer_over(w->port[p].egress->queue[c].charged,
						s->port[p].egress.queue[c].account.reserve);
		}
	}
	w->buffer.shared_used = shared;
	w->buffer.shared_max = RTE_MAX(w->buffer.shared_max, shared);
	w->buffer.headroom_used = headroom;
	/* What queues have is counted at the end of each turn. */
	w->packets.packets.shared_used = packets;
	w->packets.packets.headroom_used = packets_headroom;
	fcn_packet_use_update(&w->packets, &s->budget);
}
