/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Runs of packets to one congested queue. What the queue, its detector and its episode need is done
 * for the whole run, and then the decisions about notices, which need the caches of flows and of
 * receivers, are made together. They do not depend on each other's part, so the result is that of
 * one packet after the other.
 */

#include "congestion.h"
#include "fcn_notify_limits.h"
#include "fcn_queue.h"
#include "flow_sample.h"

/* Packets that are decided about together, so that what belongs to them stays in the cache. */
#define RUN_MAX 32 /* the bits of the sets that functions return */

/* A run of packets, which have been queued. */
struct run {
	struct fcn_burst *b;
	unsigned int from; /* index of the first packet in the burst */
	unsigned int n;
	uint32_t occupancy[RUN_MAX]; /* bytes of the queue, each packet included */
	/* What notices are about, for the kind. */
	struct fcn_notify_case cases[RUN_MAX];
};

/* Get the number of the only kind of notice. */
static inline unsigned int
only_kind(const struct fcn_worker *w)
{
	return __builtin_ctz(w->snap->notify.on);
}

bool
fcn_congestion_has_runs(const struct fcn_worker *w, const struct fcn_queue_conf *conf)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;

	if (conf->detector.type != FCN_DETECTOR_STEP || conf->policy.arn != 0 || conf->slow_path)
		return false;
	return notices->on == 0 || !conf->policy.notify ||
	       ((notices->on & (notices->on - 1)) == 0 && notices->yielding == 0);
}

/* Record in the episode of a queue that a run has arrived, and was queued. */
static inline void
note_episode(struct fcn_queue *q, uint32_t bytes, uint32_t over, uint32_t peak, unsigned int n,
		uint64_t now)
{
	struct fcn_episode *ep = &q->episodes->current;

	ep->packets += n;
	ep->bytes += bytes;
	ep->over_bytes += over;
	if (peak > ep->peak_bytes) {
		ep->peak_bytes = peak;
		ep->peak_ns = now;
	}
	if (q->detector.level > ep->max_level)
		ep->max_level = q->detector.level;
}

/*
 * Let the detector raise the level for a packet whose occupancy is above what the present level
 * stands for. Nothing else changes then: congestion neither begins nor ends.
 *
 * @return whether it did
 */
static __rte_noinline bool
raise_level(struct fcn_worker *w, struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t len)
{
	const struct fcn_detector_view view = {
			.occupancy = occupancy,
			.len = len,
			.now = w->now,
			.random = &w->random,
	};

	if (!d->congested || d->type != conf->type || d->below || occupancy < conf->leave ||
			d->level == FCN_LEVEL_MAX || occupancy < conf->level_from[d->level + 1])
		return false;
	fcn_detector_arrival(d, conf, &view);
	return true;
}

/*
 * Get the greatest occupancy up to which packets of a run need no second look: that of the limit of
 * bytes, and of the level. The occupancy grows from packet to packet, so the least one for the
 * level matters only to the next packet.
 *
 * @param occupancy the next packet included
 * @return 0: not even the next one
 */
static inline uint32_t
run_limit(const struct fcn_detector_range *range, const struct fcn_queue_fill *fill,
		uint32_t ring_bytes, uint32_t occupancy)
{
	const uint64_t most = (uint64_t)fill->most + ring_bytes;

	return occupancy < range->from ? 0 : (uint32_t)RTE_MIN(most, (uint64_t)range->to);
}

/* Get the bytes of a run that arrived with at least an occupancy. */
static inline uint32_t
bytes_over(const struct run *r, uint32_t start, uint32_t enter)
{
	unsigned int i = 0;

	while (i < r->n && r->occupancy[i] < enter)
		i++;
	return r->occupancy[r->n - 1] - (i == 0 ? start : r->occupancy[i - 1]);
}

