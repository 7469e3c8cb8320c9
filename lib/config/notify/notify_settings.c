/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of notices: the kinds that are sent, their rates, and their header fields. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

/* A token bucket: notices per second, and a burst. */
#define BUCKET(which, rate_, burst_)                                                            \
	COUNT("rate", notify.which.rate, 1, 1000000000, "a rate of notices a second",           \
			.initial = rate_, .special = {OR("off", 0, "There is no such limit")}), \
			COUNT("burst", notify.which.burst, 1, 1000000, "a burst of notices",    \
					.word = "burst", .initial = burst_)

/*
 * The two high bits of both types are 10 and the third is 0
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4); the number is not assigned.
 */
#define OPTION_TYPE(member, number) \
	HEX("type", member, 0x80, 0x9f, "an option type of Fast CNP", .initial = number)

static const struct fcn_setting settings[] = {
		{"fast-cnp",
				"Send Fast CNPs for congestion of class queues with notices "
				"on. This needs a loopback address",
				{SWITCH(notify.on, .mask = 1u << FCN_NOTICE_FAST_CNP)},
				.always = true},
		{"interval", "Minimum time between two notices for one flow",
				{TIME("time", notify.interval_ns, 0, 1000000000, "an interval",
						.initial = 4000)},
				.always = true},
		{"bucket queue",
				"Maximum number of notices per second for congestion of one "
				"queue, and maximum number at once",
				{BUCKET(queue_bucket, 1000000, 64)}, .always = true},
		{"bucket global",
				"Maximum number of notices of each kind per second, and "
				"maximum number at once",
				{BUCKET(global_bucket, 10000000, 1024)}, .always = true},
		{"bucket destination",
				"Maximum number of notices per second to one sender, and "
				"maximum number at once",
				{BUCKET(dest_bucket, 1000000, 64)}, .always = true},
		{"mark-unknown",
				"If it is not known whether a sender supports notices, mark "
				"its packets with CE in addition to notifying it",
				{SWITCH(notify.mark_unknown, .initial = true)}, .always = true},
		{"class", "Class queue for notices", {CLASS(notify.class, .initial = 6)},
				.always = true},
		{"dscp", "DSCP of the notices",
				{NUMBER("value", notify.dscp, 0, 63, "a DSCP", .initial = 48)},
				.always = true},
		{"hop-limit", "Hop limit of the notices",
				{NUMBER("value", notify.hop_limit, 1, 255, "a hop limit",
						.initial = 64)},
				.always = true},
		{"icrc",
				"How the ICRC of notices covers their IPv6 extension header: "
				"it is left out (skip), covered (cover), or the ICRC is that "
				"of the packet without it (norm)",
				{CHOICE("mode", notify.icrc, FCN_ICRC_SKIP, FCN_ICRC_NORM,
						fcn_icrc_mode_name)},
				.always = true},
		{"option1-type",
				"Option type of Fast CNP Destination Option 1. IANA has not "
				"assigned a value yet",
				{OPTION_TYPE(codes.fastcnp_opt1, 0x9e)}, .always = true},
		{"option2-type",
				"Option type of Fast CNP Destination Option 2. IANA has not "
				"assigned a value yet",
				{OPTION_TYPE(codes.fastcnp_opt2, 0x9f)}, .always = true},
};

const struct fcn_setting_scope fcn_notify_scope = {
		.title = "Notices",
		.syntax = "set notify",
		FCN_SETTING_TABLE(settings),
};

static const struct fcn_setting sender_settings[] = {
		{"default", "Set whether senders outside all these prefixes support notices",
				{CHOICE("capability", notify.default_capability, FCN_SENDER_UNKNOWN,
						FCN_SENDER_NONE, fcn_capability_name)},
				.always = true},
};

const struct fcn_setting_scope fcn_sender_scope = {
		.title = "Notices",
		.syntax = "sender",
		FCN_SETTING_TABLE(sender_settings),
};
