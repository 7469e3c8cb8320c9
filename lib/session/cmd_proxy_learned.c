/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Proxies that a program has learned from routing protocols. They are no configuration. */

#include <errno.h>
#include <string.h>

#include "fcn_learned.h"
#include "session_private.h"

#define PROTOCOLS "<protocol:isis|ospf|ospf3|bgp>"

static enum fcn_proxy_origin
protocol_of(const struct fcn_args *args)
{
	unsigned int p = FCN_PROXY_STATIC + 1;

	while (p + 1 < FCN_PROXY_ORIGIN_COUNT &&
			strcmp(fcn_proxy_origin_name(p), fcn_args_str(args, "protocol")) != 0)
		p++;
	return p;
}

static int
learned_add(struct fcn_session *session, const struct fcn_args *args)
{
	const uint64_t lifetime = fcn_args_u64(args, "lifetime", 0);
	const struct fcn_proxy_prefix item = {
			.prefix = *fcn_args_prefix(args, "prefix"),
			.proxy = *fcn_args_addr(args, "address"),
			.origin = protocol_of(args),
	};
	int rc;

	if (lifetime == 0 || lifetime > FCN_LEARNED_MAX_LIFETIME)
		return fcn_command_error(args, -ERANGE, "lifetime",
				"a lifetime must be 1 to %u seconds", FCN_LEARNED_MAX_LIFETIME);
	rc = fcn_learned_add(session->ctl, &item, lifetime);
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "address",
				"messages cannot be sent to this address: it has to be the global "
				"unicast address of a proxy");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "prefix",
				"no room for a further prefix of %s: of %u learned prefixes, each "
				"protocol can always have %u, and all others are used",
				fcn_args_str(args, "protocol"), FCN_LEARNED_MAX, FCN_LEARNED_SHARE);
	return rc;
}

static int
learned_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_learned_remove(
			session->ctl, fcn_args_prefix(args, "prefix"), protocol_of(args));

	return rc == -ENOENT ? fcn_command_error(args, rc, "prefix",
					       "%s has not learned such a prefix",
					       fcn_args_str(args, "protocol"))
			     : rc;
}

static int
learned_clear(struct fcn_session *session, const struct fcn_args *args)
{
	int n = fcn_learned_clear(session->ctl, protocol_of(args));

	if (n < 0)
		return fcn_command_error(args, n, NULL, "out of memory, no prefix was removed");
	fprintf(session->out, "%d removed\n", n);
	return 0;
}

static const struct fcn_command commands[] = {
		{"proxy learned add <prefix:prefix> address <address:addr> protocol " PROTOCOLS
		 " lifetime <lifetime:number>",
				"Let senders in this prefix have this proxy, which was learned "
				"from "
				"a routing protocol, for a lifetime in seconds. It is forgotten "
				"then unless it is added again",
				FCN_COMMAND_ACTION, learned_add},
		{"proxy learned remove <prefix:prefix> protocol " PROTOCOLS,
				"Forget the proxy of senders in a prefix that was learned from a "
				"routing protocol",
				FCN_COMMAND_ACTION, learned_remove},
		{"proxy learned clear protocol " PROTOCOLS,
				"Forget all proxies that were learned from a routing protocol",
				FCN_COMMAND_ACTION, learned_clear},
};

const struct fcn_command_group fcn_proxy_learned_commands = {
		"Congestion notification with a proxy", commands, RTE_DIM(commands)};
