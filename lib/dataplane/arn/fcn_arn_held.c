/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets of held flows and services. One packet may belong to both a service (its tunnel) and a
 * flow. It waits for the service first and for the flow after that, and a flow does not let a
 * packet leave while its service is held: so neither is disobeyed, and the packets of a flow stay
 * in order.
 */

#include "admit.h"
#include "arn_order.h"
#include "arn_pass_on.h"
#include "fcn_arn_flow.h"
#include "lossless.h"

#include <errno.h>

#include <rte_malloc.h>

/* Packets that leave, and flows that are skipped, in a turn. */
#define STEPS FCN_BURST_MAX

/*
 * Packets leave as far as their class queue has less than the line sends in this time, which is
 * longer than a turn of a busy worker, or than two of the longest frames. All that leaves sooner is
 * in the way of other packets, and the next message would not find it here.
 */
#define AHEAD_NS 20000
#define AHEAD_FRAMES 2

/*
 * A class queue that other packets keep fuller than that gets a packet for every so many times its
 * bytes that the queue sends, so that what was held gets a share of the line, and no more.
 */
#define SHARE 2

int
fcn_arn_held_init(struct fcn_worker *w)
{
	struct fcn_arn_held *h = &w->arn_held;

	if (fcn_held_flows_init(&h->flows, FCN_ARN_HELD_FLOWS, FCN_ARN_HELD_PACKETS, &w->hash_key,
			    w->socket) != 0)
		return -ENOMEM;
	h->packet = rte_malloc_socket("fcn_arn_held", FCN_ARN_HELD_PACKETS * sizeof(*h->packet),
			RTE_CACHE_LINE_SIZE, w->socket);
	h->waiting = rte_malloc_socket("fcn_arn_waiting",
			FCN_ARN_HELD_PACKETS * sizeof(*h->waiting), RTE_CACHE_LINE_SIZE, w->socket);
	return h->packet != NULL && h->waiting != NULL ? 0 : -ENOMEM;
}

void
fcn_arn_held_fini(struct fcn_worker *w)
{
	struct fcn_arn_held *h = &w->arn_held;

	fcn_held_flows_fini(&h->flows);
	rte_free(h->packet);
	rte_free(h->waiting);
	h->packet = NULL;
	h->waiting = NULL;
}

/* ---- holding ---- */

/* Get the key under which a packet is held, by its outer or by its inner header. */
static bool
key_of(const struct rte_mbuf *m, const struct fcn_packet *p, enum fcn_arn_mode mode,
		struct fcn_held_key *key)
{
	if (!fcn_arn_flow_of(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &p->info, mode,
			    &key->flow))
		return false;
	key->mode = fcn_arn_mode_of_flow(&key->flow);
	return true;
}

/* Find the service or the flow behind which a packet has to wait. */
static uint32_t
find_held_flow(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		enum fcn_arn_mode mode)
{
	struct fcn_held_key key;

	return key_of(m, p, mode, &key) ? fcn_held_flows_find(&w->arn_held.flows, &key)
					: FCN_HELD_FLOWS_NONE;
}

/* Let a packet wait, which counts on its account if its class is lossless. */
static enum fcn_held_verdict
wait(struct fcn_worker *w, struct rte_mbuf *m, const struct fcn_packet *p, uint32_t flow,
		bool by_service)
{
	struct fcn_arn_held *h = &w->arn_held;
	enum fcn_held_verdict v;
	uint32_t slot;

	/* Those of lossless classes have their packet buffers already. */
	if (unlikely(h->flows.packets >= w->packets.shared_free) &&
			!(p->flags & FCN_PACKET_ACCOUNTED))
		return FCN_HELD_TOTAL_LIMIT;
	v = fcn_held_flows_push(&h->flows, &w->snap->arn.held, flow, m->pkt_len, &slot);
	if (v != FCN_HELD_WAITS)
		return v;
	h->waiting[slot] = (struct fcn_arn_waiting){.mbuf = m, .by_service = by_service};
	h->packet[slot] = *p;
	h->packets_max = RTE_MAX(h->packets_max, (uint64_t)h->flows.packets);
	h->bytes_max = RTE_MAX(h->bytes_max, h->flows.bytes);
	return v;
}

