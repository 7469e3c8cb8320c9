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

/* What can be learned, and how errors call it. */
struct learned {
	enum fcn_learned_kind kind;
	const char *key;               /* argument with what is learned */
	const char *one, *many, *node; /* the node is whose address it has to be */
	const char *told, *address;    /* what is sent to which argument */
	unsigned int most, share;
};

static const struct learned proxies = {FCN_LEARNED_PROXY, "prefix", "prefix", "prefixes", "proxy",
		"messages", "address", FCN_LEARNED_MAX, FCN_LEARNED_SHARE};
static const struct learned sids = {FCN_LEARNED_ENDCON, "sid", "SID", "SIDs", "PE node", "notices",
		"sid", FCN_LEARNED_ENDCON_MAX, FCN_LEARNED_ENDCON_SHARE};

static int
add(struct fcn_session *session, const struct fcn_args *args, const struct learned *l,
		const struct fcn_proxy_prefix *item)
{
	const uint64_t lifetime = fcn_args_u64(args, "lifetime", 0);
	int rc;

	if (lifetime == 0 || lifetime > FCN_LEARNED_MAX_LIFETIME)
		return fcn_command_error(args, -ERANGE, "lifetime",
				"a lifetime must be 1 to %u seconds", FCN_LEARNED_MAX_LIFETIME);
	rc = fcn_learned_add(session->ctl, l->kind, item, lifetime);
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, l->address,
				"%s cannot be sent to this address: it has to be the global "
				"unicast address of a %s",
				l->told, l->node);
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, l->key,
				"no room for a further %s of %s: of %u learned %s, each protocol "
				"can always have %u, and all others are used",
				l->one, fcn_args_str(args, "protocol"), l->most, l->many, l->share);
	return rc;
}

static int
forget(struct fcn_session *session, const struct fcn_args *args, const struct learned *l,
		const struct fcn_prefix *prefix)
{
	int rc = fcn_learned_remove(session->ctl, l->kind, prefix, protocol_of(args));

	return rc == -ENOENT ? fcn_command_error(args, rc, l->key, "%s has not learned such a %s",
					       fcn_args_str(args, "protocol"), l->one)
			     : rc;
}

static int
clear(struct fcn_session *session, const struct fcn_args *args, const struct learned *l)
{
	int n = fcn_learned_clear(session->ctl, l->kind, protocol_of(args));

	if (n < 0)
		return fcn_command_error(args, n, NULL, "out of memory, no %s was removed", l->one);
	fprintf(session->out, "%d removed\n", n);
	return 0;
}

/* ---- proxies ---- */

static int
proxy_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_proxy_prefix item = {
			.prefix = *fcn_args_prefix(args, "prefix"),
			.proxy = *fcn_args_addr(args, "address"),
			.origin = protocol_of(args),
	};

	return add(session, args, &proxies, &item);
}

static int
proxy_remove(struct fcn_session *session, const struct fcn_args *args)
{
	return forget(session, args, &proxies, fcn_args_prefix(args, "prefix"));
}

static int
proxy_clear(struct fcn_session *session, const struct fcn_args *args)
{
	return clear(session, args, &proxies);
}

static const struct fcn_command proxy_commands[] = {
		{"proxy learned add <prefix:prefix> address <address:addr> protocol " PROTOCOLS
		 " lifetime <lifetime:number>",
				"Use this proxy for senders in this prefix, as a routing protocol "
				"says. For programs that read routing protocols. After the "
				"lifetime, in seconds, it is forgotten unless it was added again",
				FCN_COMMAND_ACTION, proxy_add, .role = FCN_ROLE_LEARNED},
		{"proxy learned remove <prefix:prefix> protocol " PROTOCOLS,
				"Forget the proxy of senders in a prefix that was learned from a "
				"routing protocol",
				FCN_COMMAND_ACTION, proxy_remove, .role = FCN_ROLE_LEARNED},
		{"proxy learned clear protocol " PROTOCOLS,
				"Forget all proxies that were learned from a routing protocol",
				FCN_COMMAND_ACTION, proxy_clear, .role = FCN_ROLE_LEARNED},
};

const struct fcn_command_group fcn_proxy_learned_commands = {
		"Congestion notification with a proxy", proxy_commands, RTE_DIM(proxy_commands)};

/* ---- END.CON SIDs ---- */

static int
sid_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_proxy_prefix item = {
			.prefix = {.addr = *fcn_args_addr(args, "sid"), .len = 128},
			.origin = protocol_of(args),
	};

	if (item.prefix.addr.version != 6)
		return fcn_command_error(args, -EINVAL, "sid", "a SID is an IPv6 address");
	return add(session, args, &sids, &item);
}

static int
sid_remove(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_prefix prefix = {.addr = *fcn_args_addr(args, "sid"), .len = 128};

	return forget(session, args, &sids, &prefix);
}

static int
sid_clear(struct fcn_session *session, const struct fcn_args *args)
{
	return clear(session, args, &sids);
}

static const struct fcn_command sid_commands[] = {
		{"srv6 endcon learned add <sid:addr> protocol " SID_PROTOCOLS
		 " lifetime <lifetime:number>",
				"Use this address as an END.CON SID, as a routing protocol says, "
				"like one of srv6 endcon add. For programs that read routing "
				"protocols. After the lifetime, in seconds, it is forgotten unless "
				"it was added again",
				FCN_COMMAND_ACTION, sid_add, .role = FCN_ROLE_LEARNED},
		{"srv6 endcon learned remove <sid:addr> protocol " SID_PROTOCOLS,
				"Forget an END.CON SID that was learned from a routing protocol",
				FCN_COMMAND_ACTION, sid_remove, .role = FCN_ROLE_LEARNED},
		{"srv6 endcon learned clear protocol " SID_PROTOCOLS,
				"Forget all END.CON SIDs that were learned from a routing protocol",
				FCN_COMMAND_ACTION, sid_clear, .role = FCN_ROLE_LEARNED},
};

const struct fcn_command_group fcn_endcon_learned_commands = {
		"SRv6", sid_commands, RTE_DIM(sid_commands)};
