/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Records that a worker pushes to the statistics collector: fixed size, over
 * an SP/SC ring. A full ring loses records and counts them; it never slows
 * the worker.
 */

#ifndef FCN_EVENT_H
#define FCN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* X(symbol, name, text). What control sees, and tells the collector beside the workers. */
#define FCN_CONTROL_EVENTS(X)                                                                      \
	X(DROP_BURST, "drop_burst",                                                                \
			"Packets that this port received were dropped, after at least a second "   \
			"without a drop. The event is repeated at most once a second.")                                                           \
	X(POLICED, "policed",                                                                      \
			"packets for the host functions were dropped, over the rate of their "     \
			"port, after a second without; told once a second")                        \
	X(SUPPRESSED, "suppressed",                                                                \
			"notices were suppressed, after a second without; told once a second")     \
	X(BORDER, "border",                                                                        \
			"packets did not cross the domain's border here, after a second without; " \
			"told "                                                                    \
			"once a second for each reason")                                           \
	X(ERR_DISABLED, "err_disabled",                                                            \
			"a port of a bridge was closed because of a loop: MAC addresses moved "    \
			"there and back between it and another")                                   \
	X(ERR_RECOVERED, "err_recovered",                                                          \
			"a port that was closed because of a loop is open again")                  \
	X(NEIGHBOUR, "neighbour", "a neighbour was found, or has another MAC address")             \
	X(NEIGHBOUR_LOST, "neighbour_lost", "a neighbour does not answer any more")                \
	X(SENDER, "sender", "a sender was learned: it refused a Fast CNP, and gets none any more") \
	X(SENDER_FORGOTTEN, "sender_forgotten",                                                    \
			"a sender that refused Fast CNPs was forgotten: it is tried again")

/* X(symbol, name, text). What happened to a queue or a class; not what happens with each notice. */
#define FCN_STATE_EVENTS(X)                                                                       \
	X(CONGESTED, "congested", "queue became congested")                                       \
	X(RECOVERED, "recovered", "queue is not congested any more")                              \
	X(PFC_XOFF, "pfc_xoff", "class asks its sender to pause")                                 \
	X(PFC_XON, "pfc_xon", "class lets its sender go on")                                      \
	X(LOSSLESS_LOSS, "lossless_loss", "loss in a lossless class, told once a millisecond")    \
	X(STORM, "storm", "pause storm: class was stopped for too long")                          \
	X(STORM_OVER, "storm_over", "pause storm is over")                                        \
	X(MAC_LIMIT, "mac_limit",                                                                 \
			"a port has as many MAC addresses as it may: no more are learned there; " \
			"told once a second")                                                     \
	X(MAC_FULL, "mac_full",                                                                   \
			"MAC addresses of a port are not learned: what ports share of the table " \
			"is full; told once a second")                                            \
	X(MAC_FLAPPING, "mac_flapping",                                                           \
			"MAC addresses move to this port from others again and again: a loop, "   \
			"or one address used by two; told once a second, apart for moves from "   \
			"ports with lower and with higher numbers")                               \
	X(FLOOD_STORM, "flood_storm",                                                             \
			"storm control drops frames that were to be flooded; told once a second") \
	FCN_CONTROL_EVENTS(X)

enum fcn_event_type {
	FCN_EVENT_NOTICE,      /**< a Fast CNP was made */
	FCN_EVENT_NOTICE_SENT, /**< a Fast CNP was handed to its port */
#define FCN_EVENT_ENUM(sym, name, text) FCN_EVENT_##sym,
	FCN_STATE_EVENTS(FCN_EVENT_ENUM)
#undef FCN_EVENT_ENUM
	FCN_EVENT_TYPE_COUNT,
};

/** Name and text of a state event, never NULL. */
const char *fcn_event_name(enum fcn_event_type type);
const char *fcn_event_text(enum fcn_event_type type);

static inline bool
fcn_event_is_state(enum fcn_event_type type)
{
	return type > FCN_EVENT_NOTICE_SENT && type < FCN_EVENT_TYPE_COUNT;
}

/** 64 bytes. Numbers in host byte order, addresses in network byte order. */
struct fcn_event {
	uint64_t time_ns; /**< the worker's clock; RECOVERED: when, seen now or later */
	uint8_t type;     /**< enum fcn_event_type */
	uint8_t class;    /**< class queue it is about */
	int8_t level;     /**< NOTICE: congestion level */
	uint8_t verdict;  /**< NOTICE: enum fcn_notify_verdict; BORDER: enum fcn_drop_reason */
	uint16_t port; /**< congested port; NOTICE_SENT: port it left by; PFC and loss: ingress port
			*/
	uint16_t in_port;   /**< NOTICE: port the data packet came in by; MAC_FLAPPING,
			       ERR_DISABLED: port that the address was known on before */
	uint32_t occupancy; /**< bytes in the queue, the arriving packet included */
	uint32_t dest_qp;   /**< NOTICE */
	uint32_t wait_ns;   /**< NOTICE_SENT: from the decision to the hand-over, modulo 2^32 ns */
	uint32_t len;       /**< NOTICE_SENT: bytes; DROP_BURST, SUPPRESSED, BORDER: packets */
	/** NOTICE: IPv6 source of the data packet; NEIGHBOUR: its address; MAC_FLAPPING,
	 * ERR_DISABLED: MAC address that moved last */
	uint8_t sender[16];
	uint8_t receiver[16]; /**< NOTICE: IPv6 destination of the data packet */
};

_Static_assert(sizeof(struct fcn_event) == 64, "events are one cache line");

#endif /* FCN_EVENT_H */
