/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands as part of a manual page, in mdoc(7). */

#include <string.h>

#include "command_private.h"

/* Write a text in mdoc, with its special characters escaped. */
static void
put(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '"')
			fputs("\\(dq", out);
		else if (*text == '|') /* a line may be broken behind it */
			fputs("|\\:", out);
		else
			fputc(*text, out);
	}
}

static bool
has_configuration(const struct fcn_command_group *group)
{
	for (size_t i = 0; i < group->n_commands; i++)
		if (group->commands[i].kind == FCN_COMMAND_CONFIG && !group->commands[i].former)
			return true;
	return false;
}

void
fcn_command_manual(const struct fcn_command_table *table, FILE *out)
{
	const char *title = "";

	for (size_t i = 0; i < table->n_groups; i++) {
		const struct fcn_command_group *group = &table->groups[i];

		if (!has_configuration(group))
			continue;
		if (strcmp(group->title, title) != 0)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n",
					title[0] != '\0' ? ".El\n" : "", group->title);
		title = group->title;
		for (size_t j = 0; j < group->n_commands; j++) {
			const struct fcn_command *command = &group->commands[j];

			if (command->kind != FCN_COMMAND_CONFIG || command->former)
				continue;
			fputs(".It Li \"", out);
			put(command->syntax, out);
			fputs("\"\n", out);
			put(command->help, out);
			fputs(".\n", out);
		}
	}
	if (title[0] != '\0')
		fputs(".El\n", out);
}
