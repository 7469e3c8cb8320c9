/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reactions to congestion that a detector has found: CE marks, notices, events. Used by the stages
 * only.
 */

#ifndef CONGESTION_H
#define CONGESTION_H

#include "arn_send.h"
#include "fcn_stages.h"
#include "notice_route.h"

/** Result of fcn_congestion_set_ce(). */
enum fcn_ce_result {
	FCN_CE_SET,
	FCN_CE_ALREADY, /**< the packet has it already */
	FCN_CE_NOT_ECT, /**< it is Not-ECT, or no IP packet, and unchanged */
};

/** Set the CE codepoint of a packet, in its outer header, if it is ECT (RFC 3168 section 5). */
enum fcn_ce_result fcn_congestion_set_ce(struct rte_mbuf *m, struct fcn_packet *p);

/** Set the CE codepoint of a packet if it is ECT; count it if it is not. */
void fcn_congestion_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p);

/** Check whether there are buffers, and room in w->notice, for one notice of each enabled kind
 * about congestion. */
static inline bool
fcn_congestion_has_room(const struct fcn_worker *w)
{
	const unsigned int kinds = __builtin_popcount(w->snap->notify.on);

	return w->spare.n >= kinds && w->n_notices + kinds <= FCN_NOTICE_MAX;
}

/** Add n buffers to w->spare. @return whether the pool had so many; otherwise, none is added */
bool fcn_congestion_take_buffers(struct fcn_worker *w, unsigned int n);

/**
 * Make room for the notices about a packet, of all enabled kinds: allocate buffers, and make those
 * that are due, if they are as many as are made at once.
 *
 * @return FCN_NOTIFY_NONE, or why no more notices can be made
 */
enum fcn_notify_verdict fcn_congestion_make_room(struct fcn_worker *w);

/**
 * Check whether the flow of a packet occupies so much of a queue that it is to be notified.
 *
 * @param occupancy bytes of the queue, those in the device's ring and the packet included
 */
bool fcn_congestion_is_heavy_flow(const struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, const struct fcn_queue *q, uint32_t occupancy);

/** Get the metadata of a notice about a packet of a queue, without those of its headers and of its
 * way. Not inlined, because the result is written field by field and then copied as a whole: a copy
 * directly after the writes would stall. */
struct fcn_packet fcn_congestion_fresh(
		const struct fcn_worker *w, uint16_t port, unsigned int kind);

/** Add n framed notices of a kind about packets of a port to its counters. */
static inline void
fcn_congestion_count_framed(struct fcn_worker *w, uint16_t port, unsigned int kind, unsigned int n)
{
	w->n_framed += n;
	w->counters[port].generated += n;
	w->counters[port].notices[kind] += n;
}

/** Get the packet that a notice is about. */
static inline const struct fcn_packet *
fcn_congestion_cause(const struct fcn_notice_order *o)
{
	return (const struct fcn_packet *)(const void *)o->about;
}

_Static_assert(offsetof(struct fcn_packet, info) == 0, "the metadata begins with it");

/** Get the verdict with which a notice was made. */
static inline uint8_t
fcn_congestion_verdict(const struct fcn_notice_order *o)
{
	return FCN_NOTIFY_SENT + o->form;
}

/** Write what follows from the packet that a notice is about, and the notice's buffer. */
static __rte_always_inline void
fcn_congestion_put(struct fcn_notice_order *o, const struct rte_mbuf *m, const uint8_t *data,
		const struct fcn_packet *p, uint32_t occupancy, unsigned int kind, uint8_t form,
		uint32_t found, struct rte_mbuf *buffer)
{
	o->data = data;
	o->about = &p->info;
	o->mbuf = buffer;
	o->found = found;
	o->form = form;
	o->kind = kind;
	o->occupancy = occupancy;
	o->cause = m;
}

/*
 * Begin the metadata of a packet as fcn_packet_begin() does, but with another egress port. The port
 * is part of the same store: the egress key is read as a word, and a load of what two stores have
 * written would wait until both are in the cache.
 */
static inline void
fcn_congestion_begin_framed(struct fcn_packet *made, const struct fcn_packet *fresh, uint16_t port)
{
#ifdef __SSE4_1__
	const __m128i all = _mm_loadu_si128((const void *)&fresh->out_port);

	_Static_assert(sizeof(all) == offsetof(struct fcn_packet, local) + sizeof(made->local) -
							offsetof(struct fcn_packet, out_port),
			"it is what fcn_packet_begin() writes");
	_mm_storeu_si128((void *)&made->out_port, _mm_insert_epi16(all, port, 0));
#else
	fcn_packet_begin(made, fresh);
	made->out_port = port;
#endif
}

/**
 * Write the route of a notice, and its metadata if it is framed.
 *
 * @param framed its next hop if it is framed, or NULL
 * @param made   its metadata
 * @param fresh  fcn_congestion_fresh(), if it is framed
 */
static __rte_always_inline void
fcn_congestion_put_route(struct fcn_notice_order *o, uint32_t next_hop,
		const struct fcn_next_hop *framed, struct fcn_packet *made,
		const struct fcn_packet *fresh)
{
	o->next_hop = next_hop;
	o->info = &made->info;
	if (unlikely(framed == NULL)) {
		o->head = NULL;
		return;
	}
	o->head = &framed->l2;
	fcn_congestion_begin_framed(made, fresh, framed->port);
	made->next_hop = next_hop;
}

/** Add a notice of a kind about any packet. */
void fcn_congestion_add_notice(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, uint32_t occupancy, unsigned int kind,
		const struct fcn_notify_decision *decision, uint32_t next_hop);

