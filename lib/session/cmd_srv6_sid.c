/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands of local SIDs, and of the access list of END.CON. */

#include <errno.h>

#include "prefix_commands.h"

/* The syntax of what a behavior needs. */
#define SYNTAX_NONE ""
#define SYNTAX_VIA " via <via:addr> port <port:name>"
#define SYNTAX_TABLE " [table <table:name>]"

#define FLAVOR_SYNTAX(sym, word, bit, text) " [" word "]"
#define FLAVORS_DECAPS ""
#define FLAVORS_STEP FCN_SRV6_FLAVORS(FLAVOR_SYNTAX) " [next-csid <block:number> <node:number>]"

/* Read the arguments of a behavior. @return 0; a negative errno after the error was reported */
static int
read_argument(struct fcn_session *session, const struct fcn_args *args,
		struct fcn_config_srv6_sid *sid)
{
	int port, table;

	if (fcn_args_addr(args, "via") != NULL) {
		port = fcn_session_port(session, args, "port");
		if (port < 0)
			return port;
		sid->port = (uint16_t)port;
		sid->via = *fcn_args_addr(args, "via");
	}
	table = fcn_session_table(session, args);
	if (table < 0)
		return table;
	sid->table = (uint16_t)table;
	return 0;
}

static void
read_flavors(const struct fcn_args *args, struct fcn_config_srv6_sid *sid)
{
#define READ(sym, word, bit, text)    \
	if (fcn_args_has(args, word)) \
		sid->flavors |= (uint8_t)bit;
	FCN_SRV6_FLAVORS(READ)
#undef READ
	if (!fcn_args_has(args, "next-csid"))
		return;
	sid->has_csid = true;
	sid->csid = (struct fcn_srv6_csid){
			.block_bits = (uint8_t)RTE_MIN(
					fcn_args_u64(args, "block", 0), UINT64_C(255)),
			.node_function_bits = (uint8_t)RTE_MIN(
					fcn_args_u64(args, "node", 0), UINT64_C(255)),
	};
}

static int
sid_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_srv6_behavior_row *row = fcn_args_data(args);
	struct fcn_config_srv6_sid sid;
	const char *why, *key;
	int rc;

	memset(&sid, 0, sizeof(sid));
	sid.prefix = *fcn_args_prefix(args, "prefix");
	sid.behavior = (uint8_t)(row - fcn_srv6_behaviors);
	rc = read_argument(session, args, &sid);
	if (rc != 0)
		return rc;
	read_flavors(args, &sid);
	why = fcn_config_srv6_sid_why_not(&sid, &key);
	if (why != NULL)
		return fcn_command_error(args, -EINVAL, key, "%s", why);
	rc = fcn_config_srv6_sid_add(fcn_session_edit(session), &sid);
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "prefix", "this SID exists already");
	if (rc == -ENOSPC)
		return fcn_command_error(
				args, rc, "prefix", "there are %u SIDs already", FCN_SRV6_SIDS);
	return rc;
}

static int
sid_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_srv6_sid_remove(
			fcn_session_edit(session), fcn_args_prefix(args, "prefix"));

	return rc != -ENOENT ? rc : fcn_command_error(args, rc, "prefix", "there is no such SID");
}

static const struct fcn_prefix_commands p_nodes = {
		.add = fcn_config_srv6_p_node_add,
		.remove = fcn_config_srv6_p_node_remove,
		.why_no_ipv4 = "P nodes have IPv6 addresses",
};
static const struct fcn_prefix_commands endcons = {
		.add = fcn_config_srv6_endcon_add,
		.remove = fcn_config_srv6_endcon_remove,
		.why_no_ipv4 = "END.CON addresses are IPv6 addresses",
};

/* One command for each behavior. */
#define ADD(sym, word, code, kind, inner, argument, text)                       \
	{"srv6 sid add <prefix:prefix> " word SYNTAX_##argument FLAVORS_##kind, \
			"Add a local SID: " text, FCN_COMMAND_CONFIG, sid_add,  \
			&fcn_srv6_behaviors[FCN_SRV6_##sym]},
static const struct fcn_command commands[] = {
		FCN_SRV6_BEHAVIORS(ADD){"srv6 sid remove <prefix:prefix>", "Remove a local SID",
				FCN_COMMAND_CONFIG, sid_remove},
		{"srv6 p-node add <prefix:prefix>",
				"Add a prefix of P nodes whose Fast CNPs END.CON takes. Without "
				"any, it takes none",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &p_nodes},
		{"srv6 p-node remove <prefix:prefix>", "Remove a prefix of P nodes",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &p_nodes},
		{"srv6 endcon add <prefix:prefix>",
				"Add a prefix of END.CON addresses. For congestion by RoCEv2 in "
				"tunnels from there, notices of the kind endcon are sent",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &endcons},
		{"srv6 endcon remove <prefix:prefix>", "Remove a prefix of END.CON addresses",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &endcons},
};

const struct fcn_command_group fcn_srv6_sid_commands = {"SRv6", commands, RTE_DIM(commands)};

static void
save_sid(const struct fcn_config *cfg, const struct fcn_config_srv6_sid *sid, FILE *out)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[sid->behavior];
	char text[FCN_PREFIX_STRLEN], via[FCN_ADDR_STRLEN];

	fprintf(out, "srv6 sid add %s %s", fcn_prefix_format(&sid->prefix, text, sizeof(text)),
			row->word);
	if (row->argument == FCN_SRV6_ARGUMENT_VIA)
		fprintf(out, " via %s port %s", fcn_addr_format(&sid->via, via, sizeof(via)),
				cfg->port[sid->port].name);
	if (sid->table != FCN_TABLE_MAIN)
		fprintf(out, " table %s", cfg->table[sid->table].name);
#define SAVE(sym, word, bit, text) \
	if (sid->flavors & (bit))  \
		fputs(" " word, out);
	FCN_SRV6_FLAVORS(SAVE)
#undef SAVE
	if (sid->has_csid)
		fprintf(out, " next-csid %u %u", sid->csid.block_bits,
				sid->csid.node_function_bits);
	fputc('\n', out);
}

void
fcn_save_srv6_sids(const struct fcn_config *cfg, FILE *out)
{
	for (size_t i = 0; i < cfg->srv6.sids.n; i++)
		save_sid(cfg, &cfg->srv6.sids.item[i], out);
	fcn_save_prefixes(out, "srv6 p-node add", cfg->srv6.p_nodes.item, cfg->srv6.p_nodes.n);
	fcn_save_prefixes(out, "srv6 endcon add", cfg->srv6.endcons.item, cfg->srv6.endcons.n);
}
