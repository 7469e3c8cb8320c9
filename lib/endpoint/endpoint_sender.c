/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Sending side of a queue pair: window, acknowledgements, retransmission (InfiniBand RC). */

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "endpoint_state.h"
#include "fcn_inet.h"

#define BTH_OFF 8
#define ECN_OFF 4
#define AETH_OFF 20     /* from the UDP header */
#define HOP_LIMIT_OFF 7 /* from the IPv6 header */

/* Payload of a packet of a message. */
static uint32_t
payload_of(const struct fcn_endpoint *ep, const struct endpoint_message *m, uint64_t packet)
{
	uint64_t before = (packet - m->first) * ep->conf.payload;

	return (uint32_t)RTE_MIN((uint64_t)ep->conf.payload, m->bytes - before);
}

/* Bytes of headers behind the BTH of a packet of a message. */
static uint32_t
reth_of(const struct endpoint_qp *qp, const struct endpoint_message *m, uint64_t packet)
{
	return qp->write && packet == m->first ? ENDPOINT_RETH_LEN : 0;
}

/* Bytes on the wire of a packet with the given number of bytes behind its BTH. */
static uint32_t
wire_with(const struct endpoint_qp *qp, uint32_t bytes)
{
	return qp->data.len + RTE_ALIGN_CEIL(bytes, 4) + FCN_ICRC_LEN + ENDPOINT_OVERHEAD;
}

uint32_t
endpoint_sender_packet(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	return wire_with(qp, ep->conf.payload);
}

static uint32_t
wire_of(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_message *m, uint64_t packet)
{
	return wire_with(qp, reth_of(qp, m, packet) + payload_of(ep, m, packet));
}

/*
 * Bytes on the wire of the packets of a message before the given one, at most up to the end of the
 * message.
 */
static uint64_t
wire_before(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_message *m, uint64_t packet)
{
	uint64_t n = packet - m->first, full = wire_with(qp, ep->conf.payload);

	if (n == 0)
		return 0;
	n--; /* the previous packet may be the last one, which is shorter */
	return n * full + (n > 0 ? reth_of(qp, m, m->first) : 0) + wire_of(ep, qp, m, packet - 1);
}

/* The configured window, in proportion to the rate if that is asked for. */
static uint64_t
window_of(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	__extension__ unsigned __int128 window = ep->conf.window;

	if (likely(!ep->conf.window_by_rate))
		return ep->conf.window;
	return (uint64_t)(window * qp->pacer.rate_bps / ep->conf.line_bps);
}

/*
 * Whether the windows allow one more packet. The configured window counts payload; that of the
 * reaction point counts bytes on the wire, like B * T of HPCC++. One packet is always allowed.
 */
static bool
window_open(const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint32_t payload,
		uint32_t wire)
{
	uint64_t in_flight = qp->sent_bytes - qp->acked_bytes, packets = qp->snd_nxt - qp->snd_una;

	if (packets >= (qp->selective != NULL ? ENDPOINT_SELECTIVE : ENDPOINT_PSN_SPAN))
		return false;
	if (in_flight == 0)
		return true;
	if (ep->conf.window != FCN_WINDOW_NONE && in_flight + payload > window_of(ep, qp))
		return false;
	return qp->window == FCN_WINDOW_NONE || qp->sent_wire - qp->acked_wire + wire <= qp->window;
}

/*
 * Whether the window closes with this packet. It then has to request an acknowledgement, as
 * otherwise none might be sent.
 */
static bool
window_closes(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	uint32_t longest = (qp->write ? ENDPOINT_RETH_LEN : 0) + ep->conf.payload;

	return !window_open(ep, qp, ep->conf.payload, wire_with(qp, longest));
}

bool
endpoint_sender_ready(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	if (unlikely(qp->selective != NULL && endpoint_selective_lost(qp)))
		return true;
	return qp->snd != NULL && window_open(ep, qp, payload_of(ep, qp->snd, qp->snd_nxt),
						  wire_of(ep, qp, qp->snd, qp->snd_nxt));
}

static uint8_t
opcode_of(const struct endpoint_qp *qp, const struct endpoint_message *m, uint64_t packet)
{
	bool first = packet == m->first, last = packet == m->first + m->packets - 1;
	uint8_t opcode = last ? ENDPOINT_OP_LAST : ENDPOINT_OP_MIDDLE;

	if (first)
		opcode = last ? ENDPOINT_OP_ONLY : ENDPOINT_OP_FIRST;
	return qp->write ? opcode + ENDPOINT_OP_WRITE : opcode;
}

