/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "admit.h"
#include "congestion.h"
#include "fcn_stages.h"
#include "flow_sample.h"
#include "lossless.h"
#include "queue_target.h"
#include "trim.h"

void
fcn_select_account(
		const struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue_target *t)
{
	const bool buffer = w->snap->buffer.size != 0;

	t->alone |= !buffer || t->conf->policy.heavy_flows || t->conf->detector.at_dequeue;
	if (p->flags & FCN_PACKET_LOSSLESS)
		t->account = FCN_CHARGE_INGRESS;
	else if (buffer && !(p->flags & FCN_PACKET_NOTICE))
		t->account = FCN_CHARGE_QUEUE;
}

/* Run any detector in any state. @return congestion level of the packet */
static __rte_noinline int
run_detector(struct fcn_worker *w, struct fcn_packet *p, const struct fcn_queue_target *t,
		uint32_t occupancy, uint32_t len)
{
	const struct fcn_detector_conf *conf = &t->conf->detector;
	struct fcn_queue *q = t->q;
	struct fcn_detector *d = &q->detector;
	const struct fcn_detector_view view = {
			.occupancy = occupancy,
			.len = len,
			.age_ns = fcn_head_age(q, conf, w->now),
			.now = w->now,
			.random = &w->random,
	};
	uint64_t leaves = d->leaves, enters = d->enters;

	p->level = fcn_detector_arrival(d, conf, &view);
	if (unlikely(d->leaves != leaves))
		fcn_congestion_ended(w, p->out_port, t->eg, p->class);
	if (unlikely(d->enters != enters))
		fcn_congestion_began(w, p, t->eg, occupancy);
	if (d->congested && conf->type != FCN_DETECTOR_OFF && !conf->at_dequeue)
		fcn_episode_arrival(q->episodes, occupancy - len, len,
				fcn_detector_is_over(d, conf, &view), p->level, w->now);
	return p->level;
}

/*
 * Run the detector for a packet, and decide about notices. This is done before the limits are
 * checked, because the loss of a packet by a full queue is a reason to notify its sender.
 *
 * @return whether to mark the packet
 */
static inline bool
detect(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_target *t)
{
	const struct fcn_detector_conf *conf = &t->conf->detector;
	struct fcn_queue *q = t->q;
	const uint32_t len = m->pkt_len, occupancy = q->bytes + len + t->eg->ring_bytes;

	if (likely(fcn_detector_stays_congested(&q->detector, conf, occupancy, w->now))) {
		p->level = q->detector.level;
		fcn_episode_arrival(q->episodes, occupancy - len, len, occupancy >= conf->enter,
				p->level, w->now);
	} else if (fcn_detector_stays_uncongested(&q->detector, conf, occupancy) ||
			run_detector(w, p, t, occupancy, len) == FCN_LEVEL_NONE) {
		return false;
	}
	return fcn_congestion_decide(w, m, p, q, t->conf, occupancy);
}

/*
 * Drop a packet that its queue does not accept, and count the reason at the queue. Its flow is to
 * blame, also without a detector, unless nothing can leave by the port.
 */
static __rte_noinline void
refuse(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const struct fcn_queue_target *t,
		enum fcn_queue_verdict why)
{
	if (t->runs_detector && why != FCN_REFUSED_PORT_DOWN && why != FCN_REFUSED_PAUSE_STORM)
		fcn_flow_sample(w, b->mbuf[i], &b->pkt[i], t->q, true);
	fcn_queue_count_drop(t->q, why, b->mbuf[i]->pkt_len);
	if (t->q->detector.congested)
		t->q->episodes->current.dropped++;
	fcn_drop(w, b, i, fcn_drop_of_refusal(why));
}

/* Check whether arrivals at the queue count in an episode of congestion now. */
static inline bool
counts_arrivals(const struct fcn_queue_target *t)
{
	return unlikely(t->q->detector.congested) && t->conf->detector.type != FCN_DETECTOR_OFF &&
	       !t->conf->detector.at_dequeue;
}

/* Update the highest occupancy of the episode, after a packet was queued. */
static inline void
note_peak(const struct fcn_worker *w, const struct fcn_queue_target *t)
{
	struct fcn_episode *ep = &t->q->episodes->current;
	const uint32_t occupancy = t->q->bytes + t->eg->ring_bytes;

	if (occupancy > ep->peak_bytes) {
		ep->peak_bytes = occupancy;
		ep->peak_ns = w->now;
	}
}

