/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of Congestion Notification Messages, which proxies are sent. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"port",
				"UDP port of congestion notification messages (CNM). IANA has not "
				"assigned a value yet. Without it, none are sent or accepted",
				{NUMBER("number", proxy.cnm_port, 1, UINT16_MAX, "a UDP port",
						SHOW("cnm_port"), NULL_IF(0),
						.special = {OR("off", 0,
								"No congestion notification "
								"messages are sent or "
								"accepted")})}},
};

const struct fcn_setting_scope fcn_cnm_scope = {
		.title = "Congestion notification with a proxy",
		.syntax = "set cnm",
		.show = "notify.policy",
		FCN_SETTING_TABLE(settings),
};