/* Send a data packet. @return bytes written */
static uint32_t
transmit(struct fcn_endpoint *ep, struct endpoint_qp *qp, const struct endpoint_message *m,
		uint64_t packet, bool ask, uint8_t *buf, uint64_t now)
{
	const struct endpoint_data data = {
			.opcode = opcode_of(qp, m, packet),
			.ack_req = ask,
			.payload = payload_of(ep, m, packet),
			.psn = packet,
			.reth = reth_of(qp, m, packet) != 0 ? m : NULL,
	};
	uint32_t len = endpoint_data_build(ep, qp, &data, buf), wire = len + ENDPOINT_OVERHEAD;

	ep->n.data_sent++;
	if (unlikely(qp->times != NULL))
		endpoint_times_sent(qp, packet, packet >= qp->snd_max, now);
	if (packet < qp->snd_max)
		ep->n.data_repeated++;
	else
		qp->snd_max = packet + 1;
	endpoint_pacer_sent(&qp->pacer, wire * 8, now);
	if (ep->conf.reaction.kind != FCN_REACTION_NONE) {
		fcn_reaction_sent(&qp->reaction, wire, now);
		endpoint_sender_reacted(ep, qp, now);
	} else if (qp->timer_ns == FCN_ENDPOINT_NEVER) {
		endpoint_schedule_timers(ep, qp);
	}
	return len;
}

/* Retransmit a packet that the peer is missing. */
static uint32_t
send_again(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf, uint64_t now)
{
	uint64_t packet = endpoint_selective_take_lost(qp);
	const struct endpoint_message *m = qp->head;

	while (m->first + m->packets <= packet)
		m = m->next;
	return transmit(ep, qp, m, packet, true, buf, now);
}

uint32_t
endpoint_sender_send(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf, uint64_t now)
{
	const struct endpoint_message *m = qp->snd;
	uint64_t packet = qp->snd_nxt;
	bool last;

	if (unlikely(qp->selective != NULL && endpoint_selective_lost(qp)))
		return send_again(ep, qp, buf, now);
	if (qp->sent_bytes == qp->acked_bytes)
		qp->progress_ns = now;
	last = packet == m->first + m->packets - 1;
	qp->sent_bytes += payload_of(ep, m, packet);
	qp->sent_wire += wire_of(ep, qp, m, packet);
	qp->snd_nxt++;
	if (last)
		qp->snd = m->next;
	return transmit(ep, qp, m, packet, last || qp->times != NULL || window_closes(ep, qp), buf,
			now);
}

void
endpoint_sender_reacted(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	uint64_t rate = RTE_MIN(qp->reaction.rate_bps, ep->conf.line_bps);
	uint64_t window = qp->reaction.window;

	if (qp->to.rate_bps != 0)
		rate = RTE_MIN(rate, qp->to.rate_bps);
	rate = RTE_MAX(rate, UINT64_C(1));
	endpoint_schedule_timers(ep, qp);
	if (likely(rate == qp->pacer.rate_bps && window == qp->window))
		return;
	qp->window = window;
	if (rate != qp->pacer.rate_bps) {
		endpoint_pacer_rate(&qp->pacer, rate, now);
		endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_RATE,
						    .time_ns = now,
						    .qp = qp->number,
						    .value = rate});
	}
	endpoint_schedule_data(ep, qp, now);
}

uint64_t
endpoint_sender_timeout(const struct fcn_endpoint *ep, const struct endpoint_qp *qp)
{
	if (ep->conf.timeout_ns == 0 || qp->sent_bytes == qp->acked_bytes)
		return FCN_ENDPOINT_NEVER;
	return qp->progress_ns + ep->conf.timeout_ns;
}

static void
report_repeat(const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t now)
{
	endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_REPEAT,
					    .time_ns = now,
					    .qp = qp->number,
					    .value = qp->snd_una});
}

/* Retransmit from the oldest unacknowledged packet on. */
static void
go_back(struct endpoint_qp *qp)
{
	qp->snd_nxt = qp->snd_una;
	qp->sent_bytes = qp->acked_bytes;
	qp->sent_wire = qp->acked_wire;
	qp->snd = qp->head;
}

