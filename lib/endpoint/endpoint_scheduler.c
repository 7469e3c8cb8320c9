/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Choice of the next frame. Control frames go before data: CNPs that are due, NAKs for trimmed
 * packets, acknowledgements in the order in which they arose, Parameter Problems. A queue pair that
 * has data and an open window is in the heap of its class, ordered by the time that its pacer
 * allows. The queue pair that was due first sends, and is then inserted behind the others that are
 * due. Paused classes are skipped.
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "endpoint_state.h"
#include "fcn_icmp6.h"

#define ERROR_CLASS 6 /* DSCP 48 */
#define LONGEST_HEADERS (FCN_ENDPOINT_MAX_FRAME - 4096)

void
endpoint_schedule_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	struct endpoint_heap *heap = &ep->data[qp->data_class];
	uint32_t place = ep->data_place[qp->slot];
	uint64_t due;

	if (!endpoint_sender_ready(ep, qp)) {
		if (place != ENDPOINT_HEAP_NONE)
			endpoint_heap_remove(heap, ep->data_place, qp->slot);
		return;
	}
	if (place == ENDPOINT_HEAP_NONE)
		endpoint_pacer_begin(&qp->pacer, now);
	due = endpoint_pacer_due(&qp->pacer);
	if (place == ENDPOINT_HEAP_NONE || heap->entry[place].time != due)
		endpoint_heap_set(heap, ep->data_place, qp->slot, due, ep->order++);
}

void
endpoint_schedule_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp,
		enum endpoint_answer answer, uint8_t dscp)
{
	struct endpoint_answers *list;

	if (qp->answer != ENDPOINT_ANSWER_NONE) {
		qp->answer = answer; /* replaces the waiting one, whose information it includes */
		return;
	}
	qp->answer = answer;
	qp->answer_dscp = dscp;
	qp->answer_order = ep->order++;
	qp->answer_next = NULL;
	list = &ep->answers[dscp >> 3];
	if (list->head == NULL)
		list->head = qp;
	else
		list->tail->answer_next = qp;
	list->tail = qp;
	ep->answer_classes |= 1u << (dscp >> 3);
}

bool
endpoint_schedule_cnp(struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t now)
{
	if (ep->cnp_tail - ep->cnp_head == ENDPOINT_CNPS)
		return false;
	ep->cnp[ep->cnp_tail++ % ENDPOINT_CNPS] = (struct endpoint_cnp){
			.due_ns = now + ep->conf.cnp_delay_ns,
			.qp = qp->number,
	};
	return true;
}

bool
endpoint_schedule_nak(struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t packet)
{
	if (ep->nak_tail - ep->nak_head == ENDPOINT_NAKS)
		return false;
	ep->nak[ep->nak_tail++ % ENDPOINT_NAKS] = (struct endpoint_nak){
			.qp = qp->number,
			.packet = packet,
	};
	return true;
}

static uint64_t
timers_next(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	uint64_t timeout = endpoint_sender_timeout(ep, qp);

	if (ep->conf.reaction.kind == FCN_REACTION_NONE)
		return timeout;
	return RTE_MIN(timeout, fcn_reaction_next(&qp->reaction));
}

/* A timer that expires too early is set again, so postponing one costs nothing. */
static void
timers_set(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t when)
{
	if (when >= qp->timer_ns)
		return;
	qp->timer_ns = when;
	endpoint_heap_set(&ep->timers, ep->timer_place, qp->slot, when, ep->order++);
}

void
endpoint_schedule_timers(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	timers_set(ep, qp, timers_next(ep, qp));
}

static void
timers_run(struct fcn_endpoint *ep, uint64_t now)
{
	while (endpoint_heap_time(&ep->timers) <= now) {
		struct endpoint_qp *qp = ep->qp[ep->timers.entry[0].slot];
		uint64_t next;

		endpoint_heap_remove(&ep->timers, ep->timer_place, qp->slot);
		qp->timer_ns = FCN_ENDPOINT_NEVER;
		if (ep->conf.reaction.kind != FCN_REACTION_NONE &&
				fcn_reaction_next(&qp->reaction) <= now) {
			fcn_reaction_timers(&qp->reaction, now);
			endpoint_sender_reacted(ep, qp, now);
		}
		if (endpoint_sender_timeout(ep, qp) <= now)
			endpoint_sender_expire(ep, qp, now);
		next = timers_next(ep, qp);
		timers_set(ep, qp, RTE_MAX(next, now + 1));
	}
}

static void
answers_forget(struct endpoint_answers *list, const struct endpoint_qp *qp)
{
	struct endpoint_qp *before = NULL, *at = list->head;

	while (at != NULL && at != qp) {
		before = at;
		at = at->answer_next;
	}
	if (at == NULL)
		return;
	if (before == NULL)
		list->head = at->answer_next;
	else
		before->answer_next = at->answer_next;
	if (list->tail == at)
		list->tail = before;
}

void
endpoint_schedule_forget(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	uint8_t class = qp->answer_dscp >> 3;

	if (ep->data_place[qp->slot] != ENDPOINT_HEAP_NONE)
		endpoint_heap_remove(&ep->data[qp->data_class], ep->data_place, qp->slot);
	if (ep->timer_place[qp->slot] != ENDPOINT_HEAP_NONE)
		endpoint_heap_remove(&ep->timers, ep->timer_place, qp->slot);
	if (qp->answer == ENDPOINT_ANSWER_NONE)
		return;
	answers_forget(&ep->answers[class], qp);
	if (ep->answers[class].head == NULL)
		ep->answer_classes &= ~(1u << class);
}

static bool
class_paused(const struct fcn_endpoint *ep, uint8_t class)
{
	return (ep->paused & 1u << class) != 0;
}

