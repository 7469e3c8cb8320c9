/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of notices: the kinds that are sent, their rates, and their header fields. */

#include "default_rates.h"
#include "fcn_config_names.h"
#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

/* A token bucket: notices per second, and a burst. */
#define BUCKET(which, shown, rate_, burst_) \
	TOKEN_BUCKET(notify.which, "notices", shown, rate_, burst_)

#define AUTO_BUCKET(which, shown, auto_text) \
	AUTO_TOKEN_BUCKET(notify.which, "notices", shown, auto_text)

/*
 * The two high bits of both types are 10 and the third is 0
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4); the number is not assigned.
 */
#define OPTION_TYPE(member, shown, number)                                               \
	HEX("type", member, 0x80, 0x9f, "an option type of Fast CNP", .initial = number, \
			SHOW_ALSO(shown, "border", shown))

static const struct fcn_setting settings[] = {
		{"fast-cnp",
				"Send Fast CNPs for congestion of class queues with notices on. "
				"This needs a loopback address",
				{SWITCH(notify.on, .mask = 1u << FCN_NOTICE_FAST_CNP,
						NOT_SHOWN("`show notify` has every kind by its "
							  "name"))},
				.always = true},
		{"endcon",
				"Send Fast CNPs for congestion by RoCEv2 in SRv6 tunnels to the "
				"outer source address, if that is a known END.CON address (see "
				"srv6 endcon add). This needs a loopback address",
				{SWITCH(notify.on, .mask = 1u << FCN_NOTICE_ENDCON,
						NOT_SHOWN("`show notify` has every kind by its "
							  "name"))}},
		{"cnm",
				"Send congestion notification messages for congestion of class "
				"queues with notices on to the proxies of the senders, about any "
				"IP flow. This needs a loopback address and a UDP port (set cnm "
				"port)",
				{SWITCH(notify.on, .mask = 1u << FCN_NOTICE_CNM,
						NOT_SHOWN("`show notify` has every kind by its "
							  "name"))}},
		{"cnp",
				"Send CNPs for congestion of class queues with notices on to the "
				"senders whose queue pair is known (see proxy qp add), over IPv6 "
				"and IPv4, in the name of the receivers. This is for the first "
				"switch of these senders. Senders that are known to support Fast "
				"CNPs get these, if they are on",
				{SWITCH(notify.on, .mask = 1u << FCN_NOTICE_CNP,
						NOT_SHOWN("`show notify` has every kind by its "
							  "name"))}},
		{"interval", "Minimum time between two notices for one flow",
				{TIME("time", notify.interval_ns, 0, 1000000000, "an interval",
						.initial = 4000, SHOW("interval_ns"))},
				.always = true},
		{"bucket queue",
				"Maximum number of notices of each kind per second for congestion "
				"of one queue, and maximum number at once",
				{AUTO_BUCKET(queue_bucket, "queue_bucket",
						"The limit follows from the rate of the queue: one "
						"notice for each 1024 bytes that it can send, at "
						"least 1M and at most half of what `set notify "
						"bucket global` permits; `show queue` has the "
						"number")},
				.always = true},
		{"bucket global",
				"Maximum number of notices of each kind per second, and maximum "
				"number at once",
				{BUCKET(global_bucket, "global_bucket", SENT_RATE, SENT_BURST)},
				.always = true},
		{"bucket destination",
				"Maximum number of notices per second to one sender, and maximum "
				"number at once",
				{AUTO_BUCKET(dest_bucket, "destination_bucket",
						"The limit follows from the speed of the link "
						"towards the sender: one notice for each 2048 "
						"bytes that it can carry, at least 1M (with more "
						"than five workers: 5M divided by their number) "
						"and at most a quarter of what `set notify bucket "
						"global` permits; `show port` has the number")},
				.always = true},
		{"bucket source",
				"Maximum number of notices per second about the packets of one "
				"sender that go to another node in its place, a proxy or END.CON, "
				"and maximum number at once",
				{BUCKET(source_bucket, "source_bucket", SENT_SOURCE_RATE,
						SENT_SOURCE_BURST)},
				.always = true},
		{"link-share",
				"Maximum share of the rate of a link that notices of all kinds "
				"together use, with preamble, FCS and inter-packet gap",
				{RATIO("share", notify.link_share, FCN_RATIO_ONE / 1000,
						FCN_RATIO_ONE, "a share",
						.initial = FCN_RATIO_ONE / 10,
						.special = {OR("off", 0,
								"Notices may use the whole rate of "
								"a link")},
						SHOW("link_share"))},
				.always = true},
		{"mark-unknown",
				"If it is not known whether a sender supports notices, mark its "
				"packets with CE in addition to notifying it",
				{SWITCH(notify.mark_unknown, .initial = true,
						SHOW("mark_unknown"))},
				.always = true},
		{"class", "Class queue for notices",
				{CLASS(notify.class, .initial = 6, SHOW("class"))}, .always = true},
		{"dscp", "DSCP of the notices",
				{NUMBER("value", notify.dscp, 0, 63, "a DSCP", .initial = 48,
						SHOW("dscp"))},
				.always = true},
		{"hop-limit", "Hop limit of the notices",
				{NUMBER("value", notify.hop_limit, 1, 255, "a hop limit",
						.initial = 64, SHOW("hop_limit"))},
				.always = true},
		{"entropy",
				"Give RoCEv2 notices over IPv6 the flow label of the packet that "
				"they are about, instead of 0, so that a sender that spreads its "
				"packets over paths by flow labels can rest a path. The UDP source "
				"port of a notice is always that of the packet",
				{SWITCH(notify.entropy, SHOW("entropy"))}},
		{"icrc",
				"How the ICRC of notices covers their IPv6 extension header: it is "
				"left out (skip), covered (cover), or the ICRC is that of the "
				"packet without it (norm)",
				{CHOICE("mode", notify.icrc, FCN_ICRC_SKIP, FCN_ICRC_NORM,
						fcn_icrc_mode_name, SHOW("icrc"))},
				.always = true},
		{"option1-type",
				"Option type of Fast CNP Destination Option 1. IANA has not "
				"assigned a value yet",
				{OPTION_TYPE(codes.fastcnp_opt1, "option1_type", 0x9e)},
				.always = true},
		{"option2-type",
				"Option type of Fast CNP Destination Option 2. IANA has not "
				"assigned a value yet",
				{OPTION_TYPE(codes.fastcnp_opt2, "option2_type", 0x9f)},
				.always = true},
};

const struct fcn_setting_scope fcn_notify_scope = {
		.title = "Notices",
		.syntax = "set notify",
		.show = "notify.policy",
		FCN_SETTING_TABLE(settings, OPERATE),
};

static const struct fcn_setting sender_settings[] = {
		{"default", "Set whether senders outside all these prefixes support notices",
				{CHOICE("capability", notify.default_capability, FCN_SENDER_UNKNOWN,
						FCN_SENDER_NONE, fcn_capability_name,
						SHOW("default_sender"))},
				.always = true},
};

const struct fcn_setting_scope fcn_sender_scope = {
		.title = "Notices",
		.syntax = "sender",
		.show = "notify.policy",
		FCN_SETTING_TABLE(sender_settings, OPERATE),
};
