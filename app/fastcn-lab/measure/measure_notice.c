/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "fcn_cnm.h"
#include "fcn_fastcnp.h"
#include "fcn_notify.h"
#include "measure_private.h"

/*
 * Add a notice to the list of a flow. The notices of a flow arrive in the order of their decisions,
 * because they have the same path and class. A notice that a link loses is removed at that time.
 */
static void
push(struct lab_measure *m, struct lab_pending_list *l, const struct lab_pending *p)
{
	if (l->n == l->room) {
		unsigned int room = l->room == 0 ? 8 : 2 * l->room;
		struct lab_pending *item = malloc(room * sizeof(*item));

		if (item == NULL) {
			m->failed = true;
			return;
		}
		for (unsigned int i = 0; i < l->n; i++)
			item[i] = l->item[(l->first + i) & (l->room - 1)];
		free(l->item);
		l->item = item;
		l->room = room;
		l->first = 0;
	}
	l->item[(l->first + l->n++) & (l->room - 1)] = *p;
}

static struct lab_pending
pop(struct lab_pending_list *l)
{
	struct lab_pending p = l->item[l->first];

	l->first = (l->first + 1) & (l->room - 1);
	l->n--;
	return p;
}

/* A notice that a switch decided to send, and the flow that it is about; NULL: none is known. */
struct sent {
	struct lab_flow_measure *flow;
	const struct lab_port *port;
	unsigned int node, class, level;
	struct lab_pending pending;
};

static void
replay_notice(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct sent *s = data;
	char where[80];

	m->notices.sent++;
	snprintf(where, sizeof(where), "%s.%s.%u", m->sc->node_switch[s->node].name, s->port->name,
			s->class);
	measure_event(m, &s->pending.queue->notice_series, "notice", where, s->pending.decided_ns,
			s->level);
	if (s->flow == NULL)
		return;
	s->flow->notices_sent++;
	push(m, &s->flow->pending, &s->pending);
}

void
measure_notice(struct lab_measure *m, unsigned int node, struct lab_port *port,
		const struct fcn_event *ev)
{
	struct lab_queue *q = &port->queue[ev->class];
	const struct sent sent = {
			.flow = measure_flow_of_packet(m, ev->receiver, ev->dest_qp),
			.port = port,
			.node = node,
			.class = ev->class,
			.level = ev->level > 0 ? (unsigned int)ev->level : 0,
			.pending = {.decided_ns = ev->time_ns,
					.episode_ns = q->episode_ns,
					.queue = q},
	};

	if (!fcn_notify_verdict_is_sent(ev->verdict))
		return;
	q->notices++;
	q->episode_ns = LAB_NEVER;
	lab_log_call(measure_switch_log(m, node), replay_notice, m, &sent, sizeof(sent));
}

void
measure_notice_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now)
{
	struct lab_pending p;

	m->notices.accepted++;
	f->notices_accepted++;
	measure_event(m, &f->accepted_series, "accepted", f->label, now, 1);
	if (f->pending.n == 0) {
		m->notices.duplicate++;
		f->notices_duplicate++;
		return;
	}
	p = pop(&f->pending);
	lab_distribution_add(&m->notices.latency, now - p.decided_ns);
	if (p.episode_ns != LAB_NEVER)
		lab_distribution_add(&m->notices.episode, now - p.episode_ns);
	if (p.queue->first_congested_ns == LAB_NEVER)
		return;
	if (p.queue->first_notice_ns == LAB_NEVER)
		p.queue->first_notice_ns = now - p.queue->first_congested_ns;
	if (m->notices.first_ns == LAB_NEVER)
		m->notices.first_ns = now - p.queue->first_congested_ns;
	if (f->first_notice_ns == LAB_NEVER)
		f->first_notice_ns = now - p.queue->first_congested_ns;
}

/*
 * A CNP does not name the queue that caused it, so its latency is measured from the first
 * congestion of any queue.
 */
void
measure_cnp_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now)
{
	uint64_t latency = now - m->first_congested_ns;

	m->notices.cnps++;
	f->cnps++;
	measure_event(m, &f->cnp_series, "cnp", f->label, now, 1);
	if (m->first_congested_ns == LAB_NEVER)
		return;
	if (m->notices.first_cnp_ns == LAB_NEVER)
		m->notices.first_cnp_ns = latency;
	if (f->first_cnp_ns == LAB_NEVER)
		f->first_cnp_ns = latency;
}

/*
 * Remove a lost notice from the list: the latest one whose decision was before the lost frame left.
 */
