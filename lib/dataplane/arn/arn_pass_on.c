/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "arn_pass_on.h"
#include "congestion.h"
#include "lossless.h"

/* Shortest time between two events of a port. */
#define EVENT_NS 1000000

/* ---- the table ---- */

static bool
is_flow(const struct fcn_arn_passed_on *o)
{
	return o->flow != FCN_HELD_FLOWS_NONE;
}

/* Where the table has the index of a halt. */
static uint16_t *
place_of(struct fcn_arn_edge_state *s, const struct fcn_arn_passed_on *o)
{
	return is_flow(o) ? &s->of_flow[o->flow] : &s->of_class[o->port][o->class];
}

/* What upstream neighbours are asked to halt. */
static struct fcn_arn_key
key_of(const struct fcn_arn_passed_on *o, uint16_t port, uint8_t class)
{
	struct fcn_arn_key key;

	memset(&key, 0, sizeof(key));
	key.port = port;
	key.class = class;
	key.mode = FCN_ARN_MODE_PRIORITY;
	if (is_flow(o)) {
		key.mode = o->held.mode;
		memcpy(&key.flow, &o->held.flow, sizeof(key.flow));
		key.flow.level = 0;
	}
	return key;
}

/* Let the senders behind a port send a class again, as far as this halt is concerned. */
static void
unpause(struct fcn_worker *w, struct fcn_arn_passed_on *o, uint16_t port, unsigned int class)
{
	fcn_port_set_remove(&o->paused[class], port);
	if (--w->arn_edge->n_paused[port][class] == 0)
		fcn_pause_publish(w, port, class, w->ingress[port][class].xoff);
}

static void
discard(struct fcn_worker *w, struct fcn_arn_passed_on *o)
{
	struct fcn_arn_edge_state *s = w->arn_edge;
	struct fcn_arn_passed_on *last;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		FCN_PORT_SET_FOREACH (p, &o->asked[c]) {
			const struct fcn_arn_key key = key_of(o, p, c);

			fcn_arn_sender_end_one(w->arn, &key, FCN_ARN_REASON_HELD, w->now);
		}
		FCN_PORT_SET_FOREACH (p, &o->paused[c])
			unpause(w, o, p, c);
	}
	*place_of(s, o) = 0;
	s->ended += o->active;
	last = &s->passed[--s->n];
	if (last == o)
		return;
	memcpy(o, last, sizeof(*o));
	*place_of(s, o) = 1 + (o - s->passed);
}

/* Whether the entry is about the flow that has its number now, and not about one that had it. */
static bool
is_of(const struct fcn_arn_passed_on *o, const struct fcn_held_flow *f)
{
	return f->used && memcmp(&o->held, &f->key, sizeof(o->held)) == 0;
}

/* Find a halt in the table, or put it there. @return NULL: there is no room */
static struct fcn_arn_passed_on *
find_or_add_halt(struct fcn_worker *w, const struct fcn_arn_passed_on *wanted)
{
	struct fcn_arn_edge_state *s = w->arn_edge;
	uint16_t *place = place_of(s, wanted);
	struct fcn_arn_passed_on *o;

	if (*place != 0) {
		o = &s->passed[*place - 1];
		if (!is_flow(o) || is_of(o, &w->arn_held.flows.flow[o->flow]))
			return o;
		discard(w, o);
	}
	if (s->n == FCN_ARN_PASSED_ON) {
		s->table_full++;
		return NULL;
	}
	o = &s->passed[s->n++];
	memcpy(o, wanted, sizeof(*o));
	o->begun_ns = w->now;
	*place = 1 + (o - s->passed);
	return o;
}

static void
note_begun(struct fcn_arn_edge_state *s, struct fcn_arn_passed_on *o)
{
	s->begun += !o->active;
	o->active = true;
}

/* ---- a packet waits ---- */

