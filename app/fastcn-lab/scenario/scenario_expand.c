/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Replacement of parameters in lines: $name, ${name}, $(( arithmetic )), and $$, which stands for
 * $.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "scenario_private.h"

struct lab_param *
lab_param_find(const struct lab_scenario *sc, const char *name)
{
	for (unsigned int i = 0; i < sc->n_params; i++)
		if (strcmp(sc->param[i].name, name) == 0)
			return &sc->param[i];
	return NULL;
}

static bool
is_name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

/* Get the number of characters of the name at text. */
static size_t
name_len(const char *text)
{
	size_t n = 0;

	while (is_name_char(text[n], n == 0))
		n++;
	return n;
}

bool
lab_param_name_ok(const char *name)
{
	size_t n = name_len(name);

	return n > 0 && n < LAB_NAME_LEN && name[n] == '\0';
}

int
lab_param_set(struct lab_scenario *sc, const char *name, const char *value, bool given)
{
	struct lab_param *param = lab_param_find(sc, name);
	char *copy;

	if (param != NULL && param->given)
		return 0;
	copy = strdup(value);
	if (copy == NULL)
		return -ENOMEM;
	if (param == NULL) {
		param = lab_push(&sc->param, &sc->n_params, sizeof(*param));
		if (param == NULL) {
			free(copy);
			return -ENOMEM;
		}
		snprintf(param->name, sizeof(param->name), "%s", name);
	}
	free(param->value);
	param->value = copy;
	param->given = given;
	return 0;
}

struct expander {
	const struct lab_scenario *sc;
	const char *line;
	struct lab_expanded *out;
	size_t used;
	unsigned int column; /* column of an error */
	char *err;
	size_t err_size;
};

