/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

/* Report that no host can have an address, and why. @return rc */
static int
no_host(const struct fcn_args *args, int rc, const char *key, const struct fcn_addr *addr)
{
	return fcn_command_error(
			args, rc, key, "not the address of a host: %s", fcn_addr_why_no_host(addr));
}

/* Get an address of a prefix that a host can have, or "" if there is none. The first one after the
 * prefix itself is reserved in none. */
static const char *
example_of(const struct fcn_prefix *prefix, char text[FCN_PREFIX_STRLEN])
{
	struct fcn_prefix example = *prefix;

	fcn_prefix_normalise(&example);
	example.addr.bytes[prefix->addr.version == 4 ? 3 : 15] |= 1;
	if (fcn_prefix_why_no_host(&example) != NULL)
		return "";
	return fcn_prefix_format(&example, text, FCN_PREFIX_STRLEN);
}

/* Report that a port cannot have an address, and why. @return -EINVAL */
static int
no_address(const struct fcn_args *args, const struct fcn_prefix *prefix)
{
	char text[FCN_PREFIX_STRLEN];
	const char *example = example_of(prefix, text);

	return fcn_command_error(args, -EINVAL, "prefix", "not the address of a host: %s%s%s",
			fcn_prefix_why_no_host(prefix),
			example[0] != '\0' ? "; an address of this prefix is " : "", example);
}

static int
address_add(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");
	int rc;

	if (port < 0)
		return port;
	rc = fcn_config_address_add(
			fcn_session_edit(session), port, fcn_args_prefix(args, "prefix"));
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "prefix", "the address is configured already");
	if (rc == -EINVAL)
		return no_address(args, fcn_args_prefix(args, "prefix"));
	return rc;
}

static int
address_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");
	int rc;

	if (port < 0)
		return port;
	rc = fcn_config_address_remove(
			fcn_session_edit(session), port, fcn_args_prefix(args, "prefix"));
	return rc != -ENOENT ? rc
			     : fcn_command_error(
					       args, rc, "prefix", "the port has no such address");
}

static int
neighbour_add(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");
	int rc;

	if (port < 0)
		return port;
	rc = fcn_config_neighbour_set(fcn_session_edit(session), port,
			fcn_args_addr(args, "address"), fcn_args_mac(args, "mac"));
	if (rc == -EINVAL && fcn_addr_why_no_host(fcn_args_addr(args, "address")) != NULL)
		return no_host(args, rc, "address", fcn_args_addr(args, "address"));
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "mac", "not a unicast MAC address");
	return rc;
}

static int
neighbour_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");
	int rc;

	if (port < 0)
		return port;
	rc = fcn_config_neighbour_remove(
			fcn_session_edit(session), port, fcn_args_addr(args, "address"));
	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "address", "there is no such neighbour");
}

int
fcn_session_table(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "table");
	int table = name == NULL ? FCN_TABLE_MAIN : fcn_config_table_find(session->candidate, name);

	if (table < 0)
		return fcn_command_error(args, -ENOENT, "table", "there is no table %s", name);
	return table;
}

static int
table_add(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "table");
	int table;

	if (fcn_session_is_word(name))
		return fcn_command_error(
				args, -EINVAL, "table", "%s is a word of the console", name);
	table = fcn_config_table_add(fcn_session_edit(session), name);
	if (table == -EEXIST)
		return fcn_command_error(args, table, "table", "there is a table %s already", name);
	if (table == -ENOSPC)
		return fcn_command_error(args, table, NULL, "a switch has at most %u tables",
				FCN_MAX_TABLES);
	if (table < 0)
		return fcn_command_error(args, table, "table", "a name has at most %u characters",
				FCN_NAME_LEN - 1);
	return 0;
}

static int
table_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int table = fcn_session_table(session, args);
	char by[FCN_PREFIX_STRLEN + 16];

	if (table < 0)
		return table;
	if (table == FCN_TABLE_MAIN)
		return fcn_command_error(
				args, -EINVAL, "table", "the main table cannot be removed");
	if (fcn_config_table_is_used(session->candidate, table, by, sizeof(by)))
		return fcn_command_error(args, -EBUSY, "table", "it is still used: %s", by);
	fcn_config_table_remove(fcn_session_edit(session), table);
	return 0;
}

static int
route_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_route r = {
			.prefix = *fcn_args_prefix(args, "prefix"),
			.blackhole = fcn_args_has(args, "blackhole"),
	};
	int table = fcn_session_table(session, args), rc;

	if (table < 0)
		return table;
	r.table = (uint8_t)table;
	if (fcn_args_has(args, "policy")) {
		rc = fcn_config_srv6_policy_find(
				fcn_session_edit(session), fcn_args_str(args, "policy"));
		if (rc < 0)
			return fcn_command_error(args, rc, "policy", "there is no such policy");
		r.policy = 1 + fcn_session_edit(session)->srv6.policies.item[rc].slot;
	} else if (!r.blackhole) {
		int port = fcn_session_port(session, args, "port");

		if (port < 0)
			return port;
		r.port = port;
		r.via = *fcn_args_addr(args, "via");
	}
	rc = fcn_config_route_add(fcn_session_edit(session), &r);
	if (rc == -EDOM)
		return fcn_command_error(args, -EINVAL, "prefix",
				"no packet is forwarded to these addresses: %s",
				fcn_prefix_why_not_forwarded(&r.prefix));
	if (rc == -EINVAL && fcn_addr_why_no_host(&r.via) != NULL)
		return no_host(args, rc, "via", &r.via);
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "via", "IPv6 packets need an IPv6 gateway");
	return rc;
}

