/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of trimmed packets: of the switch, and of a port. Which queues trim is a setting of
 * queues. */

#include "fcn_config_scopes.h"
#include "fcn_trim_conf.h"
#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"class",
				"Class queue of trimmed packets. Unless it is configured "
				"otherwise, it has strict priority at ports where a queue trims",
				{CLASS(trim.class, .initial = 5, SHOW("class"))}},
		{"dscp",
				"DSCP of trimmed packets, by which other switches can give them a "
				"class of their own",
				{NUMBER("value", trim.dscp, 0, 63, "a DSCP",
						.initial = FCN_TRIM_DSCP_KEEP, SHOW("dscp"),
						NULL_IF(FCN_TRIM_DSCP_KEEP),
						.special = {OR("keep", FCN_TRIM_DSCP_KEEP,
								"Trimmed packets keep their "
								"DSCP")})}},
		{"link-share",
				"Maximum share of the rate of a link that trimmed packets use, "
				"with preamble, FCS and inter-packet gap. Packets beyond it are "
				"dropped as they would be without trimming",
				{RATIO("share", trim.link_share, FCN_RATIO_ONE / 1000,
						FCN_RATIO_ONE, "a share",
						.initial = FCN_RATIO_ONE / 10,
						.special = {OR("off", 0,
								"Trimmed packets may use the whole "
								"rate of a link")},
						SHOW("link_share"))}},
		{"option-type",
				"Option type of the Trimmed Packet option, by which a notice to "
				"the "
				"sender names a packet. IANA has not assigned a value",
				{HEX("type", codes.trimmed, 0x80, 0x9f,
						"an option type of Fast CNP", .initial = 0x9d,
						SHOW("option_type"))}},
};

const struct fcn_setting_scope fcn_trim_scope = {
		.title = "Packet trimming",
		.syntax = "set trim",
		.show = "trim",
		FCN_SETTING_TABLE(settings, OPERATE),
};

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"trim-dscp",
				"DSCP of trimmed packets that leave by this port, so that the "
				"receiver can tell where it was congested",
				{NUMBER("value", trim_dscp, 0, 63, "a DSCP",
						.initial = FCN_TRIM_DSCP_AUTO, SHOW("dscp"),
						NULL_IF(FCN_TRIM_DSCP_AUTO),
						.special = {OR("auto", FCN_TRIM_DSCP_AUTO,
								"That of `set trim dscp`")})}},
};

const struct fcn_setting_scope fcn_trim_port_scope = {
		.title = "Packet trimming",
		OF_PORTS("set port"),
		.show = "trim.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
};