/* Push an event, if the last one of the port is long ago. */
static void
passed_on_event(struct fcn_worker *w, const struct fcn_packet *p, uint16_t in_port, uint64_t bytes)
{
	uint64_t *last = &w->arn_edge->event_ns[in_port];
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_ARN_PASSED_ON,
			.class = p->class,
			.level = p->level,
			.port = p->out_port,
			.in_port = in_port,
			.occupancy = RTE_MIN(bytes, UINT64_C(0xFFFFFFFF)),
	};

	if (*last != 0 && w->now - *last < EVENT_NS)
		return;
	*last = RTE_MAX(w->now, UINT64_C(1));
	fcn_worker_event(w, &ev);
}

/* Ask the upstream neighbours. @return whether there is a halt that they are asked for */
static bool
by_message(struct fcn_worker *w, const struct fcn_arn_passed_on *wanted, const struct rte_mbuf *m,
		struct fcn_packet *p, const struct fcn_queue_conf *conf)
{
	struct fcn_arn_passed_on *o;
	struct fcn_arn_cause cause;

	if (!w->snap->arn.send)
		return false;
	memset(&cause, 0, sizeof(cause));
	cause.key = key_of(wanted, p->out_port, p->class);
	cause.time_us = conf->arn_time_us;
	cause.level = p->level;
	cause.reason = FCN_ARN_REASON_HELD;
	o = find_or_add_halt(w, wanted);
	if (o == NULL)
		return false;
	if (!fcn_arn_ask(w, m, p, &cause)) {
		if (!o->active) /* it leaves its place to others */
			discard(w, o);
		return false;
	}
	fcn_port_set_add(&o->asked[p->class], p->out_port);
	note_begun(w->arn_edge, o);
	return true;
}

/* Have the class of the link partner paused. @return whether it is */
static bool
by_pfc(struct fcn_worker *w, const struct fcn_arn_passed_on *wanted, uint8_t class,
		uint16_t in_port)
{
	struct fcn_arn_edge_state *s = w->arn_edge;
	struct fcn_arn_passed_on *o;

	if (!(w->snap->port[in_port].pause.tx_classes >> class & 1)) {
		s->not_lossless++;
		return false;
	}
	o = find_or_add_halt(w, wanted);
	if (o == NULL)
		return false;
	if (fcn_port_set_has(&o->paused[class], in_port))
		return true;
	fcn_port_set_add(&o->paused[class], in_port);
	note_begun(s, o);
	s->pfc++;
	if (s->n_paused[in_port][class]++ == 0)
		fcn_pause_publish(w, in_port, class, true);
	return true;
}

/*
 * Send a Fast CNP to the sender, if the decision about notices permits it, unless the detector of
 * the queue has asked for that decision. How much of the class queue the flow has does not matter:
 * it is not there.
 */
static bool
by_notice(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p, uint64_t bytes)
{
	static const struct fcn_queue_conf no_policy;
	struct fcn_queue *q = &w->port[p->out_port].egress->queue[p->class];
	const uint64_t before = q->stats.notices;

	if (w->snap->notify.on == 0 || p->reactions & FCN_REACTION_DECIDED)
		return false;
	fcn_congestion_notify(w, m, p, q, &no_policy, RTE_MIN(bytes, UINT64_C(0xFFFFFFFF)));
	if (q->stats.notices == before)
		return false;
	w->arn_edge->notified++;
	return true;
}

/* Get how much of a limit is used, in eighths. */
static int8_t
level_of(uint64_t used, uint64_t limit)
{
	return used >= limit ? FCN_ARN_MAX_LEVEL : (int8_t)(used * (FCN_ARN_MAX_LEVEL + 1) / limit);
}

/*
 * Pass a halt on.
 *
 * @param bytes those that wait
 * @param level of a packet that no detector has found congested
 */
static void
pass_on(struct fcn_worker *w, const struct fcn_arn_passed_on *wanted, const struct rte_mbuf *m,
		struct fcn_packet *p, const struct fcn_queue_conf *conf, uint64_t bytes,
		int8_t level)
{
	const uint16_t in_port = fcn_parent_port_of(w, p);
	bool passed;

	if (p->level == FCN_LEVEL_NONE)
		p->level = level;
	switch (w->snap->port[in_port].arn_edge) {
	case FCN_ARN_EDGE_PFC:
		passed = by_pfc(w, wanted, p->class, in_port);
		break;
	case FCN_ARN_EDGE_FAST_CNP:
		passed = by_notice(w, m, p, bytes);
		break;
	default:
		passed = by_message(w, wanted, m, p, conf);
		break;
	}
	if (passed && w->events != NULL)
		passed_on_event(w, p, in_port, bytes);
}

