/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes: precise flow control by Adaptive Routing Notifications, and proxies. */

#include "fcn_arn_received.h"
#include "fcn_config_scopes.h"
#include "fcn_control.h"
#include "fcn_learned.h"
#include "fcn_proxy_state.h"
#include "fcn_reported.h"
#include "fcn_show_shapes.h"

static const struct fcn_shape arn_port[] = {
		SHAPE_PORT, SHAPE_SETTINGS(fcn_arn_port_scope, "arn.ports"), SHAPE_END};

static const struct fcn_shape arn[] = {SHAPE_SETTINGS(fcn_arn_scope, "arn"),
		SHAPE_BOOLEAN("pass_on_above_limit", "Whether no flow can have as many bytes as "
						     "halts are passed on from"),
		SHAPE_LISTS("arn"), SHAPE_LIST("ports", "Ports", arn_port), SHAPE_END};

const struct fcn_shape fcn_shape_arn = SHAPE_OBJECT(NULL, "Precise flow control", arn);

static const struct fcn_shape held[] = {SHAPE_STRING("mode", "What is held"), SHAPE_DESCRIPTOR(),
		SHAPE_STRING("state", "\"held\", \"leaving\" or \"storm\""),
		SHAPE_INTEGER("remaining_ns", "For how long it is held, nanoseconds"),
		SHAPE_INTEGER("age_ns", "For how long it has been held, nanoseconds"),
		SHAPE_INTEGER("packets", "Packets that wait"),
		SHAPE_INTEGER("bytes", "Bytes that wait"),
		SHAPE_INTEGER("bytes_max", "Highest number of these bytes"), SHAPE_END};

static const struct fcn_shape halted[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_STRING("state", "\"halted\" or \"storm\""),
		SHAPE_INTEGER("remaining_ns", "For how long it is halted, nanoseconds"),
		SHAPE_INTEGER("age_ns", "For how long it has been halted, nanoseconds"), SHAPE_END};

static const struct fcn_shape arn_held[] = {SHAPE_INTEGER("flows", "Flows and services held"),
		SHAPE_INTEGER("flows_max", "Highest number of these"),
		SHAPE_INTEGER("packets", "Packets that wait"),
		SHAPE_INTEGER("packets_max", "Highest number of these at one worker"),
		SHAPE_INTEGER("bytes", "Bytes that wait"),
		SHAPE_INTEGER("bytes_max", "Highest number of these at one worker"),
		SHAPE_COUNTERS(FCN_ARN_OBEYED_COUNTERS), SHAPE_COUNTERS(FCN_ARN_HELD_COUNTERS),
		SHAPE_LIST("held", "Flows and services held", held),
		SHAPE_LIST("halted", "Classes of ports that are halted", halted), SHAPE_END};

const struct fcn_shape fcn_shape_arn_held = SHAPE_OBJECT(
		NULL, "What downstream switches have asked to halt", arn_held);

static const struct fcn_shape passed_on[] = {SHAPE_STRING("mode", "What is halted"),
		SHAPE_DESCRIPTOR(MAYBE_), SHAPE_MAYBE_STRING("port", "Port that is halted"),
		SHAPE_MAYBE_INTEGER("class", "Class that is halted"),
		SHAPE_LIST_OF("messages", "To whom messages are sent, as port/class",
				FCN_SHAPE_STRING),
		SHAPE_LIST_OF("pfc", "Who is paused by PFC, as port/class", FCN_SHAPE_STRING),
		SHAPE_INTEGER("age_ns", "For how long it has been passed on, nanoseconds"),
		SHAPE_END};

static const struct fcn_shape arn_passed_on[] = {SHAPE_INTEGER("active", "Halts passed on now"),
		SHAPE_COUNTERS(FCN_ARN_EDGE_COUNTERS),
		SHAPE_LIST("halts", "Halts passed on now", passed_on), SHAPE_END};

const struct fcn_shape fcn_shape_arn_passed_on = SHAPE_OBJECT(
		NULL, "Halts that are passed on", arn_passed_on);

static const struct fcn_shape halt[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_STRING("mode", "What is halted"), SHAPE_DESCRIPTOR(MAYBE_),
		SHAPE_INTEGER_NULL("path", "Number of the path"),
		SHAPE_INTEGER("level", "Congestion level"),
		SHAPE_INTEGER("time_us", "For how long it is asked, microseconds"),
		SHAPE_LIST_OF("reasons", "Why", FCN_SHAPE_STRING),
		SHAPE_STRING("state", "\"halted\" or \"ending\""),
		SHAPE_INTEGER("neighbours", "Neighbours that are asked"),
		SHAPE_INTEGER("messages", "Messages sent"),
		SHAPE_INTEGER("age_ns", "For how long it has been halted, nanoseconds"), SHAPE_END};

