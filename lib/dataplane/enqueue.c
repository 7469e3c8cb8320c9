/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

/* RFC 3168 section 5: Congestion Experienced. IPv4 has a checksum to keep right (RFC 1624). */
static void
mark_ce(uint8_t *data, const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_IPV6) {
		data[info->l3_off + 1] |= 0x30;
	} else {
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + info->l3_off);
		uint8_t tos = ip->type_of_service | 0x03;
		uint32_t sum = (uint16_t)~rte_be_to_cpu_16(ip->hdr_checksum);

		sum += (uint16_t)~ip->type_of_service + tos;
		sum = (sum & 0xFFFF) + (sum >> 16);
		sum = (sum & 0xFFFF) + (sum >> 16);
		ip->hdr_checksum = rte_cpu_to_be_16((uint16_t)~sum);
		ip->type_of_service = tos;
	}
}

static void
try_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p)
{
	uint8_t ecn = p->info.tclass & 0x3;

	if (!(p->info.flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) || ecn == 0) {
		q->stats.not_ect++;
		return;
	}
	if (ecn == 3)
		return;
	mark_ce(rte_pktmbuf_mtod(m, uint8_t *), &p->info);
	p->info.tclass |= 0x3;
	p->flags |= FCN_PACKET_CE_MARKED;
	q->stats.ce_marked++;
}

/* Buffers for notices are taken in bulk; an empty pool or a full turn refuses one. */
static enum fcn_notify_verdict
room_for_notice(struct fcn_worker *w)
{
	if (w->n_notices == FCN_NOTICE_MAX)
		return FCN_NOTIFY_BURST_FULL;
	if (w->n_spare == 0) {
		unsigned int n = FCN_NOTICE_MAX / 2;

		if (unlikely(rte_pktmbuf_alloc_bulk(w->pool, w->spare, n) != 0)) {
			/* fewer than that are left: one will do */
			n = 1;
			w->spare[0] = rte_pktmbuf_alloc(w->pool);
			if (w->spare[0] == NULL)
				return FCN_NOTIFY_NO_MBUF;
		}
		w->n_spare = n;
	}
	return FCN_NOTIFY_NONE;
}

static void
add_notice(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint32_t occupancy)
{
	unsigned int k = w->n_notices++;
	struct fcn_notice *notice = &w->notice[k];

	notice->mbuf = w->spare[--w->n_spare];
	notice->cause_mbuf = b->mbuf[i];
	notice->cause = &b->pkt[i];
	notice->occupancy = occupancy;
	fcn_notify_request(rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *), &b->pkt[i].info,
			b->pkt[i].verdict, rte_pktmbuf_mtod(notice->mbuf, uint8_t *),
			&w->notice_req[k]);
}

static void
state_event(struct fcn_worker *w, const struct fcn_packet *p, enum fcn_event_type type,
		uint32_t occupancy)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = type,
			.class = p->class,
			.level = p->level,
			.port = p->out_port,
			.in_port = p->in_port,
			.occupancy = occupancy,
	};

	fcn_worker_event(w, &ev);
}

/* A packet that met congestion: notify, mark, or neither. @return whether to mark it. */
static bool
congested(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, struct fcn_queue *q,
		const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	struct fcn_packet *p = &b->pkt[i];
	struct fcn_notify_decision d;

	q->stats.congested_packets++;
	if ((p->info.tclass & 0x3) == 0x3)
		q->stats.ce_seen++;
	d = fcn_notify_decide(&w->snap->notify, &w->notify,
			rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *), &p->info, p->out_port,
			conf->notify, conf->ecn,
			conf->notify && w->snap->notify.fast_cnp ? room_for_notice(w)
								 : FCN_NOTIFY_NONE,
			w->now);
	p->verdict = d.verdict;
	if (fcn_notify_verdict_is_sent(d.verdict))
		add_notice(w, b, i, occupancy);
	return d.mark;
}

static enum fcn_drop_reason
drop_of_verdict(enum fcn_queue_verdict v)
{
	return v == FCN_QUEUE_BYTES_LIMIT ? FCN_DROP_QUEUE_BYTES : FCN_DROP_QUEUE_PACKETS;
}

/* The queue a run of packets goes to. */
struct target {
	uint32_t way;          /* fcn_packet_way() of those packets */
	struct fcn_egress *eg; /* NULL: the port is gone */
	struct fcn_queue *q;
	const struct fcn_egress_conf *eg_conf;
	const struct fcn_queue_conf *conf;
};