/* Queue packets as long as the queue stays congested, and they stay within its limits. */
static inline void
queue_run(struct fcn_worker *w, struct run *r, const struct fcn_egress *eg, struct fcn_queue *q,
		const struct fcn_queue_conf *conf)
{
	struct fcn_detector_range range = fcn_detector_congested_range(
			&q->detector, &conf->detector, w->now);
	struct rte_mbuf *const *mbuf = &r->b->mbuf[r->from];
	struct fcn_packet *p = &r->b->pkt[r->from];
	const uint64_t now = w->now, key = fcn_packet_egress_key(p);
	const uint64_t meta = fcn_queue_meta(now, 0, p->class);
	struct fcn_queue_fill fill = fcn_queue_fill_begin(q, conf, w->packets.most, now);
	const uint32_t ring_bytes = eg->ring_bytes, start = fill.bytes + ring_bytes;
	const unsigned int most = RTE_MIN(r->b->n - r->from, (unsigned int)RUN_MAX);
	const unsigned int end = RTE_MIN(most, fcn_queue_fill_slots(&fill));
	struct fcn_queue_entry *e = fcn_queue_fill_slot(&fill);
	int8_t level = q->detector.level;
	uint32_t occupancy = start, limit = 0, ce_seen = 0;
	unsigned int i;

	for (i = 0; i < end; i++, p++, e++) {
		struct rte_mbuf *m = mbuf[i];
		uint32_t len;

		if (unlikely(m == NULL || fcn_packet_egress_key(p) != key))
			break;
		len = m->pkt_len;
		if (unlikely(occupancy + len > limit)) {
			limit = run_limit(&range, &fill, ring_bytes, occupancy + len);
			if (occupancy + len > limit) {
				if (occupancy + len - ring_bytes > fill.most ||
						!raise_level(w, &q->detector, &conf->detector,
								occupancy + len, len))
					break;
				range = fcn_detector_congested_range(
						&q->detector, &conf->detector, now);
				level = q->detector.level;
				limit = 0; /* the next packet has a look at the new range */
			}
		}
		occupancy += len;
		p->level = level;
		r->occupancy[i] = occupancy;
		r->cases[i].data = rte_pktmbuf_mtod(m, const uint8_t *);
		r->cases[i].info = &p->info;
		r->cases[i].in_port = p->in_port;
		r->cases[i].found = 0;
		ce_seen += ((p->info.tclass & 0x3) + 1) >> 2; /* 1 with CE, which is 3 */
		e->mbuf = m;
		e->meta = meta | fcn_queue_meta(0, len, 0);
	}
	r->n = i;
	if (unlikely(i == 0))
		return;
	q->stats.congested_packets += i;
	q->stats.ce_seen += ce_seen;
	note_episode(q, occupancy - start, bytes_over(r, start, conf->detector.enter), occupancy, i,
			now);
	fill.bytes += occupancy - start;
	fcn_queue_fill_advance(&fill, i);
	fcn_queue_fill_end(&fill, q);
}

/*
 * Get the number of packets that can be decided about together: for each of them there is a buffer
 * and room in w->notice, or for none.
 *
 * @param refuse written: FCN_NOTIFY_NONE, or why no notice can be made
 */
static unsigned int
room_for(struct fcn_worker *w, unsigned int n, enum fcn_notify_verdict *refuse)
{
	*refuse = FCN_NOTIFY_NONE;
	if (unlikely(w->n_notices == FCN_NOTICE_MAX))
		fcn_walk_notices(w);
	n = RTE_MIN(n, FCN_NOTICE_MAX - w->n_notices);
	if (likely(w->spare.n >= n))
		return n;
	if (likely(fcn_congestion_take_buffers(w, n - w->spare.n)))
		return n;
	/* The pool has fewer buffers. It is asked again for each packet. */
	if (w->spare.n == 0)
		*refuse = fcn_congestion_make_room(w);
	return *refuse == FCN_NOTIFY_NONE ? RTE_MIN(n, w->spare.n) : 1;
}

/* Argument of find_notice(). */
struct finder {
	struct fcn_notice_finder *known;
	const struct fcn_packet *p;
};

/* Find the notice of a packet; called as a fcn_notify_find_fn. */
static __rte_always_inline struct fcn_notify_found
find_notice(void *arg, const struct fcn_notify_case *c)
{
	struct finder *f = arg;

	return fcn_notice_find(f->known, f->p, c);
}

/*
 * Decide about n packets of a run, and add their notices.
 *
 * @return bit set of the packets of the run whose notice replaces the mark
 */
static uint32_t
notify(struct fcn_worker *w, struct run *r, unsigned int first, unsigned int n, struct fcn_queue *q,
		const struct fcn_notify_place *place)
{
	const unsigned int kind = only_kind(w);
	const struct fcn_notify_conf *conf = &w->snap->notify.kind[kind];
	struct fcn_notify_state *state = &w->notify[kind];
	const struct fcn_packet fresh = fcn_congestion_fresh(w, place->port, kind);
	struct fcn_packet *pkt = &r->b->pkt[r->from + first];
	struct rte_mbuf *const *mbuf = &r->b->mbuf[r->from + first];
	const uint32_t *occupancy = &r->occupancy[first];
	struct rte_mbuf *const *spare = &w->spare.mbuf[w->spare.n];
	struct fcn_notice_order *const orders = &w->order[w->n_notices], *o = orders;
	struct rte_mbuf **made_mbuf = &w->notices->mbuf[w->n_notices];
	struct fcn_packet *made = &w->notices->pkt[w->n_notices];
	struct fcn_episodes *episodes = q->episodes;
	bool more_flows = episodes->current.more_flows;
	struct fcn_notify_case *const cases = &r->cases[first];
	struct fcn_notify_limits limits;
	struct fcn_notice_finder finder;
	uint32_t told = UINT32_MAX >> (RUN_MAX - n);
	unsigned int unframed = 0, sent;

	conf->kind->prepare(conf, state, cases, n);
	fcn_notice_finder_begin(&finder, w, kind, pkt->flags);
	fcn_notify_limits_begin(&limits, conf, state, place, w->now, n);
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_notify_case *c = &cases[i];
		struct fcn_packet *p = &pkt[i];
		struct finder known = {&finder, p};
		struct fcn_notify_found found;
		const enum fcn_notify_verdict verdict = fcn_notify_verdict_of(
				&limits, c, find_notice, &known, &found);

		p->reactions |= FCN_REACTION_DECIDED;
		if (!fcn_notify_replaces_mark(c, verdict))
			told &= ~(UINT32_C(1) << i);
		if (unlikely(!fcn_notify_verdict_is_sent(verdict)))
			continue;
		*made_mbuf = *--spare;
		fcn_congestion_put(o, mbuf[i], c->data, p, occupancy[i], kind, c->due.form,
				c->found, *made_mbuf);
		fcn_congestion_put_route(o, found.next_hop, found.framed, made, &fresh);
		if (unlikely(found.framed == NULL))
			unframed++;
		o++, made++, made_mbuf++;
		if (unlikely(!more_flows)) {
			fcn_episode_flow(episodes, c->flow);
			more_flows = episodes->current.more_flows;
		}
	}
	fcn_notify_limits_end(&limits);
	sent = o - orders;
	w->n_notices += sent;
	w->spare.n -= sent;
	q->stats.notices += sent;
	episodes->current.notices += sent;
	fcn_congestion_count_framed(w, place->port, kind, sent - unframed);
	return told << first;
}