static int __attribute__((format(printf, 3, 4)))
wrong(struct expander *e, const char *at, const char *fmt, ...)
{
	va_list ap;

	e->column = (unsigned int)(at - e->line) + 1;
	va_start(ap, fmt);
	vsnprintf(e->err, e->err_size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int
put(struct expander *e, const char *text, size_t len, const char *from, bool moves)
{
	if (e->used + len > FCN_COMMAND_MAX_LINE)
		return wrong(e, from,
				"the line with the values of its parameters is longer than %d "
				"bytes",
				FCN_COMMAND_MAX_LINE);
	for (size_t i = 0; i < len; i++) {
		e->out->text[e->used] = text[i];
		e->out->origin[e->used++] = (uint16_t)(from + (moves ? i : 0) - e->line + 1);
	}
	return 0;
}

/*
 * Find the parameter whose name begins at text, after the $. *end is set to the character after it.
 */
static const struct lab_param *
read_param(struct expander *e, const char *text, const char **end)
{
	bool braces = text[0] == '{';
	const char *begin = text + braces;
	size_t len = name_len(begin);
	char name[LAB_NAME_LEN];
	const struct lab_param *param = NULL;

	if (len == 0 || (braces && begin[len] != '}')) {
		wrong(e, text - 1,
				"$ must be followed by name, {name} or ((arithmetic)); $$ "
				"stands for $");
		return NULL;
	}
	if (len < sizeof(name)) {
		memcpy(name, begin, len);
		name[len] = '\0';
		param = lab_param_find(e->sc, name);
	}
	if (param == NULL)
		wrong(e, text - 1, "there is no parameter %.*s", (int)len, begin);
	*end = begin + len + braces;
	return param;
}

/* Find the "))" that ends the arithmetic at text. */
static const char *
end_of_arithmetic(const char *text)
{
	unsigned int depth = 0;

	for (; *text != '\0'; text++) {
		if (*text == '(')
			depth++;
		else if (*text == ')' && depth > 0)
			depth--;
		else if (*text == ')')
			return text[1] == ')' ? text : NULL;
	}
	return NULL;
}

static void
print_number(double value, char *buf, size_t size)
{
	size_t len;

	if (value == 0)
		value = 0; /* so that -0 is written as 0 */
	snprintf(buf, size, "%.9f", value);
	if (fabs(value) >= 9007199254740992. || strchr(buf, '.') == NULL)
		return;
	len = strlen(buf);
	while (buf[len - 1] == '0')
		len--;
	if (buf[len - 1] == '.')
		len--;
	buf[len] = '\0';
}

static int expand(struct expander *e, const char *text, const char *end, bool arithmetic);

/* Write the result of $(( ... )), where text is the part after "$((". */
static int
put_arithmetic(struct expander *e, const char *text, const char *close)
{
	struct lab_expanded *inner = malloc(sizeof(*inner));
	struct expander within = {.sc = e->sc,
			.line = e->line,
			.out = inner,
			.err = e->err,
			.err_size = e->err_size};
	struct lab_expression_error error;
	char number[400];
	double value;
	int rc;

	if (inner == NULL)
		return wrong(e, text, "%s", strerror(ENOMEM));
	rc = expand(&within, text, close, true);
	if (rc != 0) {
		e->column = within.column;
	} else if (lab_expression_value(inner->text, NULL, &value, &error) != 0) {
		size_t at = error.column > 0 ? error.column - 1 : 0;

		rc = wrong(e, at < within.used ? e->line + inner->origin[at] - 1 : close, "%s",
				error.message);
	} else {
		print_number(value, number, sizeof(number));
		rc = put(e, number, strlen(number), text - 3, false);
	}
	free(inner);
	return rc;
}

static int
put_dollar(struct expander *e, const char **text, bool arithmetic)
{
	const char *at = *text, *end;
	const struct lab_param *param;
	int rc;

	if (at[1] == '$') {
		rc = put(e, "$", 1, at, false);
		*text = at + 2;
		return rc;
	}
	if (at[1] == '(' && at[2] == '(' && !arithmetic) {
		end = end_of_arithmetic(at + 3);
		if (end == NULL)
			return wrong(e, at, "$(( without ))");
		rc = put_arithmetic(e, at + 3, end);
		*text = end + 2;
		return rc;
	}
	param = read_param(e, at + 1, &end);
	if (param == NULL)
		return -EINVAL;
	*text = end;
	return put(e, param->value, strlen(param->value), at, false);
}

static int
expand(struct expander *e, const char *text, const char *end, bool arithmetic)
{
	int rc = 0;

	while (rc == 0 && text < end) {
		size_t len = 0;

		if (*text == '#' && !arithmetic &&
				(text == e->line || text[-1] == ' ' || text[-1] == '\t'))
			break; /* a comment */
		if (*text == '$') {
			rc = put_dollar(e, &text, arithmetic);
			continue;
		}
		while (text + len < end && text[len] != '$' && (len == 0 || text[len] != '#'))
			len++;
		rc = put(e, text, len, text, true);
		text += len;
	}
	e->out->text[e->used] = '\0';
	e->out->origin[e->used] = (uint16_t)(text - e->line + 1);
	return rc;
}

int
lab_expand_line(const struct lab_scenario *sc, const char *line, struct lab_expanded *out,
		unsigned int *column, char *err, size_t err_size)
{
	struct expander e = {.sc = sc, .line = line, .out = out, .err = err, .err_size = err_size};
	size_t len = strlen(line);
	int rc;

	if (len > FCN_COMMAND_MAX_LINE) {
		*column = FCN_COMMAND_MAX_LINE + 1;
		snprintf(err, err_size, "the line is longer than %d bytes", FCN_COMMAND_MAX_LINE);
		return -EINVAL;
	}
	rc = expand(&e, line, line + len, false);
	*column = e.column;
	return rc;
}

/*
 * Expand a line of len bytes and write it to out. number is the number of the line, or 0 if it is
 * the only one.
 */
static int
expand_text_line(const struct lab_scenario *sc, const char *text, size_t len, unsigned int number,
		FILE *out, char *err, size_t err_size)
{
	struct lab_expanded *line = malloc(sizeof(*line));
	char *copy = strndup(text, len), why[256];
	unsigned int column;
	int rc = -ENOMEM;

	snprintf(err, err_size, "%s", strerror(ENOMEM));
	if (line != NULL && copy != NULL) {
		rc = lab_expand_line(sc, copy, line, &column, why, sizeof(why));
		if (rc == 0)
			fputs(line->text, out);
		else if (number > 0)
			snprintf(err, err_size, "line %u, column %u: %s", number, column, why);
		else
			snprintf(err, err_size, "column %u: %s", column, why);
	}
	free(copy);
	free(line);
	return rc;
}

char *
lab_scenario_expand(const struct lab_scenario *sc, const char *line, char *err, size_t err_size)
{
	unsigned int number = strchr(line, '\n') != NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (out == NULL) {
		snprintf(err, err_size, "%s", strerror(ENOMEM));
		return NULL;
	}
	for (;; number++, line++) {
		size_t len = strcspn(line, "\n");

		if (memchr(line, '$', len) != NULL)
			rc = expand_text_line(sc, line, len, number, out, err, err_size);
		else
			fwrite(line, 1, len, out);
		line += len;
		if (rc != 0 || *line == '\0')
			break;
		fputc('\n', out);
	}
	if (fclose(out) != 0 || rc != 0) {
		free(text);
		return NULL;
	}
	return text;
}
