/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of an endpoint, shared by its source files. Internal to lib/endpoint.
 *
 * The packets of a queue pair are numbered from 0 with 64 bits; the PSN on the wire is the low 24
 * bits. Messages are in one list in the order in which they were posted, beginning with the oldest
 * one that is not acknowledged.
 */

#ifndef ENDPOINT_STATE_H
#define ENDPOINT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <fcn_compat.h>

#include "endpoint_hash.h"
#include "endpoint_heap.h"
#include "fcn_bth.h"
#include "fcn_endpoint.h"
#include "fcn_fastcnp.h"
#include "fcn_parse.h"
#include "fcn_prefix_list.h"
#include "fcn_random.h"

#define ENDPOINT_CLASSES 8
/** Preamble, FCS and gap: octets of a frame on the wire in addition to those in memory. */
#define ENDPOINT_OVERHEAD 24
#define ENDPOINT_PEER_KEY_LEN 20    /**< key of by_peer: address and queue pair of a peer */
#define ENDPOINT_PSN_MASK 0xFFFFFFu /**< packet sequence numbers have 24 bits */
/** Maximum number of packets in flight: half of the sequence numbers. */
#define ENDPOINT_PSN_SPAN 0x7FFFFFu
#define ENDPOINT_AETH_LEN 4
#define ENDPOINT_RETH_LEN 16
#define ENDPOINT_CNPS 4096 /**< maximum number of delayed CNPs */
#define ENDPOINT_NAKS 4096 /**< maximum number of NAKs for trimmed packets that wait to be sent */
#define ENDPOINT_ERRORS 8  /**< maximum number of Parameter Problems that wait to be sent */
#define ENDPOINT_ERROR_LEN (14 + 1280)
/** Longest IOAM trace that fits into an IPv6 option: header and node data. */
#define ENDPOINT_TRACE_MAX 252
#define ENDPOINT_HEADERS_MAX (14 + 40 + 264 + 8 + 12) /**< with a Hop-by-Hop Options header */

/** A message that is not completely acknowledged. */
struct endpoint_message {
	struct endpoint_message *next;
	uint64_t first; /**< number of its first packet */
	uint64_t packets;
	uint64_t bytes;
	uint64_t address; /**< RDMA WRITE: address in the peer's memory */
	uint64_t cookie;
	uint64_t created_ns;
};

/**
 * Pacer of a queue pair: when it may send next. A time is a whole number of nanoseconds and an
 * exact remainder in units of 1/rate nanoseconds, so rounding errors do not add up.
 */
struct endpoint_pacer {
	uint64_t next_ns, next_rem; /**< next frame */
	uint64_t last_ns, last_rem; /**< when the last frame was due */
	uint64_t rate_bps;
	uint32_t last_bits;         /**< bits of the last frame on the wire; 0: nothing was sent */
	uint32_t step_bits;         /**< length of the frames for which step is valid */
	uint64_t step_ns, step_rem; /**< duration of such a frame */
};

/** Prepared headers of data packets, without the fields that differ from packet to packet. */
struct endpoint_template {
	uint8_t headers[ENDPOINT_HEADERS_MAX];
	uint16_t len;    /**< Ethernet header to BTH */
	uint16_t l4_off; /**< UDP header */
	uint32_t icrc;   /**< ICRC of a full packet with opcode, AckReq and PSN 0 */
};

/**
 * Header fields covered by the ICRC of a full packet of zeros that was received with a correct
 * ICRC.
 */
struct endpoint_seen {
	bool known;
	uint32_t icrc;   /**< ICRC with opcode, AckReq and PSN 0 */
	uint32_t length; /**< IPv6: payload length, next header */
	uint64_t udp;    /**< ports, length */
	uint64_t bth;    /**< flags, P_Key, queue pair */
};

/** A packet that was received out of order. */
struct endpoint_kept {
	uint16_t payload; /**< bytes; 0: there is no packet */
	uint8_t opcode;
};

#define ENDPOINT_SELECTIVE 4096 /**< maximum number of packets in flight with selective repeat */

