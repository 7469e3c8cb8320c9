/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of an endpoint, shared by the files that make it up. Internal to lib/endpoint.
 *
 * Packets of a queue pair are numbered from 0 in 64 bits here; on the wire are the low 24. Messages
 * stand in one list, in the order they were posted, from the oldest that is not acknowledged.
 */

#ifndef ENDPOINT_STATE_H
#define ENDPOINT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_hash.h>

#include <fcn_compat.h>

#include "endpoint_heap.h"
#include "fcn_bth.h"
#include "fcn_endpoint.h"
#include "fcn_fastcnp.h"
#include "fcn_parse.h"
#include "fcn_prefix_list.h"
#include "fcn_random.h"

#define ENDPOINT_CLASSES 8
#define ENDPOINT_OVERHEAD 24        /**< octets of a frame on the wire beyond those in memory */
#define ENDPOINT_PEER_KEY_LEN 20    /**< address and queue pair of a peer, as in its hash */
#define ENDPOINT_PSN_MASK 0xFFFFFFu /**< packet sequence numbers are of 24 bits */
#define ENDPOINT_PSN_SPAN 0x7FFFFFu /**< packets in flight at most: half of their numbers */
#define ENDPOINT_AETH_LEN 4
#define ENDPOINT_RETH_LEN 16
#define ENDPOINT_CNPS 4096 /**< CNPs that wait for their time at most */
#define ENDPOINT_ERRORS 8  /**< Parameter Problems that wait to be sent at most */
#define ENDPOINT_ERROR_LEN (14 + 1280)
#define ENDPOINT_TRACE_MAX 252 /**< IOAM trace that fits an IPv6 option: header and node data */
#define ENDPOINT_HEADERS_MAX (14 + 40 + 264 + 8 + 12) /**< with a Hop-by-Hop Options header */

/** A message that is not wholly acknowledged. */
struct endpoint_message {
	struct endpoint_message *next;
	uint64_t first; /**< number of its first packet */
	uint64_t packets;
	uint64_t bytes;
	uint64_t address; /**< in the peer's memory, of a WRITE */
	uint64_t cookie;
	uint64_t created_ns;
};

/**
 * When a queue pair may send next, in whole nanoseconds and an exact remainder in 1/rate
 * nanoseconds: over any time the rate is met to the bit.
 */
struct endpoint_pacer {
	uint64_t next_ns, next_rem; /**< next frame */
	uint64_t last_ns, last_rem; /**< when the last one was due */
	uint64_t rate_bps;
	uint32_t last_bits;         /**< on the wire; 0: nothing was sent */
	uint32_t step_bits;         /**< frames that step is of */
	uint64_t step_ns, step_rem; /**< time of a frame */
};

/** Headers of data, ready but for what differs from packet to packet. */
struct endpoint_template {
	uint8_t headers[ENDPOINT_HEADERS_MAX];
	uint16_t len;    /**< Ethernet header to BTH */
	uint16_t l4_off; /**< UDP header */
	uint32_t icrc;   /**< of a full packet with opcode, AckReq and PSN 0 */
};

/** Headers of a full packet of zeros that came with a right ICRC, as far as that covers them. */
struct endpoint_seen {
	bool known;
	uint32_t icrc;   /**< with opcode, AckReq and PSN 0 */
	uint32_t length; /**< IPv6: payload length, next header */
	uint64_t udp;    /**< ports, length */
	uint64_t bth;    /**< flags, P_Key, queue pair */
};

/** A packet that came too early. */
struct endpoint_kept {
	uint16_t payload; /**< bytes, 0: none here */
	uint8_t opcode;
};

#define ENDPOINT_SELECTIVE 4096 /**< packets that may be in flight with selective repeat */

/** What selective repeat remembers, of packets by their number modulo ENDPOINT_SELECTIVE. */
struct endpoint_selective {
	uint64_t arrived[ENDPOINT_SELECTIVE / 64]; /**< at the other end, not in order */
	uint64_t again, again_end; /**< to be sent again: those of these that did not arrive */
	struct endpoint_kept kept[ENDPOINT_SELECTIVE];
	uint32_t n_kept;
	uint32_t early; /**< PSN of the packet that a NAK is about */
};