void
endpoint_sender_back_to(const struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet)
{
	const struct endpoint_message *m = qp->head;
	uint64_t from = qp->snd_una;

	go_back(qp);
	/* What is in flight before the packet stays so. */
	while (from < packet) {
		const uint64_t to = RTE_MIN(packet, m->first + m->packets);

		qp->sent_bytes += RTE_MIN((to - m->first) * ep->conf.payload, m->bytes) -
				  (from - m->first) * ep->conf.payload;
		qp->sent_wire += wire_before(ep, qp, m, to) - wire_before(ep, qp, m, from);
		from = to;
		if (to == m->first + m->packets)
			m = m->next;
	}
	qp->snd_nxt = packet;
	qp->snd = qp->head;
	while (qp->snd->first + qp->snd->packets <= packet)
		qp->snd = qp->snd->next;
}

void
endpoint_sender_expire(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	const uint64_t lost = qp->sent_wire - qp->acked_wire;

	ep->n.timeouts++;
	if (qp->selective != NULL)
		endpoint_selective_all_lost(qp);
	else
		go_back(qp);
	qp->progress_ns = now;
	report_repeat(ep, qp, now);
	fcn_reaction_loss(&qp->reaction, true, lost, now);
	endpoint_sender_reacted(ep, qp, now);
	endpoint_schedule_data(ep, qp, now);
}

static void
message_give_back(struct fcn_endpoint *ep, struct endpoint_message *m)
{
	m->next = ep->spare;
	ep->spare = m;
}

/* All packets before the given one have been acknowledged. */
static void
acknowledge(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet, uint64_t now)
{
	const uint64_t before = qp->snd_una;
	struct endpoint_message *m;

	while ((m = qp->head) != NULL && m->first + m->packets <= packet) {
		/* The rest of the message that was not acknowledged before. */
		qp->acked_bytes += m->bytes - (qp->snd_una - m->first) * ep->conf.payload;
		qp->acked_wire += wire_before(ep, qp, m, m->first + m->packets) -
				  wire_before(ep, qp, m, qp->snd_una);
		qp->snd_una = m->first + m->packets;
		qp->head = m->next;
		if (qp->head == NULL)
			qp->tail = NULL;
		if (qp->snd == m)
			qp->snd = m->next; /* it was about to be retransmitted */
		endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_COMPLETE,
						    .time_ns = now,
						    .qp = qp->number,
						    .value = m->bytes,
						    .created_ns = m->created_ns,
						    .cookie = m->cookie});
		message_give_back(ep, m);
	}
	if (packet > qp->snd_una) { /* part of the next message */
		qp->acked_bytes += (packet - qp->snd_una) * ep->conf.payload;
		qp->acked_wire += wire_before(ep, qp, m, packet) -
				  wire_before(ep, qp, m, qp->snd_una);
	}
	qp->snd_una = packet;
	qp->progress_ns = now;
	if (qp->snd_nxt < packet) {
		qp->snd_nxt = packet;
		qp->sent_bytes = qp->acked_bytes;
		qp->sent_wire = qp->acked_wire;
	}
	if (qp->selective != NULL)
		endpoint_selective_acknowledged(qp, before);
}

/*
 * The peer reported a gap, and what is missing is sent again. What is known to be lost is one
 * packet; go-back-N repeats the others because the peer discards them.
 */
void
endpoint_sender_lost(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	report_repeat(ep, qp, now);
	fcn_reaction_loss(&qp->reaction, false, endpoint_sender_packet(ep, qp), now);
	endpoint_sender_reacted(ep, qp, now);
}

/* The peer reported an out-of-order packet: retransmit those missing before it. */
static void
repeat_lost(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t arrived, uint64_t now)
{
	bool before = endpoint_selective_lost(qp);

	endpoint_selective_arrived(qp, arrived);
	if (!before && endpoint_selective_lost(qp))
		endpoint_sender_lost(ep, qp, now);
}

/*
 * The peer sent a NAK. If the two ends do not use the same method, all packets from the missing one
 * on are retransmitted; for a peer with selective repeat, which reports each out-of-order packet,
 * this is done only once for all of its reports.
 */
