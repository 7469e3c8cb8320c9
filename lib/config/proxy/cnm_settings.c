/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of Congestion Notification Messages, which proxies are sent. */

#include "fcn_notice_cnm.h"
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
		{"address-from",
				"From where the address of a sender's proxy is taken, and what is "
				"tried first: the option in the data packet, or the prefixes of "
				"senders that are configured (proxy prefix add) or learned",
				{CHOICE("source", proxy.address_from, FCN_CNM_FROM_OPTION_PREFIX,
						FCN_CNM_FROM_COUNT - 1, fcn_cnm_address_from_name,
						SHOW("proxy_address_from"))}},
		{"direct",
				"Whether other kinds of notices, which tell the sender itself, are "
				"sent while the kind cnm is on: only if no proxy "
				"is known or can be reached (otherwise), in addition (always), or "
				"not at all (never)",
				{CHOICE("policy", proxy.direct, FCN_CNM_DIRECT_OTHERWISE,
						FCN_CNM_DIRECT_COUNT - 1, fcn_cnm_direct_name,
						SHOW("direct"))}},
};

const struct fcn_setting_scope fcn_cnm_scope = {
		.title = "Congestion notification with a proxy",
		.syntax = "set cnm",
		.show = "notify.policy",
		FCN_SETTING_TABLE(settings, OPERATE),
};
