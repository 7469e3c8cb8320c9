/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Receiving side of a queue pair: order, acknowledgements, CNPs. */

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "endpoint_state.h"
#include "fcn_inet.h"

#define BTH_OFF 8 /* from the UDP header */
#define PAYLOAD_OFF 20
#define PAD_SHIFT 4
#define PAD_MASK 3
#define ACK_REQ 0x80
#define ECN_MASK 3
#define ECN_CE 3

/* The time of the next allowed CNP, which is shared by all queue pairs in the same scope. */
static uint64_t *
cnp_limit(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	switch (ep->conf.cnp_scope) {
	case FCN_CNP_PER_IP_PAIR:
		return &qp->peer->cnp_next_ns;
	case FCN_CNP_PER_PORT:
		return &ep->port_cnp_next_ns;
	case FCN_CNP_PER_QP:
	default:
		return &qp->cnp_next_ns;
	}
}

void
endpoint_receiver_marked(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	uint64_t *next = cnp_limit(ep, qp);

	ep->n.data_ce++;
	qp->ce_seen = ep->conf.ecn_echo;
	if (!ep->conf.cnp)
		return;
	if (now < *next || !endpoint_schedule_cnp(ep, qp, now)) {
		ep->n.cnp_suppressed++;
		return;
	}
	*next = now + ep->conf.cnp_interval_ns;
}

static void
answer(struct fcn_endpoint *ep, struct endpoint_qp *qp, enum endpoint_answer what,
		const uint8_t *frame, const struct fcn_wire_info *info)
{
	uint8_t dscp = ep->conf.ack_dscp < 0 ? info->tclass >> 2 : (uint8_t)ep->conf.ack_dscp;

	if (unlikely(info->flags & FCN_PKT_IOAM_TRACE))
		endpoint_ioam_keep(qp, frame, info);
	endpoint_schedule_answer(ep, qp, what, dscp);
}

/* Accept the expected packet. @return whether it ends a message */
static bool
take(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t opcode, uint32_t payload,
		uint64_t now)
{
	qp->rcv_nxt++;
	qp->gap = false;
	qp->unacknowledged++;
	qp->delivered_bytes += payload;
	ep->n.data_delivered++;
	ep->n.payload_delivered += payload;
	if (opcode == ENDPOINT_OP_FIRST || opcode == ENDPOINT_OP_ONLY)
		qp->message_bytes = 0;
	qp->message_bytes += payload;
	if (opcode != ENDPOINT_OP_LAST && opcode != ENDPOINT_OP_ONLY)
		return false;
	qp->messages++;
	endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_DELIVER,
					    .time_ns = now,
					    .qp = qp->number,
					    .value = qp->message_bytes});
	return true;
}

/*
 * Accept the expected packet and the stored ones that follow it.
 *
 * @return whether an acknowledgement is due at once
 */
static bool
take_all(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t opcode, uint32_t payload,
		uint64_t now)
{
	bool due = take(ep, qp, opcode, payload, now) || qp->answer == ENDPOINT_ANSWER_NAK;

	if (likely(qp->selective == NULL || qp->selective->n_kept == 0))
		return due;
	while (endpoint_selective_next(qp, &opcode, &payload))
		take(ep, qp, opcode, payload, now);
	return true;
}

/* Handle a packet that arrived after a missing one. */
static void
come_too_early(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t ahead, uint8_t opcode,
		uint32_t payload, const uint8_t *frame, const struct fcn_wire_info *info,
		uint64_t now)
{
	struct endpoint_selective *s = qp->selective;
	bool tell = !qp->gap;

	if (s != NULL && ahead < ENDPOINT_SELECTIVE) {
		if (!endpoint_selective_keep(qp, ahead, opcode, payload)) {
			ep->n.data_duplicate++;
			return;
		}
		ep->n.data_kept++;
		if (unlikely(qp->trim != NULL && qp->trim->n_waiting > 0))
			endpoint_trim_repaired(ep, qp, qp->rcv_nxt + ahead, now);
		s->early = (uint32_t)(qp->rcv_nxt + ahead) & ENDPOINT_PSN_MASK;
		tell = true;
	}
	ep->n.data_out_of_order++;
	if (tell)
		answer(ep, qp, ENDPOINT_ANSWER_NAK, frame, info);
	qp->gap = true;
	if (qp->trim != NULL)
		qp->trim->ask_for = 0; /* all from the gap on is sent again */
}