/* Let the trace of a packet end here if it is not one that is waited for. */
static void
settle_trace(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_queue_verdict v,
		bool mark)
{
	const struct fcn_packet *p = &b->pkt[i];
	const uint8_t ecn = p->info.tclass & 0x3;
	const bool is_ect = p->info.flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6) && ecn != 0 && ecn != 3;

	fcn_trace_settle(w, b, i, v == FCN_QUEUE_ACCEPTED ? FCN_DROP_NONE : fcn_drop_of_refusal(v),
			v == FCN_QUEUE_ACCEPTED &&
					((mark && is_ect) || p->flags & FCN_PACKET_CE_MARKED));
}

/* Store in the mbuf of a packet that its queue has accepted which trace it has. @return FCN_ENTRY_*
 */
static __rte_noinline uint16_t
note_trace(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, bool mark)
{
	settle_trace(w, b, i, FCN_QUEUE_ACCEPTED, mark);
	if (b->pkt[i].trace == 0)
		return 0;
	fcn_queued_of(w, b->mbuf[i])->trace = b->pkt[i].trace;
	return FCN_ENTRY_TRACED;
}

/* Queue a packet that was trimmed, if there is room for what is left. @param last the queue of
 * trimmed packets that was used last. @param ioam FCN_ENTRY_IOAM, or 0 */
static inline void
enqueue_trimmed(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		struct fcn_queue_target *last, uint16_t ioam)
{
	struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];
	const uint32_t len = m->pkt_len;
	enum fcn_queue_verdict v;
	uint16_t flags;

	if (unlikely(fcn_packet_egress_key(p) != last->key))
		fcn_select_queue(w, p, last);
	flags = last->flags;
	v = unlikely(last->slow_path) ? fcn_admit(w, p, last->eg, last->conf, len, &flags)
				      : fcn_queue_check(last->q, last->conf, w->packets.most, len);
	if (unlikely(v != FCN_QUEUE_ACCEPTED)) {
		if (unlikely(p->trace != 0))
			settle_trace(w, b, i, v, false);
		refuse(w, b, i, last, v);
		return;
	}
	/* No more is noted, so no detector looks at it when it leaves. */
	if (ioam != 0)
		fcn_queued_of(w, m)->delay_off = p->delay_off;
	if (unlikely(p->trace != 0))
		flags |= note_trace(w, b, i, false);
	fcn_queue_append(last->q, m, len, flags | ioam, w->now);
	last->eg->backlog |= 1u << last->class;
}

/* A queue does not accept a packet: it is dropped, or its headers go on, and perhaps its sender is
 * told. */
static __rte_noinline void
refuse_or_trim(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_queue_target *t, struct fcn_queue_target *trimmed,
		enum fcn_queue_verdict why, uint16_t flags)
{
	if (unlikely(t->conf->trim_return))
		fcn_trim_return(w, b->mbuf[i], &b->pkt[i], t, why);
	if (unlikely(t->conf->trim_size != 0) && fcn_trim(w, b->mbuf[i], &b->pkt[i], t, why)) {
		enqueue_trimmed(w, b, i, trimmed, flags & FCN_ENTRY_IOAM);
		return;
	}
	if (unlikely(b->pkt[i].trace != 0))
		settle_trace(w, b, i, why, false);
	refuse(w, b, i, t, why);
}

/* Queue one packet, whatever the state of its queue. @param trimmed the queue of trimmed packets
 * that was used last. @return whether the queue has accepted it */
