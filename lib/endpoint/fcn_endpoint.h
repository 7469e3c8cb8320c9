/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A model of a host's RoCEv2 network adapter over IPv6: queue pairs that send messages paced, with
 * a window and go-back-N; a receiver that acknowledges, asks again, and sends CNPs; reaction points
 * (fcn_reaction.h); priority flow control obeyed; Fast CNPs taken as
 * draft-xiao-rtgwg-rocev2-fast-cnp asks of a sender.
 *
 * It is handed the time and frames, and gives frames: no port, clock, thread or file is in
 * here. Frames begin with the Ethernet header and have no FCS. Times are nanoseconds, never less
 * than before; rates bits per second; IPv6 addresses 16 bytes in network byte order; everything
 * else in host byte order. One owner, no locks. Memory is taken when it and its queue pairs are
 * made, and when messages are posted.
 */

#ifndef FCN_ENDPOINT_H
#define FCN_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_icrc.h"
#include "fcn_reaction.h"

/** Time that never comes. */
#define FCN_ENDPOINT_NEVER UINT64_MAX

/** Longest frame made: 4096 bytes of payload, headers, a RETH, a trace. */
#define FCN_ENDPOINT_MAX_FRAME 4608

#define FCN_ENDPOINT_FIRST_QP 2      /**< number of the first one made */
#define FCN_ENDPOINT_MAX_SWITCHES 64 /**< prefixes of the access list */

/** Bytes of an RDMA WRITE at most: what InfiniBand lets a message have. */
#define FCN_ENDPOINT_WRITE_MAX (UINT64_C(1) << 31)

/** What a message is sent by. A receiver takes both. */
enum fcn_operation {
	FCN_OPERATION_DEFAULT, /**< of a queue pair: its endpoint's */
	FCN_OPERATION_SEND,
	FCN_OPERATION_WRITE, /**< RDMA WRITE: its first packet has a RETH, 16 bytes more */
};

/** What CNPs of a receiver are paced by. */
enum fcn_cnp_scope {
	FCN_CNP_PER_QP,
	FCN_CNP_PER_IP_PAIR, /**< sender's and own address: an endpoint has one of its own, so per
				sender */
	FCN_CNP_PER_PORT,
};

/** What an endpoint does with a Fast CNP. */
enum fcn_fastcnp_support {
	FCN_FASTCNP_REFUSE, /**< as a host that does not know the option: ICMPv6 Parameter Problem
			     */
	FCN_FASTCNP_ACCEPT,
	FCN_FASTCNP_IGNORE, /**< dropped, counted; nobody is told */
};

/* X(field, text): counters of an endpoint; one source of the struct, of JSON and of the
 * documentation. */
#define FCN_ENDPOINT_COUNTERS(X)                                                                   \
	X(tx_packets, "frames sent")                                                               \
	X(tx_bytes, "bytes of those, without FCS")                                                 \
	X(rx_packets, "frames received")                                                           \
	X(rx_bytes, "bytes of those, without FCS")                                                 \
	X(data_sent, "data packets sent, repeated ones included")                                  \
	X(data_repeated, "data packets sent again")                                                \
	X(data_received, "data packets received, in whatever order")                               \
	X(data_delivered, "data packets taken in order")                                           \
	X(payload_delivered, "bytes of payload taken in order")                                    \
	X(data_ce, "data packets received with CE")                                                \
	X(data_duplicate, "data packets received that were known")                                 \
	X(data_out_of_order, "data packets received too early")                                    \
	X(data_kept, "of those, kept until their turn came: selective repeat")                     \
	X(ack_sent, "acknowledgements sent")                                                       \
	X(ack_received, "acknowledgements received")                                               \
	X(nak_sent, "sequence errors reported")                                                    \
	X(nak_received, "sequence errors heard of")                                                \
	X(nak_other_way, "of those, from a peer that repeats selectively when this end goes "      \
			 "back, or goes back when this end does not")                              \
	X(timeouts, "times a sender gave up waiting and went back")                                \
	X(cnp_sent, "CNPs sent")                                                                   \
	X(cnp_suppressed, "CNPs not sent, for their minimum interval")                             \
	X(cnp_received, "CNPs received and given to a queue pair")                                 \
	X(fastcnp_accepted, "Fast CNPs given to a queue pair")                                     \
	X(fastcnp_receiver_made, "of those, made by the receiver itself")                          \
	X(fastcnp_trace, "of those, with an IOAM trace")                                           \
	X(fastcnp_foreign, "Fast CNPs from outside the access list, dropped")                      \
	X(fastcnp_malformed, "Fast CNPs malformed or with a wrong ICRC, dropped")                  \
	X(fastcnp_refused, "Fast CNPs answered by a Parameter Problem")                            \
	X(fastcnp_unanswered,                                                                      \
			"Fast CNPs refused without a word, for its limit, or that may not be "     \
			"answered")                                                                \
	X(fastcnp_ignored, "Fast CNPs dropped because they are not wanted")                        \
	X(notice_unknown_qp, "CNPs and Fast CNPs for no queue pair of ours, dropped")              \
	X(notice_limited, "CNPs and Fast CNPs within a queue pair's reaction interval, not acted " \
			  "on")                                                                    \
	X(detours, "times a queue pair took another UDP source port")                              \
	X(trace_received, "acknowledgements with a trace")                                         \
	X(trace_malformed, "traces that could not be read")                                        \
	X(pfc_received, "PFC and PAUSE frames received")                                           \
	X(rx_not_mine, "frames to another MAC or IPv6 address, dropped")                           \
	X(rx_malformed, "frames that could not be read, or RoCEv2 with a wrong ICRC, dropped")     \
	X(rx_unknown_qp, "data packets and acknowledgements for no queue pair of ours, dropped")   \
	X(rx_other, "frames that are not RoCEv2, given to nobody")

