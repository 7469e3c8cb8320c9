/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_names.h"
#include "fcn_stages.h"
#include "fcn_trace.h"
#include "fcn_worker.h"

FCN_NAME_FUNCTION(fcn_stage_name, enum fcn_stage, FCN_STAGES(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_stage_text, enum fcn_stage, FCN_STAGES(FCN_ITEM_TEXT))
FCN_NAME_FUNCTION(fcn_trace_condition_name, enum fcn_trace_condition_type,
		FCN_TRACE_CONDITIONS(FCN_ITEM_WORD))

void
fcn_trace_filter_free(struct fcn_trace *t)
{
	if (t->has_filter)
		pcap_freecode(&t->filter);
	t->has_filter = false;
}

void
fcn_trace_clear(struct fcn_worker *w)
{
	w->trace.wanted = 0;
	w->trace.n = w->trace.n_unused = w->trace.n_candidates = 0;
	w->trace.clears++;
	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		struct fcn_egress *eg = w->port[w->own_port[i]].egress;

		for (unsigned int k = 0; k < eg->n_staged; k++)
			eg->staged[k].flags &= ~FCN_ENTRY_TRACED;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_queue *q = &eg->queue[c];

			for (uint32_t k = q->head; k != q->tail; k++)
				q->ring[k & q->mask].flags &= ~FCN_ENTRY_TRACED;
		}
	}
}

static void
add_step(struct fcn_worker *w, unsigned int record, enum fcn_stage stage,
		const struct fcn_packet *p, uint32_t queue_bytes)
{
	struct fcn_trace_record *r = &w->trace.record[record];
	struct fcn_trace_step *step;

	if (r->n_steps == FCN_TRACE_STEPS)
		return;
	step = &r->step[r->n_steps++];
	step->time_ns = w->now;
	step->stage = stage;
	step->left = r->left;
	step->queue_bytes = queue_bytes;
	step->until_ns = 0;
	memcpy(&step->pkt, p, sizeof(step->pkt));
}

/* Find a record that is not in use. @return NULL when there is none */
static struct fcn_trace_record *
find_unused(struct fcn_trace *t)
{
	struct fcn_trace_record *r = t->record;

	if (t->n_unused == 0)
		return t->n < FCN_TRACE_MAX ? &t->record[t->n++] : NULL;
	while (!r->unused)
		r++;
	t->n_unused--;
	return r;
}

/* Begin a record. @return 1 + its number, or 0 when none is free */
static uint8_t
begin(struct fcn_trace *t, uint8_t cause, const uint8_t *bytes, uint32_t seg_len, uint32_t len)
{
	struct fcn_trace_record *r = find_unused(t);

	if (r == NULL)
		return 0;
	r->cause = cause;
	r->from = 0;
	r->n_steps = 0;
	r->left = r->candidate = r->unused = false;
	r->serial = t->serial++;
	memset(r->verdict, FCN_NOTIFY_NONE, sizeof(r->verdict));
	r->len = len;
	r->n_bytes = RTE_MIN(seg_len, (uint32_t)FCN_TRACE_BYTES);
	if (r->n_bytes != 0)
		memcpy(r->bytes, bytes, r->n_bytes);
	return (uint8_t)(r - t->record + 1);
}

/* The same for a packet of which it is not known yet whether the condition holds. */
static uint8_t
begin_candidate(struct fcn_trace *t, const struct rte_mbuf *m)
{
	const uint8_t trace = begin(
			t, 0, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len);

	if (trace == 0)
		return 0;
	t->record[trace - 1].candidate = true;
	t->n_candidates++;
	return trace;
}

/* Give back the record of a packet for which the condition does not hold. */
static void
release(struct fcn_trace *t, struct fcn_trace_record *r)
{
	r->candidate = false;
	r->unused = true;
	t->n_candidates--;
	t->n_unused++;
	while (t->n != 0 && t->record[t->n - 1].unused) {
		t->record[--t->n].unused = false;
		t->n_unused--;
	}
}

static void
keep(struct fcn_trace *t, struct fcn_trace_record *r)
{
	r->candidate = false;
	t->n_candidates--;
	t->wanted--;
}

