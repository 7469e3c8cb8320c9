/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Every word of a command that may be left out has a help of its own. */

#include "app_util.h"
#include "command_private.h"
#include "fcn_command_form.h"

static bool
has_word(const struct fcn_command_table *table, size_t form, const char *literal)
{
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int n = fcn_command_form_words(table, form, words);

	for (unsigned int i = 0; i < n; i++)
		if (words[i].literal != NULL && strcmp(words[i].literal, literal) == 0)
			return true;
	return false;
}

/* Tell whether another form of the same command lacks the word. */
static bool
is_optional(const struct fcn_command_table *table, size_t form, const char *literal)
{
	for (size_t i = 0; i < fcn_command_form_count(table); i++)
		if (fcn_command_form_command(table, i) == fcn_command_form_command(table, form) &&
				!has_word(table, i, literal))
			return true;
	return false;
}

TEST(options)
{
	struct fcn_command_table *table = fcn_session_commands();
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int missing = 0, n;

	assert_non_null(table);
	for (size_t form = 0; form < fcn_command_form_count(table); form++) {
		const struct fcn_command *command = fcn_command_form_command(table, form);

		n = fcn_command_form_words(table, form, words);
		for (unsigned int i = 0; i < n && !command->former; i++) {
			if (words[i].literal == NULL ||
					fcn_inst_option(table, table->insts[form], i) != NULL ||
					!is_optional(table, form, words[i].literal))
				continue;
			print_error("%s: no help about %s in option_help.c\n", command->syntax,
					words[i].literal);
			missing++;
		}
	}
	fcn_command_table_free(table);
	assert_int_equal(missing, 0);
}

/* Every help is of a word that some command has. */
TEST(no_other)
{
	struct fcn_command_table *table = fcn_session_commands();
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	const struct fcn_command_option *options;
	size_t n_options;
	unsigned int unused = 0, n;

	assert_non_null(table);
	options = fcn_command_table_get_options(table, &n_options);
	for (size_t o = 0; o < n_options; o++) {
		bool used = false;

		for (size_t form = 0; form < fcn_command_form_count(table) && !used; form++) {
			n = fcn_command_form_words(table, form, words);
			for (unsigned int i = 0; i < n; i++)
				used |= fcn_inst_option(table, table->insts[form], i) ==
					options[o].help;
		}
		if (used)
			continue;
		print_error("\"%s\", %s: no command has it\n", options[o].command, options[o].word);
		unused++;
	}
	fcn_command_table_free(table);
	assert_int_equal(unused, 0);
}
