/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Precise flow control by Adaptive Routing Notifications: its lists. */

#include <errno.h>

#include "session_private.h"

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
	uint16_t port;
	int rc = port_of(session, args, &port);

	if (rc != 0)
		return rc;
	rc = fcn_config_arn_neighbour_add(
			fcn_session_edit(session), fcn_args_addr(args, "address"), port);
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
	uint16_t port;
	int rc = port_of(session, args, &port);

	if (rc == 0)
		rc = fcn_config_arn_neighbour_remove(
				fcn_session_edit(session), fcn_args_addr(args, "address"), port);
	if (rc == -ENOENT)
		return fcn_command_error(args, rc, "address",
				"there is no such upstream neighbour with this port");
	return rc;
}

static const struct fcn_command commands[] = {
		{"arn neighbour add <address:addr6> [port <port:name>]",
				"Add an upstream neighbour, to which adaptive routing "
				"notifications are sent. With a port, only those about packets "
				"that this port received",
				FCN_COMMAND_CONFIG, neighbour_add},
		{"arn neighbour remove <address:addr6> [port <port:name>]",
				"Remove an upstream neighbour", FCN_COMMAND_CONFIG,
				neighbour_remove},
};

const struct fcn_command_group fcn_arn_commands = {
		"Precise flow control", commands, RTE_DIM(commands)};

void
fcn_save_arn(const struct fcn_config *cfg, FILE *out)
{
	char text[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < cfg->arn.neighbours.n; i++) {
		const struct fcn_config_arn_neighbour *n = &cfg->arn.neighbours.item[i];

		fprintf(out, "arn neighbour add %s", fcn_addr_format(&n->addr, text, sizeof(text)));
		if (n->port != FCN_PORT_NONE)
			fprintf(out, " port %s", cfg->port[n->port].name);
		fputc('\n', out);
	}
}