static void
drop(struct lab_pending_list *l, uint64_t now)
{
	unsigned int i = l->n;

	while (i > 0 && l->item[(l->first + i - 1) & (l->room - 1)].decided_ns > now)
		i--;
	if (i == 0)
		return;
	for (; i < l->n; i++)
		l->item[(l->first + i - 1) & (l->room - 1)] =
				l->item[(l->first + i) & (l->room - 1)];
	l->n--;
}

static bool
read_notice(const struct lab_measure *m, const struct rte_mbuf *frame, struct fcn_fastcnp *notice)
{
	const struct fcn_endpoint_conf *conf = &m->sc->host[0].conf;
	struct fcn_parse_codes codes = {
			.fastcnp_opt1 = conf->opt1_type, .fastcnp_opt2 = conf->opt2_type};
	const uint8_t *data = rte_pktmbuf_mtod(frame, const uint8_t *);
	struct fcn_wire_info info;

	/* A notice is short and has a single segment. */
	if (m->sc->n_hosts == 0 || frame->data_len != frame->pkt_len)
		return false;
	fcn_parse_slow(data, frame->data_len, frame->pkt_len, &codes, &info);
	if ((info.flags & FCN_PKT_FASTCNP) == 0)
		return false;
	return fcn_fastcnp_parse(&m->crc, FCN_ICRC_ANY, data, frame->data_len, &info, &codes,
			       notice) == FCN_WIRE_OK;
}

/* Read a Congestion Notification Message, which is not in a tunnel. */
static bool
read_message(const struct lab_measure *m, const struct rte_mbuf *frame, struct fcn_cnm *message)
{
	const struct fcn_parse_codes codes = {0};
	const uint8_t *data = rte_pktmbuf_mtod(frame, const uint8_t *);
	struct fcn_wire_info info;

	if (m->is_cnm == NULL || !m->is_cnm(m->is_cnm_arg, frame) ||
			frame->data_len != frame->pkt_len)
		return false;
	fcn_parse_slow(data, frame->data_len, frame->pkt_len, &codes, &info);
	return (info.flags & FCN_PKT_TUNNEL) == 0 &&
	       fcn_cnm_parse(data + info.l3_off, info.l4_off - info.l3_off,
			       frame->data_len - info.l3_off, &codes, message) == FCN_CNM_OK;
}

/* A notice that a link lost, and the flow that it is about; NULL: none is known. */
struct lost {
	struct lab_flow_measure *flow;
	uint64_t now;
};

static void
replay_lost(void *arg, const void *data)
{
	struct lab_measure *m = arg;
	const struct lost *lost = data;

	m->notices.lost++;
	if (lost->flow == NULL)
		return;
	lost->flow->notices_lost++;
	drop(&lost->flow->pending, lost->now);
}

void
measure_notice_lost(struct lab_measure *m, struct lab_log *log, const struct rte_mbuf *frame,
		uint64_t now)
{
	struct lost lost = {.now = now};
	struct fcn_fastcnp notice;
	struct fcn_cnm message;

	if (read_notice(m, frame, &notice))
		lost.flow = measure_flow_of_packet(m, notice.receiver, notice.cnp.dest_qp);
	else if (read_message(m, frame, &message))
		lost.flow = measure_flow_of_packet(m, message.flow.dst, message.about.dest_qp);
	else
		return;
	lab_log_call(log, replay_lost, m, &lost, sizeof(lost));
}

void
lab_measure_set_cnm(struct lab_measure *m, bool (*is_cnm)(void *arg, const struct rte_mbuf *frame),
		void *arg)
{
	m->is_cnm = is_cnm;
	m->is_cnm_arg = arg;
}

static void
set(json_t *o, const char *name, uint64_t value)
{
	json_object_set_new(o, name, json_integer((json_int_t)value));
}

json_t *
measure_notice_result(struct lab_measure *m)
{
	struct lab_notices *n = &m->notices;
	json_t *o = json_object();

	set(o, "sent", n->sent);
	set(o, "suppressed", n->suppressed);
	set(o, "accepted", n->accepted);
	set(o, "duplicate", n->duplicate);
	set(o, "lost", n->lost);
	if (n->first_ns != LAB_NEVER)
		set(o, "first_ns", n->first_ns);
	if (n->latency.weight > 0)
		json_object_set_new(o, "latency_ns", lab_distribution_json(&n->latency, 1));
	if (n->episode.weight > 0)
		json_object_set_new(o, "episode_ns", lab_distribution_json(&n->episode, 1));
	m->failed |= n->latency.failed || n->episode.failed;
	return o;
}

json_t *
measure_cnp_result(const struct lab_measure *m)
{
	json_t *o = json_object();

	set(o, "received", m->notices.cnps);
	if (m->notices.first_cnp_ns != LAB_NEVER)
		set(o, "first_ns", m->notices.first_cnp_ns);
	return o;
}