static void
repeat(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *l4, uint64_t now)
{
	const uint32_t named = fcn_get_be32(l4 + AETH_OFF) & ENDPOINT_PSN_MASK;
	bool trimmed = (l4[BTH_OFF + 8] & ENDPOINT_NAK_TRIMMED) != 0;
	bool names = trimmed || (l4[BTH_OFF + 8] & ENDPOINT_NAK_NAMES) != 0;

	ep->n.trim_nak_received += trimmed;
	if (names && qp->selective != NULL) {
		if (trimmed)
			endpoint_trim_asked(ep, qp, named, now);
		else
			repeat_lost(ep, qp, named, now);
		return;
	}
	ep->n.nak_other_way += names || qp->selective != NULL;
	if (names && qp->back_to == qp->snd_una + 1)
		return;
	if (names)
		qp->back_to = qp->snd_una + 1;
	if (qp->returned == qp->snd_una + 1 && qp->returned_times > 0) {
		qp->returned_times--; /* it has gone back already */
		return;
	}
	if (qp->selective != NULL)
		endpoint_selective_back(qp);
	go_back(qp);
	qp->progress_ns = now;
	endpoint_sender_lost(ep, qp, now);
}

/* Pass the trace of an acknowledged packet to the reaction point. */
static void
learn(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now)
{
	struct fcn_ioam_trace trace;
	bool full;

	if (!endpoint_ioam_echo(ep, frame, info, &trace))
		return;
	full = qp->snd_una > qp->trace_mark;
	if (full)
		qp->trace_mark = qp->snd_nxt;
	fcn_reaction_trace(&qp->reaction, &trace, false, full, now);
	endpoint_sender_reacted(ep, qp, now);
}

/*
 * Tell the reaction point about an acknowledgement of packets up to snd_una. A NAK is sent when a
 * later packet arrives, so it has no round-trip time.
 */
static void
tell_ack(struct fcn_endpoint *ep, struct endpoint_qp *qp, struct fcn_reaction_ack *ack,
		const uint8_t *frame, const struct fcn_wire_info *info, uint64_t now)
{
	const uint8_t *l4 = frame + info->l4_off;
	uint8_t hop_limit = frame[info->l3_off + HOP_LIMIT_OFF];

	ack->in_flight = qp->sent_wire - qp->acked_wire;
	ack->marked = (l4[BTH_OFF + ECN_OFF] & FCN_BTH_BECN) != 0;
	ep->n.ack_marked += ack->marked;
	if (hop_limit < ep->conf.hop_limit)
		ack->hops = ep->conf.hop_limit - hop_limit;
	fcn_reaction_ack(&qp->reaction, ack, now);
	endpoint_sender_reacted(ep, qp, now);
}

void
endpoint_sender_ack(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now)
{
	const uint8_t *l4 = frame + info->l4_off;
	uint32_t psn = fcn_get_be32(l4 + BTH_OFF + 8) & ENDPOINT_PSN_MASK;
	uint8_t syndrome = l4[AETH_OFF];
	bool nak = syndrome == ENDPOINT_SYNDROME_NAK;
	uint64_t packet;
	uint32_t ahead;

	if (!nak && (syndrome & ENDPOINT_SYNDROME_KIND) != 0) {
		/* Receiver not ready, and errors that receivers of this model never send. */
		ep->n.rx_malformed++;
		return;
	}
	/* Number of packets that this acknowledges, from the oldest in flight on. */
	ahead = (psn + !nak - (uint32_t)qp->snd_una) & ENDPOINT_PSN_MASK;
	packet = qp->snd_una + ahead;
	if (ahead > ENDPOINT_PSN_SPAN)
		packet = qp->snd_una; /* an old acknowledgement: it contains nothing new */
	else if (packet > qp->snd_max) {
		ep->n.rx_malformed++;
		return;
	}
	ep->n.ack_received += !nak;
	ep->n.nak_received += nak;
	if (packet > qp->snd_una) {
		struct fcn_reaction_ack told = {
				.rtt_ns = nak || qp->times == NULL
							  ? FCN_REACTION_NO_RTT
							  : endpoint_times_since(
									    qp, packet - 1, now),
				.packets = packet - qp->snd_una,
				.bytes = qp->acked_wire,
		};

		acknowledge(ep, qp, packet, now);
		if (unlikely(qp->times != NULL)) {
			told.bytes = qp->acked_wire - told.bytes;
			tell_ack(ep, qp, &told, frame, info, now);
		}
	}
	if (nak && ahead <= ENDPOINT_PSN_SPAN && qp->snd_nxt > qp->snd_una)
		repeat(ep, qp, l4, now);
	if (unlikely(info->l4_off != info->l3_off + FCN_IP6_LEN))
		learn(ep, qp, frame, info, now);
	endpoint_schedule_data(ep, qp, now);
}

void
endpoint_sender_fini(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	struct endpoint_message *m;

	while ((m = qp->head) != NULL) {
		qp->head = m->next;
		message_give_back(ep, m);
	}
}
