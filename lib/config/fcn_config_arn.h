/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of precise flow control by Adaptive Routing Notifications
 * (draft-hu-rtgwg-rocev2-fcn section 4.1), except what class queues have of it, see struct
 * fcn_config_queue. Times are in nanoseconds; numbers are in host byte order.
 */

#ifndef FCN_CONFIG_ARN_H
#define FCN_CONFIG_ARN_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"
#include "fcn_config_parts.h"
#include "fcn_held_flows.h"

/** An upstream neighbour, to which messages are sent. */
struct fcn_config_arn_neighbour {
	struct fcn_addr addr; /**< IPv6 address, usually its loopback */
	/** Only congestion of packets that this port received is of interest to it; FCN_PORT_NONE:
	 * it gets all messages. */
	uint16_t port;
	uint8_t table; /**< number of the route table that has the route to it */
};

/** Downstream switches whose messages are obeyed. */
struct fcn_config_arn_source {
	struct fcn_prefix prefix; /**< IPv6 */
	/** Only port by which their messages are obeyed, and whose class those in mode priority
	 * halt; FCN_PORT_NONE: the port by which the message arrived. */
	uint16_t port;
};

/** Precise flow control, for the whole switch. */
struct fcn_config_arn {
	uint16_t port;        /**< UDP port of messages; 0: none, and nothing is sent or accepted */
	bool send;            /**< messages are sent for class queues whose policy wants them */
	bool from_pfc;        /**< a pause that a link partner asks for causes messages, too */
	uint64_t from_pfc_ns; /**< how long it has to last until then */
	struct fcn_config_bucket queue_bucket;     /**< messages, for each congested queue */
	struct fcn_config_bucket global_bucket;    /**< all messages */
	struct fcn_config_bucket neighbour_bucket; /**< messages to each neighbour */
	FCN_CONFIG_LIST(fcn_config_arn_neighbour) neighbours;
	bool receive;  /**< messages are taken and obeyed */
	uint8_t hops;  /**< hops over which messages that are obeyed come at most; 1: a neighbour's
			*/
	bool any_port; /**< those of a source without a port are obeyed by any port */
	struct fcn_config_bucket source_bucket;  /**< messages received of each source */
	struct fcn_config_bucket receive_bucket; /**< all messages received */
	struct fcn_held_flows_conf held;         /**< limits of held flows, for each worker */
	/** Bytes of a held flow that wait from which on the halt is passed on; 0: it is not. */
	uint64_t pass_on_bytes;
	FCN_CONFIG_LIST(fcn_config_arn_source) sources;
};

/** Get the word for the policy of a queue: 0 is "off", others are 1 + enum fcn_arn_mode. */
const char *fcn_arn_policy_name(unsigned int policy);

/** Get the word for an enum fcn_arn_edge. */
const char *fcn_arn_edge_name(unsigned int edge);

#endif /* FCN_CONFIG_ARN_H */
