/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of notices: which kinds are sent, how many, and what they look like. */

#include <rte_common.h>

#include "fcn_config_scopes.h"

#define IN_NOTIFY(member) FCN_SETTING_MEMBER(struct fcn_config, notify.member)

/* A token bucket: notices a second, and how many at once. */
#define BUCKET(which, per_second, at_once)                                          \
	{                                                                           \
		{.key = "rate",                                                     \
				.type = FCN_SETTING_COUNT,                          \
				IN_NOTIFY(which.rate),                              \
				.least = 1,                                         \
				.most = 1000000000,                                 \
				.what = "a rate of notices a second",               \
				.initial = per_second,                              \
				.special = {{"off", "There is no such limit", 0}}}, \
				{.word = "burst",                                   \
						.key = "burst",                     \
						.type = FCN_SETTING_COUNT,          \
						IN_NOTIFY(which.burst),             \
						.least = 1,                         \
						.most = 1000000,                    \
						.what = "a burst of notices",       \
						.initial = at_once},                \
	}

/*
 * The two high bits of both types are 10 and the third is 0
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4); the number is not assigned.
 */
#define OPTION_TYPE(member, number)                                                           \
	{                                                                                     \
		{                                                                             \
			.key = "type", .type = FCN_SETTING_HEX,                               \
			FCN_SETTING_MEMBER(struct fcn_config, member), .least = 0x80,         \
			.most = 0x9f, .what = "an option type of Fast CNP", .initial = number \
		}                                                                             \
	}

static const struct fcn_setting settings[] = {
		{.words = "fast-cnp",
				.help = "Send Fast CNPs at all, for queues with notices on; this "
					"needs a loopback address",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_NOTIFY(on),
						.mask = 1u << FCN_NOTICE_FAST_CNP}},
				.always = true},
		{.words = "interval",
				.help = "Shortest time between two notices for a flow",
				.value = {{.key = "time",
						.type = FCN_SETTING_TIME,
						IN_NOTIFY(interval_ns),
						.most = 1000000000,
						.what = "an interval",
						.initial = 4000}},
				.always = true},
		{.words = "bucket queue",
				.help = "Notices a second for the congestion of one queue, and how "
					"many at once",
				.value = BUCKET(queue_bucket, 1000000, 64),
				.always = true},
		{.words = "bucket global",
				.help = "Notices a second of each kind, and how many at once",
				.value = BUCKET(global_bucket, 10000000, 1024),
				.always = true},
		{.words = "bucket destination",
				.help = "Notices a second to one sender, and how many at once",
				.value = BUCKET(dest_bucket, 1000000, 64),
				.always = true},
		{.words = "mark-unknown",
				.help = "Mark packets with CE, too, when their sender is notified "
					"and it is unknown whether it understands notices",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_NOTIFY(mark_unknown),
						.initial = true}},
				.always = true},
		{.words = "class",
				.help = "Class queue of the notices",
				.value = {{.key = "class",
						.type = FCN_SETTING_CLASS,
						IN_NOTIFY(class),
						.initial = 6}},
				.always = true},
		{.words = "dscp",
				.help = "DSCP of the notices",
				.value = {{.key = "value",
						.type = FCN_SETTING_NUMBER,
						IN_NOTIFY(dscp),
						.most = 63,
						.what = "a DSCP",
						.initial = 48}},
				.always = true},
		{.words = "hop-limit",
				.help = "Hop limit of the notices",
				.value = {{.key = "value",
						.type = FCN_SETTING_NUMBER,
						IN_NOTIFY(hop_limit),
						.least = 1,
						.most = 255,
						.what = "a hop limit",
						.initial = 64}},
				.always = true},
		{.words = "icrc",
				.help = "How the extension header enters the ICRC of the notices",
				.value = {{.key = "mode",
						.type = FCN_SETTING_CHOICE,
						IN_NOTIFY(icrc),
						.least = FCN_ICRC_SKIP,
						.most = FCN_ICRC_NORM,
						.name = fcn_icrc_mode_name}},
				.always = true},
		{.words = "option1-type",
				.help = "Type of Fast CNP Destination Option 1, which has no "
					"assignment",
				.value = OPTION_TYPE(codes.fastcnp_opt1, 0x9e),
				.always = true},
		{.words = "option2-type",
				.help = "Type of Fast CNP Destination Option 2, which has no "
					"assignment",
				.value = OPTION_TYPE(codes.fastcnp_opt2, 0x9f),
				.always = true},
};

const struct fcn_setting_scope fcn_notify_scope = {
		.title = "Notices",
		.syntax = "set notify",
		FCN_SETTING_TABLE(settings),
};

static const struct fcn_setting sender_settings[] = {
		{.words = "default",
				.help = "What senders understand that no prefix holds",
				.value = {{.key = "capability",
						.type = FCN_SETTING_CHOICE,
						IN_NOTIFY(default_capability),
						.least = FCN_SENDER_UNKNOWN,
						.most = FCN_SENDER_NONE,
						.name = fcn_capability_name}},
				.always = true},
};

const struct fcn_setting_scope fcn_sender_scope = {
		.title = "Notices",
		.syntax = "sender",
		FCN_SETTING_TABLE(sender_settings),
};