/** State of selective repeat. Arrays are indexed by packet number modulo ENDPOINT_SELECTIVE. */
struct endpoint_selective {
	/** sender: bit set of packets that have arrived at the peer out of order */
	uint64_t arrived[ENDPOINT_SELECTIVE / 64];
	/** sender: bit set of packets that were trimmed and are to be retransmitted */
	uint64_t asked[ENDPOINT_SELECTIVE / 64];
	/** sender: bit set of packets that were retransmitted for this reason, so a gap is no news
	 */
	uint64_t repeated[ENDPOINT_SELECTIVE / 64];
	/** sender: how often a notice has returned a packet, so so many NAKs for it are no news */
	uint8_t returned[ENDPOINT_SELECTIVE];
	uint32_t n_asked;
	/** sender: range in which packets that have not arrived are to be retransmitted */
	uint64_t again, again_end;
	struct endpoint_kept kept[ENDPOINT_SELECTIVE];
	uint32_t n_kept;
	uint32_t early; /**< PSN of the out-of-order packet that the NAK reports */
};

/** State of a receiver that understands trimmed packets. */
struct endpoint_trim {
	/**
	 * 1 + the time at which the first header of a packet came without its payload, by packet
	 * number modulo ENDPOINT_SELECTIVE; 0: none did, or the payload has come since
	 */
	uint64_t since[ENDPOINT_SELECTIVE];
	uint32_t n_waiting; /**< number of packets whose payload has not come */
	/** go-back-N: 1 + number of the packet to ask for when it is the expected one; 0: none */
	uint64_t ask_for;
};

/** When packets in flight were sent: a ring that grows with their number. */
struct endpoint_times {
	uint64_t *at;  /**< by packet number; FCN_ENDPOINT_NEVER: sent more than once */
	uint64_t mask; /**< number of elements less 1 */
};

/** A peer address, shared by all queue pairs that are connected to it. */
struct endpoint_peer {
	uint8_t addr[16];
	uint32_t users;       /**< number of queue pairs */
	uint64_t cnp_next_ns; /**< no CNP is sent there before this time */
};

/** Acknowledgement that waits to be sent to the peer of a queue pair. */
enum endpoint_answer {
	ENDPOINT_ANSWER_NONE,
	ENDPOINT_ANSWER_ACK,
	ENDPOINT_ANSWER_NAK,
};

struct endpoint_qp {
	uint32_t number, slot;
	bool connected;
	bool write; /**< sends RDMA WRITEs */
	uint8_t data_class;

	/* sender */
	/** Packet numbers: first not acknowledged, next to send, first never sent. */
	uint64_t snd_una, snd_nxt, snd_max;
	uint64_t packets;                 /**< packets posted so far */
	uint64_t acked_bytes, sent_bytes; /**< bytes of payload up to snd_una and snd_nxt */
	uint64_t acked_wire, sent_wire;   /**< the same in bytes on the wire */
	uint64_t posted_bytes;
	struct endpoint_message *head, *tail;
	struct endpoint_message *snd; /**< message that contains snd_nxt; NULL: nothing to send */
	uint64_t window;              /**< limit of the reaction point, in bytes on the wire */
	uint64_t progress_ns;         /**< start of the retransmission timeout */
	uint64_t timer_ns; /**< time at which it is in the heap of timers; UINT64_MAX: it is not */
	uint64_t trace_mark; /**< packet number; when it is acknowledged, a round trip has passed */
	uint64_t notices;
	uint64_t notice_next_ns; /**< notices before this time have no effect */
	struct endpoint_pacer pacer;
	struct endpoint_template data;
	struct fcn_reaction reaction;
	struct endpoint_times *times; /**< NULL: the reaction does not ask for round-trip times */

	/* receiver */
	uint64_t rcv_nxt; /**< number of the expected packet */
	uint64_t delivered_bytes;
	uint64_t message_bytes; /**< bytes of the message that is being received */
	uint32_t messages;      /**< messages received in order: MSN */
	uint32_t unacknowledged;
	bool gap;       /**< a NAK for rcv_nxt has been sent */
	bool ce_seen;   /**< a packet since the last acknowledgement had CE */
	uint8_t answer; /**< enum endpoint_answer */
	uint8_t answer_dscp;
	uint8_t echo_len; /**< length of the trace that the acknowledgement returns; 0: none */
	struct endpoint_qp *answer_next;
	uint64_t answer_order;
	uint64_t cnp_next_ns;
	struct endpoint_peer *peer;
	struct fcn_endpoint_peer to;

