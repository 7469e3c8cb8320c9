/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "command_private.h"

void
fcn_command_table_options(
		struct fcn_command_table *table, const struct fcn_command_option *options, size_t n)
{
	table->options = options;
	table->n_options = n;
}

static const char *
find(const struct fcn_command_table *table, const char *syntax, const char *word)
{
	const struct fcn_command_option *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < table->n_options; i++) {
		const struct fcn_command_option *option = &table->options[i];
		size_t len = strlen(option->command);

		if (strcmp(option->word, word) != 0 || strncmp(option->command, syntax, len) != 0)
			continue;
		if (best == NULL || len > best_len) {
			best = option;
			best_len = len;
		}
	}
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
		return find(table, inst->command->syntax, token->text);
	help = find(table, inst->command->syntax, token->key);
	last = i > 0 ? fcn_inst_token(inst, i - 1) : NULL;
	if (help == NULL && last != NULL && last->kind == FCN_TOKEN_WORD)
		help = find(table, inst->command->syntax, last->text);
	return help;
}
