/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_INTERVAL_NS 1000000000

static int
set_fast_cnp(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_notify *notify = &fcn_session_edit(session)->notify;

	if (fcn_session_is_on(args))
		notify->on |= 1u << FCN_NOTICE_FAST_CNP;
	else
		notify->on &= ~(1u << FCN_NOTICE_FAST_CNP);
	return 0;
}

static int
set_mark_unknown(struct fcn_session *session, const struct fcn_args *args)
{
	fcn_session_edit(session)->notify.mark_unknown = fcn_session_is_on(args);
	return 0;
}

static int
set_interval(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t ns = fcn_args_u64(args, "time", 0);

	if (ns > MAX_INTERVAL_NS)
		return fcn_command_error(args, -ERANGE, "time", "an interval is at most 1s");
	fcn_session_edit(session)->notify.interval_ns = ns;
	return 0;
}

static int
set_bucket(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t rate = fcn_args_u64(args, "rate", 0), burst = fcn_args_u64(args, "burst", 1);
	struct fcn_config_bucket *bucket;
	struct fcn_config_notify *n;

	if (fcn_args_has(args, "rate") && (rate < 1 || rate > 1000000000))
		return fcn_command_error(
				args, -ERANGE, "rate", "a rate is 1 to 1G notices a second");
	if (burst < 1 || burst > 1000000)
		return fcn_command_error(args, -ERANGE, "burst", "a burst is 1 to 1M notices");
	n = &fcn_session_edit(session)->notify;
	bucket = fcn_args_has(args, "queue")    ? &n->queue_bucket
		 : fcn_args_has(args, "global") ? &n->global_bucket
						: &n->dest_bucket;
	*bucket = (struct fcn_config_bucket){.rate = rate, .burst = burst};
	return 0;
}

static int
set_number(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t v = fcn_args_u64(args, "value", 0);
	struct fcn_config *cfg = fcn_session_edit(session);

	if (fcn_args_has(args, "dscp")) {
		if (v > 63)
			return fcn_command_error(args, -ERANGE, "value", "a DSCP is 0 to 63");
		cfg->notify.dscp = v;
	} else if (fcn_args_has(args, "hop-limit")) {
		if (v < 1 || v > 255)
			return fcn_command_error(args, -ERANGE, "value", "a hop limit is 1 to 255");
		cfg->notify.hop_limit = v;
	}
	return 0;
}

static int
set_class(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", 0);

	if (class == FCN_ARG_CLASS_ALL)
		return fcn_command_error(args, -EINVAL, "class", "one class, 0 to 7");
	fcn_session_edit(session)->notify.class = class;
	return 0;
}

/*
 * The two high bits of both types must be 10 and the third 0
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4); the number is not assigned.
 */
static int
set_option(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t type = fcn_args_u64(args, "type", 0);
	struct fcn_parse_codes *codes;

	if (type > UINT8_MAX || !fcn_fastcnp_type_is_valid((unsigned int)type))
		return fcn_command_error(args, -ERANGE, "type",
				"the option types of Fast CNP are 0x80 to 0x9f (action 10, no "
				"change en route)");
	codes = &fcn_session_edit(session)->codes;
	if (fcn_args_has(args, "option1-type"))
		codes->fastcnp_opt1 = type;
	else
		codes->fastcnp_opt2 = type;
	return 0;
}

static int
set_icrc(struct fcn_session *session, const struct fcn_args *args)
{
	for (enum fcn_icrc_mode m = FCN_ICRC_SKIP; m <= FCN_ICRC_NORM; m++) {
		if (strcmp(fcn_icrc_mode_name(m), fcn_args_str(args, "mode")) == 0)
			fcn_session_edit(session)->notify.icrc = m;
	}
	return 0;
}

static enum fcn_sender_capability
capability_of(const char *name)
{
	enum fcn_sender_capability c = FCN_SENDER_UNKNOWN;

	while (strcmp(fcn_capability_name(c), name) != 0)
		c++;
	return c;
}

static int
sender_add(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_config_sender_set(fcn_session_edit(session), fcn_args_prefix(args, "prefix"),
			capability_of(fcn_args_str(args, "capability")));
}

static int
sender_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_sender_remove(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"));

	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "prefix", "there is no such prefix");
}

static int
sender_default(struct fcn_session *session, const struct fcn_args *args)
{
	fcn_session_edit(session)->notify.default_capability = capability_of(
			fcn_args_str(args, "capability"));
	return 0;
}