/*
 * Length of the payload without padding. opcode is changed to that of a SEND, because there is no
 * memory that an RDMA WRITE could go to. The length in the RETH has to equal the payload of an Only
 * packet, and to be greater than that of a First packet.
 *
 * Returns 0 when the packet is invalid.
 */
static uint32_t
read_payload(const struct fcn_bth_hdr *bth, uint32_t bytes, uint8_t *opcode)
{
	const uint8_t *reth = (const uint8_t *)(bth + 1);
	uint32_t pad = bth->flags >> PAD_SHIFT & PAD_MASK, written;
	bool write = bth->opcode >= ENDPOINT_OP_WRITE, has_reth;

	*opcode = write ? bth->opcode - ENDPOINT_OP_WRITE : bth->opcode;
	has_reth = write && (*opcode == ENDPOINT_OP_FIRST || *opcode == ENDPOINT_OP_ONLY);
	if (has_reth) {
		if (bytes < ENDPOINT_RETH_LEN)
			return 0;
		bytes -= ENDPOINT_RETH_LEN;
	}
	if (pad >= bytes || bytes % 4 != 0)
		return 0;
	bytes -= pad;
	if (!has_reth)
		return bytes;
	written = fcn_get_be32(reth + 12);
	return (*opcode == ENDPOINT_OP_ONLY ? written == bytes : written > bytes) ? bytes : 0;
}

void
endpoint_receiver_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now)
{
	const struct fcn_bth_hdr *bth = (const void *)(frame + info->l4_off + BTH_OFF);
	uint32_t bytes = fcn_get_be16(frame + info->l4_off + 4) - PAYLOAD_OFF - FCN_ICRC_LEN;
	uint32_t psn = (uint32_t)bth->psn[0] << 16 | (uint32_t)bth->psn[1] << 8 | bth->psn[2];
	uint32_t ahead = (psn - (uint32_t)qp->rcv_nxt) & ENDPOINT_PSN_MASK;
	uint8_t opcode;
	uint32_t payload = read_payload(bth, bytes, &opcode);
	bool due;

	if (payload == 0) {
		ep->n.rx_malformed++;
		return;
	}
	ep->n.data_received++;
	if (unlikely((info->tclass & ECN_MASK) == ECN_CE))
		endpoint_receiver_marked(ep, qp, now);
	if (likely(ahead == 0)) {
		if (unlikely(qp->trim != NULL && qp->trim->n_waiting > 0))
			endpoint_trim_repaired(ep, qp, qp->rcv_nxt, now);
		due = take_all(ep, qp, opcode, payload, now);
		if (unlikely(qp->trim != NULL && endpoint_trim_due(qp))) {
			qp->gap = true;
			answer(ep, qp, ENDPOINT_ANSWER_NAK, frame, info);
		} else if (due || bth->ack_req & ACK_REQ ||
				(ep->conf.ack_every != 0 &&
						qp->unacknowledged >= ep->conf.ack_every)) {
			answer(ep, qp, ENDPOINT_ANSWER_ACK, frame, info);
		}
	} else if (ahead > ENDPOINT_PSN_SPAN) {
		ep->n.data_duplicate++;
		/* A NAK also acknowledges the packets before. */
		if (qp->answer != ENDPOINT_ANSWER_NAK)
			answer(ep, qp, ENDPOINT_ANSWER_ACK, frame, info);
	} else {
		come_too_early(ep, qp, ahead, opcode, payload, frame, info, now);
	}
}

uint32_t
endpoint_receiver_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf)
{
	struct endpoint_ack ack = {
			.syndrome = ENDPOINT_SYNDROME_ACK,
			.dscp = qp->answer_dscp,
			.psn = qp->rcv_nxt - 1,
			.msn = qp->messages,
			.echo = true,
	};
	uint32_t len;

	if (qp->answer == ENDPOINT_ANSWER_NAK) {
		ep->n.nak_sent++;
		ack.syndrome = ENDPOINT_SYNDROME_NAK;
		ack.psn = qp->rcv_nxt;
		if (qp->selective != NULL) {
			ack.names = ENDPOINT_NAK_NAMES;
			ack.msn = qp->selective->early;
		}
	} else {
		ep->n.ack_sent++;
	}
	len = endpoint_ack_build(ep, qp, &ack, buf);
	qp->unacknowledged = 0;
	qp->ce_seen = false;
	qp->echo_len = 0;
	return len;
}
