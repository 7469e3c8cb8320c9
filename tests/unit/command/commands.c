/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_common.h>

#include "commands.h"

static int
run_value(struct fcn_session *session, const struct fcn_args *args)
{
	const char *str = fcn_args_str(args, "v");

	session->runs++;
	snprintf(session->str, sizeof(session->str), "%s", str != NULL ? str : "");
	session->u64 = fcn_args_u64(args, "v", 12345);
	if (fcn_args_addr(args, "v") != NULL)
		session->addr = *fcn_args_addr(args, "v");
	if (fcn_args_prefix(args, "v") != NULL)
		session->prefix = *fcn_args_prefix(args, "v");
	if (fcn_args_mac(args, "v") != NULL)
		session->mac = *fcn_args_mac(args, "v");
	if (fcn_args_vlans(args, "v") != NULL)
		memcpy(session->vlans, fcn_args_vlans(args, "v"), sizeof(session->vlans));
	return 0;
}

static int
run_rate(struct fcn_session *session, const struct fcn_args *args)
{
	session->runs++;
	session->ran = "rate";
	snprintf(session->str, sizeof(session->str), "%s", fcn_args_str(args, "port"));
	session->u64 = fcn_args_u64(args, "rate", 0);
	if (session->u64 == 0)
		return fcn_command_error(
				args, -ERANGE, "rate", "port %s cannot stand still", session->str);
	if (session->u64 == 1)
		return fcn_command_error(
				args, -ENODEV, "port", "there is no port %s", session->str);
	if (session->u64 == 2)
		return fcn_command_error(args, -EBUSY, NULL, "not now");
	if (session->u64 == 3)
		return fcn_command_error(args, -EINVAL, "port rate", "no such key");
	if (session->u64 == 4)
		return -EEXIST;
	return 0;
}

static int
run_link(struct fcn_session *session, const struct fcn_args *args)
{
	session->runs++;
	session->ran = "link";
	snprintf(session->str, sizeof(session->str), "%s", fcn_args_str(args, "state"));
	return 0;
}

static int
run_detector(struct fcn_session *session, const struct fcn_args *args)
{
	session->runs++;
	session->ran = "detector";
	session->u64 = fcn_args_u64(args, "threshold", 0);
	session->has_second = fcn_args_has(args, "leave");
	session->has_type = fcn_args_has(args, "size");
	session->second = fcn_args_u64(args, "leave", session->u64 / 2);
	return 0;
}

/* Record the optional groups of the line, a letter for each. */
static int
run_note(struct fcn_session *session, const struct fcn_args *args)
{
	session->runs++;
	session->ran = "note";
	snprintf(session->str, sizeof(session->str), "%s%s%s%s",
			fcn_args_has(args, "for") ? "f" : "", fcn_args_has(args, "who") ? "w" : "",
			fcn_args_has(args, "when") ? "a" : "",
			fcn_args_has(args, "repeat") ? "r" : "");
	session->u64 = fcn_args_u64(args, "when", 77);
	session->second = fcn_args_u64(args, "count", 88);
	return 0;
}

#define RUN(name)                                                                           \
	static int run_##name(struct fcn_session *session, const struct fcn_args *args)     \
	{                                                                                   \
		const char *str = fcn_args_str(args, "what");                               \
		session->runs++;                                                            \
		session->ran = #name;                                                       \
		snprintf(session->str, sizeof(session->str), "%s", str != NULL ? str : ""); \
		return 0;                                                                   \
	}

RUN(show_ports)
RUN(show_port)
RUN(pick_ports)
RUN(pick_any)
RUN(pick_any_now)
RUN(pick_ports_text)

static const struct fcn_command ports[] = {
		{"set port <port:name> rate <rate:rate>", "Set the rate of a port",
				FCN_COMMAND_CONFIG, run_rate},
		{"set port <port:name> link <state:up|down|standby>", "Set the link of a port",
				FCN_COMMAND_CONFIG, run_link},
		{"set port <port:name> mtu <v:size>", "Set the MTU of a port", FCN_COMMAND_CONFIG,
				run_value},
		{"set port <port:name> mac <v:mac>", "Set the MAC address of a port",
				FCN_COMMAND_CONFIG, run_value},
		{"show ports", "Show all ports", FCN_COMMAND_ACTION, run_show_ports},
		{"show port <what:name>", "Show a port", FCN_COMMAND_ACTION, run_show_port},
};