static int
route_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int table = fcn_session_table(session, args), port = -1, rc;

	if (table < 0)
		return table;
	if (fcn_args_has(args, "port")) {
		port = fcn_session_port(session, args, "port");
		if (port < 0)
			return port;
	}
	rc = fcn_config_route_remove(fcn_session_edit(session), table,
			fcn_args_prefix(args, "prefix"), fcn_args_addr(args, "via"), port);
	return rc != -ENOENT ? rc : fcn_command_error(args, rc, "prefix", "there is no such route");
}

static const struct fcn_command commands[] = {
		{"table add <table:name>",
				"Add a route table. Ports can belong to it, and it has routes of "
				"its own",
				FCN_COMMAND_CONFIG, table_add},
		{"table remove <table:name>", "Remove a route table that nothing uses",
				FCN_COMMAND_CONFIG, table_remove},
		{"address add <port:name> <prefix:prefix>",
				"Add an IP address with its prefix length to a routed port",
				FCN_COMMAND_CONFIG, address_add},
		{"address remove <port:name> <prefix:prefix>", "Remove an IP address from a port",
				FCN_COMMAND_CONFIG, address_remove},
		{"neighbour add <port:name> <address:addr> <mac:mac>",
				"Add a static neighbour with its MAC address", FCN_COMMAND_CONFIG,
				neighbour_add},
		{"neighbour remove <port:name> <address:addr>", "Remove a static neighbour",
				FCN_COMMAND_CONFIG, neighbour_remove},
		{"route add <prefix:prefix> via <via:addr> port <port:name> "
		 "[table <table:name>]",
				"Add a path to a route of a table, or of the main table. If a "
				"prefix has several paths, its flows "
				"are shared among them. The gateway of an IPv4 prefix may have an "
				"IPv6 address, also a link-local one",
				FCN_COMMAND_CONFIG, route_add},
		{"route add <prefix:prefix> policy <policy:name> [table <table:name>]",
				"Add a route whose packets take an SRv6 policy. It is the only "
				"path to its prefix",
				FCN_COMMAND_CONFIG, route_add},
		{"route add <prefix:prefix> blackhole [table <table:name>]",
				"Add a route that drops the packets to a prefix",
				FCN_COMMAND_CONFIG, route_add},
		{"route remove <prefix:prefix> [via <via:addr> port <port:name>] "
		 "[table <table:name>]",
				"Remove a path of a route, or the whole route", FCN_COMMAND_CONFIG,
				route_remove},
};

const struct fcn_command_group fcn_route_commands = {
		"Addresses and routes", commands, RTE_DIM(commands)};

void
fcn_save_tables(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int t = FCN_TABLE_MAIN + 1; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] != '\0')
			fprintf(out, "table add %s\n", cfg->table[t].name);
	}
}

/* Write the end of a line about a route: its table, unless it is the main one. */
static void
save_table(const struct fcn_config *cfg, const struct fcn_config_route *r, FILE *out)
{
	if (r->table != FCN_TABLE_MAIN)
		fprintf(out, " table %s", cfg->table[r->table].name);
	fputc('\n', out);
}

void
fcn_save_routes(const struct fcn_config *cfg, FILE *out)
{
	char text[FCN_PREFIX_STRLEN], via[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < cfg->addresses.n; i++)
		fprintf(out, "address add %s %s\n", cfg->port[cfg->addresses.item[i].port].name,
				fcn_prefix_format(&cfg->addresses.item[i].prefix, text,
						sizeof(text)));
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];
		const uint8_t *m = n->mac.addr_bytes;

		fprintf(out, "neighbour add %s %s %02x:%02x:%02x:%02x:%02x:%02x\n",
				cfg->port[n->port].name,
				fcn_addr_format(&n->addr, text, sizeof(text)), m[0], m[1], m[2],
				m[3], m[4], m[5]);
	}
	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		fcn_prefix_format(&r->prefix, text, sizeof(text));
		if (r->blackhole)
			fprintf(out, "route add %s blackhole", text);
		else if (r->policy != 0)
			fprintf(out, "route add %s policy %s", text,
					fcn_config_srv6_policy_of(cfg, r->policy - 1)->name);
		else
			fprintf(out, "route add %s via %s port %s", text,
					fcn_addr_format(&r->via, via, sizeof(via)),
					cfg->port[r->port].name);
		save_table(cfg, r, out);
	}
}