void
fcn_trace_forget_candidates(struct fcn_trace *t)
{
	for (uint32_t i = 0; t->n_candidates != 0 && i < t->n; i++) {
		if (t->record[i].candidate)
			release(t, &t->record[i]);
	}
}

/* Check whether the condition holds for a packet that has met all that it meets here. */
static bool
holds(const struct fcn_trace *t, const struct fcn_trace_record *r, const struct fcn_packet *p,
		enum fcn_drop_reason drop, bool marked)
{
	const struct fcn_trace_condition *c = &t->condition;

	if (t->wanted == 0)
		return false;
	switch (c->type) {
	case FCN_TRACE_DROPPED:
		return drop != FCN_DROP_NONE && (c->drop == FCN_DROP_NONE || c->drop == drop);
	case FCN_TRACE_NOTIFIED:
		for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
			if (c->verdicts[k] >> r->verdict[k] & 1)
				return true;
		}
		return false;
	case FCN_TRACE_MARKED:
		return marked;
	case FCN_TRACE_TRIMMED:
		return fcn_packet_is_trimmed_here(p);
	default:
		return true;
	}
}

void
fcn_trace_settle(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_drop_reason drop, bool marked)
{
	struct fcn_trace *t = &w->trace;
	struct fcn_trace_record *r = &t->record[b->pkt[i].trace - 1];

	if (!r->candidate)
		return;
	if (holds(t, r, &b->pkt[i], drop, marked))
		keep(t, r);
	else
		fcn_trace_end_candidate(w, b, i);
}

uint8_t
fcn_trace_candidate(const struct fcn_worker *w, const struct fcn_packet *p)
{
	return p->trace != 0 && w->trace.record[p->trace - 1].candidate ? p->trace : 0;
}

void
fcn_trace_end_candidate(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_trace_record *r = &w->trace.record[b->pkt[i].trace - 1];

	if (!r->candidate)
		return;
	release(&w->trace, r);
	b->pkt[i].trace = 0;
	b->n_traced--;
}

bool
fcn_trace_is_wanted(const struct fcn_trace *t, const struct rte_mbuf *m)
{
	struct pcap_pkthdr hdr = {.caplen = m->data_len, .len = m->pkt_len};

	return !t->has_filter ||
	       pcap_offline_filter(&t->filter, &hdr, rte_pktmbuf_mtod(m, const uint8_t *)) != 0;
}

void
fcn_trace_receive(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_trace *t = &w->trace;
	const bool all = t->condition.type == FCN_TRACE_ANY;

	fcn_trace_forget_candidates(t); /* those of the turn before */
	if (!all && fcn_trace_room(t) == 0)
		t->wanted = 0;
	for (unsigned int i = 0; i < b->n; i++) {
		struct rte_mbuf *m = b->mbuf[i];
		struct fcn_packet p = {.in_port = b->pkt[i].in_port};

		b->pkt[i].trace = 0;
		if (t->wanted == 0 || !fcn_trace_is_wanted(t, m))
			continue;
		b->pkt[i].trace = all ? begin(t, 0, rte_pktmbuf_mtod(m, const uint8_t *),
							m->data_len, m->pkt_len)
				      : begin_candidate(t, m);
		if (b->pkt[i].trace == 0) {
			t->wanted = all ? 0 : t->wanted;
			continue;
		}
		t->wanted -= all;
		b->n_traced++;
		add_step(w, b->pkt[i].trace - 1, FCN_STAGE_RX, &p, 0);
	}
}

void
fcn_trace_receive_cross_core(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_trace *t = &w->trace;

	for (unsigned int i = 0; t->condition.type != FCN_TRACE_ANY && i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];

		/* Some may have been queued already. */
		if (b->mbuf[i] == NULL || p->trace != 0 ||
				p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN) ||
				!fcn_trace_is_wanted(t, b->mbuf[i]))
			continue;
		p->trace = begin_candidate(t, b->mbuf[i]);
		if (p->trace == 0)
			return;
		t->record[p->trace - 1].from_worker = FCN_TRACE_ANY_WORKER;
		b->n_traced++;
	}
}

uint8_t
fcn_trace_notice(struct fcn_worker *w, uint8_t cause, const uint8_t *bytes, uint32_t len)
{
	return begin(&w->trace, cause, bytes, len, len);
}

/*
 * Get the occupancy of a packet's queue after the packet: the current one, less the packets that
 * came after it in the burst.
 */