static const struct fcn_shape arn_sent[] = {SHAPE_INTEGER("active", "Halts asked for now"),
		SHAPE_COUNTERS(FCN_ARN_SENDER_COUNTERS),
		SHAPE_LIST("halts", "Halts asked for now", halt), SHAPE_END};

const struct fcn_shape fcn_shape_arn_sent = SHAPE_OBJECT(
		NULL, "What upstream neighbours are asked to halt", arn_sent);

static const struct fcn_shape arn_source[] = {SHAPE_STRING("source", "Address of the switch"),
		SHAPE_COUNTERS(FCN_ARN_RECEIVED_COUNTERS),
		SHAPE_INTEGER("age_ns", "Time since its last message, nanoseconds"), SHAPE_END};

static const struct fcn_shape arn_received[] = {SHAPE_COUNTERS(FCN_ARN_RECEIVED_COUNTERS),
		SHAPE_COUNTERS(FCN_ARN_RECEIVED_FORGOTTEN), SHAPE_REFUSALS,
		SHAPE_LIST("sources", "Messages by source", arn_source), SHAPE_END};

const struct fcn_shape fcn_shape_arn_received = SHAPE_OBJECT(
		NULL, "Messages of downstream switches", arn_received);

/* ---- proxies ---- */

static const struct fcn_shape pause[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_INTEGER("left_ns", "For how long it is paused, nanoseconds"), SHAPE_END};

static const struct fcn_shape proxy_flow[] = {SHAPE_STRING("sender", "Address of the sender"),
		SHAPE_INTEGER("sender_port", "UDP port of the sender"),
		SHAPE_STRING("receiver", "Address of the receiver"),
		SHAPE_INTEGER("receiver_port", "UDP port of the receiver"),
		SHAPE_INTEGER("protocol", "IP protocol"),
		SHAPE_STRING("translation", "How the sender is notified"),
		SHAPE_STRING("port", "Port that received the message"),
		SHAPE_INTEGER("level", "Congestion level"),
		SHAPE_INTEGER("messages", "Messages about the flow"),
		SHAPE_INTEGER("notifications", "Notifications of the sender"),
		SHAPE_INTEGER("age_ns", "Time since the last message, nanoseconds"),
		SHAPE_INTEGER_NULL("notified_age_ns",
				"Time since the sender was notified; null: it was not"),
		SHAPE_END};

static const struct fcn_shape proxy[] = {SHAPE_SETTINGS(fcn_proxy_scope, "proxy"),
		SHAPE_LISTS("proxy"),
		SHAPE_INTEGER("queue_pairs", "Queue pairs that are configured"),
		SHAPE_INTEGER("flows_known", "Flows that the proxy remembers"),
		SHAPE_INTEGER("flows_marked", "Flows whose packets are marked"),
		SHAPE_INTEGER("paused_classes", "Classes of ports whose senders are paused"),
		SHAPE_INTEGER("waiting", "Messages that wait"),
		SHAPE_COUNTERS(FCN_PROXY_MESSAGE_COUNTERS),
		FCN_PROXY_SENT_COUNTERS(SHAPE_COUNTER)
				SHAPE_COUNTERS(FCN_PROXY_SUPPRESSED_COUNTERS),
		SHAPE_COUNTERS(FCN_PROXY_TABLE_COUNTERS), SHAPE_COUNTERS(FCN_PROXY_FORGOTTEN),
		SHAPE_REFUSALS,
		SHAPE_LIST("pauses", "Classes of ports whose senders are paused", pause),
		SHAPE_LIST("flows", "Flows, the latest first", proxy_flow), SHAPE_END};

const struct fcn_shape fcn_shape_proxy = SHAPE_OBJECT(NULL, "The proxy", proxy);

static const struct fcn_shape proxy_qp[] = {SHAPE_STRING("receiver", "Address of the receiver"),
		SHAPE_INTEGER("receiver_qp", "Queue pair of the receiver"),
		SHAPE_STRING_NULL("sender", "Address of the sender; null: any"),
		SHAPE_INTEGER("sender_qp", "Queue pair of the sender"),
		SHAPE_STRING("source", "\"configured\" or \"reported\""),
		SHAPE_STRING_NULL("host", "Host that reported it"),
		SHAPE_INTEGER_NULL("age_s", "For how long it has been known as it is, seconds"),
		SHAPE_END};

