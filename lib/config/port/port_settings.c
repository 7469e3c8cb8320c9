/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of ports, except those of other concerns. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting settings[] = {
		{"link",
				"Speed of the link in replay, or with a device that does not "
				"report its speed",
				{RATE("rate", link_bps, 1, FCN_SHAPER_MAX_BPS, "a link's speed",
						.initial = 10000000000)},
				.always = true},
		{"rate",
				"Limit the rate at which the port sends. burst is the number "
				"of bytes that may be sent at once after the port was idle. "
				"overhead is the number of bytes that the port's shapers count "
				"for each frame in addition to the frame without FCS (24: "
				"preamble, FCS and inter-packet gap)",
				{RATE("rate", rate_bps, FCN_SHAPER_MIN_BPS, FCN_SHAPER_MAX_BPS,
						 "a rate",
						 .special = {OR("off", 0,
								 "The port sends at the speed of "
								 "its link, without a limit")}),
						SIZE("burst", burst, 0, FCN_SHAPER_MAX_BURST,
								"a burst", .word = "burst",
								OPTIONAL, .initial = FCN_AUTO,
								.initial_text = "enough to make up "
										"for a late poll"),
						SIZE("overhead", overhead, 0, 64, "an overhead",
								.word = "overhead", OPTIONAL,
								.initial = FCN_SHAPER_OVERHEAD)}},
		{"trust",
				"Field from which the class of a packet is derived: its DSCP, "
				"its VLAN priority (PCP), or none",
				{CHOICE("trust", trust, FCN_TRUST_DSCP, FCN_TRUST_NONE,
						fcn_trust_name)},
				.always = true},
		{"promiscuous",
				"Whether the device receives every frame, or only frames to "
				"its MAC address and to group addresses. A port in a bridge "
				"always receives every frame",
				{SWITCH(promiscuous, .initial = true)}},
};

const struct fcn_setting_scope fcn_port_scope = {
		.title = "Ports",
		.syntax = "set port <port:name>",
		FCN_SETTING_TABLE(settings),
		.select = fcn_setting_select_ports,
		.each = fcn_setting_each_port,
		.head = "set port",
};

/* ---- settings that sub-interfaces have, too ---- */

static const struct fcn_setting interface_settings[] = {
		{"advertise", "Send IPv6 router advertisements by this port", {SWITCH(advertise)}},
};

const struct fcn_setting_scope fcn_interface_scope = {
		.title = "Host functions",
		.syntax = "set port <port:name>",
		FCN_SETTING_TABLE(interface_settings),
		.select = fcn_setting_select_interface,
		.each = fcn_setting_each_interface,
		.head = "set port",
};
