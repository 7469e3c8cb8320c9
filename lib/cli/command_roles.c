/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The table of the roles that commands need. */

#include <string.h>

#include "command_private.h"

/* Where a command is in a table. */
struct place {
	size_t group, number;
};

static const struct fcn_command *
command_at(const struct fcn_command_table *table, struct place at)
{
	return &table->groups[at.group].commands[at.number];
}

/* Go to the next command of a topic that needs a role. @return false: there is none */
static bool
next(const struct fcn_command_table *table, size_t topic, enum fcn_role role, struct place *at)
{
	for (; at->group < table->n_groups; at->group++, at->number = 0) {
		const struct fcn_command_group *group = &table->groups[at->group];

		if (fcn_command_topic(table, at->group) != topic)
			continue;
		for (; at->number < group->n_commands; at->number++) {
			if (!group->commands[at->number].former &&
					group->commands[at->number].role == role)
				return true;
		}
	}
	return false;
}

/* Tell whether a command of another role begins with the same words. */
static bool
is_shared(const struct fcn_command_table *table, const struct fcn_command *command)
{
	const size_t len = fcn_command_first_words(command->syntax);

	for (size_t i = 0; i < table->n_groups; i++) {
		for (size_t j = 0; j < table->groups[i].n_commands; j++) {
			const struct fcn_command *other = &table->groups[i].commands[j];

			if (!other->former && other->role != command->role &&
					fcn_command_first_words(other->syntax) == len &&
					strncmp(other->syntax, command->syntax, len) == 0)
				return true;
		}
	}
	return false;
}

/* Get how much of a syntax names a command: its first words, and of the rarer roles all up to what
 * is optional, if others begin with these words. @return the length */
static size_t
name_of(const struct fcn_command_table *table, const struct fcn_command *command)
{
	size_t len = fcn_command_first_words(command->syntax);

	if ((command->role == FCN_ROLE_FULL || command->role == FCN_ROLE_LEARNED) &&
			is_shared(table, command))
		len = strcspn(command->syntax, "[");
	while (command->syntax[len - 1] == ' ')
		len--;
	return len;
}

/* Tell whether a command of the same topic and role that stands before has the same name. */
static bool
is_named(const struct fcn_command_table *table, size_t topic, struct place at)
{
	const struct fcn_command *command = command_at(table, at);
	const size_t len = name_of(table, command);
	struct place other = {topic, 0};

	while (next(table, topic, command->role, &other) &&
			(other.group != at.group || other.number != at.number)) {
		const struct fcn_command *before = command_at(table, other);

		if (name_of(table, before) == len &&
				strncmp(before->syntax, command->syntax, len) == 0)
			return true;
		other.number++;
	}
	return false;
}

/* Write a name in a table of Markdown, where a bar ends a cell. */
static void
put_name(const char *name, size_t len, FILE *out)
{
	fputc('`', out);
	for (size_t i = 0; i < len; i++)
		fprintf(out, name[i] == '|' ? "\\|" : "%c", name[i]);
	fputc('`', out);
}

/* Write the rows of a topic. */
static void
topic_rows(const struct fcn_command_table *table, size_t topic, FILE *out)
{
	for (enum fcn_role role = 0; role <= FCN_ROLE_ANY; role++) {
		struct place at = {topic, 0};
		bool any = false;

		for (; next(table, topic, role, &at); at.number++) {
			const struct fcn_command *command = command_at(table, at);

			if (is_named(table, topic, at))
				continue;
			if (!any)
				fprintf(out, "| %s | ", table->groups[topic].title);
			fprintf(out, "%s", any ? ", " : "");
			put_name(command->syntax, name_of(table, command), out);
			any = true;
		}
		for (enum fcn_role has = 0; any && has < FCN_ROLE_COUNT; has++)
			fprintf(out, " | %s", fcn_role_includes(has, role) ? "yes" : "");
		if (any)
			fprintf(out, " |\n");
	}
}

void
fcn_command_roles(const struct fcn_command_table *table, FILE *out)
{
	fprintf(out, "| role | may do |\n|---|---|\n");
	for (enum fcn_role role = 0; role < FCN_ROLE_COUNT; role++)
		fprintf(out, "| `%s` | %s |\n", fcn_role_name(role), fcn_role_text(role));
	fprintf(out, "\n| topic | commands that begin with |");
	for (enum fcn_role role = 0; role < FCN_ROLE_COUNT; role++)
		fprintf(out, " %s |", fcn_role_name(role));
	fprintf(out, "\n|---|---|");
	for (enum fcn_role role = 0; role < FCN_ROLE_COUNT; role++)
		fprintf(out, "---|");
	fprintf(out, "\n");
	for (size_t i = 0; i < table->n_groups; i++) {
		if (fcn_command_topic(table, i) == i)
			topic_rows(table, i, out);
	}
}
