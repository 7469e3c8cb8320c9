/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Which role each command needs, and that a session of each role may run the commands of its own
 * and no others. What is expected is the rule in words, and not what the declarations say: whoever
 * adds a command that names a file or a device says so here.
 */

#include <errno.h>

#include "app_util.h"
#include "command_private.h"

/* Commands that name files, devices, or interfaces and namespaces of the kernel, start programs, or
 * bring back a configuration that does so. */
static const char *const full[] = {"restart", "handover ", "load ", "save ", "commit", "rollback ",
		"show diff <file", "capture ", "set log events <file", "set log events off",
		"set log events reopen", "port add <port:name> [queues", "set kernel ",
		"set port <port:name> kernel "};

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum fcn_role
expected(const char *syntax)
{
	if (begins(syntax, "no "))
		syntax += strlen("no ");
	for (size_t i = 0; i < RTE_DIM(full); i++) {
		if (begins(syntax, full[i]))
			return FCN_ROLE_FULL;
	}
	if (begins(syntax, "show ") || begins(syntax, "explain "))
		return FCN_ROLE_READ;
	if (begins(syntax, "proxy learned ") || begins(syntax, "srv6 endcon learned ") ||
			begins(syntax, "proxy qp learned "))
		return FCN_ROLE_LEARNED;
	if (begins(syntax, "help") || strcmp(syntax, "quit") == 0 || strcmp(syntax, "exit") == 0)
		return FCN_ROLE_ANY;
	return FCN_ROLE_OPERATE;
}

/* The roles that may run what needs a role, in words of their own. */
static bool
may(const char *role, enum fcn_role needed)
{
	static const char *const who[] = {
			[FCN_ROLE_FULL] = "full",
			[FCN_ROLE_OPERATE] = "full operate",
			[FCN_ROLE_LEARNED] = "full operate learned",
			[FCN_ROLE_READ] = "full operate read",
			[FCN_ROLE_ANY] = "full operate learned read",
	};

	return strstr(who[needed], role) != NULL;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(declared)
{
	size_t n;
	const struct fcn_command_group *groups = fcn_command_table_groups(session.table, &n);
	unsigned int commands = 0;

	for (size_t g = 0; g < n; g++) {
		for (size_t i = 0; i < groups[g].n_commands; i++) {
			const struct fcn_command *c = &groups[g].commands[i];

			commands++;
			if (c->role != expected(c->syntax))
				fail_msg("\"%s\" needs the role %s and not %s", c->syntax,
						fcn_role_name(expected(c->syntax)),
						fcn_role_name(c->role));
		}
	}
	assert_true(commands > 300);
}

/* A value of an argument. */
static const char *
sample(const struct fcn_token *token)
{
	static const char *const samples[FCN_TOKEN_KINDS] = {
			[FCN_TOKEN_NUMBER] = "1",
			[FCN_TOKEN_CLASS] = "3",
			[FCN_TOKEN_RATE] = "1G",
			[FCN_TOKEN_COUNT] = "1",
			[FCN_TOKEN_SIZE] = "9K",
			[FCN_TOKEN_TIME] = "1us",
			[FCN_TOKEN_RATIO] = "1/2",
			[FCN_TOKEN_ADDR] = "2001:db8::1",
			[FCN_TOKEN_ADDR6] = "2001:db8::1",
			[FCN_TOKEN_ADDR4] = "192.0.2.1",
			[FCN_TOKEN_PREFIX] = "2001:db8::/32",
			[FCN_TOKEN_MAC] = "02:00:00:00:00:01",
			[FCN_TOKEN_VLANS] = "7",
			[FCN_TOKEN_NAME] = "nothing",
			[FCN_TOKEN_NAMES] = "2001:db8::1",
			[FCN_TOKEN_TEXT] = "nothing",
	};
	static char word[64];

	if (token->kind != FCN_TOKEN_WORD && token->kind != FCN_TOKEN_CHOICE)
		return samples[token->kind];
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(token->text, "#"), token->text);
	return word;
}

static void
make_line(const struct fcn_inst *inst, char *line, size_t size)
{
	line[0] = '\0';
	for (unsigned int i = 0; i < inst->n_tokens; i++)
		snprintf(line + strlen(line), size - strlen(line), "%s%s", i > 0 ? " " : "",
				sample(fcn_inst_token(inst, i)));
}

