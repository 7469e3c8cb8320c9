/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "command_private.h"
#include "fcn_command_form.h"

const struct fcn_command_group *
fcn_command_table_groups(const struct fcn_command_table *table, size_t *n)
{
	*n = table->n_groups;
	return table->groups;
}

const struct fcn_command_option *
fcn_command_table_get_options(const struct fcn_command_table *table, size_t *n)
{
	*n = table->n_options;
	return table->options;
}

size_t
fcn_command_form_count(const struct fcn_command_table *table)
{
	return table->n_forms;
}

const struct fcn_command *
fcn_command_form_command(const struct fcn_command_table *table, size_t form)
{
	return table->insts[form]->command;
}

unsigned int
fcn_command_form_words(const struct fcn_command_table *table, size_t form,
		struct fcn_command_word words[FCN_COMMAND_MAX_WORDS])
{
	const struct fcn_inst *inst = table->insts[form];

	for (unsigned int i = 0; i < inst->n_tokens; i++) {
		const struct fcn_token *token = fcn_inst_token(inst, i);

		words[i] = (struct fcn_command_word){0};
		if (token->kind == FCN_TOKEN_WORD) {
			words[i].literal = token->text;
		} else {
			words[i].key = token->key;
			words[i].type = token->text;
		}
	}
	return inst->n_tokens;
}

bool
fcn_command_form_matches(const struct fcn_command_table *table, size_t form, const char *line)
{
	struct fcn_diag diag;
	struct fcn_line words;
	bool complete = false;

	if (fcn_line_split(&words, line, strlen(line), &diag) != 0)
		return false;
	fcn_inst_match(table->insts[form], &words, &complete);
	return complete;
}