/* Drop a packet that may not wait. */
static void
refuse(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_held_verdict why)
{
	const struct fcn_packet *p = &b->pkt[i];

	if (p->flags & FCN_PACKET_LOSSLESS)
		fcn_lossless_lost(w, fcn_parent_port_of(w, p), p->class, b->mbuf[i]->pkt_len);
	fcn_drop(w, b, i,
			why == FCN_HELD_FLOW_LIMIT ? FCN_DROP_ARN_FLOW_LIMIT
						   : FCN_DROP_ARN_TOTAL_LIMIT);
}

/*
 * Charge a packet of a lossless class to its account from now on. The class queue then finds that
 * it is accounted for.
 */
static enum fcn_queue_verdict
charge(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p)
{
	const uint16_t parent = fcn_parent_port_of(w, p);
	const enum fcn_queue_verdict v = fcn_lossless_charge(w, parent, p->class, m->pkt_len);

	if (v != FCN_QUEUE_ACCEPTED)
		return v;
	fcn_queued_of(w, m)->in_port = parent;
	fcn_queued_of(w, m)->account = w->index;
	p->flags |= FCN_PACKET_ACCOUNTED;
	return v;
}

/* Let packet i of a burst wait behind those of its flow. */
static void
hold(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint32_t flow, bool by_service)
{
	const struct fcn_held_flow *f = &w->arn_held.flows.flow[flow];
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	enum fcn_queue_verdict charged = FCN_QUEUE_ACCEPTED;
	/* A trace that waits for something else ends when the packet waits, but not if it is
	 * dropped. */
	const uint8_t candidate = fcn_trace_candidate(w, p);
	enum fcn_held_verdict v;

	if (unlikely(candidate != 0))
		p->trace = 0;
	if ((p->flags & (FCN_PACKET_LOSSLESS | FCN_PACKET_ACCOUNTED)) == FCN_PACKET_LOSSLESS)
		charged = charge(w, m, p);
	if (unlikely(charged != FCN_QUEUE_ACCEPTED)) {
		p->trace |= candidate;
		fcn_drop(w, b, i, fcn_drop_of_refusal(charged));
		return;
	}
	v = wait(w, m, p, flow, by_service);
	p->trace |= candidate;
	if (unlikely(v != FCN_HELD_WAITS)) {
		refuse(w, b, i, v);
		return;
	}
	w->arn_held.held_packets++;
	if (unlikely(candidate != 0))
		fcn_trace_end_candidate(w, b, i);
	if (unlikely(p->trace != 0)) {
		fcn_trace_stamp(w, b, i, 1);
		fcn_trace_hold(w, p, f->held ? f->until : 0, f->bytes);
		p->trace = 0;
		b->n_traced--;
	}
	fcn_arn_edge_held(w, flow, m, p);
	b->mbuf[i] = NULL;
}

/* Whether a packet is held when its flow is: the switch's own packets and the class of notices are
 * not, and what goes to another worker is held there. */
static inline bool
may_be_held(const struct fcn_worker *w, const struct fcn_packet *p)
{
	const struct fcn_snapshot_port *out = &w->snap->port[p->out_port];

	return !(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN)) &&
	       w->port[p->out_port].egress != NULL && !out->down &&
	       !(out->pause.exempt >> p->class & 1);
}