	/* path changes */
	uint8_t switch_addr[16]; /**< the switch that sent the last Fast CNPs */
	uint32_t switch_notices;
	uint64_t detour_next_ns;

	struct endpoint_selective *selective; /**< NULL: go-back-N */
	struct endpoint_trim *trim;           /**< NULL: trimmed packets are malformed */
	/**
	 * 1 + the packet number to which it went back for a peer with selective repeat; 0: never
	 */
	uint64_t back_to;
	/**
	 * go-back-N: 1 + the packet number to which it went back for a returned header, 0: never,
	 * and how often: so many NAKs for it are no news
	 */
	uint64_t returned;
	uint32_t returned_times;
	struct endpoint_seen seen;
	uint8_t echo[ENDPOINT_TRACE_MAX];
};

/** Queue pairs of one class that have an acknowledgement to send. */
struct endpoint_answers {
	struct endpoint_qp *head, *tail;
};

/** A CNP that is delayed until due_ns. */
struct endpoint_cnp {
	uint64_t due_ns;
	uint32_t qp;
};

/** A NAK for a trimmed packet, which asks for this packet only. */
struct endpoint_nak {
	uint32_t qp;
	uint64_t packet;
};

struct endpoint_error {
	uint32_t len;
	uint8_t frame[ENDPOINT_ERROR_LEN];
};

/**
 * Number of octets that differ between the ICRCs of full packets of zeros: opcode, AckReq octet,
 * PSN.
 */
#define ENDPOINT_ICRC_OCTETS 5
struct endpoint_icrc_table {
	uint32_t octet[ENDPOINT_ICRC_OCTETS][256];
};

struct fcn_endpoint {
	struct fcn_endpoint_conf conf;
	struct fcn_parse_codes codes;
	struct fcn_crc32 crc;
	bool crc_ready;
	struct endpoint_icrc_table icrc;
	struct fcn_random random;
	struct fcn_endpoint_counters n;

	struct endpoint_qp **qp; /**< indexed by slot; NULL: free */
	uint32_t *free_number;   /**< indexed by slot: number of the next queue pair in it */
	uint32_t n_qps, slot_mask;
	uint32_t slot_hint;           /**< where the search for a free slot begins */
	struct endpoint_hash by_peer; /**< (address, queue pair) of the peer -> slot */
	struct endpoint_hash peers;   /**< address -> struct endpoint_peer */
	struct fcn_prefix_list *access;
	struct endpoint_message *spare; /**< unused messages, kept for reuse */

	/* scheduler */
	uint64_t order; /**< counter that orders the entries of all queues */
	struct endpoint_heap data[ENDPOINT_CLASSES], timers;
	uint32_t *data_place, *timer_place;
	struct endpoint_answers answers[ENDPOINT_CLASSES];
	uint8_t answer_classes; /**< bit set of classes with acknowledgements to send */
	/** Bit set of classes that have a heap of data, which may be empty. */
	uint8_t data_classes;
	struct endpoint_cnp *cnp;
	uint32_t cnp_head, cnp_tail; /**< free running */
	struct endpoint_nak *nak;    /**< NULL: trimmed packets are malformed */
	uint32_t nak_head, nak_tail;
	struct endpoint_error *error;
	uint32_t error_head, error_tail;
	uint64_t error_next_ns; /**< token bucket for Parameter Problems */
	uint64_t port_cnp_next_ns;

	/* flow control */
	uint8_t paused; /**< bit set of paused classes */
	uint64_t pause_since[ENDPOINT_CLASSES], pause_until[ENDPOINT_CLASSES];
};

/* endpoint.c */

/** Report an event to the callback, if there is one. The caller sets ev->time_ns. */
static inline void
endpoint_report(const struct fcn_endpoint *ep, const struct fcn_endpoint_event *ev)
{
	if (ep->conf.event != NULL)
		ep->conf.event(ep->conf.arg, ev);
}

/* endpoint_qp.c */

