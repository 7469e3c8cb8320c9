/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets that a switch has trimmed: of a data packet for which a queue had no room, the headers
 * come to the receiver past that queue, or back to the sender in a notice. A receiver with
 * selective repeat asks for exactly this packet. With go-back-N it sends the usual NAK, when the
 * packet is the expected one: as the headers overtake other packets, those before it may still be
 * on their way.
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "endpoint_state.h"

#define UDP_LEN 8u
#define ECN_MASK 3
#define ECN_CE 3

/* ---- receiver ---- */

bool
endpoint_trim_is(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_TRIMMED && endpoint_op_is_data(info->opcode);
}

/* The time is from the first header on, however often the packet is trimmed. */
static void
begin_to_wait(struct endpoint_trim *trim, uint64_t packet, uint64_t now)
{
	uint64_t *since = &trim->since[packet % ENDPOINT_SELECTIVE];

	if (*since != 0)
		return;
	*since = now + 1;
	trim->n_waiting++;
}

void
endpoint_trim_repaired(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet, uint64_t now)
{
	uint64_t *since = &qp->trim->since[packet % ENDPOINT_SELECTIVE];

	if (*since == 0)
		return;
	ep->n.trim_repaired++;
	endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_REPAIR,
					    .time_ns = now,
					    .qp = qp->number,
					    .value = now + 1 - *since});
	*since = 0;
	qp->trim->n_waiting--;
}

bool
endpoint_trim_due(struct endpoint_qp *qp)
{
	const uint64_t ask_for = qp->trim->ask_for;

	if (likely(ask_for == 0 || ask_for > qp->rcv_nxt + 1))
		return false;
	qp->trim->ask_for = 0;
	return ask_for == qp->rcv_nxt + 1;
}

static uint8_t
answer_dscp(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	return ep->conf.ack_dscp < 0 ? qp->to.dscp : (uint8_t)ep->conf.ack_dscp;
}

static void
ask_for_all(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet)
{
	struct endpoint_trim *trim = qp->trim;

	if (packet == qp->rcv_nxt) {
		qp->gap = true;
		trim->ask_for = 0;
		endpoint_schedule_answer(ep, qp, ENDPOINT_ANSWER_NAK, answer_dscp(ep, qp));
	} else if (qp->gap) {
		ep->n.trim_ignored++; /* it is sent again anyway */
	} else if (trim->ask_for == 0 || packet < trim->ask_for - 1) {
		trim->ask_for = packet + 1;
	}
}

static void
ask_for_one(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet)
{
	if (!endpoint_schedule_nak(ep, qp, packet))
		ep->n.trim_nak_unsent++;
}

/* Whether a packet is one that the sender may have in flight and that is not there. */
static bool
is_missing(const struct endpoint_qp *qp, uint32_t ahead)
{
	if (qp->selective == NULL)
		return ahead <= ENDPOINT_PSN_SPAN;
	return ahead < ENDPOINT_SELECTIVE && !endpoint_selective_has(qp, ahead);
}

void
endpoint_trim_receive(struct fcn_endpoint *ep, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now)
{
	const struct fcn_bth_hdr *bth = (const void *)(frame + info->l4_off + UDP_LEN);
	struct endpoint_qp *qp = endpoint_qp_find(ep, fcn_bth_dest_qp(bth));
	uint32_t psn, ahead;

	if (qp == NULL || !qp->connected ||
			memcmp(frame + info->l3_off + 8, qp->to.addr, sizeof(qp->to.addr)) != 0) {
		ep->n.rx_unknown_qp++;
		return;
	}
	ep->n.trim_received++;
	if ((info->tclass & ECN_MASK) == ECN_CE)
		endpoint_receiver_marked(ep, qp, now);
	psn = (uint32_t)bth->psn[0] << 16 | (uint32_t)bth->psn[1] << 8 | bth->psn[2];
	ahead = (psn - (uint32_t)qp->rcv_nxt) & ENDPOINT_PSN_MASK;
	if (!is_missing(qp, ahead)) {
		ep->n.trim_ignored++;
		/* It was received before: the acknowledgement may have been lost. */
		if (ahead > ENDPOINT_PSN_SPAN && qp->answer == ENDPOINT_ANSWER_NONE)
			endpoint_schedule_answer(ep, qp, ENDPOINT_ANSWER_ACK, answer_dscp(ep, qp));
		return;
	}
	if (ahead < ENDPOINT_SELECTIVE)
		begin_to_wait(qp->trim, qp->rcv_nxt + ahead, now);
	if (qp->selective != NULL)
		ask_for_one(ep, qp, qp->rcv_nxt + ahead);
	else
		ask_for_all(ep, qp, qp->rcv_nxt + ahead);
}