/** Other end's address, one for all queue pairs that go there. */
struct endpoint_peer {
	uint8_t addr[16];
	uint32_t users;       /**< queue pairs */
	uint64_t cnp_next_ns; /**< no CNP goes there before */
};

/** What waits to be sent back to a queue pair's peer. */
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
	uint64_t snd_una, snd_nxt, snd_max; /**< packets: acknowledged, next, never sent */
	uint64_t packets;                   /**< posted so far */
	uint64_t acked_bytes, sent_bytes;   /**< of payload, up to snd_una and snd_nxt */
	uint64_t acked_wire, sent_wire;     /**< the same, on the wire */
	uint64_t posted_bytes;
	struct endpoint_message *head, *tail;
	struct endpoint_message *snd; /**< holds snd_nxt; NULL: nothing to send */
	uint64_t window;              /**< the reaction point's: on the wire at most */
	uint64_t progress_ns;         /**< the timeout counts from here */
	uint64_t timer_ns;            /**< in the heap of timers for; UINT64_MAX: not */
	uint64_t trace_mark;          /**< once acknowledged, a round trip is over */
	uint64_t notices;
	uint64_t notice_next_ns; /**< acts on no notice before */
	struct endpoint_pacer pacer;
	struct endpoint_template data;
	struct fcn_reaction reaction;

	/* receiver */
	uint64_t rcv_nxt; /**< packet that is expected */
	uint64_t delivered_bytes;
	uint64_t message_bytes; /**< of the message that comes in */
	uint32_t messages;      /**< taken in order: MSN */
	uint32_t unacknowledged;
	bool gap;       /**< it was asked for rcv_nxt */
	uint8_t answer; /**< enum endpoint_answer */
	uint8_t answer_dscp;
	uint8_t echo_len; /**< of the trace that goes back with it, 0: none */
	struct endpoint_qp *answer_next;
	uint64_t answer_order;
	uint64_t cnp_next_ns;
	struct endpoint_peer *peer;
	struct fcn_endpoint_peer to;

	/* detours */
	uint8_t switch_addr[16]; /**< that sent Fast CNPs last */
	uint32_t switch_notices;
	uint64_t detour_next_ns;

	struct endpoint_selective *selective; /**< NULL: go-back-N */
	uint64_t back_to; /**< plus 1: it went back there for a peer with selective repeat; 0: never
			   */
	struct endpoint_seen seen;
	uint8_t echo[ENDPOINT_TRACE_MAX];
};

/** Queue pairs with an answer to be sent, of one class. */
struct endpoint_answers {
	struct endpoint_qp *head, *tail;
};

/** A CNP that waits for its time. */
struct endpoint_cnp {
	uint64_t due_ns;
	uint32_t qp;
};

struct endpoint_error {
	uint32_t len;
	uint8_t frame[ENDPOINT_ERROR_LEN];
};

/** Contributions to the ICRC of a full packet of zeros: opcode, AckReq octet, PSN. */
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

	struct endpoint_qp **qp; /**< by slot, NULL: free */
	uint32_t *free_number;   /**< of each free slot: the number it has next */
	uint32_t n_qps, slot_mask;
	uint32_t slot_hint;       /**< search for a free slot from here */
	struct rte_hash *by_peer; /**< (address, queue pair) of the peer: slot */
	struct rte_hash *peers;   /**< address: struct endpoint_peer */
	struct fcn_prefix_list *access;
	struct endpoint_message *spare; /**< messages to use again */

	/* scheduler */
	uint64_t order; /**< of all that waits, counting */
	struct endpoint_heap data[ENDPOINT_CLASSES], timers;
	uint32_t *data_place, *timer_place;
	struct endpoint_answers answers[ENDPOINT_CLASSES];
	uint8_t answer_classes; /**< bit set: somebody is in answers */
	uint8_t data_classes;   /**< bit set: class has a heap of data, perhaps empty */
	struct endpoint_cnp *cnp;
	uint32_t cnp_head, cnp_tail; /**< free running */
	struct endpoint_error *error;
	uint32_t error_head, error_tail;
	uint64_t error_next_ns; /**< token bucket of Parameter Problems */
	uint64_t port_cnp_next_ns;

	/* flow control */
	uint8_t paused; /**< bit set: class */
	uint64_t pause_since[ENDPOINT_CLASSES], pause_until[ENDPOINT_CLASSES];
};

