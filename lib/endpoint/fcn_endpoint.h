/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A model of a RoCEv2 network adapter over IPv6. Its queue pairs send messages with pacing, a
 * window, and go-back-N or selective repeat. Its receiver sends acknowledgements, NAKs and CNPs. It
 * has reaction points (fcn_reaction.h), obeys priority flow control, and processes Fast CNPs as
 * draft-xiao-rtgwg-rocev2-fast-cnp section 4 requires of a sender.
 *
 * The caller passes the time and received frames, and asks for frames to send: there is no port,
 * clock, thread or file in here. Frames begin with the Ethernet header and have no FCS. Times are
 * in nanoseconds and never decrease; rates are in bits per second; IPv6 addresses are 16 bytes in
 * network byte order; all other numbers are in host byte order. An endpoint is used by one thread;
 * there are no locks. It allocates memory when it and its queue pairs are created, and when
 * messages are posted.
 */

#ifndef FCN_ENDPOINT_H
#define FCN_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_icrc.h"
#include "fcn_reaction.h"

/** A time that is never reached. */
#define FCN_ENDPOINT_NEVER UINT64_MAX

/** Upper limit of the length of its frames: 4096 bytes of payload, headers, a RETH, a trace. */
#define FCN_ENDPOINT_MAX_FRAME 4608

#define FCN_ENDPOINT_FIRST_QP 2      /**< number of the first queue pair */
#define FCN_ENDPOINT_MAX_SWITCHES 64 /**< maximum number of prefixes of the access list */

/** Maximum length of an RDMA WRITE in bytes, as InfiniBand defines it. */
#define FCN_ENDPOINT_WRITE_MAX (UINT64_C(1) << 31)

/** The operation that sends a message. A receiver accepts both. */
enum fcn_operation {
	FCN_OPERATION_DEFAULT, /**< the default of the endpoint */
	FCN_OPERATION_SEND,
	FCN_OPERATION_WRITE, /**< RDMA WRITE: its first packet has a RETH, 16 bytes more */
};

/** Scope of the minimum interval between CNPs of a receiver. */
enum fcn_cnp_scope {
	FCN_CNP_PER_QP,
	/** For each pair of addresses; an endpoint has one address, so this is for each sender. */
	FCN_CNP_PER_IP_PAIR,
	FCN_CNP_PER_PORT,
};

/** How a sender reacts when it learns that one of its packets was trimmed. */
enum fcn_trim_reaction {
	FCN_TRIM_REACTION_NONE, /**< it only sends the packet again */
	FCN_TRIM_REACTION_CNP,  /**< its reaction point gets a CNP, too */
};

/** How an endpoint handles a Fast CNP. */
enum fcn_fastcnp_support {
	/** Answer with an ICMPv6 Parameter Problem, as a host that does not know the option. */
	FCN_FASTCNP_REFUSE,
	FCN_FASTCNP_ACCEPT,
	FCN_FASTCNP_IGNORE, /**< drop and count it without an answer */
};

/* X(field, text): counters of an endpoint; one source of the struct, of JSON and of the
 * documentation. */
