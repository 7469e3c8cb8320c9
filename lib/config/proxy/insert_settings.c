/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the option with the address of a proxy, of the switch and of ports. */

#include "fcn_config_names.h"
#include "setting_table.h"

/* ---- of the switch ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"too-big",
				"What is done if a packet is longer than the MTU of its egress "
				"port only because of the inserted option: its sender gets an "
				"ICMPv6 Packet Too Big, so that it leaves room for the option "
				"(error), or the packet leaves without the option (omit)",
				{CHOICE("what", proxy.too_big, FCN_PROXY_TOO_BIG_ERROR,
						FCN_PROXY_TOO_BIG_OMIT, fcn_proxy_too_big_name,
						.initial = FCN_PROXY_TOO_BIG_OMIT,
						SHOW("too_big"))}},
};

const struct fcn_setting_scope fcn_proxy_option_scope = {
		.title = "Option with the address of a proxy",
		.syntax = "set proxy-option",
		.show = "proxy option",
		FCN_SETTING_TABLE(settings, OPERATE),
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"proxy-option",
				"Insert the option with the address of a proxy into packets of "
				"senders that this port receives, see proxy insert add (insert), "
				"remove it from packets that leave by this port (remove), or do "
				"both",
				{CHOICE("what", proxy_option, FCN_PROXY_EDGE_INSERT,
						FCN_PROXY_EDGE_BOTH, fcn_proxy_edge_name,
						SHOW("proxy_option"),
						.special = {OR("off", FCN_PROXY_EDGE_OFF,
								"The option is neither inserted "
								"nor removed at this port")})}},
};

const struct fcn_setting_scope fcn_proxy_port_scope = {
		.title = "Option with the address of a proxy",
		OF_PORTS("set port"),
		.show = "proxy option.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
};
