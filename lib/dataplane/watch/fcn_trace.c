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
	w->trace.n = 0;
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

/* Begin a record. @return 1 + its number, or 0 when none is free */
static uint8_t
begin(struct fcn_trace *t, uint8_t cause, const uint8_t *bytes, uint32_t seg_len, uint32_t len)
{
	struct fcn_trace_record *r;

	if (t->n == FCN_TRACE_MAX)
		return 0;
	r = &t->record[t->n++];
	r->cause = cause;
	r->from = 0;
	r->n_steps = 0;
	r->left = false;
	memset(r->verdict, FCN_NOTIFY_NONE, sizeof(r->verdict));
	r->len = len;
	r->n_bytes = RTE_MIN(seg_len, (uint32_t)FCN_TRACE_BYTES);
	if (r->n_bytes != 0)
		memcpy(r->bytes, bytes, r->n_bytes);
	return t->n;
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

	for (unsigned int i = 0; i < b->n; i++) {
		struct rte_mbuf *m = b->mbuf[i];
		struct fcn_packet p = {.in_port = b->pkt[i].in_port};

		b->pkt[i].trace = 0;
		if (t->wanted == 0 || !fcn_trace_is_wanted(t, m))
			continue;
		b->pkt[i].trace = begin(t, 0, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len,
				m->pkt_len);
		if (b->pkt[i].trace == 0) {
			t->wanted = 0;
			continue;
		}
		t->wanted--;
		b->n_traced++;
		add_step(w, b->pkt[i].trace - 1, FCN_STAGE_RX, &p, 0);
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
	}
}

void
fcn_trace_stamp(struct fcn_worker *w, const struct fcn_burst *b, unsigned int from, unsigned int n)
{
	for (unsigned int i = from; i < from + n; i++) {
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