/** Find a queue pair by its number. @return NULL when there is none */
static inline struct endpoint_qp *
endpoint_qp_find(const struct fcn_endpoint *ep, uint32_t number)
{
	uint32_t slot = (number - FCN_ENDPOINT_FIRST_QP) & ep->slot_mask;
	struct endpoint_qp *qp = slot < ep->conf.max_qps ? ep->qp[slot] : NULL;

	return qp != NULL && qp->number == number ? qp : NULL;
}

/** Find a queue pair by its peer. @return NULL when there is none */
struct endpoint_qp *endpoint_qp_by_peer(
		const struct fcn_endpoint *ep, const uint8_t addr[16], uint32_t peer_qp);
void endpoint_qps_free(struct fcn_endpoint *ep);

/* endpoint_frame.c */

/**
 * Build the header template of a queue pair, after it was connected or has changed its source port.
 */
void endpoint_template_make(const struct fcn_endpoint *ep, struct endpoint_qp *qp);

/** The fields that differ between data packets. */
struct endpoint_data {
	uint8_t opcode;
	bool ack_req;
	uint32_t payload;
	uint64_t psn;
	/** RDMA WRITE whose RETH the packet carries; NULL: no RETH */
	const struct endpoint_message *reth;
};

/** Build a data packet. @return bytes written */
uint32_t endpoint_data_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_data *data, uint8_t *buf);

/** An acknowledgement. */
struct endpoint_ack {
	uint8_t syndrome;
	uint8_t dscp;
	uint8_t names; /**< ENDPOINT_NAK_* bit that says what msn is; 0: a message number */
	uint64_t psn;
	uint32_t msn; /**< message number, or the PSN of a packet */
	bool echo;    /**< return the stored IOAM trace and mark */
};

/** Build an acknowledgement. @return bytes written */
uint32_t endpoint_ack_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_ack *ack, uint8_t *buf);

/** Build a CNP to the peer. @return bytes written */
uint32_t endpoint_cnp_build(
		const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint8_t *buf);

#define ENDPOINT_SYNDROME_ACK 0x1F /**< ACK without a credit limit */
#define ENDPOINT_SYNDROME_NAK 0x60 /**< PSN sequence error */
#define ENDPOINT_SYNDROME_KIND 0xE0

/**
 * Marks a NAK of selective repeat, which carries the PSN of the received packet instead of a
 * message number. It is a reserved bit of the AckReq octet, which receivers ignore.
 */
#define ENDPOINT_NAK_NAMES 0x01

/**
 * Marks a NAK of selective repeat for a trimmed packet: instead of a message number, it carries the
 * PSN of that packet, which alone is to be retransmitted.
 */
#define ENDPOINT_NAK_TRIMMED 0x02

#define ENDPOINT_OP_FIRST 0x00
#define ENDPOINT_OP_MIDDLE 0x01
#define ENDPOINT_OP_LAST 0x02
#define ENDPOINT_OP_ONLY 0x04
#define ENDPOINT_OP_WRITE 0x06 /**< added to the opcode of a SEND to get that of an RDMA WRITE */
#define ENDPOINT_OP_ACK 0x11

static inline bool
endpoint_op_is_data(uint8_t opcode)
{
	if (opcode >= ENDPOINT_OP_WRITE)
		opcode -= ENDPOINT_OP_WRITE;
	return opcode <= ENDPOINT_OP_LAST || opcode == ENDPOINT_OP_ONLY;
}

/* endpoint_icrc.c */

void endpoint_icrc_table_make(struct fcn_endpoint *ep);

/** ICRC of a full packet of zeros. @param base its ICRC with opcode, AckReq and PSN 0 */
uint32_t endpoint_icrc_zeros(
		const struct fcn_endpoint *ep, uint32_t base, const struct fcn_bth_hdr *bth);

/**
 * Whether a packet has a correct ICRC, and a correct UDP checksum if it has one. Adapters send
 * none.
 *
 * @param qp  queue pair of the packet; NULL: none
 * @param ip  IP header, whose addresses are those of the queue pair
 * @param l4  offset of the UDP header from ip
 * @param len up to and including the ICRC
 */
bool endpoint_icrc_ok(const struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *ip,
		uint32_t l4, uint32_t len);

