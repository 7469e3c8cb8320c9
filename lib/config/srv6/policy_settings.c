/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of SRv6 policies. */

#include "fcn_names.h"
#include "fcn_srv6_encaps.h"
#include "fcn_tunnel_ecn.h"
#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_srv6_policy, member)

FCN_NAME_FUNCTION(fcn_srv6_mode_name, unsigned int, [FCN_SRV6_H_ENCAPS] = "encaps",
		[FCN_SRV6_H_ENCAPS_RED] = "encaps-red", [FCN_SRV6_NO_SRH] = "no-srh")

FCN_STATIC_NAME_FUNCTION(ecn_name, unsigned int, [FCN_TUNNEL_ECN_COMPATIBILITY] = "compatibility",
		[FCN_TUNNEL_ECN_NORMAL] = "normal")

FCN_STATIC_NAME_FUNCTION(flow_label_name, unsigned int, FCN_SRV6_FLOW_LABELS(FCN_ITEM_WORD))

static const struct fcn_setting settings[] = {
		{"mode",
				"Headers that packets get: encaps is H.Encaps of RFC 8986, all "
				"segments in a Segment Routing Header; encaps-red is H.Encaps.Red, "
				"without the first one, and without a Segment Routing Header if it "
				"is the only one; no-srh is for a single segment",
				{CHOICE("mode", mode, FCN_SRV6_H_ENCAPS, FCN_SRV6_NO_SRH,
						fcn_srv6_mode_name,
						.initial = FCN_SRV6_H_ENCAPS_RED, SHOW("mode"))}},
		{"source", "Source address of the outer header of packets other than RoCEv2",
				{ADDR6("address", source, SHOW("source"),
						.special = {OR("loopback", 0,
								"The source address is the "
								"loopback address of the "
								"switch")})}},
		{"roce-source",
				"Source address of the outer header of RoCEv2: the END.CON SID of "
				"this switch, to which congested P nodes send Fast CNPs",
				{ADDR6("address", roce_source, SHOW("roce_source"),
						.special = {OR("none", 0,
								"RoCEv2 packets have the same "
								"source address as other "
								"packets")})}},
		{"ecn",
				"ECN field of the outer header (RFC 6040): normal copies that of "
				"the inner packet; compatibility is Not-ECT, for an egress that "
				"does not know ECN, and not for a policy with a roce-source",
				{CHOICE("ecn", ecn, FCN_TUNNEL_ECN_NORMAL,
						FCN_TUNNEL_ECN_COMPATIBILITY, ecn_name,
						.initial = FCN_TUNNEL_ECN_NORMAL, SHOW("ecn"))}},
		{"flow-label",
				"Flow label of the outer header, by which nodes on the way tell "
				"flows apart: auto is that of the inner packet, or one computed "
				"from addresses and ports if it is 0 or the packet IPv4; copy is "
				"that of the inner packet, 0 or not; hash is always computed; zero "
				"is 0",
				{CHOICE("label", flow_label, FCN_SRV6_FLOW_LABEL_AUTO,
						FCN_SRV6_FLOW_LABEL_ZERO, flow_label_name,
						.initial = FCN_SRV6_FLOW_LABEL_AUTO,
						SHOW("flow_label"))}},
		{"dscp", "DSCP of the outer header",
				{NUMBER("dscp", dscp, 0, 63, "a DSCP", .initial = FCN_SRV6_COPY,
						SHOW("dscp"), NULL_IF(FCN_SRV6_COPY),
						.special = {OR("copy", FCN_SRV6_COPY,
								"The DSCP is that of the inner "
								"packet")})}},
		{"hop-limit", "Hop limit of the outer header",
				{NUMBER("hops", hop_limit, 1, 255, "a hop limit", .initial = 64,
						SHOW("hop_limit"), NULL_IF(FCN_SRV6_COPY),
						.special = {OR("copy", FCN_SRV6_COPY,
								"The hop limit is that of the "
								"inner packet, after it was "
								"decremented")})}},
};

const struct fcn_setting_scope fcn_srv6_policy_scope = {
		.title = "SRv6",
		.syntax = "set srv6 policy <policy:name>",
		.show = "srv6 policy.policies",
		FCN_SETTING_TABLE(settings, OPERATE),
		.list = "srv6 policy",
};
