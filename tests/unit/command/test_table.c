/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Declarations that are wrong. */

#include <unistd.h>

#include <rte_common.h>

#include "commands.h"

static int
run_nothing(struct fcn_session *session, const struct fcn_args *args)
{
	(void)session;
	(void)args;
	return 0;
}

/* What fcn_command_table_create() writes to stderr. */
static struct fcn_command_table *
create(const struct fcn_command *list, size_t n, char *said, size_t size)
{
	const struct fcn_command_group group = {"Group", list, n};
	struct fcn_command_table *table;
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t len;

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	table = fcn_command_table_create(&group, 1);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	len = fread(said, 1, size - 1, file);
	said[len] = '\0';
	fclose(file);
	return table;
}

static void
check(const char *syntax, const char *error)
{
	const struct fcn_command command = {syntax, "Help", FCN_COMMAND_CONFIG, run_nothing};
	char said[1024], expected[1024];

	snprintf(expected, sizeof(expected), "command \"%s\": %s\n", syntax, error);
	assert_null(create(&command, 1, said, sizeof(said)));
	assert_string_equal(said, expected);
}

TEST(bad_declarations)
{
	check("", "a command begins with a word");
	check("<a:name>", "a command begins with a word");
	check("[set] <a:name>", "a command begins with a word");
	check("set <a>", "an argument is written <key:type>");
	check("set <:name>", "an argument is written <key:type>");
	check("set <a:colour>", "unknown type of argument");
	check("set <a:>", "unknown type of argument");
	check("set <a:b||c>",
			"a choice is empty, too long or has a character that no word can have");
	check("set <a:b|c|>", "the last choice is empty");
	check("set <a:|c>", "a choice is empty, too long or has a character that no word can have");
	check("set <a:name", "< without >");
	check("set [a", "[ without ]");
	check("set a]", "] without [");
	check("set []", "nothing between [ and ]");
	check("set <a:name> <a:rate>", "two arguments have the same key");
	check("set <a:text> <b:name>", "nothing can follow a text");
	check("set <a:text> [b]", "nothing can follow a text");
	check("set ?", "a word is too long or has a character that no word can have");
	check("set a_word_of_forty_nine_characters_is_one_more_than_f",
			"a word is too long or has a character that no word can have");
	check("a <a:name> <b:name> <c:name> <d:name> <e:name> <f:name> <g:name> <h:name> <i:name> "
	      "<j:name> <k:name> <l:name> <m:name>",
			"too many arguments");
	check("a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g", "too long");
	check("x [a] [b] [c] [d] [e] [f] [g] [h] [i]", "too many optional groups");
}

TEST(two_ways)
{
	static const struct fcn_command twice[] = {
			{"set <a:name>", "Help", FCN_COMMAND_CONFIG, run_nothing},
			{"set <b:name>", "Help", FCN_COMMAND_CONFIG, run_nothing},
	};
	static const struct fcn_command groups = {
			"set [<a:name>] [<b:name>]", "Help", FCN_COMMAND_CONFIG, run_nothing};
	static const struct fcn_command no_help = {"set", NULL, FCN_COMMAND_CONFIG, run_nothing};
	char said[1024];

	assert_null(create(twice, RTE_DIM(twice), said, sizeof(said)));
	assert_string_equal(
			said, "command \"set <b:name>\": can be written like \"set <a:name>\"\n");
	assert_null(create(&groups, 1, said, sizeof(said)));
	assert_string_equal(said, "command \"set [<a:name>] [<b:name>]\": can be written like "
				  "\"set [<a:name>] [<b:name>]\"\n");
	assert_null(create(&no_help, 1, said, sizeof(said)));
	assert_string_equal(said, "command \"set\": syntax, help or run is missing\n");
}

TEST(limits)
{
	static const struct fcn_command list[] = {
			{"a <a:name> <b:name> <c:name> <d:name> <e:name> <f:name> <g:name> "
			 "<h:name> "
			 "<i:name> <j:name> <k:name> <l:name>",
					"As many arguments as there can be", FCN_COMMAND_CONFIG,
					run_nothing},
			{"b b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f",
					"As many words as there can be", FCN_COMMAND_CONFIG,
					run_nothing},
			{"x [a] [b] [c] [d] [e] [f] [g] [h]", "As many groups as there can be",
					FCN_COMMAND_CONFIG, run_nothing},
	};
	struct fcn_command_table *table;
	struct fcn_diag diag;
	char said[1024];

	table = create(list, RTE_DIM(list), said, sizeof(said));
	assert_non_null(table);
	assert_string_equal(said, "");
	assert_int_equal(fcn_command_run(table, NULL, list[1].syntax, 0, &diag), 0);
	assert_int_equal(fcn_command_run(table, NULL, "x a c h", 0, &diag), 0);
	assert_int_equal(fcn_command_run(table, NULL, "a 1 2 3 4 5 6 7 8 9 10 11 12", 0, &diag), 0);
	fcn_command_table_free(table);
	fcn_command_table_free(NULL);
}