/* endpoint_pacer.c */

/** The queue pair has data to send again, which may leave from now on. */
void endpoint_pacer_begin(struct endpoint_pacer *p, uint64_t now);
/** A frame was sent. */
void endpoint_pacer_sent(struct endpoint_pacer *p, uint32_t bits, uint64_t now);
/** The rate has changed. */
void endpoint_pacer_rate(struct endpoint_pacer *p, uint64_t rate_bps, uint64_t now);

/** First whole nanosecond at which the next frame may be sent. */
static inline uint64_t
endpoint_pacer_due(const struct endpoint_pacer *p)
{
	return p->next_ns + (p->next_rem != 0);
}

/* endpoint_scheduler.c */

/** Update the schedule of a queue pair after a change of its data, window or pacer. */
void endpoint_schedule_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** Schedule an ACK or NAK of a queue pair. */
void endpoint_schedule_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp,
		enum endpoint_answer answer, uint8_t dscp);
/** Schedule a CNP to the peer of a queue pair. @return false when too many are waiting */
bool endpoint_schedule_cnp(struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t now);
/** Schedule a NAK for a trimmed packet. @return false when too many are waiting */
bool endpoint_schedule_nak(struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t packet);
/** Update the timer of a queue pair after a change of its timeouts. */
void endpoint_schedule_timers(struct fcn_endpoint *ep, struct endpoint_qp *qp);
/** Remove a queue pair from all queues. */
void endpoint_schedule_forget(struct fcn_endpoint *ep, struct endpoint_qp *qp);

/* endpoint_sender.c */

