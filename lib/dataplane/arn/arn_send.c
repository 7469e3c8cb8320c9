/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "arn_send.h"
#include "arn_pass_on.h"
#include "fcn_arn_flow.h"
#include "fcn_path_id.h"
#include "lossless.h"
#include "notice_route.h"

/* Steps of the sender in a turn, of which a message takes at least one. */
#define STEPS 128

/* Shortest time between two events of a port. */
#define EVENT_NS 1000000

/* The neighbours that packets of a port concern. One with several ports is told once. */
static uint32_t
neighbours_of(const struct fcn_arn_conf *conf, uint16_t in_port)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < conf->n_neighbours; i++) {
		if (conf->neighbour[i].port == FCN_PORT_NONE || conf->neighbour[i].port == in_port)
			set |= UINT32_C(1) << (i - conf->neighbour[i].same_before);
	}
	return set;
}

/*
 * Find the path identifier, if the message is about a packet that this switch has put into a
 * tunnel. A priority has no path.
 */
static void
find_path(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_arn_cause *cause)
{
	const struct fcn_wire_info *info = &p->info;

	if (likely(!w->snap->srv6.has_path_ids) || cause->key.mode == FCN_ARN_MODE_PRIORITY ||
			(info->flags & (FCN_PKT_IPV6 | FCN_PKT_TUNNEL)) !=
					(FCN_PKT_IPV6 | FCN_PKT_TUNNEL))
		return;
	cause->has_path = fcn_path_id_find(&w->snap->srv6,
			rte_pktmbuf_mtod_offset(m, const uint8_t *, info->l3_off),
			m->data_len - info->l3_off, &cause->path_id);
}

bool
fcn_arn_ask(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		struct fcn_arn_cause *cause)
{
	cause->neighbours = neighbours_of(&w->snap->arn, fcn_parent_port_of(w, p));
	if (cause->neighbours == 0) {
		w->arn->no_neighbour++;
		return false;
	}
	find_path(w, m, p, cause);
	if (!fcn_arn_sender_halt(w->arn, cause, w->now))
		return false;
	p->reactions |= FCN_REACTION_HALT;
	return true;
}

/* Ask for a halt because of a packet in a class queue. */
static void
halt(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf, enum fcn_arn_reason reason)
{
	struct fcn_arn_cause cause;

	memset(&cause, 0, sizeof(cause));
	cause.key.port = p->out_port;
	cause.key.class = p->class;
	cause.key.mode = conf->policy.arn - 1;
	cause.time_us = conf->arn_time_us;
	cause.level = RTE_MAX(p->level, 0);
	cause.reason = reason;
	if (cause.key.mode != FCN_ARN_MODE_PRIORITY &&
			!fcn_arn_flow_of(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len,
					&p->info, cause.key.mode, &cause.key.flow)) {
		w->arn->no_flow++;
		return;
	}
	fcn_arn_ask(w, m, p, &cause);
}

void
fcn_arn_congested(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf)
{
	halt(w, m, p, conf, FCN_ARN_REASON_CONGESTED);
}

void
fcn_arn_waits(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf)
{
	const struct fcn_pause *pause = &w->port[p->out_port].pause;
	const struct fcn_egress *eg = w->port[p->out_port].egress;

	/* Of a pause or halt that has ended the worker may not know yet. */
	if (eg->paused >> p->class & 1 && w->now < pause->until[p->class] &&
			w->now - pause->since[p->class] >= w->snap->arn.from_pfc_ns)
		halt(w, m, p, conf, FCN_ARN_REASON_PAUSED);
	if (eg->halted >> p->class & 1 && w->now < pause->halt_until[p->class] &&
			eg->queue[p->class].bytes + m->pkt_len >= w->snap->arn.pass_on_bytes)
		fcn_arn_pass_on_queue(w, m, p, conf);
}

void
fcn_arn_update_paused(struct fcn_worker *w, uint16_t port)
{
	struct fcn_egress *eg = w->port[port].egress;
	const struct fcn_pause *pause = &w->port[port].pause;
	const uint8_t paused = pause->stopped & ~pause->storm;
	uint8_t now = 0;

	for (unsigned int c = 0; w->snap->arn.from_pfc && paused >> c != 0; c++) {
		if (paused >> c & 1 && w->snap->port[port].egress.queue[c].policy.arn != 0)
			now |= 1u << c;
	}
	for (unsigned int c = 0; (eg->paused & ~now) >> c != 0; c++) {
		if ((eg->paused & ~now) >> c & 1)
			fcn_arn_sender_end(w->arn, port, c, FCN_ARN_REASON_PAUSED, w->now);
	}
	eg->paused = now;
	eg->halted = w->snap->arn.pass_on_bytes != 0 ? pause->halted : 0;
}

void
fcn_arn_congestion_ended(struct fcn_worker *w, uint16_t port, unsigned int class)
{
	fcn_arn_sender_end(w->arn, port, class, FCN_ARN_REASON_CONGESTED, w->now);
}

/* What fcn_arn_sender_next() asks about neighbours: `p` stands for the message. */
struct route {
	struct fcn_worker *w;
	struct fcn_packet p;
	/* Those to the neighbour that was asked about last. */
	uint32_t next_hop;
	struct fcn_notify_way way;
};

/* Get how long a message has to wait until the share of notices has room on its link. */
static uint64_t
wait_for_link(const struct fcn_worker *w, const struct fcn_notify_way *way)
{
	const struct fcn_notify_link *link;
	uint64_t full;

	if (way->port == FCN_NOTIFY_NO_LINK)
		return 0;
	link = &w->snap->notify.common.link[way->port];
	full = w->notify_link[way->port].full;
	return fcn_notify_link_has_room(link, full, w->now) ? 0 : full - w->now - link->burst_ns;
}