void
fcn_stage_hold(struct fcn_worker *w, struct fcn_burst *b)
{
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		uint32_t flow = FCN_HELD_FLOWS_NONE;
		bool by_service = false;

		if (b->mbuf[i] == NULL || !may_be_held(w, p))
			continue;
		if (p->info.flags & FCN_PKT_TUNNEL)
			flow = find_held_flow(w, b->mbuf[i], p, FCN_ARN_MODE_SERVICE);
		if (flow != FCN_HELD_FLOWS_NONE)
			by_service = true;
		else
			flow = find_held_flow(w, b->mbuf[i], p, FCN_ARN_MODE_FLOW);
		if (flow != FCN_HELD_FLOWS_NONE)
			hold(w, b, i, flow, by_service);
	}
}

/* ---- leaving ---- */

/* Whether the service of a packet is held. */
static bool
is_service_held(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p)
{
	struct fcn_held_key key;

	return p->info.flags & FCN_PKT_TUNNEL && key_of(m, p, FCN_ARN_MODE_SERVICE, &key) &&
	       fcn_held_flows_is_held(&w->arn_held.flows, &key);
}

/* Get the bytes that a class queue may have when a packet leaves for it. */
static uint64_t
ahead_of(const struct fcn_snapshot_port *port)
{
	const uint64_t rate = port->egress.shaper.bps;
	const uint64_t bps = rate != 0 ? RTE_MIN(rate, port->link_bps) : port->link_bps;

	return RTE_MAX(bps / (UINT64_C(8000000000) / AHEAD_NS),
			(uint64_t)AHEAD_FRAMES * (port->mtu + RTE_ETHER_HDR_LEN));
}

/* Get the bytes that a class queue has sent, and for which no packet that had waited was put into
 * it, up to those of a few packets. */
static uint64_t
unshared(const struct fcn_worker *w, const struct fcn_packet *p)
{
	const struct fcn_queue *q = &w->port[p->out_port].egress->queue[p->class];
	const uint64_t sent = q->stats.deq_bytes - w->arn_held.shared[p->out_port][p->class];

	return RTE_MIN(sent, SHARE * ahead_of(&w->snap->port[p->out_port]));
}

/* Whether a class queue takes a packet of a flow that was held rather than those of others. */
static bool
is_turn(const struct fcn_worker *w, const struct fcn_packet *p, uint32_t len)
{
	const struct fcn_queue *q = &w->port[p->out_port].egress->queue[p->class];

	return q->bytes < ahead_of(&w->snap->port[p->out_port]) ||
	       unshared(w, p) >= SHARE * (uint64_t)len;
}

/* Whether a packet can leave now: it is queued, or it has to be dropped for some reason. */
static bool
has_room(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p)
{
	const struct fcn_egress *eg = w->port[p->out_port].egress;
	const struct fcn_queue_conf *conf = &w->snap->port[p->out_port].egress.queue[p->class];

	return w->snap->port[p->out_port].down || eg->dropping >> p->class & 1 ||
	       (is_turn(w, p, m->pkt_len) && fcn_admit_has_room(w, p, eg, conf, m->pkt_len));
}

/* Take the first packet of a flow into a burst. */
static void
take(struct fcn_worker *w, struct fcn_burst *b, uint32_t flow)
{
	struct fcn_arn_held *h = &w->arn_held;
	const uint32_t slot = fcn_held_flows_pop(&h->flows, flow);
	const unsigned int i = b->n++;

	b->mbuf[i] = h->waiting[slot].mbuf;
	b->pkt[i] = h->packet[slot];
	h->left_packets++;
	if (likely(b->pkt[i].trace == 0))
		return;
	if (fcn_queued_of(w, b->mbuf[i])->trace_clears != w->trace.clears)
		b->pkt[i].trace = 0; /* traces were cleared meanwhile */
	else
		b->n_traced++;
}

/* Queue packet i of a burst, the last one, on account of the bytes that its queue has sent. */
static void
queue(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_packet *p = &b->pkt[i];
	const uint64_t left = unshared(w, p), used = SHARE * (uint64_t)b->mbuf[i]->pkt_len;

	w->arn_held.shared[p->out_port][p->class] =
			w->port[p->out_port].egress->queue[p->class].stats.deq_bytes -
			(left > used ? left - used : 0);
	fcn_enqueue_one(w, b, i);
}

