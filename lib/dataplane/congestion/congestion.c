/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "congestion.h"
#include "fcn_ipv4_tos.h"
#include "fcn_notify_lost.h"

/* Set the CE codepoint (RFC 3168 section 5). */
static void
mark_ce(uint8_t *data, const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_IPV6) {
		data[info->l3_off + 1] |= 0x30;
	} else {
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + info->l3_off);

		fcn_ipv4_set_tos(ip, ip->type_of_service | 0x03);
	}
}

enum fcn_ce_result
fcn_congestion_set_ce(struct rte_mbuf *m, struct fcn_packet *p)
{
	uint8_t ecn = p->info.tclass & 0x3;

	if (!(p->info.flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) || ecn == 0)
		return FCN_CE_NOT_ECT;
	if (ecn == 3)
		return FCN_CE_ALREADY;
	mark_ce(rte_pktmbuf_mtod(m, uint8_t *), &p->info);
	p->info.tclass |= 0x3;
	p->flags |= FCN_PACKET_CE_MARKED;
	return FCN_CE_SET;
}

void
fcn_congestion_mark(struct fcn_queue *q, struct rte_mbuf *m, struct fcn_packet *p)
{
	switch (fcn_congestion_set_ce(m, p)) {
	case FCN_CE_NOT_ECT:
		q->stats.not_ect++;
		return;
	case FCN_CE_ALREADY:
		return;
	case FCN_CE_SET:
		break;
	}
	q->stats.ce_marked++;
	if (q->detector.congested)
		q->episodes->current.marked++;
}

__rte_noinline struct fcn_packet
fcn_congestion_fresh(const struct fcn_worker *w, uint16_t port, unsigned int kind)
{
	return (struct fcn_packet){
			.out_port = FCN_PORT_NONE,
			.flags = FCN_PACKET_NOTICE,
			.class = w->snap->notify.common.class,
			.notice_kind = kind,
			.in_port = port,
			.level = FCN_LEVEL_NONE,
	};
}

/* Add a notice. @param framed its next hop, if it is framed, or NULL */
static inline void
add_notice(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		uint32_t occupancy, unsigned int kind, uint8_t form, uint32_t found,
		uint32_t next_hop, const struct fcn_next_hop *framed)
{
	struct rte_mbuf *buffer = w->spare.mbuf[--w->spare.n];
	const unsigned int i = w->n_notices++;
	struct fcn_packet fresh;

	if (framed != NULL) {
		fresh = fcn_congestion_fresh(w, p->out_port, kind);
		fcn_congestion_count_framed(w, p->out_port, kind, 1);
	}
	fcn_congestion_put(&w->order[i], m, rte_pktmbuf_mtod(m, const uint8_t *), p, occupancy,
			kind, form, found, buffer);
	fcn_congestion_put_route(&w->order[i], next_hop, framed, &w->notices->pkt[i], &fresh);
	w->notices->mbuf[i] = buffer;
}

void
fcn_congestion_add_notice(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, uint32_t occupancy, unsigned int kind,
		const struct fcn_notify_decision *decision, uint32_t next_hop)
{
	const struct fcn_next_hop *nh = NULL;

	/* Traces show what each stage does. */
	if (next_hop != FCN_NOTICE_BY_BRIDGE && p->trace == 0) {
		nh = &w->snap->next_hop[next_hop];
		if (!fcn_notice_is_framed(
				    nh, fcn_notice_framed_mtu(w->snap->notify.kind[kind].kind)))
			nh = NULL;
	}
	add_notice(w, m, p, occupancy, kind, decision->verdict - FCN_NOTIFY_SENT, decision->found,
			next_hop, nh);
}

_Static_assert(offsetof(struct rte_mbuf, ol_flags) == offsetof(struct rte_mbuf, rearm_data) + 8 &&
				offsetof(struct rte_mbuf, vlan_tci) <
						offsetof(struct rte_mbuf, rx_descriptor_fields1) +
								16,
		"the places of the fields in struct fcn_buffer_reset");

/* Find out what new buffers of the worker's pool look like. */
static __rte_noinline void
read_pool(struct fcn_worker *w)
{
	struct fcn_buffer_reset *reset = &w->spare.reset;
	const uint16_t room = rte_pktmbuf_data_room_size(w->pool);
	const struct rte_mbuf m = {
			.refcnt = 1,
			.nb_segs = 1,
			.port = RTE_MBUF_PORT_INVALID,
			.data_off = RTE_MIN((uint16_t)RTE_PKTMBUF_HEADROOM, room),
	};

	memcpy(reset->rearm, &m.rearm_data, sizeof(reset->rearm));
	memcpy(reset->fields, &m.rx_descriptor_fields1, sizeof(reset->fields));
	reset->pool = w->pool;
}