static uint64_t
reach(void *arg, unsigned int neighbour)
{
	struct route *r = arg;
	const struct fcn_arn_neighbour *n = &r->w->snap->arn.neighbour[neighbour];
	const uint8_t *to = n->addr;
	struct fcn_notice_route route = {.w = r->w, .p = &r->p, .sender = to, .is_arn = true};
	bool found;

	/* Whatever port the packets came in by: its neighbour is in the table that it was given. */
	r->p.flags = FCN_PACKET_REROUTE;
	r->p.table = n->table;
	found = fcn_notice_find_route(&route, to, &r->way) != FCN_NOTIFY_REACH_NONE;
	r->next_hop = route.next_hop;
	return found ? wait_for_link(r->w, &r->way) : FCN_ARN_NEVER;
}

/* Push an event, if the last one of its type and port is long ago. */
static void
message_event(struct fcn_worker *w, const struct fcn_arn_message *message)
{
	const bool ends = message->arn.type == FCN_ARN_ENDED;
	uint64_t *last = &w->arn_event_ns[ends][message->port];
	const struct fcn_egress *eg = w->port[message->port].egress;
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = ends ? FCN_EVENT_ARN_ENDED : FCN_EVENT_ARN_SENT,
			.class = message->class,
			.level = message->arn.level,
			.port = message->port,
			.in_port = FCN_PORT_NONE,
			.occupancy = eg != NULL ? eg->queue[message->class].bytes : 0,
	};

	if (*last != 0 && w->now - *last < EVENT_NS)
		return;
	*last = RTE_MAX(w->now, UINT64_C(1));
	memcpy(ev.sender, w->snap->arn.neighbour[message->neighbour].addr, sizeof(ev.sender));
	fcn_worker_event(w, &ev);
}

/* Build one message. It has room for its Ethernet header in front. */
static void
build(struct fcn_worker *w, const struct fcn_arn_message *message, struct rte_mbuf *m,
		struct fcn_packet *p)
{
	const struct fcn_arn_conf *conf = &w->snap->arn;
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *);
	const uint32_t len = fcn_arn_build(&message->arn, conf->source,
			conf->neighbour[message->neighbour].addr, conf->port, ip,
			FCN_ARN_MAX_PACKET_LEN);
	const uint8_t tclass = conf->dscp << 2;

	ip[0] = 0x60 | tclass >> 4;
	ip[1] = tclass << 4;
	m->data_len = len;
	m->pkt_len = len;
	p->info = (struct fcn_wire_info){
			.flags = FCN_PKT_IPV6 | FCN_PKT_UDP,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.ip_len = len,
			.src_port = conf->port,
			.dst_port = conf->port,
			.proto = IPPROTO_UDP,
			.tclass = tclass,
			.ttl = FCN_ARN_HOP_LIMIT,
	};
}

void
fcn_arn_make_due(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_snapshot *snap = w->snap;
	const struct fcn_arn_conf *conf = &snap->arn;
	const struct fcn_packet fresh = {
			.out_port = FCN_PORT_NONE,
			.flags = FCN_PACKET_OWN | FCN_PACKET_ARN | FCN_PACKET_HOP_COUNTED,
			.class = conf->class,
			.level = FCN_LEVEL_NONE,
	};
	struct route route = {.w = w, .p = {.info = {.src_port = conf->port}}};
	struct fcn_arn_message message;
	struct rte_mbuf *m = NULL;
	unsigned int steps = STEPS;

	b->n = 0;
	b->n_traced = 0;
	while (b->n < FCN_NOTICE_MAX && w->arn->due_ns <= w->now && steps > 0) {
		struct fcn_packet *p = &b->pkt[b->n];

		if (m == NULL)
			m = rte_pktmbuf_alloc(w->pool);
		if (m == NULL) {
			fcn_arn_sender_postpone(w->arn, w->now);
			break;
		}
		if (!fcn_arn_sender_next(
				    w->arn, &conf->sender, reach, &route, w->now, &steps, &message))
			break;
		fcn_packet_begin(p, &fresh);
		build(w, &message, m, p);
		p->in_port = message.port;
		p->next_hop = route.next_hop;
		if (route.way.port != FCN_NOTIFY_NO_LINK)
			fcn_notify_link_charge(&snap->notify.common.link[route.way.port],
					&w->notify_link[route.way.port].full,
					route.way.head + m->pkt_len, w->now);
		w->counters[message.port].generated++;
		w->counters[message.port].arn_sent++;
		if (fcn_capture_wants_notes(&w->capture))
			fcn_capture_note_arn(m, message.reasons, message.port, message.class,
					message.arn.level);
		if (w->events != NULL)
			message_event(w, &message);
		b->mbuf[b->n++] = m;
		m = NULL;
	}
	rte_pktmbuf_free(m);
}

void
fcn_arn_reconfigure(struct fcn_worker *w)
{
	const struct fcn_snapshot *snap = w->snap;

	if (fcn_arn_sender_is_idle(w->arn)) {
		fcn_arn_sender_reconfigure(w->arn, &snap->arn.sender, w->now);
		return;
	}
	if (!snap->arn.send) {
		fcn_arn_sender_forget(w->arn);
		return;
	}
	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const unsigned int policy = snap->port[p].egress.queue[c].policy.arn;

			fcn_arn_sender_end_modes(w->arn, p, c,
					policy == 0 ? FCN_ARN_MODE_COUNT : policy - 1, w->now);
		}
	}
	fcn_arn_sender_reconfigure(w->arn, &snap->arn.sender, w->now);
}