struct fcn_endpoint_counters {
#define FCN_ENDPOINT_FIELD(field, text) uint64_t field;
	FCN_ENDPOINT_COUNTERS(FCN_ENDPOINT_FIELD)
#undef FCN_ENDPOINT_FIELD
	uint64_t paused_ns[8]; /**< time each class was paused, up to the last call */
};

/** What happened, for those who measure. */
enum fcn_endpoint_event_type {
	FCN_ENDPOINT_COMPLETE, /**< the last byte of a message was acknowledged, or (UC) delivered
				*/
	FCN_ENDPOINT_DELIVER, /**< at the receiver: the last byte of a message was taken in order */
	FCN_ENDPOINT_RATE,    /**< the rate of a queue pair changed */
	FCN_ENDPOINT_CNP,     /**< an ordinary CNP was given to a queue pair */
	FCN_ENDPOINT_FASTCNP, /**< a Fast CNP was given to a queue pair */
	FCN_ENDPOINT_DETOUR,  /**< a queue pair changed its UDP source port */
	FCN_ENDPOINT_REPEAT,  /**< a sender goes back: by NAK or timeout */
	FCN_ENDPOINT_PAUSE,   /**< a class was paused or resumed: value is 1 or 0, qp the class */
};

struct fcn_endpoint_event {
	enum fcn_endpoint_event_type type;
	uint64_t time_ns;
	uint32_t qp;    /**< queue pair number here */
	uint64_t value; /**< COMPLETE: the message's bytes; RATE: bits per second; DETOUR: the port
			 */
	uint64_t created_ns; /**< COMPLETE: when it was posted */
	uint64_t cookie;     /**< COMPLETE: the one it was posted with */
	uint8_t source[16];  /**< CNP, FASTCNP: who made it */
};

/** Parameters of an endpoint. */
struct fcn_endpoint_conf {
	uint8_t addr[16];
	struct rte_ether_addr mac;
	uint64_t line_bps; /**< speed of its line */
	uint32_t max_qps;  /**< queue pairs it can have, up to 65536 */
	uint16_t payload;  /**< RoCE MTU: 256, 512, 1024, 2048 or 4096 bytes */
	uint8_t hop_limit;
	uint64_t seed; /**< of decisions by chance: source ports of detours */
	/* sender */
	enum fcn_operation operation;      /**< of its queue pairs: SEND or WRITE */
	struct fcn_reaction_conf reaction; /**< of its queue pairs */
	uint64_t window;     /**< bytes of payload unacknowledged at most, FCN_WINDOW_NONE; HPCC's,
				which     counts on the wire, is beside it */
	uint64_t timeout_ns; /**< without progress, go back; 0: never */
	uint64_t reaction_interval_ns; /**< at most one notice a queue pair acts on; 0: all */
	bool selective_repeat; /**< send again what is missing only; where one end has it and the
				  other has not, all is sent again. At most 4096 packets are in
				  flight then */
	/* receiver */
	uint32_t ack_every; /**< packets; the last of a message is acknowledged always; 0: only
			       those */
	int ack_dscp;       /**< of acknowledgements; -1: the data's */
	bool cnp;           /**< CNPs for CE */
	enum fcn_cnp_scope cnp_scope;
	uint64_t cnp_interval_ns; /**< MIN_TIME_BETWEEN_CNPS */
	uint64_t cnp_delay_ns;    /**< from a packet with CE to its CNP */
	uint8_t cnp_dscp;
	/* Fast CNP */
	enum fcn_fastcnp_support fastcnp;
	struct fcn_prefix access[FCN_ENDPOINT_MAX_SWITCHES]; /**< sources of Fast CNPs that are
								taken */
	unsigned int n_access;                               /**< 0: none is */
	uint8_t opt1_type, opt2_type;                        /**< code points, as the switch's */
	enum fcn_icrc_mode icrc_mode;
	uint32_t detour_after;   /**< Fast CNPs from one switch that make a queue pair take another
				    path; 0: none do */
	uint64_t detour_hold_ns; /**< time between two such changes */
	/* IOAM: data carries a pre-allocated trace (hop-by-hop), acknowledgements echo it */
	bool ioam;
	uint16_t ioam_namespace;
	uint32_t ioam_type; /**< Trace-Type; profile HPCC is 0xB62000 */
	uint8_t ioam_hops;  /**< room, nodes */
	uint8_t echo_type;  /**< IPv6 Destination Option that echoes a trace in acknowledgements */
	/* who measures; may be NULL. Must not call back into the endpoint. */
	void (*event)(void *arg, const struct fcn_endpoint_event *ev);
	void *arg;
};