/* The queue pair that the first of the waiting NAKs is of; NULL when it need not be sent. */
static const struct endpoint_qp *
first_waiting(const struct fcn_endpoint *ep)
{
	const struct endpoint_nak *nak = &ep->nak[ep->nak_head % ENDPOINT_NAKS];
	const struct endpoint_qp *qp = endpoint_qp_find(ep, nak->qp);

	if (qp == NULL || !qp->connected || qp->selective == NULL || nak->packet < qp->rcv_nxt ||
			!is_missing(qp, (uint32_t)(nak->packet - qp->rcv_nxt)))
		return NULL;
	return qp;
}

static bool
is_paused(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	return (ep->paused & 1u << (answer_dscp(ep, qp) >> 3)) != 0;
}

bool
endpoint_trim_ready(const struct fcn_endpoint *ep)
{
	const struct endpoint_qp *qp;

	if (likely(ep->nak_head == ep->nak_tail))
		return false;
	qp = first_waiting(ep);
	return qp == NULL || !is_paused(ep, qp);
}

uint32_t
endpoint_trim_answer(struct fcn_endpoint *ep, uint8_t *buf)
{
	for (; ep->nak_head != ep->nak_tail; ep->nak_head++) {
		const struct endpoint_nak *nak = &ep->nak[ep->nak_head % ENDPOINT_NAKS];
		const struct endpoint_qp *qp = first_waiting(ep);

		if (qp == NULL)
			continue;
		if (is_paused(ep, qp))
			return 0;
		ep->nak_head++;
		ep->n.nak_sent++;
		ep->n.trim_nak_sent++;
		return endpoint_ack_build(ep, qp,
				&(const struct endpoint_ack){
						.syndrome = ENDPOINT_SYNDROME_NAK,
						.dscp = answer_dscp(ep, qp),
						.names = ENDPOINT_NAK_TRIMMED,
						.psn = qp->rcv_nxt,
						.msn = (uint32_t)nak->packet & ENDPOINT_PSN_MASK,
				},
				buf);
	}
	return 0;
}

/* ---- sender ---- */

/* Number of a packet in flight by its PSN, from the oldest one on. */
static uint64_t
packet_of(const struct endpoint_qp *qp, uint32_t psn)
{
	return qp->snd_una + ((psn - (uint32_t)qp->snd_una) & ENDPOINT_PSN_MASK);
}

/* The path is alive: the timeout is for what nobody reports. */
static void
tell(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	qp->progress_ns = now;
	endpoint_sender_lost(ep, qp, now);
	endpoint_notice_trimmed(ep, qp, now);
}

void
endpoint_trim_asked(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t psn, uint64_t now)
{
	const uint64_t packet = packet_of(qp, psn);

	if (packet >= qp->snd_nxt || endpoint_selective_was_returned(qp, packet))
		return;
	endpoint_selective_ask(qp, packet);
	tell(ep, qp, now);
}

void
endpoint_trim_returned(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t psn, uint64_t now)
{
	const uint64_t packet = packet_of(qp, psn);

	if (packet >= qp->snd_nxt)
		return;
	if (qp->selective != NULL) {
		endpoint_selective_note_returned(qp, packet);
		endpoint_selective_ask(qp, packet);
	} else {
		/* Packets behind one that was returned are sent again anyway. */
		if (qp->snd_una < qp->returned && packet >= qp->returned)
			return;
		if (qp->returned != packet + 1)
			qp->returned_times = 0;
		qp->returned = packet + 1;
		qp->returned_times++;
		endpoint_sender_back_to(ep, qp, packet);
	}
	tell(ep, qp, now);
	endpoint_schedule_data(ep, qp, now);
}