static inline bool
enqueue_one(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_queue_target *t, struct fcn_queue_target *trimmed)
{
	struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];
	const uint32_t len = m->pkt_len;
	uint16_t flags = t->flags;
	enum fcn_queue_verdict v;
	bool mark = false;

	if (unlikely(t->slow_path) && p->flags & FCN_PACKET_IOAM &&
			fcn_ioam_transit_write(w, p, m, t->eg, &p->delay_off))
		flags |= FCN_ENTRY_IOAM;
	if (likely(t->runs_detector))
		mark = detect(w, m, p, t);
	if (unlikely(t->slow_path) && (t->eg->paused | t->eg->halted) >> t->class & 1 &&
			t->runs_detector)
		fcn_arn_waits(w, m, p, t->conf);
	v = unlikely(t->slow_path) ? fcn_admit(w, p, t->eg, t->conf, len, &flags)
				   : fcn_queue_check(t->q, t->conf, w->packets.most, len);
	if (unlikely(v != FCN_QUEUE_ACCEPTED)) {
		refuse_or_trim(w, b, i, t, trimmed, v, flags);
		return false;
	}
	if (unlikely(t->slow_path) &&
			(flags & FCN_ENTRY_DEQUEUE_ACTIONS || t->conf->policy.heavy_flows ||
					t->conf->detector.at_dequeue))
		fcn_note_dequeue_actions(w, p, m, t->q, t->conf, &flags);
	if (unlikely(p->trace != 0))
		flags |= note_trace(w, b, i, mark);
	fcn_queue_append(t->q, m, len, flags, w->now);
	if (unlikely(flags & FCN_ENTRY_NOTICE))
		w->notice_accounting[p->notice_kind].queued++;
	if (mark) /* dropped packets are not marked; a queued packet leaves only after this stage */
		fcn_congestion_mark(t->q, m, p);
	if (likely(t->runs_detector) && counts_arrivals(t)) {
		note_peak(w, t);
		fcn_flow_sample(w, m, p, t->q, false);
	}
	return true;
}

/* Check whether packet i exists and has the same egress key as the packets before. */
static inline bool
has_same_key(const struct fcn_burst *b, unsigned int i, uint64_t key)
{
	return i < b->n && b->mbuf[i] != NULL && fcn_packet_egress_key(&b->pkt[i]) == key;
}

/*
 * Queue packets with one egress key, each handled alone: at least one, and the following ones as
 * long as they certainly have to be handled alone, too, or as the queue accepts none.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
enqueue_each(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_queue_target *t)
{
	const bool has_runs = b->n_traced == 0 && t->runs_detector &&
			      fcn_congestion_has_runs(w, t->conf);
	struct fcn_queue_target trimmed = {.key = FCN_PACKET_NO_EGRESS_KEY};
	unsigned int i = from;
	bool accepted;

	do {
		accepted = enqueue_one(w, b, i++, t, &trimmed);
	} while ((unlikely(!accepted) || t->slow_path || (t->q->detector.congested && !has_runs)) &&
			has_same_key(b, i, t->key));
	if (likely(!fcn_queue_is_empty(t->q)))
		t->eg->backlog |= 1u << t->class;
	return i - from;
}

/*
 * Store in the mbuf of a lossless packet what fcn_note_dequeue_actions() would. The fields for an
 * account are those of `all`, which the packets of a series share.
 */
static inline void
note_lossless(const struct fcn_packet *p, uint16_t flags, const struct fcn_queued *all,
		struct fcn_queued *queued)
{
	queued->proxy_front = fcn_wire_proxy_front(&p->info);
	if (likely(!(flags & (FCN_PACKET_ACCOUNTED | FCN_PACKET_BRIDGED)))) {
		memcpy(queued, all, offsetof(struct fcn_queued, flow)); /* the first four fields */
		return;
	}
	if (!(flags & FCN_PACKET_ACCOUNTED)) {
		queued->in_port = all->in_port;
		queued->account = all->account;
	}
	queued->vlan = flags & FCN_PACKET_BRIDGED ? p->vlan : 0;
}

/*
 * Queue consecutive packets with one egress key, as long as neither the detector nor a limit can
 * affect them, so that the queue is checked only once. Packets that are charged are charged
 * together; if it is not certain that all of them find room, none is queued.
 *
 * @return number of packets
 */