static void
aim(const struct fcn_worker *w, const struct fcn_packet *p, struct target *t)
{
	t->way = fcn_packet_way(p);
	t->eg = w->port[p->out_port].egress;
	t->q = t->eg != NULL ? &t->eg->queue[p->class] : NULL;
	t->eg_conf = &w->snap->port[p->out_port].egress;
	t->conf = &t->eg_conf->queue[p->class];
}

/*
 * The detector looks before the limit does: a packet that is lost to a full
 * queue is the best of reasons to tell its sender. @return whether to mark it.
 */
static bool
detect(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct target *t,
		uint32_t len)
{
	struct fcn_packet *p = &b->pkt[i];
	struct fcn_queue *q = t->q;
	uint32_t occupancy = q->bytes + len;
	bool was_congested = q->detector.congested;

	p->level = fcn_detector_arrival(&q->detector, &t->conf->detector, occupancy, len, w->now);
	if (unlikely(q->detector.congested != was_congested))
		state_event(w, p, was_congested ? FCN_EVENT_RECOVERED : FCN_EVENT_CONGESTED,
				occupancy);
	return unlikely(p->level != FCN_LEVEL_NONE) && congested(w, b, i, q, t->conf, occupancy);
}

/* The general way, for one packet. */
static void
enqueue_one(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct target *t)
{
	struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];
	enum fcn_queue_verdict v;
	uint32_t len = m->pkt_len;
	uint8_t flags = 0;
	bool mark = false;

	if (likely(!(p->flags & FCN_PACKET_NOTICE)))
		mark = detect(w, b, i, t, len);
	else
		flags = FCN_ENTRY_NOTICE;
	v = fcn_egress_push(t->eg, t->eg_conf, p->class, m, len, flags, p->trace, w->now);
	if (unlikely(v != FCN_QUEUE_TAKEN))
		fcn_drop(w, b, i, drop_of_verdict(v));
	else if (mark) /* what is lost is not marked; what is queued leaves only after this stage */
		try_mark(t->q, m, p);
}

/*
 * Packets one behind the other that go the same way, as long as the detector
 * and the limits have nothing to say about them: the queue is looked at once
 * for all. @return how many.
 */
static unsigned int
enqueue_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, const struct target *t)
{
	const struct fcn_packet *first = &b->pkt[from];
	const struct fcn_detector_conf *detector = &t->conf->detector;
	const bool notice = first->flags & FCN_PACKET_NOTICE;
	const uint8_t flags = first->class | (notice ? FCN_ENTRY_NOTICE : 0);
	struct fcn_detector_quiet quiet = {UINT32_MAX, UINT32_MAX};
	struct fcn_queue_fill fill;
	unsigned int i = from;

	if (likely(!notice))
		quiet = fcn_detector_quiet(&t->q->detector, detector);
	if (unlikely(quiet.occupancy == 0))
		return 0;
	fill = fcn_queue_fill_begin(t->q, t->conf, w->now);
	do {
		struct rte_mbuf *m = b->mbuf[i];
		uint32_t len = m->pkt_len, bytes = fill.bytes + len;

		if (unlikely(bytes >= quiet.occupancy || bytes - fill.start >= quiet.arrived ||
				    !fcn_queue_fill_has_room(&fill, len)))
			break;
		fcn_queue_fill_add(
				&fill, m, len, fcn_queue_meta(w->now, len, flags, b->pkt[i].trace));
		i++;
	} while (i < b->n && b->mbuf[i] != NULL && fcn_packet_way(&b->pkt[i]) == t->way);
	if (likely(!notice))
		fcn_detector_quiet_arrivals(&t->q->detector, detector, fill.bytes - fill.start);
	fcn_queue_fill_end(&fill, t->q);
	if (likely(i > from))
		t->eg->backlog |= 1u << first->class;
	return i - from;
}

void
fcn_stage_enqueue(struct fcn_worker *w, struct fcn_burst *b)
{
	struct target t = {.way = UINT32_MAX}; /* no packet has all flags */

	for (unsigned int i = 0; i < b->n;) {
		const struct fcn_packet *p = &b->pkt[i];
		unsigned int n;

		if (unlikely(b->mbuf[i] == NULL)) {
			i++;
			continue;
		}
		if (fcn_packet_way(p) != t.way)
			aim(w, p, &t);
		if (unlikely(t.eg == NULL)) {
			fcn_drop(w, b, i++, FCN_DROP_PORT_GONE);
			continue;
		}
		n = enqueue_run(w, b, i, &t);
		if (unlikely(n == 0)) {
			enqueue_one(w, b, i, &t);
			n = 1;
		}
		i += n;
	}
}
