/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Precise flow control by Adaptive Routing Notifications: its lists. */

#include <errno.h>

#include "fcn_arn_conf.h"
#include "prefix_commands.h"

/* Find the port that an argument names; FCN_PORT_NONE without it. @return 0; a negative errno after
 * the error was reported */
static int
port_of(struct fcn_session *session, const struct fcn_args *args, uint16_t *port)
{
	int p;

	*port = FCN_PORT_NONE;
	if (!fcn_args_has(args, "port"))
		return 0;
	p = fcn_session_port(session, args, "port");
	if (p >= 0)
		*port = p;
	return RTE_MIN(p, 0);
}

static int
neighbour_add(struct fcn_session *session, const struct fcn_args *args)
{
	const int table = fcn_session_table(session, args);
	uint16_t port;
	int rc;

	if (table < 0)
		return table;
	rc = port_of(session, args, &port);
	if (rc != 0)
		return rc;
	rc = fcn_config_arn_neighbour_add(
			fcn_session_edit(session), fcn_args_addr(args, "address"), port, table);
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "address", "this neighbour exists already");
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "address",
				"messages cannot be sent to this address: it has to be the global "
				"unicast address of a neighbour");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "address",
				"there are %u upstream neighbours already, the most there can be",
				FCN_ARN_NEIGHBOURS);
	return rc;
}

static int
neighbour_remove(struct fcn_session *session, const struct fcn_args *args)
{
	const int table = fcn_session_table(session, args);
	uint16_t port;
	int rc;

	if (table < 0)
		return table;
	rc = port_of(session, args, &port);
	if (rc == 0)
		rc = fcn_config_arn_neighbour_remove(fcn_session_edit(session),
				fcn_args_addr(args, "address"), port, table);
	if (rc == -ENOENT)
		return fcn_command_error(args, rc, "address",
				"there is no such upstream neighbour with this port and table");
	return rc;
}

static int
source_add(struct fcn_session *session, const struct fcn_args *args)
{
	uint16_t port;
	int rc = port_of(session, args, &port);

	if (rc != 0)
		return rc;
	rc = fcn_config_arn_source_add(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"), port);
	if (rc == -EINVAL)
		return fcn_command_error(
				args, rc, "prefix", "sources of messages have IPv6 addresses");
	return fcn_session_prefix_error(args, rc, "sources", FCN_ARN_SOURCES);
}

static const struct fcn_prefix_commands sources = {.remove = fcn_config_arn_source_remove};

static const struct fcn_command commands[] = {
		{"arn neighbour add <address:addr6> [port <port:name>] [table <table:name>]",
				"Add an upstream neighbour, to which adaptive routing "
				"notifications are sent. With a port, only those about packets "
				"that this port received; a sub-interface counts as its port. "
				"The route to it is in this table, or in the main one, whatever "
				"the table of the port is",
				FCN_COMMAND_CONFIG, neighbour_add},
		{"arn neighbour remove <address:addr6> [port <port:name>] [table <table:name>]",
				"Remove an upstream neighbour", FCN_COMMAND_CONFIG,
				neighbour_remove},
		{"arn source add <prefix:prefix> [port <port:name>]",
				"Accept adaptive routing notifications from these addresses. "
				"Messages in mode priority halt the class of the port, or without "
				"one that of the port by which they arrive; a sub-interface counts "
				"as its port. A prefix that exists gets this port",
				FCN_COMMAND_CONFIG, source_add},
		{"arn source remove <prefix:prefix>", "Remove a prefix of sources of messages",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &sources},
};

const struct fcn_command_group fcn_arn_commands = {
		"Precise flow control", commands, RTE_DIM(commands)};

static void
save_port(const struct fcn_config *cfg, uint16_t port, FILE *out)
{
	if (port != FCN_PORT_NONE)
		fprintf(out, " port %s", cfg->port[port].name);
}

void
fcn_save_arn(const struct fcn_config *cfg, FILE *out)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < cfg->arn.neighbours.n; i++) {
		const struct fcn_config_arn_neighbour *n = &cfg->arn.neighbours.item[i];

		fprintf(out, "arn neighbour add %s", fcn_addr_format(&n->addr, text, sizeof(text)));
		save_port(cfg, n->port, out);
		if (n->table != FCN_TABLE_MAIN)
			fprintf(out, " table %s", cfg->table[n->table].name);
		fputc('\n', out);
	}
	for (size_t i = 0; i < cfg->arn.sources.n; i++) {
		const struct fcn_config_arn_source *s = &cfg->arn.sources.item[i];

		fprintf(out, "arn source add %s",
				fcn_prefix_format(&s->prefix, text, sizeof(text)));
		save_port(cfg, s->port, out);
		fputc('\n', out);
	}
}