#define FCN_ENDPOINT_COUNTERS(X)                                                                \
	X(tx_packets, "frames sent")                                                            \
	X(tx_bytes, "bytes of the frames, without FCS")                                         \
	X(rx_packets, "frames received")                                                        \
	X(rx_bytes, "bytes of the frames, without FCS")                                         \
	X(data_sent, "data packets sent, including retransmissions")                            \
	X(data_repeated, "data packets retransmitted")                                          \
	X(data_received, "data packets received, in order or not")                              \
	X(data_delivered, "data packets accepted in order")                                     \
	X(payload_delivered, "bytes of payload accepted in order")                              \
	X(data_ce, "data packets received with CE")                                             \
	X(data_duplicate, "data packets received again")                                        \
	X(data_out_of_order, "data packets received out of order, before a missing one")        \
	X(data_kept, "data packets received out of order and kept (selective repeat)")          \
	X(ack_sent, "acknowledgements sent")                                                    \
	X(ack_received, "acknowledgements received")                                            \
	X(ack_marked, "acknowledgements received that report a CE mark (BECN)")                 \
	X(nak_sent, "NAKs for a sequence error sent")                                           \
	X(nak_received, "NAKs for a sequence error received")                                   \
	X(nak_other_way, "NAKs received from a peer that uses selective repeat when "           \
			 "this end does not, or the reverse")                                   \
	X(trim_received, "data packets received that a switch has trimmed to their headers")    \
	X(trim_ignored, "of these, packets that are there already, that are sent again "        \
			"anyway, or that are beyond what may be in flight")                     \
	X(trim_repaired, "data packets accepted of which only the headers had come before")     \
	X(trim_nak_sent, "of the NAKs sent, those for one trimmed packet (selective repeat)")   \
	X(trim_nak_unsent, "NAKs for trimmed packets not sent, as too many were waiting")       \
	X(trim_nak_received, "of the NAKs received, those for one trimmed packet")              \
	X(trim_returned, "of the Fast CNPs accepted, those that return the headers of a "       \
			 "trimmed packet")                                                      \
	X(timeouts, "times a sender retransmitted because no acknowledgement had come in time") \
	X(cnp_sent, "CNPs sent")                                                                \
	X(cnp_suppressed, "CNPs not sent because of their minimum interval")                    \
	X(cnp_received, "CNPs received for a queue pair of this endpoint")                      \
	X(fastcnp_accepted, "Fast CNPs accepted for a queue pair of this endpoint")             \
	X(fastcnp_receiver_made, "Fast CNPs accepted that the receiver of the data has sent "   \
				 "itself")                                                      \
	X(fastcnp_trace, "Fast CNPs accepted that have an IOAM trace")                          \
	X(fastcnp_foreign, "Fast CNPs dropped because their source is not in the access list")  \
	X(fastcnp_malformed, "Fast CNPs dropped because they are malformed or have a wrong "    \
			     "ICRC")                                                            \
	X(fastcnp_refused, "Fast CNPs answered with an ICMPv6 Parameter Problem")               \
	X(fastcnp_unanswered, "Fast CNPs refused without an answer, because of the rate "       \
			      "limit of answers or because they may not be answered")           \
	X(fastcnp_ignored, "Fast CNPs dropped silently because they are configured to be "      \
			   "ignored")                                                           \
	X(notice_unknown_qp, "CNPs and Fast CNPs dropped because they are for no queue pair "   \
			     "of this endpoint")                                                \
	X(notice_limited, "CNPs and Fast CNPs without a reaction because they came "            \
			  "within the queue pair's reaction interval")                          \
	X(detours, "times a queue pair changed its UDP source port")                            \
	X(trace_received, "acknowledgements received with an IOAM trace")                       \
	X(trace_empty, "of these, traces into which no switch has written")                     \
	X(trace_malformed, "IOAM traces received that were malformed")                          \
	X(pfc_received, "PFC and PAUSE frames received")                                        \
	X(rx_not_mine, "frames dropped because they are for another MAC or IPv6 address")       \
	X(rx_malformed, "frames dropped because they are malformed, or RoCEv2 with a "          \
			"wrong ICRC")                                                           \
	X(rx_unknown_qp, "data packets and acknowledgements dropped because they are "          \
			 "for no queue pair of this endpoint")                                  \
	X(rx_other, "frames dropped because they are not RoCEv2")

struct fcn_endpoint_counters {
#define FCN_ENDPOINT_FIELD(field, text) uint64_t field;
	FCN_ENDPOINT_COUNTERS(FCN_ENDPOINT_FIELD)
#undef FCN_ENDPOINT_FIELD
	uint64_t paused_ns[8]; /**< time each class was paused, up to the last call */
};

/** Type of an event that is reported for measurements. */
enum fcn_endpoint_event_type {
	FCN_ENDPOINT_COMPLETE, /**< the last byte of a message was acknowledged */
	FCN_ENDPOINT_DELIVER,  /**< receiver: the last byte of a message was received in order */
	FCN_ENDPOINT_RATE,     /**< the rate of a queue pair changed */
	FCN_ENDPOINT_CNP,      /**< an ordinary CNP was given to a queue pair */
	FCN_ENDPOINT_FASTCNP,  /**< a Fast CNP was given to a queue pair */
	FCN_ENDPOINT_DETOUR,   /**< a queue pair changed its UDP source port */
	FCN_ENDPOINT_REPEAT,   /**< a sender retransmits after a NAK or timeout */
	/** receiver: a packet came of which only the headers had come before; value is ns since */
	FCN_ENDPOINT_REPAIR,
	FCN_ENDPOINT_PAUSE, /**< a class was paused or resumed: value is 1 or 0, qp the class */
};

struct fcn_endpoint_event {
	enum fcn_endpoint_event_type type;
	uint64_t time_ns;
	uint32_t qp; /**< number of the queue pair at this endpoint */
	/** COMPLETE: bytes of the message; RATE: bits per second; DETOUR: UDP source port */
	uint64_t value;
	uint64_t created_ns; /**< COMPLETE: when the message was posted */
	uint64_t cookie;     /**< COMPLETE: the cookie given to fcn_endpoint_post() */
	uint8_t source[16];  /**< CNP, FASTCNP: its source address */
};

