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

/** An upstream neighbour, to which messages are sent. */
struct fcn_arn_neighbour {
	uint8_t addr[16];
	/** Only congestion of packets that this port received is of interest to it; FCN_PORT_NONE:
	 * it gets all messages. */
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
};

#endif /* FCN_ARN_CONF_H */
