/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages about flows that a host sends to a switch because the scenario says so, in the name of
 * itself or of another switch.
 */

#ifndef LAB_HOST_MESSAGE_H
#define LAB_HOST_MESSAGE_H

#include "fcn_flow_descriptor.h"
#include "network.h"

#define LAB_MESSAGE_MAX 512 /**< octets of the IPv6 packet with a message */

/** What a message is about, and between whom. */
struct lab_message {
	const struct lab_action *action;
	const uint8_t *source;           /**< IPv6 address that it names as its sender */
	const struct fcn_config *to;     /**< the switch to which it is sent */
	unsigned int index;              /**< of the flow in the scenario */
	struct fcn_flow_descriptor flow; /**< its five-tuple, with level 0 */
};

/**
 * Write the IPv6 packet with a message.
 *
 * @param ip room for LAB_MESSAGE_MAX octets
 * @return its length
 */
typedef uint16_t (*lab_message_write)(
		const struct lab_network *net, const struct lab_message *message, uint8_t *ip);

/** Send a message about each flow with the name that an action gives. A flow that has not started
 * has none. */
void lab_host_send_messages(struct lab_net_host *from, const struct lab_action *a,
		lab_message_write write, uint64_t now);

#endif /* LAB_HOST_MESSAGE_H */