static void
try_with_role(const char *line, enum fcn_role role, enum fcn_role needed)
{
	char text[128];
	int rc;

	session.role = role;
	session.refused = session.acts = false;
	rc = app_line(line);
	session.role = FCN_ROLE_FULL;
	if (session.refused == may(fcn_role_name(role), needed))
		fail_msg("role %s: \"%s\": %s", fcn_role_name(role), line, app_output());
	if (!session.refused)
		return;
	assert_int_equal(rc, -EACCES);
	assert_int_equal(session.needs, needed);
	assert_false(session.acts);
	snprintf(text, sizeof(text),
			"column 1: this needs the role %s, and the session has the role %s\n",
			fcn_role_name(needed), fcn_role_name(role));
	assert_string_equal(app_output(), text);
}

/* Each form of each command, with each role. What a session may run may fail for another reason. */
TEST(tried)
{
	const struct fcn_command *last = NULL;
	char line[FCN_COMMAND_MAX_LINE];
	unsigned int refused = 0;

	for (size_t i = 0; i < session.table->n_insts; i++) {
		const struct fcn_inst *inst = session.table->insts[i];
		const enum fcn_role needed = expected(inst->command->syntax);
		const bool is_first = inst->command != last;

		last = inst->command;
		make_line(inst, line, sizeof(line));
		for (enum fcn_role role = 0; role < FCN_ROLE_COUNT; role++) {
			/* What is run may take a while, so of each command it is one form. */
			if (may(fcn_role_name(role), needed) && !is_first)
				continue;
			try_with_role(line, role, needed);
			refused += session.refused;
		}
	}
	assert_true(refused > 1000);
}

/* Abbreviations, `no` and filters are no way around. */
TEST(no_way_around)
{
	static const char *const lines[] = {
			"sa x", "cap stop", "no set port p0 rate", "no route 10.0.0.0/8", "cl cou"};

	app_ok("port add p0");
	session.role = FCN_ROLE_READ;
	for (size_t i = 0; i < RTE_DIM(lines); i++) {
		assert_int_equal(app_line(lines[i]), -EACCES);
		assert_non_null(strstr(app_output(), "and the session has the role read"));
	}
	app_ok("sh po | include p0");
	app_ok("show port | json");
	session.role = FCN_ROLE_LEARNED;
	assert_int_equal(app_line("show port | json"), -EACCES);
	session.role = FCN_ROLE_FULL;
}

/* A session that may not open devices closes none, either. */
TEST(port_remove)
{
	app_ok("port add p0");
	app_ok("port add p0.7 vlan 7 of p0");
	session.role = FCN_ROLE_OPERATE;
	assert_int_equal(app_line("port remove p0"), -EACCES);
	assert_string_equal(app_output(),
			"column 13: removing a device needs the role full, and the "
			"session has the role operate\n");
	app_ok("port remove p0.7");
	session.role = FCN_ROLE_FULL;
	app_ok("port remove p0");
}

/* What a session has done, for the record. */
TEST(acts)
{
	app_ok("port add p0");
	session.acts = false;
	app_ok("show port");
	app_ok("help show");
	app_ok("# nothing");
	assert_false(session.acts);
	app_ok("set port p0 rate 1G");
	assert_true(session.acts);
	assert_false(session.reports);
	app_ok("proxy learned add 2001:db8::/32 address 2001:db8::1 protocol bgp lifetime 300");
	assert_true(session.reports);
	session.acts = session.reports = false;
}

/* The table of the documentation has each command once, in a row with the roles that may run it. */
TEST(table)
{
	static const char *const rows[] = {
			"| role | may do |",
			"| topic | commands that begin with | full | operate | learned | read |",
			"| Ports | `port add <port:name>` | yes |  |  |  |",
			"| Packet capture | `capture start`, `capture stop` | yes |  |  |  |",
			"| End | `quit`, `exit` | yes | yes | yes | yes |",
			"| End | `shutdown` | yes | yes |  |  |",
			"| Show | `show status`, `show summary`, `show port`, ",
	};
	/* Of the rarer roles, what tells them from others with the same words. */
	static const char learned[] = "| SRv6 | `srv6 endcon learned add <sid:addr> protocol "
				      "<protocol:isis\\|ospf3> lifetime <lifetime:number>`, ";
	static const char events[] = "| Exports | `set log events <file:name>`, `set log events "
				     "off`, `set log events reopen` | yes |  |  |  |\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fcn_command_roles(session.table, out);
	fclose(out);
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		if (strstr(text, rows[i]) == NULL)
			fail_msg("%s\n%s", rows[i], text);
	}
	assert_non_null(strstr(text, learned));
	assert_non_null(strstr(text, events));
	free(text);
}