/*
 * This does the work of rte_pktmbuf_alloc_bulk() with stores of 16 octets. Buffers in a pool have
 * one segment, one reference and no next one, and none of this pool has its memory elsewhere.
 * vlan_tci_outer has no meaning without a flag in ol_flags.
 */
bool
fcn_congestion_take_buffers(struct fcn_worker *w, unsigned int n)
{
	struct rte_mbuf **spare = &w->spare.mbuf[w->spare.n];
	struct fcn_buffer_reset reset;

	if (unlikely(w->spare.reset.pool != w->pool))
		read_pool(w);
	reset = w->spare.reset;
	if (unlikely(rte_mempool_get_bulk(w->pool, (void **)spare, n) != 0))
		return false;
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *m = spare[i];

		memcpy(&m->rearm_data, reset.rearm, sizeof(reset.rearm));
		memcpy(&m->rx_descriptor_fields1, reset.fields, sizeof(reset.fields));
		m->tx_offload = 0;
	}
	w->spare.n += n;
	return true;
}

/* Notices that are due are made at once if there is no room for more. Buffers are allocated in
 * bulk. */
enum fcn_notify_verdict
fcn_congestion_make_room(struct fcn_worker *w)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	const unsigned int kinds = __builtin_popcount((unsigned int)notices->on | notices->on_loss);

	if (w->n_notices + kinds > FCN_NOTICE_MAX)
		fcn_walk_notices(w);
	if (w->spare.n >= kinds)
		return FCN_NOTIFY_NONE;
	/* If the pool has fewer buffers, the number that one packet needs is enough. */
	if (likely(fcn_congestion_take_buffers(w, FCN_NOTICE_MAX / 2)) ||
			fcn_congestion_take_buffers(w, kinds - w->spare.n))
		return FCN_NOTIFY_NONE;
	return FCN_NOTIFY_NO_MBUF;
}

/* Tell whether a kind yields to one that has decided about the packet. */
static bool
yields(const struct fcn_notices_conf *notices, unsigned int kind,
		const uint8_t verdict[FCN_NOTICE_KIND_MAX])
{
	for (unsigned int left = notices->yields_to[kind]; left != 0; left &= left - 1) {
		if (fcn_notify_verdict_has_receiver(verdict[__builtin_ctz(left)]))
			return true;
	}
	return notices->yields_always >> kind & 1;
}

bool
fcn_congestion_notify_yielding(struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_notify_place *place, uint32_t occupancy,
		uint8_t verdict[FCN_NOTICE_KIND_MAX])
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	bool replaces = false;

	for (unsigned int k, left = notices->yielding; left != 0; left &= ~(1u << k)) {
		k = (unsigned int)(31 - __builtin_clz(left)); /* the last one first */
		if (yields(notices, k, verdict)) {
			verdict[k] = FCN_NOTIFY_OTHER_KIND;
			w->notify[k].stats[place->port][place->class]
					.verdict[FCN_NOTIFY_OTHER_KIND]++;
		} else {
			replaces |= fcn_congestion_notify_kind(
					w, m, p, q, place, occupancy, k, &verdict[k]);
		}
	}
	return replaces;
}

/*
 * Decide about the notices of those kinds about congestion to which a kind about lost packets
 * yields. @param verdict by kind, written. @return whether one of them is sent
 */
static __rte_noinline bool
notify_others(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_queue *q, uint32_t occupancy, unsigned int kind,
		uint8_t verdict[FCN_NOTICE_KIND_MAX])
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
	bool is_told = false;

	for (unsigned int k, left = notices->yields_to[kind] & notices->on; left != 0;
			left &= left - 1) {
		k = __builtin_ctz(left);
		if (w->spare.n == 0 || w->n_notices == FCN_NOTICE_MAX)
			place.refuse = fcn_congestion_make_room(w);
		fcn_congestion_notify_kind(w, m, p, q, &place, occupancy, k, &verdict[k]);
		if (unlikely(p->trace != 0))
			fcn_trace_verdict(w, p, k, verdict[k]);
		is_told |= fcn_notify_verdict_is_sent(verdict[k]);
	}
	return is_told;
}

/* Argument of find_lost(). */
struct lost {
	struct fcn_worker *w;
	const struct fcn_packet *p;
	unsigned int kind;
};

/* Find the notice about a lost packet; called as a fcn_notify_find_fn. */
static __rte_always_inline struct fcn_notify_found
find_lost(void *arg, const struct fcn_notify_case *c)
{
	const struct lost *l = arg;

	return fcn_notice_find_one(l->w, l->kind, l->p, c);
}