static const struct fcn_command queues[] = {
		{"queue <port:name> <class:class> detector step <threshold:size> [leave "
		 "<leave:size>]",
				"See congestion where a queue holds more than so many bytes",
				FCN_COMMAND_CONFIG, run_detector},
		{"queue <port:name> <class:class> describe <v:text>", "Say what a class is for",
				FCN_COMMAND_CONFIG, run_value},
};

static const struct fcn_command others[] = {
		{"note [for <who:name>] [at <when:time> [repeat <count:count>]]",
				"Note a * in the log_file", FCN_COMMAND_CONFIG, run_note},
		{"pick ports", "Pick all ports", FCN_COMMAND_CONFIG, run_pick_ports},
		{"pick <what:name>", "Pick anything", FCN_COMMAND_CONFIG, run_pick_any},
		{"pick <what:name> now", "Pick anything now", FCN_COMMAND_CONFIG, run_pick_any_now},
		{"pick ports <what:text>", "Pick all ports, for a reason", FCN_COMMAND_CONFIG,
				run_pick_ports_text},
};

#define TYPE(type)                                                                       \
	{                                                                                \
		"type " type " <v:" type ">", "Try " type, FCN_COMMAND_CONFIG, run_value \
	}

static const struct fcn_command types[] = {
		TYPE("name"),
		TYPE("number"),
		TYPE("class"),
		TYPE("rate"),
		TYPE("count"),
		TYPE("size"),
		TYPE("time"),
		TYPE("ratio"),
		TYPE("addr"),
		TYPE("addr6"),
		TYPE("addr4"),
		TYPE("prefix"),
		TYPE("mac"),
		TYPE("vlans"),
		TYPE("text"),
		{"type choice <v:one|two|three>", "Try choice", FCN_COMMAND_CONFIG, run_value},
};

static const struct fcn_command_group groups[] = {
		{"Ports", ports, RTE_DIM(ports)},
		{"Queues of a port", queues, RTE_DIM(queues)},
		{"Others", others, RTE_DIM(others)},
		{"Types of argument", types, RTE_DIM(types)},
};

struct fcn_command_table *commands;

struct fcn_command_table *
commands_table(void)
{
	struct fcn_command_table *table = fcn_command_table_create(groups, RTE_DIM(groups));

	assert_non_null(table);
	return table;
}

int
commands_setup(void **state)
{
	RTE_SET_USED(state);
	commands = commands_table();
	return 0;
}

int
commands_teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_command_table_free(commands);
	return 0;
}

static void
good(struct fcn_session *session, const char *line, unsigned int allow)
{
	struct fcn_diag diag;
	int rc;

	memset(session, 0, sizeof(*session));
	rc = fcn_command_run(commands, session, line, allow, &diag);
	if (rc != 0)
		fail_msg("\"%s\": %d, column %u: %s", line, rc, diag.column, diag.message);
	assert_int_equal(session->runs, 1);
	assert_string_equal(diag.message, "");
}

/* @param err an errno, or 0 for any */
static void
bad(const char *line, unsigned int allow, int err, unsigned int column, const char *message)
{
	struct fcn_session session = {0};
	struct fcn_diag diag;
	int rc = fcn_command_run(commands, &session, line, allow, &diag);

	if (rc >= 0 || (err != 0 && rc != err) || diag.column != column ||
			strcmp(diag.message, message) != 0)
		fail_msg("\"%s\": %d, column %u: %s", line, rc, diag.column, diag.message);
}

void
run_good(struct fcn_session *session, const char *line)
{
	good(session, line, FCN_COMMAND_ALLOW_ALL);
}

void
run_bad(const char *line, int err, unsigned int column, const char *message)
{
	bad(line, FCN_COMMAND_ALLOW_ALL, err, column, message);
}

void
run_short(struct fcn_session *session, const char *line)
{
	good(session, line, FCN_COMMAND_ALLOW_SHORT);
}

void
run_short_bad(const char *line, unsigned int column, const char *message)
{
	bad(line, FCN_COMMAND_ALLOW_SHORT, 0, column, message);
}
