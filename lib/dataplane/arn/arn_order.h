/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Orders of downstream switches to halt traffic, or to let it go on: messages of precise flow
 * control that were received, checked, and accepted (draft-hu-rtgwg-rocev2-fcn section 4.1). The
 * traffic may leave by ports of any worker, so each worker obeys every order. Used by the stages
 * only.
 */

#ifndef ARN_ORDER_H
#define ARN_ORDER_H

#include <stdint.h>

#include "fcn_arn.h"
#include "fcn_worker.h"

/** Orders that a worker may put on the ring to another before that one takes them. */
#define FCN_ARN_ORDERS 1023

/** An order. Numbers are in host byte order. */
struct fcn_arn_order {
	struct fcn_arn arn; /**< the message, which has what fcn_arn_check_parameters() asks for */
	uint8_t source[16]; /**< address of the switch that sent it, network byte order */
	/** Port whose class is halted in mode priority; one with a link of its own. */
	uint16_t port;
	uint16_t pad; /**< 0 */
};

/**
 * Obey an order that this worker received, and send it to the other workers. Each of them holds or
 * releases the flow or the service, or halts the class of the port if it owns that. Nothing happens
 * while the reception of messages is off.
 */
void fcn_arn_distribute(struct fcn_worker *w, const struct fcn_arn_order *order);

/** Obey the orders that other workers received, a bounded number of them. */
void fcn_arn_order_rx(struct fcn_worker *w);

/** Whether orders of other workers wait. */
bool fcn_arn_order_is_pending(const struct fcn_worker *w);

#endif /* ARN_ORDER_H */