/** Defaults: ConnectX-like receiver, reaction none, Fast CNPs refused. */
void fcn_endpoint_defaults(struct fcn_endpoint_conf *conf, uint64_t line_bps);

/** Other end of a queue pair. */
struct fcn_endpoint_peer {
	uint8_t addr[16];
	struct rte_ether_addr mac; /**< of the next hop */
	uint32_t qp;               /**< its queue pair number */
	uint16_t src_port;         /**< UDP source port: flow entropy */
	uint16_t p_key;
	uint8_t dscp;      /**< of data; the class is DSCP / 8 */
	uint64_t rate_bps; /**< never faster than this, whatever the reaction says; 0: no such limit
			    */
	enum fcn_operation operation; /**< of messages to it */
};

struct fcn_endpoint;

/** @return NULL with rte_errno: ENOMEM, EINVAL for a parameter out of range */
struct fcn_endpoint *fcn_endpoint_create(const struct fcn_endpoint_conf *conf);
void fcn_endpoint_free(struct fcn_endpoint *ep);

/** Make a queue pair, not connected. @return its number, 2 to 2^24 - 1, or a negative errno:
 * -ENOSPC */
int fcn_endpoint_qp_add(struct fcn_endpoint *ep);

/** Connect it (RC). @return 0 or a negative errno: -ENOENT no such queue pair, -EISCONN, -EEXIST
 * another queue pair goes to that one, -EINVAL */
int fcn_endpoint_qp_connect(struct fcn_endpoint *ep, uint32_t qp,
		const struct fcn_endpoint_peer *peer, uint64_t now);

/** Give a queue pair back; what was in flight of it counts as unknown from now on. */
void fcn_endpoint_qp_close(struct fcn_endpoint *ep, uint32_t qp);

/** As if it was just made: not connected, its number the same. @return 0 or -ENOENT */
int fcn_endpoint_qp_reset(struct fcn_endpoint *ep, uint32_t qp);

/**
 * Post a message (SEND or RDMA WRITE) to a connected queue pair.
 *
 * @param bytes of payload, 1 to 2^40, of a WRITE to FCN_ENDPOINT_WRITE_MAX
 * @param cookie handed back with the event of its completion
 * @return 0 or a negative errno
 */
int fcn_endpoint_post(struct fcn_endpoint *ep, uint32_t qp, uint64_t bytes, uint64_t cookie,
		uint64_t now);

/**
 * When fcn_endpoint_send() may have something, if nothing is received or posted before: a frame
 * that may go, a timer. At most now when there is a frame.
 */
uint64_t fcn_endpoint_next(const struct fcn_endpoint *ep, uint64_t now);

/** Longest frame that an endpoint of these parameters makes, bytes; never above
 * FCN_ENDPOINT_MAX_FRAME. */
uint32_t fcn_endpoint_longest(const struct fcn_endpoint_conf *conf);

/**
 * The next frame, when the line is free; timers that are due run first.
 *
 * @param room bytes at buf, at least fcn_endpoint_longest()
 * @return bytes written, 0: nothing to send now, or too little room
 */
uint32_t fcn_endpoint_send(struct fcn_endpoint *ep, uint8_t *buf, uint32_t room, uint64_t now);

/** A frame came in, any bytes at all, at an even address. */
void fcn_endpoint_receive(
		struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now);

/** Read the counters, times up to now. */
void fcn_endpoint_counters(const struct fcn_endpoint *ep, struct fcn_endpoint_counters *counters,
		uint64_t now);

/** What a queue pair does now. */
struct fcn_endpoint_qp_info {
	uint64_t rate_bps;
	uint64_t window;        /**< bytes, the smaller of the two there are; FCN_WINDOW_NONE */
	uint64_t in_flight;     /**< bytes of payload not acknowledged */
	uint64_t on_wire;       /**< octets of the wire that their packets take */
	uint64_t posted, acked; /**< bytes of payload */
	uint64_t delivered;     /**< bytes of payload received in order */
	uint64_t notices;       /**< CNPs and Fast CNPs acted on */
	uint16_t src_port;
	uint32_t alpha; /**< DCQCN */
};

/** @return 0 or -ENOENT */
int fcn_endpoint_qp_info(
		const struct fcn_endpoint *ep, uint32_t qp, struct fcn_endpoint_qp_info *info);

#endif /* FCN_ENDPOINT_H */
