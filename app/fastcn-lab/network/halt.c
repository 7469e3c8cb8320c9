/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Adaptive Routing Notifications of a host, which ask a switch to hold flows. So a scenario can
 * give the time and the duration of a hold, and can forge such messages.
 */

#include "fcn_arn.h"
#include "host_message.h"

#define NS_PER_US 1000

static uint16_t
write_message(const struct lab_network *net, const struct lab_message *message, uint8_t *ip)
{
	const uint64_t hold_ns = message->action->count;
	const struct fcn_arn arn = {
			.type = hold_ns > 0 ? FCN_ARN_CONGESTION : FCN_ARN_ENDED,
			.level = 1,
			.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
			.time_us = (uint32_t)(hold_ns / NS_PER_US),
			.flow = message->flow,
	};

	RTE_SET_USED(net);
	return (uint16_t)fcn_arn_build(&arn, message->source, message->to->loopback.bytes,
			message->to->arn.port, ip, LAB_MESSAGE_MAX);
}

void
lab_ask_to_halt(struct lab_net_host *from, const struct lab_action *a, uint64_t now)
{
	static_assert(FCN_ARN_MAX_PACKET_LEN <= LAB_MESSAGE_MAX, "a message fits");
	lab_host_send_messages(from, a, write_message, now);
}
