/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes: events, warnings, and traced packets. */

#include "fcn_show_shapes.h"

static const struct fcn_shape event[] = {
		SHAPE_INTEGER("time_ns", "Time by the worker's clock, nanoseconds"),
		SHAPE_STRING("event", "Kind of the event"),
		SHAPE_STRING_NULL("port", "Name of the port"),
		SHAPE_INTEGER_NULL("class", "Class, 0 to 7; null: it is about no class"),
		SHAPE_INTEGER_NULL("occupancy", "Bytes in the queue; null: it is about none"),
		SHAPE_MAYBE_STRING("reason", "Drop reason"),
		SHAPE_MAYBE_STRING("combination", "ECN fields that no standard combines"),
		SHAPE_MAYBE_STRING("warning", "Kind of the warning"),
		SHAPE_MAYBE_STRING("mode", "What is halted"),
		SHAPE_MAYBE_STRING("translation", "How the sender is notified"),
		SHAPE_MAYBE_STRING("notice", "Kind of notice"),
		SHAPE_MAYBE_STRING("prefix", "Addresses of senders"),
		SHAPE_MAYBE("proxy", "Address of their proxy", FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE_STRING("protocol", "Routing protocol"),
		SHAPE_MAYBE("sid", "SID of END.CON", FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE_INTEGER("worker", "Number of the worker"),
		SHAPE_MAYBE("mbps", "Speed of the link, Mb/s", FCN_SHAPE_INTEGER | FCN_SHAPE_NULL),
		SHAPE_MAYBE("user", "Who did it", FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE("role", "Role of the session", FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_MAYBE("text", "The command, or what was done",
				FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_STRING_NULL("from", "Port from which a MAC address moved"),
		SHAPE_STRING_NULL("mac", "MAC address"), SHAPE_STRING_NULL("address", "IP address"),
		SHAPE_STRING("event_text", "The event in words"), SHAPE_END};

static const struct fcn_shape events[] = {
		SHAPE_INTEGER_NULL(
				"records_lost", "Records lost on their way to the control thread"),
		SHAPE_LIST("events", "Events, oldest first", event), SHAPE_END};

const struct fcn_shape fcn_shape_events = SHAPE_OBJECT(NULL, "The last events", events);

static const struct fcn_shape warning[] = {SHAPE_STRING("warning", "Kind of the warning"),
		SHAPE_STRING("place", "Where the switch differs from its configuration"),
		SHAPE_INTEGER("since_ns", "Since when, nanoseconds"),
		SHAPE_STRING("reason", "Why, in words"), SHAPE_END};

static const struct fcn_shape warnings[] = {
		SHAPE_INTEGER("left_out", "Warnings for which there was no room"),
		SHAPE_LIST("warnings", "Warnings in force", warning), SHAPE_END};

const struct fcn_shape fcn_shape_warnings = SHAPE_OBJECT(NULL, "Warnings in force", warnings);

static const struct fcn_shape step[] = {SHAPE_INTEGER("time_ns", "Time, nanoseconds"),
		SHAPE_INTEGER_NULL("after_ns", "Time since the step before; null: the first step"),
		SHAPE_STRING("stage", "Name of the stage"),
		SHAPE_STRING("decision_text", "What it decided, in words"), SHAPE_END};

static const struct fcn_shape trace[] = {SHAPE_INTEGER("packet", "Number of the packet"),
		SHAPE_INTEGER("bytes", "Length of the packet"),
		SHAPE_INTEGER_NULL("caused_by", "Number of the packet that caused it"),
		SHAPE_STRING_NULL("source", "Source address"),
		SHAPE_STRING_NULL("destination", "Destination address"),
		SHAPE_STRING("protocol", "Protocol"),
		SHAPE_STRING_NULL("operation", "Operation of RoCEv2"),
		SHAPE_INTEGER_NULL("qp", "Destination queue pair of RoCEv2"),
		SHAPE_INTEGER_NULL("psn", "Packet sequence number of RoCEv2"),
		SHAPE_STRING("headers_text", "The headers in words"),
		SHAPE_LIST("steps", "Stages that it passed", step),
		SHAPE_MAYBE_STRING("first_bytes", "Its first bytes, hexadecimal"), SHAPE_END};

const struct fcn_shape fcn_shape_trace = SHAPE_LIST(NULL, "Traced packets", trace);
