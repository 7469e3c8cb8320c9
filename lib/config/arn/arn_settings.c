/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of precise flow control by Adaptive Routing Notifications. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"port",
				"UDP port of adaptive routing notifications (ARN). IANA has not "
				"assigned a value yet. Without it, none are sent or accepted",
				{NUMBER("number", arn.port, 1, UINT16_MAX, "a UDP port",
						SHOW("port"), NULL_IF(0),
						.special = {OR("off", 0,
								"No adaptive routing notifications "
								"are sent or accepted")})}},
		{"send",
				"Send adaptive routing notifications to the upstream neighbours "
				"while class queues with arn are congested. This needs a loopback "
				"address and a port",
				{SWITCH(arn.send, SHOW("send"))}},
};

const struct fcn_setting_scope fcn_arn_scope = {
		.title = "Precise flow control",
		.syntax = "set arn",
		.show = "arn",
		FCN_SETTING_TABLE(settings),
};