void
fcn_arn_pass_on_flow(
		struct fcn_worker *w, uint32_t flow, const struct rte_mbuf *m, struct fcn_packet *p)
{
	const struct fcn_held_flow *f = &w->arn_held.flows.flow[flow];
	const struct fcn_held_flows_conf *limits = &w->snap->arn.held;
	const int8_t level = RTE_MAX(level_of(f->bytes, limits->flow_bytes),
			level_of(f->packets, limits->flow_packets));
	struct fcn_arn_passed_on wanted = {.flow = flow};

	memcpy(&wanted.held, &f->key, sizeof(wanted.held));
	pass_on(w, &wanted, m, p, &w->snap->port[p->out_port].egress.queue[p->class], f->bytes,
			level);
}

void
fcn_arn_pass_on_queue(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_conf *conf)
{
	const struct fcn_arn_passed_on wanted = {
			.flow = FCN_HELD_FLOWS_NONE, .port = p->out_port, .class = p->class};
	const struct fcn_queue *q = &w->port[p->out_port].egress->queue[p->class];

	pass_on(w, &wanted, m, p, conf, q->bytes + m->pkt_len,
			level_of(q->bytes + m->pkt_len, conf->limit_bytes));
}

/* ---- the end ---- */

/* Check whether a halt is still to be passed on. */
static bool
is_needed(const struct fcn_worker *w, const struct fcn_arn_passed_on *o)
{
	const uint64_t enough = w->snap->arn.pass_on_bytes / 2;

	if (w->snap->arn.pass_on_bytes == 0)
		return false;
	if (is_flow(o)) {
		const struct fcn_held_flow *f = &w->arn_held.flows.flow[o->flow];

		return is_of(o, f) && f->held &&
		       (f->bytes >= enough ||
				       f->packets >= RTE_MAX(w->snap->arn.held.flow_packets / 4,
								     UINT32_C(1)));
	}
	return w->port[o->port].egress != NULL && w->port[o->port].pause.halted >> o->class & 1 &&
	       w->port[o->port].egress->queue[o->class].bytes >= enough;
}

void
fcn_arn_edge_end(struct fcn_worker *w)
{
	struct fcn_arn_edge_state *s = w->arn_edge;

	for (unsigned int i = s->n; i-- > 0;) { /* the last one takes the place of one that ends */
		if (!is_needed(w, &s->passed[i]))
			discard(w, &s->passed[i]);
	}
}

void
fcn_arn_edge_forget_port(struct fcn_worker *w, uint16_t port)
{
	struct fcn_arn_edge_state *s = w->arn_edge;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		for (unsigned int i = 0; i < s->n; i++)
			fcn_port_set_remove(&s->passed[i].paused[c], port);
		s->n_paused[port][c] = 0;
	}
	s->event_ns[port] = 0;
}

void
fcn_arn_edge_reconfigure(struct fcn_worker *w)
{
	struct fcn_arn_edge_state *s = w->arn_edge;

	for (unsigned int i = 0; i < s->n; i++) {
		struct fcn_arn_passed_on *o = &s->passed[i];

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (!w->snap->arn.send) /* its neighbours were forgotten */
				o->asked[c] = (struct fcn_port_set){0};
			FCN_PORT_SET_FOREACH (p, &o->paused[c]) {
				const struct fcn_snapshot_port *conf = &w->snap->port[p];

				if (conf->arn_edge != FCN_ARN_EDGE_PFC ||
						!(conf->pause.tx_classes >> c & 1))
					unpause(w, o, p, c);
			}
		}
	}
	fcn_arn_edge_end(w);
}

void
fcn_arn_edge_clear_counters(struct fcn_arn_edge_state *s)
{
	struct fcn_arn_edge_state *c = s;

	FCN_ARN_EDGE_COUNTERS(FCN_COUNTER_CLEAR)
}
