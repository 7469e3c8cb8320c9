/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of precise flow control by Adaptive Routing Notifications. It is part of the
 * snapshot: workers only read it. Addresses are in network byte order, numbers in host byte order.
 */

#ifndef FCN_ARN_CONF_H
#define FCN_ARN_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn_sender.h"
#include "fcn_held_flows.h"
#include "fcn_source_limit.h"

#define FCN_ARN_SOURCES 64         /**< maximum number of prefixes of sources */
#define FCN_ARN_HELD_FLOWS 1024    /**< flows that a worker can hold at once */
#define FCN_ARN_HELD_PACKETS 16384 /**< packets that can wait at a worker */

/**
 * X(symbol, name): what becomes of a halt at a port, when too many bytes of a held flow wait that
 * this port has received.
 */
#define FCN_ARN_EDGES(X) \
	X(OFF, "off")    \
	X(PFC, "pfc")    \
	X(FAST_CNP, "fast-cnp")

/** OFF: upstream neighbours are asked to halt the flow. PFC: the link partner is asked to pause the
 * class. FAST_CNP: the sender gets a Fast CNP. */
enum fcn_arn_edge {
#define FCN_ARN_EDGE_ENUM(sym, name) FCN_ARN_EDGE_##sym,
	FCN_ARN_EDGES(FCN_ARN_EDGE_ENUM)
#undef FCN_ARN_EDGE_ENUM
	FCN_ARN_EDGE_COUNT,
};

/** An upstream neighbour, to which messages are sent. */
struct fcn_arn_neighbour {
	uint8_t addr[16];
	/** Only congestion of packets that this port received is of interest to it; FCN_PORT_NONE:
	 * it gets all messages. */
	uint16_t port;
	uint8_t table; /**< number of the route table that has the route to it */
	/** How many places before it the first one is that is the same switch, for another port. */
	uint8_t same_before;
};

/** A prefix of switches whose messages are obeyed. */
struct fcn_arn_source {
	uint8_t addr[16]; /**< bits behind the length are 0 */
	uint8_t len;
	/** The only port by which its messages are obeyed, and whose class one in mode priority
	 * halts; FCN_PORT_NONE: the port with the link by which a message arrived. */
	uint16_t port;
};

/** Precise flow control, for the whole switch. */
struct fcn_arn_conf {
	uint16_t port;      /**< UDP port of messages; 0: none are sent or accepted */
	bool send;          /**< messages are sent; only with a port */
	uint8_t class;      /**< class queue of messages that are sent: that of notices */
	uint8_t dscp;       /**< DSCP of messages that are sent */
	uint8_t source[16]; /**< source address of messages that are sent: the loopback */
	uint32_t n_neighbours;
	struct fcn_arn_neighbour neighbour[FCN_ARN_NEIGHBOURS];
	struct fcn_arn_sender_conf sender; /**< limits, and the addresses of the neighbours */
	bool receive;                      /**< messages are taken and obeyed; only with a port */
	uint32_t n_sources;
	/** Sources, those with longer prefixes first; messages of others are refused. */
	struct fcn_arn_source source_list[FCN_ARN_SOURCES];
	uint8_t least_hop_limit; /**< hop limit with which messages arrive at least (RFC 5082) */
	/** Messages of a source without a port are obeyed by any port, not only by those by which
	 * routes to it leave. */
	bool any_port;
	struct fcn_source_limits limits; /**< of messages that are received */
	struct fcn_held_flows_conf held; /**< limits of each worker */
	/** Bytes of a held flow that wait from which on the halt is passed on: to upstream
	 * neighbours, or as enum fcn_arn_edge says; 0: it is not. */
	uint64_t pass_on_bytes;
	bool from_pfc;        /**< a pause that a link partner asks for causes messages, too */
	uint64_t from_pfc_ns; /**< how long it has to last until then */
};

#endif /* FCN_ARN_CONF_H */