/** Parameters of an endpoint. */
struct fcn_endpoint_conf {
	uint8_t addr[16];
	struct rte_ether_addr mac;
	uint64_t line_bps; /**< speed of its line */
	uint32_t max_qps;  /**< maximum number of queue pairs, up to 65536 */
	uint16_t payload;  /**< RoCE MTU: 256, 512, 1024, 2048 or 4096 bytes */
	uint8_t hop_limit;
	uint64_t seed; /**< seed of random decisions: the source ports of path changes */
	/* sender */
	enum fcn_operation operation;      /**< of its queue pairs: SEND or WRITE */
	struct fcn_reaction_conf reaction; /**< of its queue pairs */
	/**
	 * Maximum number of unacknowledged bytes of payload, or FCN_WINDOW_NONE. The window of a
	 * reaction, in bytes on the wire, applies in addition.
	 */
	uint64_t window;
	/** The share of the window that the rate is of the line's; at least one packet. */
	bool window_by_rate;
	uint64_t timeout_ns; /**< retransmission timeout; 0: none */
	/** Minimum time between two notices that a queue pair acts on; 0: it acts on all. */
	uint64_t reaction_interval_ns;
	/**
	 * Retransmit missing packets only, with at most 4096 packets in flight. If only one end has
	 * it, all packets from the missing one on are retransmitted.
	 */
	bool selective_repeat;
	/** What it does when it learns that a packet was trimmed, beside sending it again. */
	enum fcn_trim_reaction trim_reaction;
	/* receiver */
	/**
	 * Understand packets that a switch has trimmed: ask for exactly this packet (selective
	 * repeat), or for all from this packet on when it is the expected one (go-back-N). As a
	 * sender, repeat packets whose headers a notice returns, if Fast CNPs are accepted. Without
	 * it, trimmed packets count as malformed, and returned headers are refused.
	 */
	bool trim;
	/**
	 * Acknowledge every so many packets; the last packet of a message is always acknowledged;
	 * 0: only those.
	 */
	uint32_t ack_every;
	int ack_dscp; /**< DSCP of acknowledgements; -1: that of the data */
	bool cnp;     /**< send CNPs for packets with CE */
	/** Acknowledgements have BECN set if a packet since the last one had CE. */
	bool ecn_echo;
	enum fcn_cnp_scope cnp_scope;
	uint64_t cnp_interval_ns; /**< MIN_TIME_BETWEEN_CNPS */
	uint64_t cnp_delay_ns;    /**< delay from a packet with CE to its CNP */
	uint8_t cnp_dscp;
	/* Fast CNP */
	enum fcn_fastcnp_support fastcnp;
	/** Sources from which Fast CNPs are accepted. */
	struct fcn_prefix access[FCN_ENDPOINT_MAX_SWITCHES];
	unsigned int n_access;        /**< number of elements in access; 0: none is accepted */
	uint8_t opt1_type, opt2_type; /**< code points, which have to be those of the switch */
	uint8_t trimmed_type;         /**< the same of the option of a returned header */
	/** ICRC of data with IOAM traces; notices are accepted by any convention */
	enum fcn_icrc_mode icrc_mode;
	/**
	 * Number of Fast CNPs from one switch after which a queue pair changes its path; 0: never.
	 */
	uint32_t detour_after;
	uint64_t detour_hold_ns; /**< minimum time between two path changes */
	/*
	 * IOAM: data packets carry a pre-allocated trace (hop-by-hop), which acknowledgements
	 * return
	 */
	bool ioam;
	uint16_t ioam_namespace;
	uint32_t ioam_type; /**< Trace-Type; 0xB62000 has the fields that HPCC++ needs */
	uint8_t ioam_hops;  /**< number of nodes for which the trace has room */
	uint8_t echo_type;  /**< IPv6 Destination Option that echoes a trace in acknowledgements */
	/* callback for measurements; may be NULL. It must not call the endpoint. */
	void (*event)(void *arg, const struct fcn_endpoint_event *ev);
	void *arg;
};

/** Set the defaults: a receiver like that of ConnectX adapters, no reaction, Fast CNPs refused. */
void fcn_endpoint_defaults(struct fcn_endpoint_conf *conf, uint64_t line_bps);

