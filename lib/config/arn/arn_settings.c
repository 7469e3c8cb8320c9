/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of precise flow control by Adaptive Routing Notifications. */

#include "default_rates.h"
#include "fcn_arn_conf.h"
#include "fcn_names.h"
#include "setting_table.h"

const char *
fcn_arn_policy_name(unsigned int policy)
{
	return policy == 0 ? "off" : fcn_arn_mode_name(policy - 1);
}

FCN_NAME_FUNCTION(fcn_arn_edge_name, unsigned int, FCN_ARN_EDGES(FCN_ITEM_WORD))

#define MAX_BYTES 1000000000
#define MS UINT64_C(1000000)

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

/* A token bucket: messages per second, and a burst. */
#define BUCKET(which, shown, rate_, burst_) \
	TOKEN_BUCKET(arn.which, "messages", shown, rate_, burst_)

static const struct fcn_setting settings[] = {
		{"port",
				"UDP port of adaptive routing notifications (ARN). IANA has not "
				"assigned a value yet. Without it, none are sent or accepted",
				{NUMBER("number", arn.port, 1, UINT16_MAX, "a UDP port",
						SHOW("port"), NULL_IF(0),
						.special = {OR("off", 0,
								"No adaptive routing notifications "
								"are sent or accepted")})}},
		{"send",
				"Send adaptive routing notifications to the upstream neighbours "
				"while class queues with arn are congested. This needs a loopback "
				"address and a port",
				{SWITCH(arn.send, SHOW("send"))}},
		{"bucket queue",
				"Maximum number of messages per second for congestion of one "
				"queue, and maximum number at once",
				{BUCKET(queue_bucket, "queue_bucket", SENT_ARN_RATE,
						SENT_ARN_QUEUE_BURST)}},
		{"bucket global",
				"Maximum number of messages per second, and maximum number at "
				"once",
				{BUCKET(global_bucket, "global_bucket", SENT_RATE,
						SENT_ARN_BURST)}},
		{"bucket neighbour",
				"Maximum number of messages per second to one neighbour, and "
				"maximum number at once",
				{BUCKET(neighbour_bucket, "neighbour_bucket", SENT_ARN_RATE,
						SENT_ARN_QUEUE_BURST)}},
		{"receive",
				"Receive adaptive routing notifications, and halt the traffic that "
				"downstream switches ask to halt. This needs a loopback address, a "
				"port, and the prefixes of these switches, see arn source add",
				{SWITCH(arn.receive, SHOW("receive"))}},
		{"hops",
				"Over how many hops adaptive routing notifications that are obeyed "
				"come at most. Of a neighbour they arrive with the hop limit 255, "
				"which nobody further away can forge (RFC 5082); more hops are for "
				"switches between which other routers are",
				{COUNT("hops", arn.hops, 1, UINT8_MAX, "a number of hops",
						.initial = 1, SHOW("hops"))}},
		{"any-port",
				"Obey adaptive routing notifications of a source without a port by "
				"whatever port they arrive. Without it, a route to the source has "
				"to leave by that port; it is for networks in which the ways to "
				"and from a neighbour differ",
				{SWITCH(arn.any_port, SHOW("any_port"))}},
		{"bucket source",
				"Maximum number of messages per second that are obeyed from one "
				"source, and maximum number at once. Each worker has this limit of "
				"its own",
				{AUTO_TOKEN_BUCKET(arn.source_bucket, "messages", "source_bucket",
						AUTO_OF_NODE)}},
		{"bucket received",
				"Maximum number of messages per second that are obeyed from all "
				"sources, and maximum number at once. The workers have equal parts "
				"of the rate",
				{AUTO_TOKEN_BUCKET(arn.receive_bucket, "messages",
						"received_bucket", AUTO_OF_NODES)}},
		{"held-flows",
				"Maximum number of flows and tunnels that are held at once. This "
				"and the limits of bytes and packets are those of each worker",
				{COUNT("flows", arn.held.flows, 1, FCN_ARN_HELD_FLOWS,
						"a number of flows", .initial = 256,
						SHOW("held_flows"))}},
		{"held-packets", "Maximum number of packets of all held flows that wait",
				{COUNT("packets", arn.held.packets, 1, FCN_ARN_HELD_PACKETS,
						"a number of packets", .initial = 4096,
						SHOW("held_packets"))}},
		{"held-bytes", "Maximum number of bytes of all held flows that wait",
				{SIZE("bytes", arn.held.bytes, 1, MAX_BYTES, "a limit",
						.initial = 8000000, SHOW("held_bytes"))}},
		{"flow-packets", "Maximum number of packets of one held flow that wait",
				{COUNT("packets", arn.held.flow_packets, 1, FCN_ARN_HELD_PACKETS,
						"a number of packets", .initial = 1024,
						SHOW("flow_packets"))}},
		{"flow-bytes", "Maximum number of bytes of one held flow that wait",
				{SIZE("bytes", arn.held.flow_bytes, 1, MAX_BYTES, "a limit",
						.initial = 2000000, SHOW("flow_bytes"))}},
		{"max-time",
				"Longest time for which one message halts traffic, even if it asks "
				"for more",
				{TIME("time", arn.held.max_ns, 1000, 60000 * MS, "this time",
						.initial = 100 * MS, SHOW("max_time_ns"))}},
		{"watchdog",
				"Ignore messages about a flow, a service (tunnel) or a class of a "
				"port that has been held for the time detect in total, until none "
				"has arrived for the time restore. Time in which it is not held is "
				"deducted, so that after a tenth of the time restore nothing of "
				"the total is left",
				{TIME("detect", arn.held.detect_ns, MS, 100000 * MS,
						 "a watchdog's time", .word = "detect",
						 .initial = 200 * MS, SHOW("watchdog_detect_ns"),
						 NULL_IF(0),
						 .special = {OR("off", 0,
								 "There is no watchdog, and every "
								 "message is obeyed")}),
						TIME("restore", arn.held.restore_ns, MS,
								100000 * MS, "a watchdog's time",
								.word = "restore", OPTIONAL,
								.initial = 200 * MS,
								SHOW("watchdog_restore_ns"))}},
		{"pass-on",
				"Pass a halt on when this number of bytes of the held flow waits, "
				"or half of flow-packets: to the upstream neighbours, or as "
				"arn-edge of the port that receives the flow says",
				{SIZE("bytes", arn.pass_on_bytes, 1, MAX_BYTES, "a number of bytes",
						.initial = 100000, SHOW("pass_on"), NULL_IF(0),
						.special = {OR("off", 0,
								"Halts are not passed on")})}},
		{"from-pfc",
				"Ask the upstream neighbours to halt traffic of a class queue with "
				"arn also when the link partner has paused it by PFC",
				{SWITCH(arn.from_pfc, SHOW("from_pfc"))}},
		{"from-pfc-after",
				"How long a pause by PFC has to last until upstream neighbours are "
				"asked to halt traffic, see set arn from-pfc",
				{TIME("time", arn.from_pfc_ns, 0, 1000 * MS, "this time",
						.initial = 10000, SHOW("from_pfc_after_ns"))}},
};

const struct fcn_setting_scope fcn_arn_scope = {
		.title = "Precise flow control",
		.syntax = "set arn",
		.show = "arn",
		FCN_SETTING_TABLE(settings, OPERATE),
};

/* ---- of a port ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"arn-edge",
				"How a halt is passed on when too many packets wait that this port "
				"has received, see set arn pass-on: the link partner is asked by "
				"PFC to pause the class, or the sender gets a Fast CNP, instead of "
				"messages to the upstream neighbours",
				{CHOICE("edge", arn_edge, FCN_ARN_EDGE_OFF + 1,
						FCN_ARN_EDGE_COUNT - 1, fcn_arn_edge_name,
						SHOW("edge"),
						.special = {OR("off", FCN_ARN_EDGE_OFF,
								"Upstream neighbours are asked to "
								"halt the flow, too")})}},
};

const struct fcn_setting_scope fcn_arn_port_scope = {
		.title = "Precise flow control",
		OF_PORTS("set port"),
		.show = "arn.ports",
		FCN_SETTING_TABLE(port_settings, OPERATE),
};
