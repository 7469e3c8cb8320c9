/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the border of the domain, and of trust in classes. */

#include <errno.h>

#include "fcn_config_names.h"
#include "setting_table.h"

/* ---- of the switch ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static int
check_proxy_type(const struct fcn_args *args, void *object)
{
	if (((struct fcn_config *)object)->codes.proxy_addr != FCN_IPV6_OPT_IOAM)
		return 0;
	return fcn_command_error(
			args, -EINVAL, "type", "option type 0x11 is that of IOAM (RFC 9486)");
}

static const struct fcn_setting settings[] = {
		/* The two high bits of the type are 00 and the third is 0; 0 and 1 are padding
		 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.2). */
		{"proxy-type",
				"Option type of the Proxy Network Node Address option. IANA has "
				"not assigned a value yet",
				{HEX("type", codes.proxy_addr, 0x02, 0x1f,
						"the option type of a proxy's address",
						.initial = 0x1e, SHOW("proxy_type"))},
				.finish = check_proxy_type},
		{"cnm-port",
				"UDP port of congestion notification messages. IANA has not "
				"assigned a value yet. Packets to this port are dropped at the "
				"border",
				{NUMBER("number", border.cnm_port, 1, UINT16_MAX, "a UDP port",
						SHOW("cnm_port"),
						FCN_SETTING_IN_FORCE(struct fcn_border_conf,
								codes.cnm_port),
						NULL_IF(0),
						.special = {OR("off", 0,
								"The port is that of set cnm "
								"port; without it, the switch does "
								"not drop congestion notification "
								"messages at the border")})}},
		{"arn-port",
				"UDP port of adaptive routing notifications. IANA has not assigned "
				"a value yet. Packets to this port are dropped at the border",
				{NUMBER("number", border.arn_port, 1, UINT16_MAX, "a UDP port",
						SHOW("arn_port"),
						FCN_SETTING_IN_FORCE(struct fcn_border_conf,
								codes.arn_port),
						NULL_IF(0),
						.special = {OR("off", 0,
								"The port is that of set arn "
								"port; without it, the switch does "
								"not drop adaptive routing "
								"notifications at the border")})}},
		{"cnp",
				"Whether CNPs that are no Fast CNPs cross the border, or are "
				"dropped there unless border peer permits them. Without them, "
				"RoCEv2 across the border has no congestion control but packet "
				"loss",
				{CHOICE("what", border.cnp, FCN_BORDER_DROP, FCN_BORDER_ACTIONS - 1,
						fcn_border_action_name, .initial = FCN_BORDER_PASS,
						SHOW("cnp"))}},
		{"local-sids",
				"Whether packets to and from local SIDs of the switch (srv6 sid "
				"add), and those of the Linux kernel, cross the border, or are "
				"dropped there as those of border sid add always are. Of a "
				"compressed SID, the whole locator block counts",
				{CHOICE("what", border.local_sids, FCN_BORDER_DROP,
						FCN_BORDER_ACTIONS - 1, fcn_border_action_name,
						.initial = FCN_BORDER_DROP, SHOW("local_sids"))}},
};

const struct fcn_setting_scope fcn_border_scope = {
		.title = "Border",
		.syntax = "set border",
		.show = "border",
		FCN_SETTING_TABLE(settings, OPERATE),
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"border",
				"The domain ends at this port: notices, IOAM data and everything "
				"else that belongs to the domain are dropped when they arrive here "
				"or are about to leave here",
				{SWITCH(border, SHOW("border"))}},
		{"class-trust",
				"Whether packets that this port receives may use protected "
				"classes. With auto they may, unless it is a border port",
				{CHOICE("trust", class_trust, FCN_CLASS_TRUST_AUTO,
						FCN_CLASS_TRUST_OFF, fcn_class_trust_name,
						NOT_SHOWN("`trusted` of show border tells the "
							  "effective state"))}},
		{"untrusted-class",
				"Class of packets that would use a protected class, but are not "
				"allowed to",
				{CLASS(untrusted_class, SHOW("untrusted_class"))}},
		{"remark",
				"On a port without class trust, write this DSCP, and the class as "
				"VLAN priority, into packets that were moved out of a protected "
				"class (moved), or into all packets (all)",
				{CHOICE("which", remark, FCN_REMARK_MOVED, FCN_REMARK_ALL,
						 fcn_remark_name, .initial = FCN_REMARK_OFF,
						 SHOW("remark"),
						 .special = {OR("off", FCN_REMARK_OFF,
								 "The DSCP and VLAN priority of "
								 "packets are not changed")}),
						NUMBER("dscp", remark_dscp, 0, 63, "a DSCP",
								.word = "dscp", OPTIONAL,
								SHOW("remark_dscp"))}},
};

const struct fcn_setting_scope fcn_border_port_scope = {
		.title = "Border",
		OF_PORTS("set port"),
		.show = "border.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
};

/* ---- of routed ports and sub-interfaces ---- */

static const struct fcn_setting source_settings[] = {
		{"source-check",
				"Drop packets that this routed port receives from addresses that "
				"cannot be behind it, by its route table (RFC 3704). With loose "
				"there has to be a route to the source, a default route included; "
				"with strict one of the routes to it has to leave by this port. "
				"Prefixes of source exempt add are left out. Packets from "
				"addresses "
				"of the switch itself are always dropped",
				{CHOICE("check", source_check, FCN_SOURCE_CHECK_OFF + 1,
						FCN_SOURCE_CHECK_COUNT - 1, fcn_source_check_name,
						SHOW("source_check"),
						.special = {OR("off", FCN_SOURCE_CHECK_OFF,
								"Sources are not looked up")})}},
};

const struct fcn_setting_scope fcn_source_check_scope = {
		.title = "Border",
		OF_INTERFACES("set port"),
		.show = "port",
		FCN_SETTING_TABLE(source_settings, OPERATE),
};