static __rte_always_inline unsigned int
enqueue_all(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_queue_target *t, enum fcn_queue_account account)
{
	const struct fcn_packet *first = &b->pkt[from];
	const uint16_t packet_flags = first->flags, in_port = first->in_port;
	const struct fcn_queued queued = {
			.in_port = account == FCN_CHARGE_INGRESS ? fcn_parent_port_of(w, first) : 0,
			.account = w->index,
	};
	const int queued_offset = w->queued_offset;
	const uint64_t key = t->key;
	const uint64_t meta = fcn_queue_meta(w->now, 0, t->flags | fcn_charge_flags(account));
	struct fcn_queue_fill fill;
	unsigned int i = from, start, stop;

	if (unlikely(!fcn_fill_begin(w, t, account, &fill)))
		return 0;
	do {
		struct fcn_queue_entry *e = fcn_queue_fill_slot(&fill);

		start = i;
		stop = RTE_MIN(b->n, i + fcn_queue_fill_slots(&fill));
		for (; i < stop; i++, e++) {
			const struct fcn_packet *p = &b->pkt[i];
			struct rte_mbuf *m = b->mbuf[i];
			uint32_t len;

			if (m == NULL || fcn_packet_egress_key(p) != key ||
					(account == FCN_CHARGE_INGRESS && p->in_port != in_port))
				break;
			len = m->pkt_len;
			if (unlikely(!fcn_queue_fill_fits(&fill, len)))
				break;
			if (account == FCN_CHARGE_INGRESS)
				note_lossless(p, packet_flags, &queued,
						fcn_queued_at(m, queued_offset));
			e->mbuf = m;
			e->meta = meta | fcn_queue_meta(0, len, 0);
			fill.bytes += len;
		}
		fcn_queue_fill_advance(&fill, i - start);
	} while (unlikely(i == stop && i != start && i < b->n));
	if (account != FCN_CHARGE_NONE && unlikely(!fcn_admit_all(w, first, t->q, t->conf,
							  fill.bytes - fill.start, i - from)))
		return 0;
	fcn_fill_end(w, t, &fill, i - from);
	return i - from;
}

static __rte_noinline unsigned int
enqueue_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_queue_target *t)
{
	return enqueue_all(w, b, from, t, FCN_CHARGE_NONE);
}

/* The same for packets that are charged. */
static __rte_noinline unsigned int
enqueue_charged(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_queue_target *t)
{
	if (t->account == FCN_CHARGE_QUEUE)
		return enqueue_all(w, b, from, t, FCN_CHARGE_QUEUE);
	return enqueue_all(w, b, from, t, FCN_CHARGE_INGRESS);
}

/*
 * The same for packets to whose IOAM traces the switch adds its data. They are written when it is
 * certain that they are queued; a packet that this function does not queue is not changed.
 */
static __rte_noinline unsigned int
enqueue_traces(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_queue_target *t)
{
	const uint32_t bytes = t->q->bytes;
	const unsigned int n = enqueue_run(w, b, from, t);

	if (likely(n != 0))
		fcn_ioam_transit_write_run(w, b, from, n, t->eg, t->conf, bytes);
	return n;
}

void
fcn_enqueue_from(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	struct fcn_queue_target t = {.key = FCN_PACKET_NO_EGRESS_KEY};

	for (unsigned int i = from; i < b->n;) {
		const struct fcn_packet *p = &b->pkt[i];
		unsigned int n = 0;

		if (unlikely(b->mbuf[i] == NULL)) {
			i++;
			continue;
		}
		if (fcn_packet_egress_key(p) != t.key)
			fcn_select_queue(w, p, &t);
		if (unlikely(t.eg == NULL)) {
			if (w->port[p->out_port].cross_core != NULL)
				i += fcn_cross_core_tx(w, b, i);
			else
				fcn_drop(w, b, i++, FCN_DROP_PORT_GONE);
			continue;
		}
		if (unlikely(t.down)) {
			refuse(w, b, i++, &t, FCN_REFUSED_PORT_DOWN);
			continue;
		}
		/* The first of a series stands for all of it. */
		if (p->info.flags & FCN_PKT_ROCE && likely(t.runs_detector))
			t.q->stats.has_roce = true;
		if (likely(!t.slow_path && b->n_traced == 0))
			n = enqueue_run(w, b, i, &t);
		else if (!t.alone && b->n_traced == 0)
			n = enqueue_charged(w, b, i, &t);
		else if (t.only_traces && b->n_traced == 0)
			n = enqueue_traces(w, b, i, &t);
		if (unlikely(n == 0) && t.runs_detector && !t.slow_path && b->n_traced == 0)
			n = fcn_congestion_run(w, b, i, t.eg, t.conf);
		if (unlikely(n == 0))
			n = enqueue_each(w, b, i, &t);
		i += n;
	}
}

void
fcn_stage_enqueue(struct fcn_worker *w, struct fcn_burst *b)
{
	fcn_enqueue_from(w, b, 0);
}

void
fcn_enqueue_one(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_queue_target t = {.key = FCN_PACKET_NO_EGRESS_KEY};

	fcn_select_queue(w, &b->pkt[i], &t);
	if (unlikely(t.down))
		refuse(w, b, i, &t, FCN_REFUSED_PORT_DOWN);
	else
		enqueue_each(w, b, i, &t);
}