/** The peer of a queue pair. */
struct fcn_endpoint_peer {
	uint8_t addr[16];
	struct rte_ether_addr mac; /**< MAC address of the next hop */
	uint32_t qp;               /**< its queue pair number */
	uint16_t src_port;         /**< UDP source port, which selects one of several paths */
	uint16_t p_key;
	uint8_t dscp; /**< DSCP of data; the class is DSCP / 8 */
	/** Upper limit of the rate, in addition to that of the reaction point; 0: none. */
	uint64_t rate_bps;
	enum fcn_operation operation; /**< operation of messages to it */
};

struct fcn_endpoint;

/**
 * Create an endpoint.
 *
 * @return NULL with rte_errno ENOMEM, or EINVAL for a parameter out of range
 */
struct fcn_endpoint *fcn_endpoint_create(const struct fcn_endpoint_conf *conf);
void fcn_endpoint_free(struct fcn_endpoint *ep);

/**
 * The speed of the line has changed. Queue pairs at line rate stay at line rate. Pauses that have
 * begun end as before.
 *
 * @param line_bps bits per second, not 0
 */
void fcn_endpoint_line(struct fcn_endpoint *ep, uint64_t line_bps, uint64_t now);

/**
 * Create a queue pair, which is not connected.
 *
 * @return its number, 2 to 2^24 - 1, or a negative errno such as -ENOSPC
 */
int fcn_endpoint_qp_add(struct fcn_endpoint *ep);

/**
 * Connect a queue pair (RC).
 *
 * @return 0 or a negative errno: -ENOENT no such queue pair, -EISCONN, -EEXIST another queue pair
 *         is connected to that peer queue pair, -EINVAL
 */
int fcn_endpoint_qp_connect(struct fcn_endpoint *ep, uint32_t qp,
		const struct fcn_endpoint_peer *peer, uint64_t now);

/**
 * Destroy a queue pair. Packets for it that are still in flight count as packets for an unknown
 * queue pair.
 */
void fcn_endpoint_qp_close(struct fcn_endpoint *ep, uint32_t qp);

/**
 * Reset a queue pair to its initial state: not connected, with the same number.
 *
 * @return 0 or -ENOENT
 */
int fcn_endpoint_qp_reset(struct fcn_endpoint *ep, uint32_t qp);

/**
 * Post a message (SEND or RDMA WRITE) to a connected queue pair.
 *
 * @param bytes bytes of payload, 1 to 2^40, or up to FCN_ENDPOINT_WRITE_MAX for a WRITE
 * @param cookie returned with the event of its completion
 * @return 0 or a negative errno
 */
int fcn_endpoint_post(struct fcn_endpoint *ep, uint32_t qp, uint64_t bytes, uint64_t cookie,
		uint64_t now);

/**
 * Time at which to call fcn_endpoint_send() next, for a frame or a timer, unless something is
 * received or posted before. It is not later than now when there is a frame.
 */
uint64_t fcn_endpoint_next(const struct fcn_endpoint *ep, uint64_t now);

/**
 * Length in bytes of the longest frame that an endpoint with these parameters sends; at most
 * FCN_ENDPOINT_MAX_FRAME.
 */
uint32_t fcn_endpoint_longest(const struct fcn_endpoint_conf *conf);

/**
 * Get the next frame; to be called when the line is free. Timers that are due run first.
 *
 * @param room bytes at buf, at least fcn_endpoint_longest()
 * @return bytes written; 0 when there is nothing to send now, or room is too small
 */
uint32_t fcn_endpoint_send(struct fcn_endpoint *ep, uint8_t *buf, uint32_t room, uint64_t now);

/** Process a received frame, which may hold any bytes. frame has to be an even address. */
void fcn_endpoint_receive(
		struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now);

/** Read the counters. Durations are counted up to now. */
void fcn_endpoint_counters(const struct fcn_endpoint *ep, struct fcn_endpoint_counters *counters,
		uint64_t now);

/** Current state of a queue pair. */
struct fcn_endpoint_qp_info {
	uint64_t rate_bps;
	/** Bytes, the smaller one of the two windows; FCN_WINDOW_NONE: no limit. */
	uint64_t window;
	uint64_t in_flight;     /**< bytes of payload not acknowledged */
	uint64_t on_wire;       /**< bytes on the wire of their packets */
	uint64_t posted, acked; /**< bytes of payload */
	uint64_t delivered;     /**< bytes of payload received in order */
	uint64_t notices;       /**< CNPs and Fast CNPs acted on */
	uint16_t src_port;
	uint32_t alpha; /**< DCQCN */
};

/** Read the state of a queue pair. @return 0 or -ENOENT */
int fcn_endpoint_qp_info(
		const struct fcn_endpoint *ep, uint32_t qp, struct fcn_endpoint_qp_info *info);

#endif /* FCN_ENDPOINT_H */