/**
 * Decide whether a notice of a kind about a packet is made.
 *
 * @param verdict written: enum fcn_notify_verdict
 * @return whether it replaces the CE mark
 */
static inline bool
fcn_congestion_notify_kind(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_notify_place *place, uint32_t occupancy, unsigned int k,
		uint8_t *verdict)
{
	struct fcn_notify_decision d;

	place->route->kind = k;
	d = fcn_notify_decide(&w->snap->notify.kind[k], &w->notify[k],
			rte_pktmbuf_mtod(m, const uint8_t *), &p->info, place, w->now);
	*verdict = d.verdict;
	if (!fcn_notify_verdict_is_sent(d.verdict))
		return d.replaces_mark;
	fcn_congestion_add_notice(w, m, p, occupancy, k, &d, place->route->next_hop);
	q->stats.notices++;
	if (likely(q->detector.congested))
		fcn_episode_notice(q->episodes, d.flow);
	return d.replaces_mark;
}

/** The same for the kinds that yield to others, which have decided already. @param verdict by kind
 */
bool fcn_congestion_notify_yielding(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_notify_place *place, uint32_t occupancy,
		uint8_t verdict[FCN_NOTICE_KIND_MAX]);

/**
 * Decide for each enabled kind whether a notice about a packet is made.
 *
 * @return whether one of the notices replaces the CE mark
 */
static inline bool
fcn_congestion_notify(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	struct fcn_notice_route route = {
			.w = w,
			.p = p,
			.sender = fcn_notify_sender(rte_pktmbuf_mtod(m, const uint8_t *), &p->info),
	};
	struct fcn_notify_place place = {
			.port = p->out_port,
			.class = p->class,
			.in_port = p->in_port,
			.link = w->notify_link,
			.find_route = fcn_notice_find_route,
			.route = &route,
	};
	uint8_t verdict[FCN_NOTICE_KIND_MAX] = {FCN_NOTIFY_NONE};
	bool replaces = false;

	if (unlikely(!fcn_congestion_has_room(w)))
		place.refuse = fcn_congestion_make_room(w);
	if (unlikely(conf->policy.heavy_flows) &&
			!fcn_congestion_is_heavy_flow(w, m, p, q, occupancy))
		place.refuse = FCN_NOTIFY_LIGHT_FLOW;
	p->reactions |= FCN_REACTION_DECIDED;
	for (unsigned int k, left = notices->on & ~notices->yielding; left != 0; left &= left - 1) {
		k = __builtin_ctz(left);
		replaces |= fcn_congestion_notify_kind(
				w, m, p, q, &place, occupancy, k, &verdict[k]);
	}
	if (unlikely(notices->yielding != 0))
		replaces |= fcn_congestion_notify_yielding(w, m, p, q, &place, occupancy, verdict);
	if (unlikely(p->trace != 0))
		fcn_trace_verdicts(w, p, verdict);
	return replaces;
}

/**
 * Decide about the notices of a packet for which its queue has no room, of the kinds that are about
 * lost packets. Where one of them yields to a kind about congestion, as a sender with a proxy is
 * told by that, a notice of this kind is made, if no limit forbids it.
 *
 * @param p         its level becomes the highest one
 * @param occupancy bytes of the queue, the packet included
 * @return whether the sender, or who stands for it, is told now
 */
bool fcn_congestion_lost(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, uint32_t occupancy);

/**
 * Decide about notices and the CE mark of a packet that the detector has selected.
 *
 * @param p         its port, class and level are those of the queue; its reactions are written
 * @param occupancy bytes of the queue, the packet included
 * @return whether to CE-mark it
 */
static inline bool
fcn_congestion_decide(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t occupancy)
{
	bool mark;

	q->stats.congested_packets++;
	if ((p->info.tclass & 0x3) == 0x3)
		q->stats.ce_seen++;
	mark = conf->policy.ecn && p->level >= conf->policy.mark_level &&
	       occupancy >= conf->policy.mark_bytes;
	if (w->snap->notify.on && conf->policy.notify && p->level >= conf->policy.notify_level &&
			occupancy >= conf->policy.notify_bytes)
		mark &= !fcn_congestion_notify(w, m, p, q, conf, occupancy);
	if (unlikely(conf->policy.arn != 0) && p->level >= conf->policy.arn_level)
		fcn_arn_congested(w, m, p, conf);
	return mark;
}

/**
 * Check whether fcn_congestion_run() can queue packets to a queue while it is congested: nothing
 * but the notices of one kind and the CE mark depends on each packet.
 */
bool fcn_congestion_has_runs(const struct fcn_worker *w, const struct fcn_queue_conf *conf);

/**
 * Queue consecutive packets with one egress key to a congested queue, and react to the congestion:
 * as many as neither change the state of the detector nor meet a limit of the queue. The first one
 * may be that with which the queue becomes congested. None of them is traced, and the detector runs
 * for them.
 *
 * @param from the first of them
 * @return their number; 0: the first packet is to be handled alone
 */
unsigned int fcn_congestion_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		struct fcn_egress *eg, const struct fcn_queue_conf *conf);

/** Begin a congestion episode with the packet that made its queue congested, and push an event. */
void fcn_congestion_began(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		uint32_t occupancy);

/** End the congestion episode of a queue, and push an event. */
void fcn_congestion_ended(
		struct fcn_worker *w, uint16_t port, struct fcn_egress *eg, unsigned int class);

/** Run the detectors of the congested queues of a port without a packet: congestion may end. */
void fcn_congestion_tick(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg);

#endif /* CONGESTION_H */
