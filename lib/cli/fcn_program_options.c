/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_program_options.h"

#define HELP_WIDTH 84
#define HELP_INDENT 8

/* What the functions of options get: options have no session of the console. */
struct fcn_session {
	void *object;
	const char *word;
	const char *syntax; /* of the option that is read */
};

void *
fcn_options_object(const struct fcn_session *session)
{
	return session->object;
}

const char *
fcn_options_word(const struct fcn_session *session)
{
	return session->word;
}

/* ---- numbers ---- */

/* Write a time with the largest unit in which it is a whole number, any other number as it is. */
static const char *
format(uint64_t value, bool is_time, char *text, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned int unit = 0;

	while (is_time && value != 0 && value % 1000 == 0 && unit + 1 < RTE_DIM(units)) {
		value /= 1000;
		unit++;
	}
	snprintf(text, size, "%" PRIu64 "%s", value, is_time ? units[unit] : "");
	return text;
}

int
fcn_options_set(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_options_member *m = fcn_args_data(args);
	const uint64_t value = fcn_args_u64(args, "value", 1);
	const bool is_time = strstr(session->syntax, "<value:time>") != NULL;
	char least[32], most[32];

	if (m->most == 0) {
		memcpy((char *)session->object + m->offset, &session->word, sizeof(session->word));
		return 0;
	}
	if (value < m->least || value > m->most)
		return fcn_command_error(args, -ERANGE, "value", "the value must be %s to %s",
				format(m->least, is_time, least, sizeof(least)),
				format(m->most, is_time, most, sizeof(most)));
	fcn_command_store(session->object, m->offset, m->size, value);
	return 0;
}

/* ---- help ---- */

/* Write the values of an option in capitals: their names, or their types if the names say less. */
static void
put_values(const char *syntax, FILE *out)
{
	for (const char *c = strchr(syntax, '<'); c != NULL; c = strchr(c + 1, '<')) {
		const char *colon = strchr(c, ':');
		const bool is_typed = strncmp(c, "<value:", 7) == 0 || strncmp(c, "<text:", 6) == 0;
		const char *begin = is_typed ? colon + 1 : c + 1;
		const size_t len = is_typed ? strcspn(begin, ">") : (size_t)(colon - begin);

		fputc(' ', out);
		for (size_t i = 0; i < len; i++)
			fputc(begin[i] >= 'a' && begin[i] <= 'z' ? begin[i] - 'a' + 'A' : begin[i],
					out);
	}
}