/* endpoint.c */

/** Tell who measures; ev->time_ns is set by the caller. */
static inline void
endpoint_tell(const struct fcn_endpoint *ep, const struct fcn_endpoint_event *ev)
{
	if (ep->conf.event != NULL)
		ep->conf.event(ep->conf.arg, ev);
}

/* endpoint_qp.c */

/** Queue pair by its number, NULL: none. */
static inline struct endpoint_qp *
endpoint_qp_find(const struct fcn_endpoint *ep, uint32_t number)
{
	uint32_t slot = (number - FCN_ENDPOINT_FIRST_QP) & ep->slot_mask;
	struct endpoint_qp *qp = slot < ep->conf.max_qps ? ep->qp[slot] : NULL;

	return qp != NULL && qp->number == number ? qp : NULL;
}

/** Queue pair by its peer, NULL: none. */
struct endpoint_qp *endpoint_qp_by_peer(
		const struct fcn_endpoint *ep, const uint8_t addr[16], uint32_t peer_qp);
void endpoint_qps_free(struct fcn_endpoint *ep);

/* endpoint_frame.c */

/** Make a queue pair's template anew: it was connected, or goes from another port. */
void endpoint_template_make(const struct fcn_endpoint *ep, struct endpoint_qp *qp);

/** What differs from packet to packet of data. */
struct endpoint_data {
	uint8_t opcode;
	bool ack_req;
	uint32_t payload;
	uint64_t psn;
	const struct endpoint_message *reth; /**< of this WRITE it has a RETH; NULL: none */
};

/** A packet of data. @return bytes written */
uint32_t endpoint_data_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_data *data, uint8_t *buf);

/** An acknowledgement with the given syndrome; echoes the trace that is kept. */
uint32_t endpoint_ack_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		uint8_t syndrome, uint64_t psn, uint8_t *buf);

/** A CNP to the peer. */
uint32_t endpoint_cnp_build(
		const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint8_t *buf);

#define ENDPOINT_SYNDROME_ACK 0x1F /**< credits: not limited */
#define ENDPOINT_SYNDROME_NAK 0x60 /**< PSN sequence error */
#define ENDPOINT_SYNDROME_KIND 0xE0

/**
 * In the octet of AckReq, where InfiniBand has reserved bits that nobody reads: a NAK of selective
 * repeat, which has the PSN of the packet that came for a message number.
 */
#define ENDPOINT_NAK_NAMES 0x01

#define ENDPOINT_OP_FIRST 0x00
#define ENDPOINT_OP_MIDDLE 0x01
#define ENDPOINT_OP_LAST 0x02
#define ENDPOINT_OP_ONLY 0x04
#define ENDPOINT_OP_WRITE 0x06 /**< what those of an RDMA WRITE have more than those of a SEND */
#define ENDPOINT_OP_ACK 0x11

/* endpoint_icrc.c */

void endpoint_icrc_table_make(struct fcn_endpoint *ep);

/** ICRC of a full packet of zeros. @param base with opcode, AckReq and PSN 0 */
uint32_t endpoint_icrc_zeros(
		const struct fcn_endpoint *ep, uint32_t base, const struct fcn_bth_hdr *bth);

/**
 * Whether a packet from a queue pair's peer is undamaged: its ICRC, and the UDP checksum if there
 * is one; adapters send none.
 *
 * @param qp  NULL: nobody's
 * @param ip  from a peer's address to this one, as the queue pair has them
 * @param l4  offset of the UDP header from ip
 * @param len up to and including the ICRC
 */
bool endpoint_icrc_ok(const struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *ip,
		uint32_t l4, uint32_t len);

/* endpoint_pacer.c */

/** There is something to send again: not before now. */
void endpoint_pacer_begin(struct endpoint_pacer *p, uint64_t now);
/** A frame left. */
void endpoint_pacer_sent(struct endpoint_pacer *p, uint32_t bits, uint64_t now);
/** The rate is another one. */
void endpoint_pacer_rate(struct endpoint_pacer *p, uint64_t rate_bps, uint64_t now);

