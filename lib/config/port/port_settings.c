/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of ports, except those of other concerns. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting settings[] = {
		{"link", "Speed of the link in replay, and of a device that cannot tell",
				{RATE("rate", link_bps, 1, FCN_SHAPER_MAX_BPS, "a link's speed",
						.initial = 10000000000)},
				.always = true},
		{"rate",
				"Shape what leaves the port; burst is what may be made up for "
				"after idling, overhead the octets of a frame that the port's "
				"shapers count beyond those in memory (24: preamble, gap, FCS)",
				{RATE("rate", rate_bps, FCN_SHAPER_MIN_BPS, FCN_SHAPER_MAX_BPS,
						 "a rate",
						 .special = {OR("off", 0,
								 "There is no shaper: the port "
								 "sends as fast as its link")}),
						SIZE("burst", burst, 0, FCN_SHAPER_MAX_BURST,
								"a burst", .word = "burst",
								OPTIONAL, .initial = FCN_AUTO,
								.initial_text = "what a late poll "
										"costs"),
						SIZE("overhead", overhead, 0, 64, "an overhead",
								.word = "overhead", OPTIONAL,
								.initial = FCN_SHAPER_OVERHEAD)}},
		{"trust", "What a packet's class is taken from",
				{CHOICE("trust", trust, FCN_TRUST_DSCP, FCN_TRUST_NONE,
						fcn_trust_name)},
				.always = true},
		{"promiscuous",
				"Whether the device hears every frame, or only those to its MAC "
				"address and to groups. A port in a bridge hears every frame in "
				"any case",
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
		{"advertise", "Send router advertisements", {SWITCH(advertise)}},
};

const struct fcn_setting_scope fcn_interface_scope = {
		.title = "Host functions",
		.syntax = "set port <port:name>",
		FCN_SETTING_TABLE(interface_settings),
		.select = fcn_setting_select_interface,
		.each = fcn_setting_each_interface,
		.head = "set port",
};
