/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Congestion notification with a proxy: its lists. */

#include <errno.h>

#include "session_private.h"

static int
prefix_add(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_prefix_set(fcn_session_edit(session),
			fcn_args_prefix(args, "prefix"), fcn_args_addr(args, "address"));

	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "address",
				"messages cannot be sent to this address: it has to be the global "
				"unicast address of a proxy");
	return rc;
}

static int
prefix_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_prefix_remove(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"));

	return rc == -ENOENT ? fcn_command_error(args, rc, "prefix", "there is no such prefix")
			     : rc;
}

static int
allowed_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_prefix *prefix = fcn_args_prefix(args, "prefix");
	int rc;

	if (prefix->addr.version != 6)
		return fcn_command_error(args, -EAFNOSUPPORT, "prefix",
				"an option contains an IPv6 address, so only IPv6 prefixes can be "
				"allowed");
	rc = fcn_config_proxy_allowed_add(fcn_session_edit(session), prefix);
	return rc == -EEXIST ? fcn_command_error(args, rc, "prefix", "this prefix exists already")
			     : rc;
}

static int
allowed_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_allowed_remove(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"));

	return rc == -ENOENT ? fcn_command_error(args, rc, "prefix", "there is no such prefix")
			     : rc;
}

static const struct fcn_command commands[] = {
		{"proxy prefix add <prefix:prefix> address <address:addr>",
				"Set the proxy that is sent congestion notification messages "
				"about the traffic of senders in this prefix. A prefix that exists "
				"gets this proxy",
				FCN_COMMAND_CONFIG, prefix_add},
		{"proxy prefix remove <prefix:prefix>", "Remove a prefix of senders with a proxy",
				FCN_COMMAND_CONFIG, prefix_remove},
		{"proxy allowed add <prefix:prefix>",
				"Add a prefix of proxies that are told because the option in a "
				"data "
				"packet names them. With any such prefix, other addresses in "
				"options "
				"are ignored",
				FCN_COMMAND_CONFIG, allowed_add},
		{"proxy allowed remove <prefix:prefix>", "Remove a prefix of such proxies",
				FCN_COMMAND_CONFIG, allowed_remove},
};

const struct fcn_command_group fcn_proxy_commands = {
		"Congestion notification with a proxy", commands, RTE_DIM(commands)};

void
fcn_save_proxy(const struct fcn_config *cfg, FILE *out)
{
	char prefix[FCN_PREFIX_STRLEN], address[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < cfg->proxy.prefixes.n; i++) {
		const struct fcn_config_proxy_prefix *p = &cfg->proxy.prefixes.item[i];

		fprintf(out, "proxy prefix add %s address %s\n",
				fcn_prefix_format(&p->prefix, prefix, sizeof(prefix)),
				fcn_addr_format(&p->address, address, sizeof(address)));
	}
	for (size_t i = 0; i < cfg->proxy.allowed.n; i++)
		fprintf(out, "proxy allowed add %s\n",
				fcn_prefix_format(&cfg->proxy.allowed.item[i], prefix,
						sizeof(prefix)));
}
