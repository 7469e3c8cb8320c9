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

/** An upstream neighbour, to which messages are sent. */
struct fcn_config_arn_neighbour {
	struct fcn_addr addr; /**< IPv6 address, usually its loopback */
	/** Only congestion of packets that this port received is of interest to it; FCN_PORT_NONE:
	 * it gets all messages. */
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
};

struct fcn_config;

/* The functions below return 0, or -ENOMEM with the list as it was; further errors are named at
 * each. */

/**
 * Add an upstream neighbour.
 *
 * @param port number of a port or sub-interface; FCN_PORT_NONE: any
 * @return -EEXIST: it is there with this port; -EINVAL: messages cannot be sent to this address;
 *  -ENOSPC: there are FCN_ARN_NEIGHBOURS
 */
int fcn_config_arn_neighbour_add(
		struct fcn_config *cfg, const struct fcn_addr *addr, uint16_t port);
/** Remove an upstream neighbour, with this port. @return -ENOENT: there is none */
int fcn_config_arn_neighbour_remove(
		struct fcn_config *cfg, const struct fcn_addr *addr, uint16_t port);
/** Remove the neighbours that are behind a port. The list must not be shared. */
void fcn_config_arn_forget_port(struct fcn_config *cfg, uint16_t port);

/** Get the word for the policy of a queue: 0 is "off", others are 1 + enum fcn_arn_mode. */
const char *fcn_arn_policy_name(unsigned int policy);

#endif /* FCN_CONFIG_ARN_H */
