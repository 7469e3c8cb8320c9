/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands of steering rules, which select packets for SRv6 policies. */

#include <errno.h>

#include "session_private.h"

/* Read what names a rule. @return 0; a negative errno after the error was reported */
static int
read_rule(struct fcn_session *session, const struct fcn_args *args,
		struct fcn_config_srv6_steering *rule)
{
	const uint64_t dscp = fcn_args_u64(args, "dscp", FCN_SRV6_ANY);
	const char *roce = fcn_args_str(args, "state");
	int table = fcn_session_table(session, args);

	memset(rule, 0, sizeof(*rule));
	if (table < 0)
		return table;
	if (fcn_args_given(args, "dscp") && dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP must be 0 to 63");
	rule->prefix = *fcn_args_prefix(args, "prefix");
	rule->table = (uint16_t)table;
	rule->dscp = (uint16_t)dscp;
	rule->port = FCN_SRV6_ANY;
	if (fcn_args_given(args, "port")) {
		int port = fcn_session_port(session, args, "port");

		if (port < 0)
			return port;
		rule->port = (uint16_t)port;
	}
	if (roce != NULL)
		rule->roce = strcmp(roce, "on") == 0 ? FCN_STEERING_ROCE_ON : FCN_STEERING_ROCE_OFF;
	return 0;
}

static int
steering_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_srv6_steering rule;
	struct fcn_config *cfg = fcn_session_edit(session);
	int at = fcn_config_srv6_policy_find(cfg, fcn_args_str(args, "policy"));
	int rc = read_rule(session, args, &rule);

	if (rc != 0)
		return rc;
	if (at < 0)
		return fcn_command_error(args, at, "policy", "there is no such policy");
	rule.policy = cfg->srv6.policies.item[at].slot;
	rc = fcn_config_srv6_steering_add(cfg, &rule);
	if (rc == -EDOM)
		return fcn_command_error(args, -EINVAL, "prefix",
				"no packet is forwarded to these addresses: %s",
				fcn_prefix_why_not_forwarded(&rule.prefix));
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "prefix",
				"the prefix has a rule with these conditions already");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "prefix", "there are %u steering rules already",
				FCN_SRV6_STEERING);
	if (rc == -E2BIG)
		return fcn_command_error(args, rc, "prefix", "the prefix has %u rules already",
				FCN_SRV6_STEERING_OF_PREFIX);
	return rc;
}

static int
steering_remove(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_srv6_steering rule;
	int rc = read_rule(session, args, &rule);

	if (rc != 0)
		return rc;
	rc = fcn_config_srv6_steering_remove(fcn_session_edit(session), &rule);
	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "prefix",
					       "the prefix has no rule with just these conditions");
}

#define CONDITIONS \
	"[table <table:name>] [port <port:name>] [dscp <dscp:number>] [roce <state:on|off>]"

static const struct fcn_command commands[] = {
		{"srv6 steering add <prefix:prefix> policy <policy:name> " CONDITIONS,
				"Add a steering rule: packets to a prefix take an SRv6 policy if "
				"they came in by the port, have the DSCP, and are RoCEv2 or not. "
				"Of the rules of a prefix, the one with the most conditions is "
				"tried first. A packet that meets no rule takes its normal route",
				FCN_COMMAND_CONFIG, steering_add},
		{"srv6 steering remove <prefix:prefix> " CONDITIONS,
				"Remove the steering rule of a prefix with these conditions",
				FCN_COMMAND_CONFIG, steering_remove},
};

const struct fcn_command_group fcn_srv6_steering_commands = {"SRv6", commands, RTE_DIM(commands)};

void
fcn_save_srv6_steering(const struct fcn_config *cfg, FILE *out)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < cfg->srv6.steering.n; i++) {
		const struct fcn_config_srv6_steering *r = &cfg->srv6.steering.item[i];

		fprintf(out, "srv6 steering add %s policy %s",
				fcn_prefix_format(&r->prefix, text, sizeof(text)),
				fcn_config_srv6_policy_of(cfg, r->policy)->name);
		if (r->table != FCN_TABLE_MAIN)
			fprintf(out, " table %s", cfg->table[r->table].name);
		if (r->port != FCN_SRV6_ANY)
			fprintf(out, " port %s", cfg->port[r->port].name);
		if (r->dscp != FCN_SRV6_ANY)
			fprintf(out, " dscp %u", r->dscp);
		if (r->roce != FCN_STEERING_ROCE_ANY)
			fprintf(out, " roce %s", r->roce == FCN_STEERING_ROCE_ON ? "on" : "off");
		fputc('\n', out);
	}
}