static uint32_t
send_cnp(struct fcn_endpoint *ep, uint8_t *buf, uint64_t now)
{
	if (class_paused(ep, ep->conf.cnp_dscp >> 3))
		return 0;
	while (ep->cnp_head != ep->cnp_tail) {
		const struct endpoint_cnp *cnp = &ep->cnp[ep->cnp_head % ENDPOINT_CNPS];
		const struct endpoint_qp *qp;

		if (cnp->due_ns > now)
			return 0;
		ep->cnp_head++;
		qp = endpoint_qp_find(ep, cnp->qp);
		if (qp == NULL)
			continue; /* the queue pair was closed meanwhile */
		ep->n.cnp_sent++;
		return endpoint_cnp_build(ep, qp, buf);
	}
	return 0;
}

static uint32_t
send_answer(struct fcn_endpoint *ep, uint8_t *buf)
{
	uint32_t classes = ep->answer_classes & ~(uint32_t)ep->paused, class, len;
	struct endpoint_qp *qp = NULL;

	for (; classes != 0; classes &= classes - 1) {
		struct endpoint_qp *head = ep->answers[rte_bsf32(classes)].head;

		if (qp == NULL || head->answer_order < qp->answer_order)
			qp = head;
	}
	if (qp == NULL)
		return 0;
	class = qp->answer_dscp >> 3;
	ep->answers[class].head = qp->answer_next;
	if (qp->answer_next == NULL)
		ep->answer_classes &= ~(1u << class);
	len = endpoint_receiver_answer(ep, qp, buf);
	qp->answer = ENDPOINT_ANSWER_NONE;
	return len;
}

static uint32_t
send_error(struct fcn_endpoint *ep, uint8_t *buf)
{
	const struct endpoint_error *error;

	if (ep->error_head == ep->error_tail || class_paused(ep, ERROR_CLASS))
		return 0;
	error = &ep->error[ep->error_head++ % ENDPOINT_ERRORS];
	memcpy(buf, error->frame, error->len);
	return error->len;
}

static uint32_t
send_data(struct fcn_endpoint *ep, uint8_t *buf, uint64_t now)
{
	uint32_t classes = ep->data_classes & ~(uint32_t)ep->paused, len;
	const struct endpoint_heap_entry *first = NULL;
	struct endpoint_qp *qp;

	for (; classes != 0; classes &= classes - 1) {
		const struct endpoint_heap *heap = &ep->data[rte_bsf32(classes)];
		const struct endpoint_heap_entry *top = heap->entry;

		if (heap->n == 0 || top->time > now)
			continue;
		if (first == NULL || top->time < first->time ||
				(top->time == first->time && top->order < first->order))
			first = top;
	}
	if (first == NULL)
		return 0;
	qp = ep->qp[first->slot];
	len = endpoint_sender_send(ep, qp, buf, now);
	/* Insert it behind the others that are due, even if it is due at the same time again. */
	if (endpoint_sender_ready(ep, qp))
		endpoint_heap_set(&ep->data[qp->data_class], ep->data_place, qp->slot,
				endpoint_pacer_due(&qp->pacer), ep->order++);
	/* A new rate removed it from the heap. */
	else if (ep->data_place[qp->slot] != ENDPOINT_HEAP_NONE)
		endpoint_heap_remove(&ep->data[qp->data_class], ep->data_place, qp->slot);
	return len;
}

uint32_t
fcn_endpoint_longest(const struct fcn_endpoint_conf *conf)
{
	return RTE_MAX((uint32_t)conf->payload, (uint32_t)FCN_ICMP6_ERROR_MAX) + LONGEST_HEADERS;
}

uint32_t
fcn_endpoint_send(struct fcn_endpoint *ep, uint8_t *buf, uint32_t room, uint64_t now)
{
	uint32_t len;

	if (unlikely(room < fcn_endpoint_longest(&ep->conf)))
		return 0;
	if (unlikely(ep->paused != 0))
		endpoint_pfc_expire(ep, now);
	if (endpoint_heap_time(&ep->timers) <= now)
		timers_run(ep, now);
	len = send_cnp(ep, buf, now);
	if (len == 0 && unlikely(ep->nak_head != ep->nak_tail))
		len = endpoint_trim_answer(ep, buf);
	if (len == 0)
		len = send_answer(ep, buf);
	if (len == 0)
		len = send_error(ep, buf);
	if (len == 0)
		len = send_data(ep, buf, now);
	if (len != 0) {
		ep->n.tx_packets++;
		ep->n.tx_bytes += len;
	}
	return len;
}

uint64_t
fcn_endpoint_next(const struct fcn_endpoint *ep, uint64_t now)
{
	uint64_t next = endpoint_heap_time(&ep->timers);
	uint32_t classes;

	if ((ep->answer_classes & ~(uint32_t)ep->paused) || endpoint_trim_ready(ep))
		return now;
	if (ep->error_head != ep->error_tail && !class_paused(ep, ERROR_CLASS))
		return now;
	if (ep->cnp_head != ep->cnp_tail && !class_paused(ep, ep->conf.cnp_dscp >> 3))
		next = RTE_MIN(next, ep->cnp[ep->cnp_head % ENDPOINT_CNPS].due_ns);
	classes = ep->data_classes & ~(uint32_t)ep->paused;
	for (; classes != 0; classes &= classes - 1)
		next = RTE_MIN(next, endpoint_heap_time(&ep->data[rte_bsf32(classes)]));
	for (classes = ep->paused; unlikely(classes != 0); classes &= classes - 1)
		next = RTE_MIN(next, ep->pause_until[rte_bsf32(classes)]);
	return next;
}
