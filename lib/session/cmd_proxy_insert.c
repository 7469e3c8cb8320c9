/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Senders whose packets get the option with the address of their proxy. */

#include <errno.h>

#include "session_private.h"

static int
insert_add(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_insert_set(fcn_session_edit(session),
			fcn_args_prefix(args, "prefix"), fcn_args_addr(args, "address"));

	if (rc == -EAFNOSUPPORT)
		return fcn_command_error(args, rc,
				fcn_args_prefix(args, "prefix")->addr.version != 6 ? "prefix"
										   : "address",
				"the option is one of IPv6");
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "address",
				"messages cannot be sent to this address: it has to be the global "
				"unicast address of a proxy");
	return rc;
}

static int
insert_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_insert_remove(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"));

	return rc == -ENOENT ? fcn_command_error(args, rc, "prefix", "there is no such prefix")
			     : rc;
}

static const struct fcn_command commands[] = {
		{"proxy insert add <prefix:prefix> address <address:addr>",
				"Insert the Proxy Network Node Address option with this address "
				"into IPv6 packets of senders in this prefix that ports with "
				"proxy-option insert or both receive. A prefix that exists gets "
				"this address",
				FCN_COMMAND_CONFIG, insert_add},
		{"proxy insert remove <prefix:prefix>",
				"Remove a prefix of senders whose packets get the option with the "
				"address of their proxy",
				FCN_COMMAND_CONFIG, insert_remove},
};

const struct fcn_command_group fcn_proxy_insert_commands = {
		"Option with the address of a proxy", commands, RTE_DIM(commands)};

void
fcn_save_proxy_inserts(const struct fcn_config *cfg, FILE *out)
{
	char prefix[FCN_PREFIX_STRLEN], address[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < cfg->proxy.inserts.n; i++) {
		const struct fcn_config_proxy_prefix *p = &cfg->proxy.inserts.item[i];

		fprintf(out, "proxy insert add %s address %s\n",
				fcn_prefix_format(&p->prefix, prefix, sizeof(prefix)),
				fcn_addr_format(&p->address, address, sizeof(address)));
	}
}
