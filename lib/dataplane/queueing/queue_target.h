/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The class queue that consecutive packets go to, and how they are handled there. Used by the fast
 * path and the stage `enqueue` only.
 */

#ifndef QUEUE_TARGET_H
#define QUEUE_TARGET_H

#include "fcn_stages.h"

_Static_assert(FCN_NOTICE_KIND_MAX <= (FCN_ENTRY_KIND >> FCN_ENTRY_KIND_SHIFT) + 1,
		"the flags of entries have room for each kind of notice");

/** What a packet is charged to when it is queued. */
enum fcn_queue_account {
	FCN_CHARGE_NONE,
	FCN_CHARGE_QUEUE,   /**< the account of its queue, in a shared buffer */
	FCN_CHARGE_INGRESS, /**< that of its class at its ingress port: its class is lossless */
};

/** Get the FCN_ENTRY_* of packets by what they are charged to. */
static inline uint16_t
fcn_charge_flags(enum fcn_queue_account account)
{
	switch (account) {
	case FCN_CHARGE_QUEUE:
		return FCN_ENTRY_CHARGED;
	case FCN_CHARGE_INGRESS:
		return FCN_ENTRY_LOSSLESS | FCN_ENTRY_NOTED;
	default:
		return 0;
	}
}

/** The queue of consecutive packets with the same egress key, and the data that they share. */
struct fcn_queue_target {
	uint64_t key;          /**< fcn_packet_egress_key() of those packets */
	struct fcn_egress *eg; /**< NULL: the port was removed, or another worker has it */
	struct fcn_queue *q;
	const struct fcn_queue_conf *conf;
	uint8_t class;
	uint16_t flags;     /**< FCN_ENTRY_* of all these packets */
	bool down;          /**< the port has no link */
	bool runs_detector; /**< the detector runs for them */
	/** Packets are charged, or something else has to be done for them beside queueing. */
	bool slow_path;
	/** With slow_path: each packet is handled alone, because of actions at dequeue or a pause.
	 */
	bool alone;
	/** With alone: only because the switch adds its data to their IOAM traces. */
	bool only_traces;
	enum fcn_queue_account account;
};

/** Find out what the packets of a queue are charged to that is on the slow path. */
void fcn_select_account(
		const struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue_target *t);

/** Find the queue that a packet goes to, as fcn_select_queue() does, but leave t->key as it is. */
static __rte_always_inline void
fcn_select_queue_only(
		const struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue_target *t)
{
	t->eg = w->port[p->out_port].egress;
	if (unlikely(t->eg == NULL))
		return;
	t->q = &t->eg->queue[p->class];
	t->conf = &w->snap->port[p->out_port].egress.queue[p->class];
	t->down = w->snap->port[p->out_port].down;
	t->class = p->class;
	t->flags = p->class;
	if (p->flags & FCN_PACKET_NOTICE)
		t->flags |= FCN_ENTRY_NOTICE | p->notice_kind << FCN_ENTRY_KIND_SHIFT;
	t->runs_detector = !(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN | FCN_PACKET_TRIMMED));
	t->account = FCN_CHARGE_NONE;
	t->alone = (t->eg->dropping | t->eg->paused | t->eg->halted) != 0;
	t->only_traces = false;
	if (unlikely(p->flags & FCN_PACKET_IOAM)) {
		t->only_traces = !t->alone && !t->conf->slow_path &&
				 !(p->flags & FCN_PACKET_LOSSLESS);
		t->alone = true;
	}
	if (unlikely(t->conf->slow_path))
		fcn_select_account(w, p, t);
	else if (unlikely(p->flags & FCN_PACKET_LOSSLESS))
		t->account = FCN_CHARGE_INGRESS;
	t->slow_path = t->alone || t->account != FCN_CHARGE_NONE;
}

/** Find the queue of a packet, and the data that all packets with the same egress key share. */
static __rte_always_inline void
fcn_select_queue(const struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue_target *t)
{
	t->key = fcn_packet_egress_key(p);
	fcn_select_queue_only(w, p, t);
}

/** Get the age of the head of a queue, for the only detector that needs it; 0 for any other. */
static inline uint32_t
fcn_head_age(const struct fcn_queue *q, const struct fcn_detector_conf *conf, uint64_t now)
{
	return conf->type == FCN_DETECTOR_SOJOURN ? fcn_queue_age(q, now) : 0;
}

/**
 * Begin to queue packets one after the other, of which neither the detector of their queue nor a
 * limit of it can affect any as long as they fit into `fill`.
 *
 * @param account t->account, which is a constant where it is known
 * @param fill    written in full
 * @return false if this is certain of no packet; nothing has begun then
 */
static __rte_always_inline bool
fcn_fill_begin(const struct fcn_worker *w, const struct fcn_queue_target *t,
		enum fcn_queue_account account, struct fcn_queue_fill *fill)
{
	struct fcn_detector_bounds bounds = {UINT32_MAX, UINT32_MAX};

	if (likely(t->runs_detector))
		bounds = fcn_detector_bounds(&t->q->detector, &t->conf->detector,
				fcn_head_age(t->q, &t->conf->detector, w->now), w->now);
	if (unlikely(bounds.occupancy <= t->eg->ring_bytes || bounds.arrived == 0))
		return false;
	*fill = fcn_queue_fill_begin(t->q, t->conf, w->packets.most, w->now);
	if (account == FCN_CHARGE_INGRESS)
		fcn_queue_fill_lift(fill, t->q);
	fcn_queue_fill_limit(fill, bounds.occupancy - t->eg->ring_bytes - 1);
	fcn_queue_fill_limit(fill, (uint64_t)fill->start + bounds.arrived - 1);
	return true;
}

/** Let the queue have the packets. They are charged already. @param n their number */
static __rte_always_inline void
fcn_fill_end(struct fcn_worker *w, const struct fcn_queue_target *t,
		const struct fcn_queue_fill *fill, uint32_t n)
{
	const uint32_t bytes = fill->bytes - fill->start;

	if (likely(t->runs_detector))
		fcn_detector_add_arrived(&t->q->detector, &t->conf->detector, bytes);
	else if (t->flags & FCN_ENTRY_NOTICE)
		w->notice_accounting[(t->flags & FCN_ENTRY_KIND) >> FCN_ENTRY_KIND_SHIFT].queued +=
				n;
	fcn_queue_fill_end(fill, t->q);
	if (likely(n != 0))
		t->eg->backlog |= 1u << t->class;
}

#endif /* QUEUE_TARGET_H */
