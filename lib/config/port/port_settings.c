/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of ports, except those of other concerns. */

#include "fcn_config_names.h"
#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting settings[] = {
		{"link",
				"Speed of the link in replay, or with a device that does not "
				"report its speed",
				{RATE("rate", link_bps, 1000000, FCN_SHAPER_MAX_BPS,
						"a link's speed", .initial = 10000000000,
						NOT_SHOWN("`show port` has the effective speed, "
							  "link_bps"))},
				.always = true},
		{"rate",
				"Limit the rate at which the port sends. burst is the number of "
				"bytes that may be sent at once after the port was idle. overhead "
				"is the number of bytes that the port's shapers count for each "
				"frame in addition to the frame without FCS (24: preamble, FCS and "
				"inter-packet gap)",
				{RATE("rate", rate_bps, FCN_SHAPER_MIN_BPS, FCN_SHAPER_MAX_BPS,
						 "a rate", SHOW("rate_bps"), NULL_IF(0),
						 .special = {OR("off", 0,
								 "The port sends at the speed of "
								 "its link, without a limit")}),
						SIZE("burst", burst, 0, FCN_SHAPER_MAX_BURST,
								"a burst", .word = "burst",
								OPTIONAL, .initial = FCN_AUTO,
								.initial_text = "enough to make up "
										"for a late poll",
								NOT_SHOWN("`show port` has a hint "
									  "if it is too small")),
						SIZE("overhead", overhead, 0, 64, "an overhead",
								.word = "overhead", OPTIONAL,
								.initial = FCN_SHAPER_OVERHEAD,
								SHOW("overhead"))}},
		{"trust",
				"Field from which the class of a packet is derived: its DSCP, its "
				"VLAN priority (PCP), or none",
				{CHOICE("trust", trust, FCN_TRUST_DSCP, FCN_TRUST_NONE,
						fcn_trust_name, SHOW("trust"))},
				.always = true},
		{"promiscuous",
				"Whether the device receives every frame, or only frames to its "
				"MAC address and to group addresses. A port in a bridge always "
				"receives every frame",
				{SWITCH(promiscuous, .initial = true,
						NOT_SHOWN("it is a mode of the device, about which "
							  "no `show` is"))}},
};

const struct fcn_setting_scope fcn_port_scope = {
		.title = "Ports",
		OF_PORTS("set port"),
		.show = "port",
		FCN_SETTING_TABLE(settings, OPERATE),
};

/* ---- settings that interfaces of bridges have, too ---- */

static const struct fcn_setting mac_settings[] = {
		{"mac", "Set the MAC address of the port",
				{MAC("mac", mac, SHOW_ALSO("mac", "bridge.interfaces", "mac"),
						.in_force = {0, sizeof(struct rte_ether_addr)})}},
};

static int
select_station(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	int port = fcn_setting_port(cfg, args, "port");

	if (port >= 0 && !fcn_config_is_bridge_interface(cfg, port))
		port = fcn_setting_link_port(cfg, args, "port");
	if (port < 0)
		return port;
	fcn_setting_add(objects, &cfg->port[port]);
	return 0;
}

const struct fcn_setting_scope fcn_mac_scope = {
		.title = "Ports",
		.syntax = "set port <port:name>",
		.show = "port",
		FCN_SETTING_TABLE(mac_settings, OPERATE),
		.select = select_station,
		.each = fcn_setting_each_interface,
		.head = "set port",
};

/* ---- settings that sub-interfaces and interfaces of bridges have, too ---- */

static const struct fcn_setting mtu_settings[] = {
		{"mtu", "Maximum length of an IP packet that the port sends or receives, in bytes",
				{SIZE("mtu", mtu, FCN_MIN_MTU, FCN_MAX_MTU, "an MTU",
						.initial = FCN_DEFAULT_MTU, SHOW("mtu"))},
				.always = true},
};

const struct fcn_setting_scope fcn_mtu_scope = {
		.title = "Ports",
		.syntax = "set port <port:name>",
		.show = "port",
		FCN_SETTING_TABLE(mtu_settings, OPERATE),
		.select = fcn_setting_select_interface,
		.each = fcn_setting_each_virtual_interface,
		.head = "set port",
};

/* ---- settings of routed ports and sub-interfaces ---- */

static const struct fcn_setting interface_settings[] = {
		{"advertise", "Send IPv6 router advertisements by this port",
				{SWITCH(advertise, NOT_SHOWN("no `show` is about router "
							     "advertisements"))}},
};

const struct fcn_setting_scope fcn_interface_scope = {
		.title = "Host functions",
		OF_INTERFACES("set port"),
		FCN_SETTING_TABLE(interface_settings, OPERATE),
};