/*
 * Let the first packet of a flow leave, into its class queue, or behind those of its flow if it has
 * waited for its service so far.
 *
 * @return false: it cannot leave now
 */
static bool
let_leave(struct fcn_worker *w, struct fcn_burst *b, uint32_t flow)
{
	const uint32_t slot = w->arn_held.flows.flow[flow].first;
	const bool by_service = w->arn_held.waiting[slot].by_service;
	const struct rte_mbuf *m = w->arn_held.waiting[slot].mbuf;
	const struct fcn_packet *p = &w->arn_held.packet[slot];
	uint32_t next = FCN_HELD_FLOWS_NONE;

	if (by_service)
		next = find_held_flow(w, m, p, FCN_ARN_MODE_FLOW);
	else if (is_service_held(w, m, p))
		return false;
	if (next == FCN_HELD_FLOWS_NONE && !has_room(w, m, p))
		return false;
	take(w, b, flow);
	if (next != FCN_HELD_FLOWS_NONE)
		hold(w, b, b->n - 1, next, false);
	else
		queue(w, b, b->n - 1);
	return true;
}

void
fcn_arn_held_leave(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_held_flows *flows = &w->arn_held.flows;
	uint32_t flow;

	b->n = 0;
	b->n_traced = 0;
	fcn_held_flows_update(flows, &w->snap->arn.held, w->now);
	for (unsigned int steps = 0; steps < STEPS; steps++) {
		flow = fcn_held_flows_leaving(flows);
		if (flow == FCN_HELD_FLOWS_NONE)
			break;
		if (!let_leave(w, b, flow))
			fcn_held_flows_skip(flows);
	}
}

/* ---- changes ---- */

void
fcn_arn_held_reconfigure(struct fcn_worker *w)
{
	fcn_held_flows_retry(&w->arn_held.flows);
	if (w->snap->arn.receive)
		return;
	fcn_held_flows_release_all(&w->arn_held.flows);
	for (unsigned int i = 0; i < w->n_own_ports; i++)
		fcn_pause_halt_none(&w->port[w->own_port[i]].pause, w->now);
}

/* A port that is being removed. */
struct gone {
	struct fcn_worker *w;
	uint16_t port;
};

static bool
drop_if_gone(void *arg, uint32_t slot)
{
	const struct gone *gone = arg;
	struct fcn_worker *w = gone->w;
	const struct fcn_packet *p = &w->arn_held.packet[slot];
	struct rte_mbuf *m = w->arn_held.waiting[slot].mbuf;

	if (p->out_port != gone->port)
		return false;
	w->counters[p->in_port].drop[FCN_DROP_PORT_GONE]++;
	if (p->flags & FCN_PACKET_ACCOUNTED)
		fcn_lossless_release(w, m, p->class, m->pkt_len);
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
		fcn_capture_drop(w, m, p, FCN_DROP_PORT_GONE);
	rte_pktmbuf_free(m);
	return true;
}

void
fcn_arn_held_port_gone(struct fcn_worker *w, uint16_t port)
{
	struct gone gone = {.w = w, .port = port};

	fcn_held_flows_remove(&w->arn_held.flows, drop_if_gone, &gone);
}

static void
clear(struct fcn_arn_held *c)
{
	FCN_ARN_OBEYED_COUNTERS(FCN_COUNTER_CLEAR)
	FCN_ARN_HELD_COUNTERS(FCN_COUNTER_CLEAR)
}

void
fcn_arn_held_clear_counters(struct fcn_worker *w)
{
	clear(&w->arn_held);
}

void
fcn_arn_held_clear_watermarks(struct fcn_worker *w)
{
	struct fcn_arn_held *h = &w->arn_held;

	h->packets_max = h->flows.packets;
	h->bytes_max = h->flows.bytes;
	h->flows_max = h->flows.n_flows;
}
