/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes of the shows about the program itself. */

#include "event_log.h"
#include "fcn_capture_control.h"
#include "fcn_config_scopes.h"
#include "fcn_remote_counters.h"
#include "fcn_show_list.h"
#include "metrics_server.h"

static const struct fcn_shape configuration[] = {SHAPE_STRING("file", "Configuration file"),
		SHAPE_BOOLEAN("saved", "Whether the running configuration is saved in it"),
		SHAPE_END};

static const struct fcn_shape ports[] = {
		SHAPE_INTEGER("up", "Ports with a link"), SHAPE_INTEGER("all", "Ports"), SHAPE_END};

static const struct fcn_shape status[] = {
		SHAPE_MAYBE_BOOLEAN("forwarding", "Whether the switch forwards packets"),
		SHAPE_MAYBE_STRING("since", "Since when, UTC"),
		SHAPE_MAYBE_STRING("started", "When the program was started, UTC"),
		SHAPE_MAYBE_INTEGER("started_unix", "The same in seconds since 1970"),
		{.name = "configuration",
				.text = "Configuration file; null: there is none",
				.types = FCN_SHAPE_OBJECT | FCN_SHAPE_NULL,
				.of = configuration},
		SHAPE_OBJECT("ports", "Number of ports", ports),
		SHAPE_INTEGER("workers", "Number of workers"),
		SHAPE_LIST_OF("stalled_workers", "Numbers of workers whose thread does not run",
				FCN_SHAPE_INTEGER),
		SHAPE_INTEGER("warnings", "Number of warnings in force"),
		SHAPE_INTEGER_NULL("notices_per_second",
				"Notices in the last second; null: that was not measured"),
		SHAPE_END};

const struct fcn_shape fcn_shape_status = SHAPE_OBJECT(NULL, "State of the switch", status);

static const struct fcn_shape line[] = {SHAPE_STRING("time", "When it was logged, UTC"),
		SHAPE_STRING("message", "The line"), SHAPE_END};

const struct fcn_shape fcn_shape_log = SHAPE_LIST(NULL, "Lines that were logged", line);

static const struct fcn_shape capture[] = {SHAPE_STRING("file", "File"),
		SHAPE_STRING("port", "What is captured: a port, or \"all\""),
		SHAPE_STRING("what", "Direction, or drops"),
		SHAPE_STRING_NULL("filter", "Filter; null: all packets"),
		SHAPE_INTEGER("snaplen", "Bytes of a packet that are kept"),
		SHAPE_STRING("state",
				"\"running\", \"ending\", \"stopped\", \"full\" or \"failed\""),
		SHAPE_STRING_NULL("error", "Why it failed"), SHAPE_NAMED(FCN_CAPTURE_COUNTERS),
		SHAPE_END};

const struct fcn_shape fcn_shape_captures = SHAPE_LIST(NULL, "Captures", capture);

static const struct fcn_shape metrics[] = {
		SHAPE_STRING("listen", "Address and port of the server; \"off\": there is none"),
		SHAPE_COUNTERS(FCN_METRICS_SERVER_COUNTERS), SHAPE_END};

static const struct fcn_shape log_of_events[] = {
		SHAPE_STRING("file", "File of the event log; \"off\": there is none"),
		SHAPE_SETTINGS(fcn_event_log_scope, "export.events"),
		SHAPE_COUNTERS(FCN_EVENT_LOG_COUNTERS), SHAPE_END};

static const struct fcn_shape exports[] = {
		SHAPE_OBJECT("metrics", "The server of metrics", metrics),
		SHAPE_OBJECT("events", "The event log", log_of_events), SHAPE_END};

const struct fcn_shape fcn_shape_exports = SHAPE_OBJECT(
		NULL, "What the switch gives to other programs", exports);

static const struct fcn_shape socket_of[] = {SHAPE_STRING("socket", "Path of the socket"),
		SHAPE_STRING("role", "Role of its sessions"),
		SHAPE_STRING("mode", "Permissions, octal"),
		SHAPE_INTEGER_NULL("group", "Number of its group"), SHAPE_END};

static const struct fcn_shape session[] = {SHAPE_INTEGER("session", "Number of the session"),
		SHAPE_STRING_NULL("user", "Name of the user"),
		SHAPE_INTEGER_NULL("uid", "Number of the user"), SHAPE_STRING("role", "Role"),
		SHAPE_STRING_NULL("socket", "Path of its socket"),
		SHAPE_INTEGER("age_s", "Since when it is there, seconds"),
		SHAPE_INTEGER("idle_s", "Time since it asked something, seconds"),
		SHAPE_INTEGER("lines", "Lines that it sent"),
		SHAPE_INTEGER("denied", "Lines that its role does not include"), SHAPE_END};

static const struct fcn_shape session_counters[] = {SHAPE_COUNTERS(FCN_REMOTE_COUNTERS), SHAPE_END};

static const struct fcn_shape sessions[] = {SHAPE_MAYBE_INTEGER("most", "Most sessions at a time"),
		SHAPE_MAYBE_INTEGER("idle_timeout_s",
				"When a session that asks nothing ends, seconds; 0: never"),
		SHAPE_LIST("sockets", "Sockets", socket_of),
		SHAPE_LIST("sessions", "Sessions", session),
		SHAPE_OBJECT("counters", "Counters", session_counters), SHAPE_END};

const struct fcn_shape fcn_shape_sessions = SHAPE_OBJECT(
		NULL, "Sessions of remote consoles", sessions);

static const struct fcn_shape version[] = {SHAPE_STRING("fastcn", "Version of fastcn"),
		SHAPE_STRING("dpdk", "Version of DPDK"), SHAPE_END};

const struct fcn_shape fcn_shape_version = SHAPE_OBJECT(NULL, "Versions", version);

static const struct fcn_shape kept[] = {SHAPE_INTEGER("rollback", "Its number"),
		SHAPE_STRING("time", "When it was put in force, UTC"),
		SHAPE_STRING("user", "Who did"), SHAPE_STRING("comment", "What they said of it"),
		SHAPE_INTEGER("commands", "Number of its commands"), SHAPE_END};

static const struct fcn_shape trial[] = {SHAPE_STRING("user", "Who has begun it"),
		SHAPE_INTEGER("seconds", "Its length, seconds"),
		SHAPE_INTEGER("left_s", "Seconds until the switch goes back"), SHAPE_END};

static const struct fcn_shape rollback[] = {
		SHAPE_STRING_NULL("directory", "Where they are kept; null: in memory"),
		{.name = "on_trial",
				.text = "The trial of the running configuration; null: none",
				.types = FCN_SHAPE_OBJECT | FCN_SHAPE_NULL,
				.of = trial},
		SHAPE_LIST("configurations", "Configurations of before, the newest first", kept),
		SHAPE_END};

const struct fcn_shape fcn_shape_rollback = SHAPE_OBJECT(
		NULL, "Configurations to go back to", rollback);