/* Write a text in indented lines of limited width. */
static void
put_wrapped(const char *text, FILE *out)
{
	size_t column = 0;

	while (*text != '\0') {
		const size_t len = strcspn(text, " ");

		if (column == 0 || column + 1 + len > HELP_WIDTH) {
			fprintf(out, "%s%*s%.*s", column == 0 ? "" : "\n", HELP_INDENT, "",
					(int)len, text);
			column = HELP_INDENT + len;
		} else {
			fprintf(out, " %.*s", (int)len, text);
			column += 1 + len;
		}
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void
fcn_options_help(const struct fcn_options *options, FILE *out)
{
	for (size_t i = 0; i < options->n_options; i++) {
		const char *syntax = options->options[i].syntax;

		fprintf(out, "  --%.*s", (int)strcspn(syntax, " "), syntax);
		put_values(syntax, out);
		fputc('\n', out);
		put_wrapped(options->options[i].help, out);
	}
}

/* ---- reading ---- */

int
fcn_options_error(const struct fcn_options *options, const char *option, const char *value,
		const char *what)
{
	fprintf(stderr, "%s: %s%s%s: %s\n", options->program, option, value != NULL ? " " : "",
			value != NULL ? value : "", what);
	return -1;
}

/* The same, where the help says what is right. */
static int
refer_to_help(const struct fcn_options *options, const char *option, const char *what)
{
	fprintf(stderr, "%s: %s: %s; see %s --help\n", options->program, option, what,
			options->program);
	return -1;
}

static const struct fcn_command *
find_option(const struct fcn_options *options, const char *word, size_t len)
{
	for (size_t i = 0; i < options->n_options; i++) {
		const char *syntax = options->options[i].syntax;

		if (strcspn(syntax, " ") == len && strncmp(syntax, word, len) == 0)
			return &options->options[i];
	}
	return NULL;
}

/* Number of values that an option has. */
static unsigned int
count_values(const char *syntax)
{
	unsigned int n = 0;

	for (const char *c = syntax; (c = strchr(c, '<')) != NULL; c++)
		n++;
	return n;
}

/* Number of characters of a text in UTF-8. */
static unsigned int
count_characters(const char *text)
{
	unsigned int n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

/* The option that is read, as a line of a command. */
struct reading {
	const char *option;                          /* as the command line has it */
	const char *value[FCN_OPTIONS_MAX_VALUES];   /* NULL: it has none */
	unsigned int column[FCN_OPTIONS_MAX_VALUES]; /* where they begin, from 1 on */
	unsigned int n_values;
	char line[FCN_COMMAND_MAX_LINE + 1];
};

/* Find the value that an error is about. @return NULL: none, or the option has it in its word */
static const char *
value_at(const struct reading *r, unsigned int column)
{
	unsigned int i = 0;

	while (i + 1 < r->n_values && r->column[i + 1] <= column)
		i++;
	return i == 0 && strchr(r->option, '=') != NULL ? NULL : r->value[i];
}

/*
 * Gather the words of an option.
 *
 * @return number of words read, or -1
 */
static int
gather(const struct fcn_options *options, struct reading *r, const struct fcn_command *option,
		char *const *words)
{
	const bool is_text = strstr(option->syntax, ":text>") != NULL;
	const bool is_any = is_text && option->run == fcn_options_set;
	const size_t len = strcspn(option->syntax, " ");
	const char *attached = strncmp(words[0], "--", 2) == 0 && words[0][2 + len] == '='
					       ? words[0] + 3 + len
					       : NULL;
	int used = 1, at = snprintf(r->line, sizeof(r->line), "%.*s", (int)len, option->syntax);

	if (attached != NULL && r->n_values == 0)
		return refer_to_help(options, r->option, "the option has no value");
	for (unsigned int i = 0; i < r->n_values; i++) {
		const char *value = i == 0 && attached != NULL ? attached : words[used++];

		if (value == NULL)
			return refer_to_help(options, r->option,
					r->n_values > 1 ? "needs two values" : "needs a value");
		if (!is_any && (strpbrk(value, "\r\n") != NULL || value[0] == '\0'))
			return fcn_options_error(options, r->option, NULL,
					"a value must be one line, and not empty");
		r->value[i] = value;
		r->column[i] = count_characters(r->line) + 2;
		at += snprintf(r->line + at, sizeof(r->line) - (size_t)at, " %s",
				is_text ? "text" : value);
		if (at >= (int)sizeof(r->line))
			return fcn_options_error(options, r->option, NULL, "the value is too long");
	}
	return used;
}

/* Note that an option is given that sets a value. @return whether it was given before */
static bool
is_given(const struct fcn_options *options, const struct fcn_command *option, uint64_t *given)
{
	const uint64_t bit = UINT64_C(1) << (option - options->options);
	const bool before = (*given & bit) != 0;

	if (option->run == fcn_options_set && count_values(option->syntax) != 0)
		*given |= bit;
	return before;
}

/*
 * Read an option.
 *
 * @param given bit set of the options that were read before and may be given once
 * @return number of words read, or -1
 */
static int
read_option(const struct fcn_options *options, const struct fcn_command_table *table, void *object,
		char *const *words, uint64_t *given)
{
	const size_t len = strncmp(words[0], "--", 2) == 0 ? strcspn(words[0] + 2, "=") : 0;
	const struct fcn_command *option = len > 0 ? find_option(options, words[0] + 2, len)
					   : strcmp(words[0], "-h") == 0
							   ? find_option(options, "help", 4)
							   : NULL;
	struct reading r = {.option = words[0]};
	struct fcn_session session = {.object = object};
	struct fcn_diag diag = {0};
	int used, rc;

	if (option == NULL && options->operand != NULL && words[0][0] != '-')
		return options->operand(object, words[0]) == 0 ? 1 : -1;
	if (option == NULL)
		return refer_to_help(options, words[0], "no such option");
	if (is_given(options, option, given))
		return refer_to_help(options, words[0], "the option is given twice");
	r.n_values = count_values(option->syntax);
	used = gather(options, &r, option, words);
	if (used < 0)
		return used;
	session.word = r.value[0];
	session.syntax = option->syntax;
	rc = fcn_command_run(table, &session, r.line, FCN_COMMAND_ALLOW_ALL, &diag);
	if (rc == 0)
		return used;
	return fcn_options_error(options, r.option, value_at(&r, diag.column),
			diag.message[0] != '\0' ? diag.message : strerror(-rc));
}

int
fcn_options_read(const struct fcn_options *options, void *object, char *const *words)
{
	const struct fcn_command_group group = {
			"Options", options->options, options->n_options, NULL};
	struct fcn_command_table *table = fcn_command_table_create(&group, 1);
	uint64_t given = 0;
	int used = 1;

	if (table == NULL) {
		fprintf(stderr, "%s: out of memory\n", options->program);
		return -1;
	}
	for (; used > 0 && words[0] != NULL; words += used > 0 ? used : 0)
		used = read_option(options, table, object, words, &given);
	fcn_command_table_free(table);
	return used > 0 ? 0 : -1;
}