static uint32_t
occupancy_behind(const struct fcn_worker *w, const struct fcn_burst *b, unsigned int i)
{
	const struct fcn_packet *p = &b->pkt[i];
	uint32_t bytes;

	if (p->out_port == FCN_PORT_NONE || w->port[p->out_port].egress == NULL)
		return 0;
	bytes = w->port[p->out_port].egress->queue[p->class].bytes;
	for (unsigned int k = i + 1; k < b->n; k++) {
		if (b->mbuf[k] != NULL && b->pkt[k].out_port == p->out_port &&
				b->pkt[k].class == p->class)
			bytes -= b->mbuf[k]->pkt_len;
	}
	return bytes;
}

/* Check whether the metadata of a packet has changed since its last step. */
static bool
is_changed(const struct fcn_trace_record *r, const struct fcn_packet *p)
{
	return r->n_steps == 0 || memcmp(&r->step[r->n_steps - 1].pkt, p, sizeof(*p)) != 0;
}

void
fcn_trace_stage(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage)
{
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		struct fcn_trace_record *r;
		uint32_t queue_bytes = 0;

		if (p->trace == 0)
			continue;
		r = &w->trace.record[p->trace - 1];
		if (r->left)
			continue;
		/* a queued packet is still in its burst */
		r->left = b->mbuf[i] == NULL || stage == FCN_STAGE_ENQUEUE;
		if (!r->left && !is_changed(r, p))
			continue;
		if (stage == FCN_STAGE_ENQUEUE)
			queue_bytes = occupancy_behind(w, b, i);
		add_step(w, p->trace - 1, stage, p, queue_bytes);
		/* Otherwise its record is free in the next turn, as the burst still names it. */
		if (r->left && r->candidate && holds(&w->trace, r, p, p->drop, false))
			keep(&w->trace, r);
	}
}

void
fcn_trace_stamp(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int n)
{
	for (unsigned int i = from; i < from + n; i++) {
		if (b->pkt[i].trace != 0)
			fcn_trace_end_candidate(w, b, i);
		if (b->pkt[i].trace != 0)
			fcn_queued_of(w, b->mbuf[i])->trace_clears = w->trace.clears;
	}
}

void
fcn_trace_cross_core_tx(struct fcn_worker *w, const struct fcn_packet *p)
{
	add_step(w, p->trace - 1, FCN_STAGE_CROSS_CORE_TX, p, 0);
}

uint8_t
fcn_trace_cross_core_rx(struct fcn_worker *w, const struct rte_mbuf *m, unsigned int from_worker,
		uint8_t from)
{
	uint8_t trace = 0;

	if (fcn_queued_of(w, m)->trace_clears == w->trace.clears)
		trace = begin(&w->trace, 0, NULL, 0, 0);
	if (trace != 0) {
		w->trace.record[trace - 1].from = from;
		w->trace.record[trace - 1].from_worker = from_worker;
	}
	return trace;
}

void
fcn_trace_hold(struct fcn_worker *w, const struct fcn_packet *p, uint64_t until_ns, uint64_t bytes)
{
	struct fcn_trace_record *r = &w->trace.record[p->trace - 1];
	const unsigned int step = r->n_steps;

	add_step(w, p->trace - 1, FCN_STAGE_HOLD, p, bytes);
	if (r->n_steps > step)
		r->step[step].until_ns = until_ns;
}

void
fcn_trace_verdict(struct fcn_worker *w, const struct fcn_packet *p, unsigned int kind,
		uint8_t verdict)
{
	w->trace.record[p->trace - 1].verdict[kind] = verdict;
}

void
fcn_trace_verdicts(struct fcn_worker *w, const struct fcn_packet *p,
		const uint8_t verdict[FCN_NOTICE_KIND_MAX])
{
	struct fcn_trace_record *r = &w->trace.record[p->trace - 1];

	memcpy(r->verdict, verdict, sizeof(r->verdict));
}

void
fcn_trace_transmit(struct fcn_worker *w, uint8_t trace, uint16_t port, uint8_t class)
{
	struct fcn_packet p = {.out_port = port, .class = class};

	add_step(w, trace - 1, FCN_STAGE_TRANSMIT, &p, 0);
}