/** Bytes on the wire of a full packet of a queue pair. */
uint32_t endpoint_sender_packet(const struct fcn_endpoint *ep, const struct endpoint_qp *qp);
/** Whether a queue pair has a packet to send, and its windows allow it. */
bool endpoint_sender_ready(const struct fcn_endpoint *ep, const struct endpoint_qp *qp);
/** Build the next packet. @return bytes written */
uint32_t endpoint_sender_send(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf, uint64_t now);
/** Time at which the retransmission timeout of the packets in flight expires. */
uint64_t endpoint_sender_timeout(const struct fcn_endpoint *ep, const struct endpoint_qp *qp);
/** The retransmission timeout has expired. */
void endpoint_sender_expire(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** An acknowledgement was received. */
void endpoint_sender_ack(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now);
/** Go-back-N: retransmit from a packet on that is in flight. */
void endpoint_sender_back_to(
		const struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet);
/** One packet is lost and will be sent again: report it, and tell the reaction point. */
void endpoint_sender_lost(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** Apply the rate and window of the reaction point; to be called after each call of it. */
void endpoint_sender_reacted(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
void endpoint_sender_fini(struct fcn_endpoint *ep, struct endpoint_qp *qp);

/* endpoint_times.c */

/** Begin to keep times of packets. @return 0; -ENOMEM */
int endpoint_times_begin(struct endpoint_qp *qp);
/** A packet was sent. @param first not sent before */
void endpoint_times_sent(struct endpoint_qp *qp, uint64_t packet, bool first, uint64_t now);
/**
 * Time since a packet was sent that an acknowledgement of all up to it is about; snd_una is the
 * first of them.
 *
 * @return FCN_REACTION_NO_RTT when one of the two was sent more than once
 */
uint64_t endpoint_times_since(const struct endpoint_qp *qp, uint64_t packet, uint64_t now);
void endpoint_times_end(struct endpoint_qp *qp);

/* endpoint_receiver.c */

/** A data packet was received for a queue pair. */
void endpoint_receiver_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now);
/** A packet with CE was received. */
void endpoint_receiver_marked(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** Build the waiting acknowledgement. @return bytes written */
uint32_t endpoint_receiver_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf);

/* endpoint_selective.c; only for queue pairs with selective repeat */

/** Sender: whether there is a packet to retransmit. */
bool endpoint_selective_lost(const struct endpoint_qp *qp);
/** Sender: take the next packet to retransmit. @return its number */
uint64_t endpoint_selective_take_lost(struct endpoint_qp *qp);
/** Sender: the peer reported a packet that arrived out of order, so those before it are lost. */
void endpoint_selective_arrived(struct endpoint_qp *qp, uint32_t psn);
/** Sender: a packet was trimmed, and is to be sent again. */
void endpoint_selective_ask(struct endpoint_qp *qp, uint64_t packet);
/** Sender: note that a notice has returned the headers of a packet. */
void endpoint_selective_note_returned(struct endpoint_qp *qp, uint64_t packet);
/** Sender: whether this was noted, and no NAK for it has come since. Forget it once. */
bool endpoint_selective_was_returned(struct endpoint_qp *qp, uint64_t packet);
/** Sender: all packets that have not arrived are lost. */
void endpoint_selective_all_lost(struct endpoint_qp *qp);
/** Sender: snd_una has advanced. @param before its previous value */
void endpoint_selective_acknowledged(struct endpoint_qp *qp, uint64_t before);
/** Sender: it goes back to snd_una, as if no packet behind it had arrived. */
void endpoint_selective_back(struct endpoint_qp *qp);

/**
 * Receiver: store a packet that arrived out of order, less than ENDPOINT_SELECTIVE packets ahead.
 *
 * @return false when it is stored already
 */
bool endpoint_selective_keep(
		struct endpoint_qp *qp, uint32_t ahead, uint8_t opcode, uint32_t payload);
/** Receiver: whether a packet is stored, less than ENDPOINT_SELECTIVE packets ahead. */
bool endpoint_selective_has(const struct endpoint_qp *qp, uint32_t ahead);
/** Receiver: take the expected packet from the stored ones. @return false when it is not there */
bool endpoint_selective_next(struct endpoint_qp *qp, uint8_t *opcode, uint32_t *payload);

/* endpoint_trim.c */

/** Whether a frame to this address is a data packet whose payload a switch has cut off. */
bool endpoint_trim_is(const struct fcn_wire_info *info);
/** Receiver: process such a frame. There is no ICRC, so it may be anything. */
void endpoint_trim_receive(struct fcn_endpoint *ep, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now);
/** Receiver: a packet was accepted; some have come without their payload before. */
void endpoint_trim_repaired(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t packet, uint64_t now);
/** Receiver: whether the expected packet is one to ask for, now that it is the expected one. */
bool endpoint_trim_due(struct endpoint_qp *qp);
/** Receiver: build the next NAK for a trimmed packet. @return bytes written; 0: there is none */
uint32_t endpoint_trim_answer(struct fcn_endpoint *ep, uint8_t *buf);
/** Receiver: whether there may be such a NAK to send now. */
bool endpoint_trim_ready(const struct fcn_endpoint *ep);
/** Sender with selective repeat: the receiver has only the headers of a packet. */
void endpoint_trim_asked(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t psn, uint64_t now);
/** Sender: a notice has returned the headers of a packet. */
void endpoint_trim_returned(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint32_t psn, uint64_t now);

/* endpoint_ioam.c */

/** Store the trace of a packet for its acknowledgement. */
void endpoint_ioam_keep(
		struct endpoint_qp *qp, const uint8_t *frame, const struct fcn_wire_info *info);
/** Find the trace in an acknowledgement. @return false when there is no valid one */
bool endpoint_ioam_echo(struct fcn_endpoint *ep, const uint8_t *frame,
		const struct fcn_wire_info *info, struct fcn_ioam_trace *trace);

/* endpoint_notice.c */

/**
 * Process a CNP or Fast CNP to this address. info is the result of fcn_parse(), which may not have
 * accepted it as RoCEv2.
 */
void endpoint_notice_receive(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now);
/** Whether a Fast CNP returns the headers of a packet, by its option. */
bool endpoint_notice_is_returned(const struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info);
/** React to a trimmed packet as to a CNP, if the configuration says so. */
void endpoint_notice_trimmed(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);

/* endpoint_refuse.c */

/** Answer a Fast CNP as a host that does not know its option. */
void endpoint_refuse(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now);

/* endpoint_pfc.c */

/** Process a MAC Control frame. */
void endpoint_pfc_receive(
		struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now);
/** End the pauses that have expired by now. */
void endpoint_pfc_expire(struct fcn_endpoint *ep, uint64_t now);

#endif /* ENDPOINT_STATE_H */
