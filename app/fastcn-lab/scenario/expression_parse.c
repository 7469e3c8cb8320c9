/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A parser by recursive descent, which evaluates expressions while it reads them. */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "expression_private.h"
#include "metric.h"

#define MAX_DEPTH 64 /* maximum depth of nested brackets, functions and signs */
#define MAX_PATH 512

void
lab_expression_fail(struct lab_parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return;
	p->failed = true;
	p->err->column = (unsigned int)(at - p->text) + 1;
	va_start(ap, fmt);
	vsnprintf(p->err->message, sizeof(p->err->message), fmt, ap);
	va_end(ap);
}

void
lab_parser_next(struct lab_parser *p)
{
	char why[128] = "";

	lab_token_read(p->token.text + p->token.len, &p->token, why, sizeof(why));
	if (p->token.kind == LAB_TOKEN_BAD)
		lab_expression_fail(p, p->token.text, "%s", why);
}

void
lab_parser_init(struct lab_parser *p, const char *text, const json_t *result, bool dry,
		struct lab_expression_error *err)
{
	*p = (struct lab_parser){.text = text,
			.token = {.text = text},
			.result = result,
			.dry = dry,
			.rc = -EINVAL,
			.err = err};
	err->column = 0;
	err->message[0] = '\0';
	lab_parser_next(p);
}

bool
lab_parser_at(const struct lab_parser *p, char op)
{
	return p->token.kind == LAB_TOKEN_OPERATOR && p->token.op == op;
}

static double
not_infinite(struct lab_parser *p, const char *at, double value)
{
	if (isinf(value))
		lab_expression_fail(p, at, "the number is too large");
	return value;
}

/* Copy a name without its quotes, as in the result. @return false when it is too long */
static bool
copy_path(struct lab_parser *p, const struct lab_token *name, char path[MAX_PATH])
{
	size_t n = 0;

	for (size_t i = 0; i < name->len && n < MAX_PATH - 1; i++)
		if (name->text[i] != '"')
			path[n++] = name->text[i];
	path[n] = '\0';
	if (n == MAX_PATH - 1)
		lab_expression_fail(
				p, name->text, "a name has at most %d characters", MAX_PATH - 2);
	return n < MAX_PATH - 1;
}

static double
metric(struct lab_parser *p, const struct lab_token *name)
{
	char path[MAX_PATH], why[sizeof(p->err->message)];
	double value;

	if (name->list) {
		lab_expression_fail(p, name->text,
				"%.*s is a list; only min, max, sum, mean, jain and count take "
				"lists",
				(int)name->len, name->text);
		return NAN;
	}
	if (p->dry || !copy_path(p, name, path))
		return NAN;
	if (p->result == NULL) {
		lab_expression_fail(p, name->text,
				"there is no metric or definition %s; write $%s for the "
				"parameter",
				path, path);
		return NAN;
	}
	if (lab_metric(p->result, path, &value, why, sizeof(why)) != 0) {
		p->rc = p->failed ? p->rc : -ENOENT;
		lab_expression_fail(p, name->text, "%s", why);
		return NAN;
	}
	return value;
}

struct taker {
	struct lab_parser *p;
	struct lab_numbers *numbers;
};

static void
take(void *arg, double value)
{
	struct taker *t = arg;

	lab_numbers_add(t->p, t->numbers, value);
}

static void
metrics(struct lab_parser *p, const struct lab_token *name, struct lab_numbers *numbers)
{
	char path[MAX_PATH], why[sizeof(p->err->message)];
	struct taker taker = {p, numbers};

	if (p->dry)
		lab_numbers_add(p, numbers, NAN);
	else if (!copy_path(p, name, path))
		return;
	else if (p->result == NULL)
		lab_expression_fail(p, name->text, "there is no metric or definition %s", path);
	else if (lab_metrics(p->result, path, take, &taker, why, sizeof(why)) != 0) {
		p->rc = p->failed ? p->rc : -ENOENT;
		lab_expression_fail(p, name->text, "%s", why);
	}
}

