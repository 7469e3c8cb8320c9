/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>
#include <strings.h>

#include "command_private.h"

#define WIDTH 100      /* characters in a line */
#define HELP_COLUMN 44 /* beginning of the column with help */
#define SYNTAX_INDENT 2
#define WRAP_INDENT 6   /* indent of further lines of a syntax */
#define TOPIC_COLUMN 40 /* beginning of the commands of a topic */

/* Write a text from a column on, with line breaks; further lines begin at indent. @return the
 * column behind the text */
static size_t
wrap(FILE *out, const char *text, size_t column, size_t indent)
{
	bool first = true;
	size_t len;

	for (text += strspn(text, " "); *text != '\0'; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		if (!first && column + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		column += (size_t)fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		first = false;
	}
	return column;
}

static void
help_command(const struct fcn_command *command, FILE *out)
{
	size_t column;

	fprintf(out, "%*s", SYNTAX_INDENT, "");
	column = wrap(out, command->syntax, SYNTAX_INDENT, WRAP_INDENT);
	if (column + 2 > HELP_COLUMN) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", (int)(HELP_COLUMN - column), "");
	wrap(out, command->help, HELP_COLUMN, HELP_COLUMN);
	fputc('\n', out);
}

/* Tell whether a line that begins with these words can be this command. The last word may be
 * incomplete. */
static bool
begins_with(const struct fcn_command_table *table, const struct fcn_command *command,
		const struct fcn_line *prefix)
{
	unsigned int last, n;
	bool complete;
	size_t i;

	if (prefix->n_words == 0)
		return true;
	last = prefix->n_words - 1;
	for (i = 0; i < table->n_insts; i++) {
		const struct fcn_inst *inst = table->insts[i];
		const struct fcn_token *token;

		if (inst->command != command)
			continue;
		n = fcn_inst_match(inst, prefix, &complete);
		if (n == prefix->n_words || complete)
			return true;
		if (n != last || n == inst->n_tokens)
			continue;
		token = fcn_inst_token(inst, n);
		if (token->kind == FCN_TOKEN_WORD &&
				strncmp(token->text, prefix->text + prefix->words[last].start,
						prefix->words[last].len) == 0)
			return true;
	}
	return false;
}

/* Get the types of the arguments of a command. @return bit set by enum fcn_token_kind */
static unsigned int
types_of(const struct fcn_command_table *table, const struct fcn_command *command)
{
	unsigned int types = 0, j;
	size_t i;

	for (i = 0; i < table->n_insts; i++)
		for (j = 0; table->insts[i]->command == command && j < table->insts[i]->n_tokens;
				j++)
			types |= 1U << fcn_inst_token(table->insts[i], j)->kind;
	return types;
}

static void
help_types(unsigned int types, FILE *out)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < FCN_TOKEN_KINDS; i++) {
		if ((types & 1U << i) == 0 || fcn_value_types[i].name == NULL)
			continue;
		if (!any)
			fprintf(out, "\nTypes\n");
		any = true;
		fprintf(out, "  %-8s %s (%s)\n", fcn_value_types[i].name, fcn_value_types[i].what,
				fcn_value_types[i].hint);
	}
}

/* Tell whether a title begins with a text, in upper or lower case. */
static bool
titled_as(const char *title, const char *text)
{
	text += strspn(text, " ");
	return *text != '\0' && strncasecmp(title, text, strlen(text)) == 0;
}

/* Tell whether a group continues the topic of the group before it. */
static bool
same_topic(const struct fcn_command_table *table, size_t group)
{
	return group != 0 &&
	       strcmp(table->groups[group].title, table->groups[group - 1].title) == 0;
}

/*
 * Write help about commands that begin with the words of a line or, with a topic, about the
 * commands of the topics whose titles begin so. @return false: there are none
 */
static bool
help_commands(const struct fcn_command_table *table, const struct fcn_line *line, const char *topic,
		FILE *out)
{
	unsigned int types = 0;
	bool any = false, titled = false;
	size_t i, j;

	for (i = 0; i < table->n_groups; i++) {
		const struct fcn_command_group *group = &table->groups[i];

		if (!same_topic(table, i))
			titled = false;
		if (topic != NULL && !titled_as(group->title, topic))
			continue;
		for (j = 0; j < group->n_commands; j++) {
			const struct fcn_command *command = &group->commands[j];

			if (command->former ||
					(topic == NULL && !begins_with(table, command, line)))
				continue;
			if (!titled)
				fprintf(out, "%s%s\n", any ? "\n" : "", group->title);
			titled = any = true;
			help_command(command, out);
			types |= types_of(table, command);
		}
	}
	if (any)
		help_types(types, out);
	return any;
}

