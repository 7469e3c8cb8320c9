/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The `show` commands, made of the list that telemetry and metrics use, too. */

#include "fcn_show_list.h"
#include "session_private.h"

/*
 * Read the arguments that the command line gives. The name of a `show` can be the key of an
 * argument, too, as in `show port`: only an argument has a string.
 *
 * @return 0, or a negative errno after the error was reported
 */
static int
read_query(struct fcn_session *session, const struct fcn_args *args, struct fcn_show_query *q)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);

	*q = FCN_SHOW_QUERY_ANY;
	if (fcn_args_str(args, "port") != NULL) {
		q->port = fcn_setting_port(session->candidate, args, "port");
		if (q->port < 0)
			return q->port;
	}
	if (fcn_args_str(args, "bridge") != NULL) {
		q->bridge = fcn_setting_bridge(session->candidate, args);
		if (q->bridge < 0)
			return q->bridge;
	}
	if (fcn_args_str(args, "table") != NULL) {
		q->table = fcn_session_table(session, args);
		if (q->table < 0)
			return q->table;
	}
	q->class = class == FCN_ARG_CLASS_ALL ? -1 : (int)class;
	q->number = fcn_args_u64(args, "n", UINT64_MAX);
	q->skip = fcn_args_u64(args, "skip", 0);
	q->prefix = fcn_args_prefix(args, "prefix");
	q->all = fcn_args_has(args, "all");
	q->bytes = fcn_args_has(args, "bytes");
	return 0;
}

static int
show(struct fcn_session *session, const struct fcn_args *args, const char *name)
{
	const struct fcn_show *found = fcn_show_find(name);
	const struct fcn_show_source source = {
			session->ctl, session->captures, fcn_session_exports(session)};
	struct fcn_show_query query;
	int rc = read_query(session, args, &query);

	if (rc != 0)
		return rc;
	return fcn_session_put(session, args, found->get(&source, &query), found->columns);
}

#define RUN(name, arguments, text, size, function, help, more)                               \
	static int show_##function(struct fcn_session *session, const struct fcn_args *args) \
	{                                                                                    \
		return show(session, args, name);                                            \
	}

FCN_SHOWS(RUN)

#define COMMAND(name, arguments, text, size, function, help, more)                               \
	{FCN_SHOW_SYNTAX(name, arguments, text), help more, FCN_COMMAND_ACTION, show_##function, \
			.role = FCN_ROLE_READ},

static const struct fcn_command commands[] = {
		FCN_SHOWS(COMMAND){"show names <of:" FCN_SESSION_NAMES "> [json]",
				"Show the names that the console completes, one in a line",
				FCN_COMMAND_ACTION, fcn_session_show_names, .role = FCN_ROLE_READ},
};

const struct fcn_command_group fcn_show_commands = {"Show", commands, RTE_DIM(commands)};