/* Decide about the notice of a kind about lost packets. @return verdict */
static __rte_always_inline enum fcn_notify_verdict
notify_of_loss(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_queue *q, uint32_t occupancy, unsigned int k)
{
	const struct fcn_notify_conf *conf = &w->snap->notify.kind[k];
	struct fcn_notify_state *state = &w->notify[k];
	struct fcn_notify_case c = {.data = rte_pktmbuf_mtod(m, const uint8_t *),
			.info = &p->info,
			.in_port = p->in_port};
	struct lost lost = {w, p, k};
	enum fcn_notify_verdict refuse = FCN_NOTIFY_NONE, verdict;
	struct fcn_notify_found found = {0};

	if (unlikely(w->spare.n == 0 || w->n_notices == FCN_NOTICE_MAX))
		refuse = fcn_congestion_make_room(w);
	conf->kind->prepare(conf, state, &c, 1);
	verdict = fcn_notify_lost(
			conf, state, &c, find_lost, &lost, &found, w->loss_link, refuse, w->now);
	state->stats[p->out_port][p->class].verdict[verdict]++;
	if (unlikely(p->trace != 0)) {
		fcn_trace_verdict(w, p, k, verdict);
		found.framed = NULL; /* traces show what each stage does */
	}
	if (unlikely(!fcn_notify_verdict_is_sent(verdict)))
		return verdict;
	add_notice(w, m, p, occupancy, k, c.due.form, c.found, found.next_hop, found.framed);
	q->stats.notices++;
	if (q->detector.congested)
		fcn_episode_notice(q->episodes, c.flow);
	return verdict;
}

bool
fcn_congestion_lost(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_queue *q, uint32_t occupancy)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	bool is_told = false;

	/* A notice about its congestion that is still to be made has this level, too. */
	p->level = FCN_LEVEL_MAX;
	for (unsigned int k, left = notices->on_loss; left != 0; left &= left - 1) {
		k = __builtin_ctz(left);
		if (unlikely((notices->yields_to[k] & notices->on) != 0 ||
				    (notices->yields_always >> k & 1))) {
			uint8_t verdict[FCN_NOTICE_KIND_MAX] = {FCN_NOTIFY_NONE};

			is_told |= notify_others(w, m, p, q, occupancy, k, verdict);
			if (yields(notices, k, verdict)) {
				w->notify[k].stats[p->out_port][p->class]
						.verdict[FCN_NOTIFY_OTHER_KIND]++;
				continue;
			}
		}
		is_told |= fcn_notify_verdict_is_sent(notify_of_loss(w, m, p, q, occupancy, k));
	}
	return is_told;
}

bool
fcn_congestion_is_heavy_flow(const struct fcn_worker *w, const struct rte_mbuf *m,
		const struct fcn_packet *p, const struct fcn_queue *q, uint32_t occupancy)
{
	uint64_t flow = fcn_notify_flow_hash(
			&w->hash_key, rte_pktmbuf_mtod(m, const uint8_t *), &p->info);

	/*
	 * The flows of the bytes in the device's ring are not known, so these bytes do not count.
	 */
	occupancy -= w->port[p->out_port].egress->ring_bytes;
	return fcn_flow_is_heavy(q->flows, fcn_flow_slot(flow), m->pkt_len, occupancy);
}

void
fcn_congestion_began(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_egress *eg,
		uint32_t occupancy)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_CONGESTED,
			.class = p->class,
			.level = p->level,
			.port = p->out_port,
			.in_port = p->in_port,
			.occupancy = occupancy,
	};

	eg->congested |= 1u << p->class;
	fcn_episode_begin(eg->queue[p->class].episodes, w->now);
	fcn_worker_event(w, &ev);
}

/*
 * End the episode of a queue, and push an event. The bit in eg->congested is cleared, so that this
 * happens once.
 */
void
fcn_congestion_ended(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg, unsigned int class)
{
	struct fcn_queue *q = &eg->queue[class];
	struct fcn_event ev = {
			.time_ns = q->detector.left_ns,
			.type = FCN_EVENT_RECOVERED,
			.class = class,
			.level = FCN_LEVEL_NONE,
			.port = port,
			.in_port = FCN_PORT_NONE,
			.occupancy = q->bytes,
	};

	eg->congested &= ~(1u << class);
	fcn_episode_end(q->episodes, q->detector.left_ns);
	fcn_arn_congestion_ended(w, port, class);
	fcn_worker_event(w, &ev);
}

void
fcn_congestion_tick(struct fcn_worker *w, uint16_t port, struct fcn_egress *eg)
{
	const struct fcn_egress_conf *conf = &w->snap->port[port].egress;

	for (unsigned int c, left = eg->congested; left != 0; left &= left - 1) {
		struct fcn_queue *q;

		c = __builtin_ctz(left);
		q = &eg->queue[c];
		fcn_detector_tick(&q->detector, &conf->queue[c].detector, q->bytes + eg->ring_bytes,
				fcn_queue_age(q, w->now), w->now);
		if (!q->detector.congested)
			fcn_congestion_ended(w, port, eg, c);
	}
}
