/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "command_private.h"

void
fcn_command_table_foreign(
		struct fcn_command_table *table, const struct fcn_command_foreign *foreign)
{
	table->foreign = foreign;
}

void
fcn_command_table_options(
		struct fcn_command_table *table, const struct fcn_command_option *options, size_t n)
{
	table->options = options;
	table->n_options = n;
}

/* Find the option that has the longest beginning of a command, among some and the best so far. */
static const struct fcn_command_option *
better(const struct fcn_command_option *best, const struct fcn_command_option *options, size_t n,
		const char *syntax, const char *word)
{
	for (size_t i = 0; i < n; i++) {
		const char *command = options[i].command;

		if (strcmp(options[i].word, word) != 0 ||
				strncmp(command, syntax, strlen(command)) != 0)
			continue;
		if (best == NULL || strlen(command) > strlen(best->command))
			best = &options[i];
	}
	return best;
}

static const char *
find_help(const struct fcn_command_table *table, const char *syntax, const char *word)
{
	const struct fcn_command_option *best = better(
			NULL, table->options, table->n_options, syntax, word);

	for (size_t g = 0; g < table->n_groups; g++)
		best = better(best, table->groups[g].options, table->groups[g].n_options, syntax,
				word);
	return best != NULL ? best->help : NULL;
}

const char *
fcn_inst_option(const struct fcn_command_table *table, const struct fcn_inst *inst, unsigned int i)
{
	const struct fcn_token *token = fcn_inst_token(inst, i), *last;
	const char *help;

	if (inst->negated)
		return NULL;
	if (token->kind == FCN_TOKEN_WORD)
		return find_help(table, inst->command->syntax, token->text);
	help = find_help(table, inst->command->syntax, token->key);
	last = i > 0 ? fcn_inst_token(inst, i - 1) : NULL;
	if (help == NULL && last != NULL && last->kind == FCN_TOKEN_WORD)
		help = find_help(table, inst->command->syntax, last->text);
	return help;
}