/* Decide about all packets of a run. @return bit set of those whose notice replaces the mark */
static uint32_t
notify_run(struct fcn_worker *w, struct run *r, struct fcn_queue *q,
		const struct fcn_queue_conf *conf)
{
	const struct fcn_packet *first = &r->b->pkt[r->from];
	struct fcn_notify_place place = {
			.port = first->out_port,
			.class = first->class,
			.link = w->notify_link,
			.find_route = fcn_notice_find_route,
	};
	uint32_t replaced = 0;
	unsigned int i = 0;

	/* The occupancy grows from packet to packet, and the level does not fall. */
	while (i < r->n && (r->occupancy[i] < conf->policy.notify_bytes ||
					   first[i].level < conf->policy.notify_level))
		i++;
	for (unsigned int n; i < r->n; i += n) {
		n = room_for(w, r->n - i, &place.refuse);
		replaced |= notify(w, r, i, n, q, &place);
	}
	return replaced;
}

/* Mark packets of a run, a bit set. */
static inline void
mark_run(const struct run *r, struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t left)
{
	for (; left != 0; left &= left - 1) {
		const unsigned int i = __builtin_ctz(left), k = r->from + i;

		if (r->b->pkt[k].level >= conf->policy.mark_level &&
				r->occupancy[i] >= conf->policy.mark_bytes)
			fcn_congestion_mark(q, r->b->mbuf[k], &r->b->pkt[k]);
	}
}

/* Check whether a queue will be congested with a packet that the detector has not seen yet. It is
 * not, or its occupancy was below `leave` last. @param occupancy the packet included */
static inline bool
will_be_congested(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint64_t now)
{
	if (occupancy < conf->leave)
		return false;
	if (!d->congested)
		return occupancy >= conf->enter;
	return d->below && d->type == conf->type && now - d->below_ns < conf->hold_ns;
}

/*
 * Let the detector take note of the first packet of a run, if that makes the queue congested;
 * otherwise, nothing changes. If the queue has no room for the packet, it is handled alone, and
 * does not change the detector again.
 */
static void
begin_run(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_egress *eg, struct fcn_queue *q, const struct fcn_queue_conf *conf)
{
	struct fcn_detector *d = &q->detector;
	const uint64_t enters = d->enters;
	const uint32_t len = m->pkt_len;
	const struct fcn_detector_view view = {
			.occupancy = q->bytes + len + eg->ring_bytes,
			.len = len,
			.now = w->now,
			.random = &w->random,
	};

	if (!will_be_congested(d, &conf->detector, view.occupancy, w->now))
		return;
	p->level = fcn_detector_arrival(d, &conf->detector, &view);
	if (d->enters != enters)
		fcn_congestion_began(w, p, eg, view.occupancy);
}

unsigned int
fcn_congestion_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		struct fcn_egress *eg, const struct fcn_queue_conf *conf)
{
	struct fcn_queue *q = &eg->queue[b->pkt[from].class];
	uint32_t replaced = 0;
	struct run r;

	if (!fcn_congestion_has_runs(w, conf))
		return 0;
	if (!q->detector.congested || q->detector.below)
		begin_run(w, b->mbuf[from], &b->pkt[from], eg, q, conf);
	if (!q->detector.congested)
		return 0;
	r.b = b;
	r.from = from;
	queue_run(w, &r, eg, q, conf);
	if (unlikely(r.n == 0))
		return 0;
	eg->backlog |= 1u << b->pkt[from].class;
	if (w->snap->notify.on && conf->policy.notify)
		replaced = notify_run(w, &r, q, conf);
	if (conf->policy.ecn)
		mark_run(&r, q, conf, ~replaced & (UINT32_MAX >> (RUN_MAX - r.n)));
	fcn_flow_sample_run(w, &b->mbuf[from], &b->pkt[from], r.n, r.occupancy, q);
	return r.n;
}
