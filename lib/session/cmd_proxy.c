/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Congestion notification with a proxy: the proxies of senders, and those that options name. */

#include <errno.h>

#include "prefix_commands.h"

/* Report why the proxy of a prefix was not set. */
static int
address_error(const struct fcn_args *args, int rc)
{
	const struct fcn_prefix *prefix = fcn_args_prefix(args, "prefix");

	switch (rc) {
	case -EAFNOSUPPORT:
		return fcn_command_error(args, rc, prefix->addr.version != 6 ? "prefix" : "address",
				"only IPv6 packets have this option, and it contains an IPv6 "
				"address");
	case -EINVAL:
		return fcn_command_error(args, rc, "address",
				"messages cannot be sent to this address: it has to be the global "
				"unicast address of a proxy");
	default:
		return rc;
	}
}

static int
prefix_add(struct fcn_session *session, const struct fcn_args *args)
{
	return address_error(args, fcn_config_proxy_prefix_set(fcn_session_edit(session),
						   fcn_args_prefix(args, "prefix"),
						   fcn_args_addr(args, "address")));
}

static int
insert_add(struct fcn_session *session, const struct fcn_args *args)
{
	return address_error(args, fcn_config_proxy_insert_set(fcn_session_edit(session),
						   fcn_args_prefix(args, "prefix"),
						   fcn_args_addr(args, "address")));
}

static const struct fcn_prefix_commands prefixes = {.remove = fcn_config_proxy_prefix_remove};
static const struct fcn_prefix_commands inserts = {.remove = fcn_config_proxy_insert_remove};
static const struct fcn_prefix_commands allowed = {
		.add = fcn_config_proxy_allowed_add,
		.remove = fcn_config_proxy_allowed_remove,
		.why_no_ipv4 = "an option contains an IPv6 address, so only IPv6 prefixes can be "
			       "allowed",
};

static const struct fcn_command prefix_commands[] = {
		{"proxy prefix add <prefix:prefix> address <address:addr>",
				"Set the proxy that is sent congestion notification messages "
				"about the traffic of senders in this prefix. A prefix that exists "
				"gets this proxy",
				FCN_COMMAND_CONFIG, prefix_add},
		{"proxy prefix remove <prefix:prefix>", "Remove a prefix of senders with a proxy",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &prefixes},
		{"proxy allowed add <prefix:prefix>",
				"Add a prefix of proxies that are told because the option in a "
				"data packet names them. Other addresses in options are ignored",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &allowed},
		{"proxy allowed remove <prefix:prefix>",
				"Remove a prefix of proxies that may be told because options name "
				"them",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &allowed},
};

const struct fcn_command_group fcn_proxy_commands = {
		"Congestion notification with a proxy", prefix_commands, RTE_DIM(prefix_commands)};

static const struct fcn_command insert_commands[] = {
		{"proxy insert add <prefix:prefix> address <address:addr>",
				"Insert the Proxy Network Node Address option with this address "
				"into IPv6 packets of senders in this prefix that ports with "
				"proxy-option insert or both receive. A prefix that exists gets "
				"this address",
				FCN_COMMAND_CONFIG, insert_add},
		{"proxy insert remove <prefix:prefix>",
				"Remove a prefix of senders whose packets get the option with the "
				"address of their proxy",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &inserts},
};

const struct fcn_command_group fcn_proxy_insert_commands = {
		"Option with the address of a proxy", insert_commands, RTE_DIM(insert_commands)};

static void
save_proxies(FILE *out, const char *command, const struct fcn_config_proxy_prefix *p, size_t n)
{
	char prefix[FCN_PREFIX_STRLEN], address[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s %s address %s\n", command,
				fcn_prefix_format(&p[i].prefix, prefix, sizeof(prefix)),
				fcn_addr_format(&p[i].address, address, sizeof(address)));
}

void
fcn_save_proxy(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	save_proxies(out, "proxy prefix add", proxy->prefixes.item, proxy->prefixes.n);
	fcn_save_prefixes(out, "proxy allowed add", proxy->allowed.item, proxy->allowed.n);
}

void
fcn_save_proxy_inserts(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	save_proxies(out, "proxy insert add", proxy->inserts.item, proxy->inserts.n);
}