/** First whole nanosecond at which the next frame may leave. */
static inline uint64_t
endpoint_pacer_due(const struct endpoint_pacer *p)
{
	return p->next_ns + (p->next_rem != 0);
}

/* endpoint_scheduler.c */

/** A queue pair's data, window or pacer changed: it takes its place, or leaves it. */
void endpoint_schedule_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** A queue pair wants an ACK or NAK sent. */
void endpoint_schedule_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp,
		enum endpoint_answer answer, uint8_t dscp);
/** A CNP to a queue pair's peer. @return false: too many wait */
bool endpoint_schedule_cnp(struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint64_t now);
/** The queue pair's timers changed: it is looked at in time. */
void endpoint_schedule_timers(struct fcn_endpoint *ep, struct endpoint_qp *qp);
/** Nothing of a queue pair waits any more. */
void endpoint_schedule_forget(struct fcn_endpoint *ep, struct endpoint_qp *qp);

/* endpoint_sender.c */

/** Whether it has a packet that its windows let go. */
bool endpoint_sender_ready(const struct fcn_endpoint *ep, const struct endpoint_qp *qp);
/** Write its next packet. @return bytes */
uint32_t endpoint_sender_send(
		struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf, uint64_t now);
/** When the timeout of what is in flight is over. */
uint64_t endpoint_sender_timeout(const struct fcn_endpoint *ep, const struct endpoint_qp *qp);
/** That time came. */
void endpoint_sender_expire(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
/** An acknowledgement came. aeth: its four octets */
void endpoint_sender_ack(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now);
/** Take over the reaction point's rate and window, after each call of it. */
void endpoint_sender_reacted(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now);
void endpoint_sender_fini(struct fcn_endpoint *ep, struct endpoint_qp *qp);

/* endpoint_receiver.c */

/** Data came for a queue pair. */
void endpoint_receiver_data(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now);
/** Write the answer that waits. @return bytes */
uint32_t endpoint_receiver_answer(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint8_t *buf);

/* endpoint_selective.c; only for a queue pair that has it */

/** Sender: whether there is a packet to be sent again. */
bool endpoint_selective_lost(const struct endpoint_qp *qp);
/** That packet, not to be sent again after this. */
uint64_t endpoint_selective_take_lost(struct endpoint_qp *qp);
/** A packet arrived out of order: those before it are lost. */
void endpoint_selective_arrived(struct endpoint_qp *qp, uint32_t psn);
/** All that did not arrive is lost. */
void endpoint_selective_all_lost(struct endpoint_qp *qp);
/** snd_una moved on. @param before where it was */
void endpoint_selective_acknowledged(struct endpoint_qp *qp, uint64_t before);
/** The sender goes back to snd_una: nothing behind it arrived. */
void endpoint_selective_back(struct endpoint_qp *qp);

/** Receiver: keep a packet that came too early, by less than ENDPOINT_SELECTIVE. @return false: it
 * is here already */
bool endpoint_selective_keep(
		struct endpoint_qp *qp, uint32_t ahead, uint8_t opcode, uint32_t payload);
/** Take the packet that is expected now out of those kept. @return false: it is not there */
bool endpoint_selective_next(struct endpoint_qp *qp, uint8_t *opcode, uint32_t *payload);

/* endpoint_ioam.c */

/** Keep a packet's trace for the acknowledgement. */
void endpoint_ioam_keep(
		struct endpoint_qp *qp, const uint8_t *frame, const struct fcn_wire_info *info);
/** Find the trace that an acknowledgement echoes. @return false: none that can be read */
bool endpoint_ioam_echo(struct fcn_endpoint *ep, const uint8_t *frame,
		const struct fcn_wire_info *info, struct fcn_ioam_trace *trace);

/* endpoint_notice.c */

/** A CNP or Fast CNP to this address came: what the walk found, valid RoCEv2 or not. */
void endpoint_notice_receive(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now);

/* endpoint_refuse.c */

/** A Fast CNP came, and its option is not known here. */
void endpoint_refuse(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now);

/* endpoint_pfc.c */

/** A MAC Control frame came. */
void endpoint_pfc_receive(
		struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now);
/** Pauses that are over by now end. */
void endpoint_pfc_expire(struct fcn_endpoint *ep, uint64_t now);

#endif /* ENDPOINT_STATE_H */