void
fcn_command_help(const struct fcn_command_table *table, const char *prefix, FILE *out)
{
	struct fcn_diag diag = {0};
	struct fcn_line line;

	prefix = prefix != NULL ? prefix : "";
	if (fcn_line_split(&line, prefix, strlen(prefix), &diag) < 0) {
		fprintf(out, "%s\n", diag.message);
		return;
	}
	if (!help_commands(table, &line, NULL, out) && !help_commands(table, &line, prefix, out))
		fprintf(out,
				"no command begins with \"%s\", and no topic has this name; an "
				"argument needs a value\n",
				line.text);
}

size_t
fcn_command_first_words(const char *syntax)
{
	size_t len = 0;

	for (unsigned int n = 0; n < 2; n++) {
		size_t at = len + strspn(syntax + len, " ");

		if (strchr("<[", syntax[at]) != NULL) /* also at the end */
			break;
		len = at + strcspn(syntax + at, " ");
	}
	return len;
}

size_t
fcn_command_topic(const struct fcn_command_table *table, size_t group)
{
	size_t i = 0;

	while (strcmp(table->groups[i].title, table->groups[group].title) != 0)
		i++;
	return i;
}

/* Tell whether a command of the same topic that stands before this one begins with its first words.
 */
static bool
named_before(const struct fcn_command_table *table, size_t group, size_t number)
{
	const char *syntax = table->groups[group].commands[number].syntax;
	size_t len = fcn_command_first_words(syntax), topic = fcn_command_topic(table, group);

	for (size_t i = topic; i <= group; i++) {
		if (fcn_command_topic(table, i) != topic)
			continue;
		for (size_t j = 0; j < (i == group ? number : table->groups[i].n_commands); j++) {
			const struct fcn_command *other = &table->groups[i].commands[j];

			if (!other->former && fcn_command_first_words(other->syntax) == len &&
					strncmp(other->syntax, syntax, len) == 0)
				return true;
		}
	}
	return false;
}

/* Write the first words of the commands of a group. @return the column behind them */
static size_t
topic_words(const struct fcn_command_table *table, size_t group, size_t column, FILE *out)
{
	for (size_t i = 0; i < table->groups[group].n_commands; i++) {
		const struct fcn_command *command = &table->groups[group].commands[i];
		size_t len = fcn_command_first_words(command->syntax);

		if (command->former || named_before(table, group, i))
			continue;
		if (column > TOPIC_COLUMN)
			column += (size_t)fprintf(out, ",");
		if (column + 1 + len + 1 > WIDTH)
			column = (size_t)fprintf(out, "\n%*s", TOPIC_COLUMN, "") - 1;
		else if (column > TOPIC_COLUMN)
			column += (size_t)fprintf(out, " ");
		column += (size_t)fprintf(out, "%.*s", (int)len, command->syntax);
	}
	return column;
}

void
fcn_command_topics(const struct fcn_command_table *table, FILE *out)
{
	fprintf(out, "`help TOPIC` explains the commands of a topic, `help WORDS` those that begin "
		     "with these words,\n"
		     "and `help all` every command. TAB completes, `?` lists what may follow.\n\n");
	for (size_t i = 0; i < table->n_groups; i++) {
		size_t column = TOPIC_COLUMN;

		if (fcn_command_topic(table, i) != i)
			continue;
		fprintf(out, "%*s%-*s", SYNTAX_INDENT, "", TOPIC_COLUMN - SYNTAX_INDENT,
				table->groups[i].title);
		for (size_t j = i; j < table->n_groups; j++) {
			if (fcn_command_topic(table, j) == i)
				column = topic_words(table, j, column, out);
		}
		fprintf(out, "\n");
	}
}

