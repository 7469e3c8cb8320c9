/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of local SIDs and of END.CON. */

#include "setting_table.h"

#define MAX_RATE 10000000
#define MAX_BURST 4096

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, srv6.member)

/* A token bucket: Fast CNPs per second, and a burst. */
#define BUCKET(which, shown, burst_, auto_text)                                                  \
	COUNT("rate", which.rate, 1, MAX_RATE, "a rate", .initial = FCN_AUTO64, SHOW(shown),     \
			.form = fcn_setting_show_bucket,                                         \
			.special = {OR("auto", FCN_AUTO64, auto_text),                           \
					OR("off", 0,                                             \
							"The number of Fast CNPs per second is " \
							"not limited here")}),                   \
			COUNT("burst", which.burst, 1, MAX_BURST, "a burst", .word = "burst",    \
					OPTIONAL, .initial = burst_,                             \
					NOT_SHOWN("it is shown together with its rate"))

static const struct fcn_setting settings[] = {
		{"endcon-rate",
				"Maximum number of Fast CNPs per second that END.CON takes from "
				"one "
				"P node, and maximum number at once. Each worker has this limit "
				"of its own",
				{BUCKET(endcon_source, "source_bucket", 64, AUTO_OF_NODE)}},
		{"endcon-total",
				"Maximum number of Fast CNPs per second that END.CON takes from "
				"all "
				"P nodes, and maximum number at once. The workers have equal "
				"parts of the rate",
				{BUCKET(endcon_total, "total_bucket", 1024, AUTO_OF_NODES)}},
		{"endcon-protocol",
				"Addresses to which the kernel has routes of this routing protocol "
				"(RTPROT) count as END.CON addresses, besides those of srv6 endcon "
				"add. It is for networks whose routing protocol cannot advertise "
				"which addresses are END.CON SIDs",
				{NUMBER("number", endcon_protocol, 0, 255, "a routing protocol",
						.initial = FCN_SRV6_NO_PROTOCOL, SHOW("protocol"),
						NULL_IF(FCN_SRV6_NO_PROTOCOL),
						.special = {OR("off", FCN_SRV6_NO_PROTOCOL,
								"Routes of the kernel do not make "
								"END.CON addresses")})}},
		{"kernel-source",
				"Source address of the outer header of packets other than RoCEv2 "
				"that get a segment list of a route of the Linux kernel",
				{ADDR6("address", kernel_source,
						SHOW_IN("srv6 policy", "kernel_source"),
						.special = {OR("loopback", 0,
								"The source address is the "
								"loopback address of the "
								"switch")})}},
		{"kernel-roce-source",
				"Source address of the outer header of RoCEv2 packets that get a "
				"segment list of a route of the Linux kernel: the END.CON SID of "
				"this switch, to which congested P nodes send Fast CNPs",
				{ADDR6("address", kernel_roce_source,
						SHOW_IN("srv6 policy", "kernel_roce_source"),
						.special = {OR("none", 0,
								"RoCEv2 packets have the same "
								"source address as other "
								"packets")})}},
		{"echo",
				"Answer ICMPv6 echo requests to local SIDs. Without it, they are "
				"refused like any other upper layer that a SID does not process "
				"(RFC 8986 section 4.1.1)",
				{SWITCH(echo, .initial = true, SHOW_IN("srv6 sid", "echo"))}},
		{"ecn-events",
				"Log an event when ECN fields of inner and outer header are "
				"combined "
				"as no standard does (RFC 6040 section 4.2), at most once a second "
				"and worker. The counters are not affected",
				{SWITCH(ecn_event, .initial = true,
						SHOW_IN("srv6 sid", "ecn_events"))}},
};

const struct fcn_setting_scope fcn_srv6_scope = {
		.title = "SRv6",
		.syntax = "set srv6",
		.show = "srv6 endcon",
		FCN_SETTING_TABLE(settings, OPERATE),
};