const struct fcn_shape fcn_shape_proxy_qps = SHAPE_LIST(NULL, "Queue pairs of senders", proxy_qp);

static const struct fcn_shape proxy_host[] = {SHAPE_STRING("host", "Name of the host"),
		SHAPE_INTEGER("queue_pairs", "Queue pairs that it has reported"),
		SHAPE_INTEGER("age_s", "For how long it has been known, seconds"),
		SHAPE_INTEGER("left_s", "For how long it will be known, seconds"),
		SHAPE_COUNTERS(FCN_REPORTED_COUNTERS), SHAPE_END};

static const struct fcn_shape proxy_hosts[] = {
		SHAPE_INTEGER("configured", "Queue pairs that are configured"),
		SHAPE_INTEGER("reported", "Queue pairs that hosts have reported"),
		SHAPE_SETTINGS(fcn_proxy_scope, "proxy hosts"),
		SHAPE_INTEGER("hosts_known", "Hosts that report"),
		SHAPE_COUNTERS(FCN_REPORTED_COUNTERS), SHAPE_LIST("hosts", "Hosts", proxy_host),
		SHAPE_END};

const struct fcn_shape fcn_shape_proxy_hosts = SHAPE_OBJECT(
		NULL, "Hosts that report queue pairs", proxy_hosts);

static const struct fcn_shape insert[] = {SHAPE_STRING("prefix", "Addresses of senders"),
		SHAPE_STRING("address", "Address of their proxy"), SHAPE_END};

static const struct fcn_shape option_port[] = {SHAPE_PORT,
		SHAPE_SETTINGS(fcn_proxy_port_scope, "proxy option.ports"),
		SHAPE_COUNTERS(FCN_PROXY_OPTION_COUNTERS), SHAPE_END};

static const struct fcn_shape proxy_option[] = {SHAPE_STRING("type", "Option type, hexadecimal"),
		SHAPE_SETTINGS(fcn_proxy_option_scope, "proxy option"),
		SHAPE_LIST("senders", "Senders whose packets get the option", insert),
		SHAPE_LIST("ports", "Ports", option_port), SHAPE_END};

const struct fcn_shape fcn_shape_proxy_option = SHAPE_OBJECT(
		NULL, "The option with the address of a proxy", proxy_option);

static const struct fcn_shape pnc[] = {SHAPE_STRING("prefix", "Addresses of senders"),
		SHAPE_STRING("address", "Address of their proxy"),
		SHAPE_STRING("protocol", "Where it is from"),
		SHAPE_BOOLEAN("used", "Whether it is the one of its prefix that is used"),
		SHAPE_INTEGER_NULL("age_s", "For how long it has been known, seconds"),
		SHAPE_INTEGER_NULL("left_s", "For how long it will be known, seconds"), SHAPE_END};

const struct fcn_shape fcn_shape_pnc = SHAPE_LIST(NULL, "Proxies of senders", pnc);

static const struct fcn_shape pnc_protocol[] = {SHAPE_STRING("protocol", "Routing protocol"),
		SHAPE_INTEGER("prefixes", "Prefixes that it has told"),
		SHAPE_INTEGER("room", "Prefixes for which there is room"),
		SHAPE_COUNTERS(FCN_LEARNED_COUNTERS), SHAPE_END};

static const struct fcn_shape pnc_protocols[] = {
		SHAPE_INTEGER("configured", "Prefixes that are configured"),
		SHAPE_INTEGER("learned", "Prefixes that were learned"),
		SHAPE_INTEGER("limit", "Most prefixes that can be learned"),
		SHAPE_INTEGER("share", "Prefixes for which each protocol has room at least"),
		SHAPE_BOOLEAN("pending", "Whether changes wait to be applied"),
		SHAPE_INTEGER("builds", "Times that changes were applied"),
		SHAPE_INTEGER("events_skipped", "Events that were left out"),
		SHAPE_LIST("protocols", "Prefixes by protocol", pnc_protocol), SHAPE_END};

const struct fcn_shape fcn_shape_pnc_protocols = SHAPE_OBJECT(
		NULL, "Learned proxies by protocol", pnc_protocols);