/* Write a text in Markdown, with its special characters escaped. */
static void
markdown(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		if (strchr("\\`*_<>[]|#", *text) != NULL)
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void
reference_types(const struct fcn_command_table *table, FILE *out)
{
	unsigned int types = 0, i;
	size_t j, k;

	for (j = 0; j < table->n_groups; j++)
		for (k = 0; k < table->groups[j].n_commands; k++)
			types |= types_of(table, &table->groups[j].commands[k]);
	fprintf(out, "## Types\n\n");
	for (i = 0; i < FCN_TOKEN_KINDS; i++)
		if ((types & 1U << i) != 0 && fcn_value_types[i].name != NULL)
			fprintf(out, "- `%s`: %s\n", fcn_value_types[i].name,
					fcn_value_types[i].doc);
}

static void
reference_intro(FILE *out)
{
	fprintf(out, "# Console reference\n"
		     "\n"
		     "The commands of the console are the language of configuration files, too. A "
		     "line holds one\n"
		     "command; words are separated by blanks. `#` at the beginning of a word "
		     "starts a comment that\n"
		     "goes on to the end of the line. The console completes words with TAB and "
		     "lists what is\n"
		     "possible with `?`.\n"
		     "\n"
		     "On a console, with `-e` and with fastcnctl, a word may be abbreviated as "
		     "long as the line has\n"
		     "one meaning: `sh po`, `cl cou`. An error names the words that an ambiguous "
		     "one could be.\n"
		     "Configuration files have words in full, and `save` writes them so: a word "
		     "that is unique today\n"
		     "may be ambiguous in the next release.\n"
		     "\n"
		     "`no` takes back: `no route 10.0.0.0/8` and `no route add 10.0.0.0/8` are "
		     "`route "
		     "remove 10.0.0.0/8`,\n"
		     "and so for each command with `remove`; `no set port p1 rate` sets what that "
		     "command sets to its\n"
		     "default, and so for each setting. The value is not repeated.\n"
		     "\n"
		     "Behind a `show` on a console, filters may follow, each behind a `|` that "
		     "stands alone:\n"
		     "`| include RE` shows only lines that match a regular expression, `| exclude "
		     "RE` leaves them out,\n"
		     "and `| json` shows the value as JSON: `show port | include ^p1 | exclude "
		     "down`. The expressions are\n"
		     "extended ones of POSIX, without repetition counts and back-references.\n"
		     "\n"
		     "A configuration file may only hold the commands marked *configuration*. All "
		     "errors of a file\n"
		     "are reported, each with line and column.\n"
		     "\n"
		     "Those marked *role* need that role in sessions of the socket. Of the others, "
		     "each `show`\n"
		     "needs the role `read`, and what changes something the role `operate`\n"
		     "([remote.md](remote.md#roles)).\n"
		     "\n");
}

static bool
has_actions(const struct fcn_command_table *table)
{
	size_t i, j;

	for (i = 0; i < table->n_groups; i++)
		for (j = 0; j < table->groups[i].n_commands; j++)
			if (table->groups[i].commands[j].kind == FCN_COMMAND_ACTION)
				return true;
	return false;
}

/* Write where a command is allowed and, where roles count, the rarer roles. */
static void
mark(const struct fcn_command_table *table, const struct fcn_command *command, FILE *out)
{
	fputs(command->kind == FCN_COMMAND_CONFIG ? " *Configuration" : " *Console only", out);
	if (table->gate != NULL &&
			(command->role == FCN_ROLE_FULL || command->role == FCN_ROLE_LEARNED))
		fprintf(out, "; role `%s`", fcn_role_name(command->role));
	fputc('*', out);
}

void
fcn_command_reference_body(const struct fcn_command_table *table, FILE *out)
{
	bool marked = has_actions(table);
	size_t i, j;

	fprintf(out, "## Syntax\n"
		     "\n"
		     "- A word stands for itself.\n"
		     "- `<key:type>` is an argument, `<key:a|b|c>` one of some words.\n"
		     "- What is in `[` and `]` may be left out; what is given stands in the order "
		     "shown.\n"
		     "\n");
	reference_types(table, out);
	for (i = 0; i < table->n_groups; i++) {
		if (i == 0 || strcmp(table->groups[i].title, table->groups[i - 1].title) != 0) {
			fprintf(out, "\n## ");
			markdown(table->groups[i].title, out);
			fprintf(out, "\n");
		}
		for (j = 0; j < table->groups[i].n_commands; j++) {
			const struct fcn_command *command = &table->groups[i].commands[j];

			if (command->former)
				continue;
			fprintf(out, "\n### `%s`\n\n", command->syntax);
			markdown(command->help, out);
			fputc('.', out);
			if (marked)
				mark(table, command, out);
			fputc('\n', out);
		}
	}
}

void
fcn_command_reference(const struct fcn_command_table *table, FILE *out)
{
	reference_intro(out);
	fcn_command_reference_body(table, out);
}