static const struct fcn_command commands[] = {
		{"set notify fast-cnp <state:on|off>",
				"Send Fast CNPs at all, for queues with notices on (default off; "
				"needs a loopback)",
				FCN_COMMAND_CONFIG, set_fast_cnp},
		{"set notify interval <time:time>",
				"Shortest time between two notices for a flow (default 4us)",
				FCN_COMMAND_CONFIG, set_interval},
		{"set notify bucket queue <rate:count> burst <burst:count>",
				"Notices a second for congestion of one queue, and how many at "
				"once (default 1M, 64)",
				FCN_COMMAND_CONFIG, set_bucket},
		{"set notify bucket queue off", "No such limit", FCN_COMMAND_CONFIG, set_bucket},
		{"set notify bucket global <rate:count> burst <burst:count>",
				"Notices a second at all, and how many at once (default 10M, 1024)",
				FCN_COMMAND_CONFIG, set_bucket},
		{"set notify bucket global off", "No such limit", FCN_COMMAND_CONFIG, set_bucket},
		{"set notify bucket destination <rate:count> burst <burst:count>",
				"Notices a second to one sender, and how many at once (default 1M, "
				"64)",
				FCN_COMMAND_CONFIG, set_bucket},
		{"set notify bucket destination off", "No such limit", FCN_COMMAND_CONFIG,
				set_bucket},
		{"set notify mark-unknown <state:on|off>",
				"CE-mark packets of senders of unknown capability that one "
				"notifies for (default on)",
				FCN_COMMAND_CONFIG, set_mark_unknown},
		{"set notify class <class:class>", "Class queue of the notices (default 6)",
				FCN_COMMAND_CONFIG, set_class},
		{"set notify dscp <value:number>", "DSCP of the notices (default 48)",
				FCN_COMMAND_CONFIG, set_number},
		{"set notify hop-limit <value:number>", "Hop limit of the notices (default 64)",
				FCN_COMMAND_CONFIG, set_number},
		{"set notify icrc <mode:skip|cover|norm>",
				"How the extension header enters the notices' ICRC (default skip)",
				FCN_COMMAND_CONFIG, set_icrc},
		{"set notify option1-type <type:number>",
				"Type of Fast CNP Destination Option 1, which has no assignment "
				"(default 0x9e)",
				FCN_COMMAND_CONFIG, set_option},
		{"set notify option2-type <type:number>",
				"Type of Fast CNP Destination Option 2, which has no assignment "
				"(default 0x9f)",
				FCN_COMMAND_CONFIG, set_option},
		{"sender add <prefix:prefix> <capability:unknown|capable|none>",
				"What senders of a prefix understand: capable ones are never "
				"CE-marked for what they are "
				"notified of, none are only CE-marked",
				FCN_COMMAND_CONFIG, sender_add},
		{"sender remove <prefix:prefix>", "Forget a prefix of senders", FCN_COMMAND_CONFIG,
				sender_remove},
		{"sender default <capability:unknown|capable|none>",
				"What senders understand that no prefix holds (default unknown)",
				FCN_COMMAND_CONFIG, sender_default},
};

const struct fcn_command_group fcn_notify_commands = {"Notices", commands, RTE_DIM(commands)};

static void
save_bucket(const struct fcn_config_bucket *b, const char *which, FILE *out)
{
	if (b->rate == 0)
		fprintf(out, "set notify bucket %s off\n", which);
	else
		fprintf(out, "set notify bucket %s %llu burst %u\n", which,
				(unsigned long long)b->rate, b->burst);
}

void
fcn_save_notify(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_notify *n = &cfg->notify;
	char text[FCN_PREFIX_STRLEN];

	fprintf(out, "set notify option1-type 0x%02x\n", cfg->codes.fastcnp_opt1);
	fprintf(out, "set notify option2-type 0x%02x\n", cfg->codes.fastcnp_opt2);
	fprintf(out, "set notify icrc %s\n", fcn_icrc_mode_name(n->icrc));
	fprintf(out, "set notify dscp %u\n", n->dscp);
	fprintf(out, "set notify hop-limit %u\n", n->hop_limit);
	fprintf(out, "set notify class %u\n", n->class);
	fprintf(out, "set notify interval %s\n",
			fcn_format_time(n->interval_ns, text, sizeof(text)));
	save_bucket(&n->queue_bucket, "queue", out);
	save_bucket(&n->global_bucket, "global", out);
	save_bucket(&n->dest_bucket, "destination", out);
	fprintf(out, "set notify mark-unknown %s\n", n->mark_unknown ? "on" : "off");
	fprintf(out, "sender default %s\n", fcn_capability_name(n->default_capability));
	for (size_t i = 0; i < cfg->senders.n; i++)
		fprintf(out, "sender add %s %s\n",
				fcn_prefix_format(&cfg->senders.item[i].prefix, text, sizeof(text)),
				fcn_capability_name(cfg->senders.item[i].capability));
	fprintf(out, "set notify fast-cnp %s\n", n->on & 1u << FCN_NOTICE_FAST_CNP ? "on" : "off");
}
