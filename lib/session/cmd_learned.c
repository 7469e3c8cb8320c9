/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Proxies and END.CON SIDs that a program has learned from routing protocols. They are no
 * configuration. */

#include <errno.h>
#include <string.h>

#include "fcn_learned.h"
#include "session_private.h"

#define PROTOCOLS "<protocol:isis|ospf|ospf3|bgp>"
#define SID_PROTOCOLS "<protocol:isis|ospf3>"

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
add(struct fcn_session *session, const struct fcn_args *args, enum fcn_learned_kind kind,
		const struct fcn_proxy_prefix *item)
{
	const uint64_t lifetime = fcn_args_u64(args, "lifetime", 0);

	if (lifetime == 0 || lifetime > FCN_LEARNED_MAX_LIFETIME)
		return fcn_command_error(args, -ERANGE, "lifetime",
				"a lifetime must be 1 to %u seconds", FCN_LEARNED_MAX_LIFETIME);
	return fcn_learned_add(session->ctl, kind, item, lifetime);
}

static int
clear(struct fcn_session *session, const struct fcn_args *args, enum fcn_learned_kind kind,
		const char *what)
{
	int n = fcn_learned_clear(session->ctl, kind, protocol_of(args));

	if (n < 0)
		return fcn_command_error(args, n, NULL, "out of memory, no %s was removed", what);
	fprintf(session->out, "%d removed\n", n);
	return 0;
}

/* ---- proxies ---- */

static int
learned_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_proxy_prefix item = {
			.prefix = *fcn_args_prefix(args, "prefix"),
			.proxy = *fcn_args_addr(args, "address"),
			.origin = protocol_of(args),
	};
	int rc = add(session, args, FCN_LEARNED_PROXY, &item);

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
	int rc = fcn_learned_remove(session->ctl, FCN_LEARNED_PROXY,
			fcn_args_prefix(args, "prefix"), protocol_of(args));

	return rc == -ENOENT ? fcn_command_error(args, rc, "prefix",
					       "%s has not learned such a prefix",
					       fcn_args_str(args, "protocol"))
			     : rc;
}

static int
learned_clear(struct fcn_session *session, const struct fcn_args *args)
{
	return clear(session, args, FCN_LEARNED_PROXY, "prefix");
}

static const struct fcn_command proxy_commands[] = {
		{"proxy learned add <prefix:prefix> address <address:addr> protocol " PROTOCOLS
		 " lifetime <lifetime:number>",
				"Use this proxy for senders in this prefix, as a routing protocol "
				"says. For programs that read routing protocols. After the "
				"lifetime, in seconds, it is forgotten unless it was added again",
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
		"Congestion notification with a proxy", proxy_commands, RTE_DIM(proxy_commands)};

/* ---- END.CON SIDs ---- */

static struct fcn_proxy_prefix
sid_of(const struct fcn_args *args)
{
	return (struct fcn_proxy_prefix){
			.prefix = {.addr = *fcn_args_addr(args, "sid"), .len = 128},
			.origin = protocol_of(args),
	};
}

static int
sid_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_proxy_prefix item = sid_of(args);
	int rc;

	if (item.prefix.addr.version != 6)
		return fcn_command_error(args, -EINVAL, "sid", "a SID is an IPv6 address");
	rc = add(session, args, FCN_LEARNED_ENDCON, &item);
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "sid",
				"notices cannot be sent to this address: it has to be the global "
				"unicast address of a PE node");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "sid",
				"no room for a further SID of %s: of %u learned SIDs, each "
				"protocol can always have %u, and all others are used",
				fcn_args_str(args, "protocol"), FCN_LEARNED_ENDCON_MAX,
				FCN_LEARNED_ENDCON_SHARE);
	return rc;
}

static int
sid_remove(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_proxy_prefix item = sid_of(args);
	int rc = fcn_learned_remove(session->ctl, FCN_LEARNED_ENDCON, &item.prefix, item.origin);

	return rc == -ENOENT ? fcn_command_error(args, rc, "sid", "%s has not learned such a SID",
					       fcn_args_str(args, "protocol"))
			     : rc;
}

static int
sid_clear(struct fcn_session *session, const struct fcn_args *args)
{
	return clear(session, args, FCN_LEARNED_ENDCON, "SID");
}

static const struct fcn_command sid_commands[] = {
		{"srv6 endcon learned add <sid:addr> protocol " SID_PROTOCOLS
		 " lifetime <lifetime:number>",
				"Use this address as an END.CON SID, as a routing protocol says, "
				"like one of srv6 endcon add. For programs that read routing "
				"protocols. After the lifetime, in seconds, it is forgotten unless "
				"it was added again",
				FCN_COMMAND_ACTION, sid_add},
		{"srv6 endcon learned remove <sid:addr> protocol " SID_PROTOCOLS,
				"Forget an END.CON SID that was learned from a routing protocol",
				FCN_COMMAND_ACTION, sid_remove},
		{"srv6 endcon learned clear protocol " SID_PROTOCOLS,
				"Forget all END.CON SIDs that were learned from a routing protocol",
				FCN_COMMAND_ACTION, sid_clear},
};

const struct fcn_command_group fcn_endcon_learned_commands = {
		"SRv6", sid_commands, RTE_DIM(sid_commands)};