/* Read an argument of a function, which is a single list or an expression for a number. */
static void
argument(struct lab_parser *p, struct lab_numbers *numbers)
{
	struct lab_token name = p->token;
	double value;

	if (name.kind == LAB_TOKEN_NAME && name.list) {
		metrics(p, &name, numbers);
		lab_parser_next(p);
		if (!lab_parser_at(p, ',') && !lab_parser_at(p, ')'))
			lab_expression_fail(p, name.text,
					"%.*s is a list, and must be the only argument of the "
					"function",
					(int)name.len, name.text);
		return;
	}
	value = lab_parse_sum(p);
	lab_numbers_add(p, numbers, value);
}

static double
call(struct lab_parser *p, const struct lab_token *name)
{
	struct lab_numbers numbers = {.n = 0};
	double value = NAN;

	if (!lab_function_exists(name)) {
		lab_expression_fail(p, name->text, "there is no function %.*s", (int)name->len,
				name->text);
		return NAN;
	}
	do {
		lab_parser_next(p); /* skip the bracket or the comma */
		argument(p, &numbers);
	} while (!p->failed && lab_parser_at(p, ','));
	if (!p->failed && !lab_parser_at(p, ')'))
		lab_expression_fail(
				p, p->token.text, "%.*s( without )", (int)name->len, name->text);
	if (!p->failed) {
		lab_parser_next(p);
		value = lab_function(p, name, &numbers);
	}
	free(numbers.value);
	return value;
}

static double
primary(struct lab_parser *p)
{
	struct lab_token token = p->token;
	double value = NAN;

	if (p->failed)
		return NAN;
	if (token.kind == LAB_TOKEN_NUMBER) {
		lab_parser_next(p);
		return not_infinite(p, token.text, token.number);
	}
	if (token.kind == LAB_TOKEN_NAME && !lab_token_is(&token, "within") &&
			!lab_token_is(&token, "of")) {
		lab_parser_next(p);
		return lab_parser_at(p, '(') ? call(p, &token) : metric(p, &token);
	}
	if (!lab_parser_at(p, '(')) {
		lab_expression_fail(p, token.text, "a number, a name or ( is expected%s",
				token.kind == LAB_TOKEN_END ? ", found the end" : "");
		return NAN;
	}
	lab_parser_next(p);
	value = lab_parse_sum(p);
	if (!p->failed && !lab_parser_at(p, ')'))
		lab_expression_fail(p, token.text, "( without )");
	else
		lab_parser_next(p);
	return value;
}

static double
signed_primary(struct lab_parser *p)
{
	double value;

	if (++p->depth > MAX_DEPTH)
		lab_expression_fail(p, p->token.text, "more than %d nested brackets and signs",
				MAX_DEPTH);
	if (p->failed)
		return NAN;
	if (lab_parser_at(p, '-')) {
		lab_parser_next(p);
		value = -signed_primary(p);
	} else {
		value = primary(p);
	}
	p->depth--;
	return value;
}

static double
product(struct lab_parser *p)
{
	double value = signed_primary(p), by;

	while (!p->failed && (lab_parser_at(p, '*') || lab_parser_at(p, '/'))) {
		struct lab_token op = p->token;

		lab_parser_next(p);
		by = signed_primary(p);
		if (op.op == '/' && by == 0)
			lab_expression_fail(p, op.text, "division by zero");
		value = not_infinite(p, op.text, op.op == '*' ? value * by : value / by);
	}
	return value;
}

double
lab_parse_sum(struct lab_parser *p)
{
	double value = product(p), by;

	while (!p->failed && (lab_parser_at(p, '+') || lab_parser_at(p, '-'))) {
		struct lab_token op = p->token;

		lab_parser_next(p);
		by = product(p);
		value = not_infinite(p, op.text, op.op == '+' ? value + by : value - by);
	}
	return value;
}
