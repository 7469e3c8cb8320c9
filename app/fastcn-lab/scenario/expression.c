/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <math.h>
#include <string.h>

#include "expression_private.h"

/* A tolerance. If it is a percentage, it is relative to the expected value. */
struct tolerance {
	double value;
	bool relative;
};

static struct tolerance
read_tolerance(struct lab_parser *p)
{
	const char *begin = p->token.text, *end = begin + p->token.len;
	bool percent = p->token.kind == LAB_TOKEN_NUMBER && p->token.percent;
	struct tolerance t = {.value = lab_parse_sum(p)};

	/* the tolerance is a single percentage */
	t.relative = percent && end + strspn(end, " \t") == p->token.text;
	if (t.value < 0)
		lab_expression_fail(p, begin, "a tolerance must not be negative");
	return t;
}

static bool
compare(char op, double left, double right)
{
	switch (op) {
	case '<':
		return left < right;
	case 'l':
		return left <= right;
	case '>':
		return left > right;
	case 'g':
		return left >= right;
	case '!':
		return left != right;
	default:
		return left == right;
	}
}

static void
judge(struct lab_outcome *o, struct tolerance t)
{
	o->tolerance = t.relative ? fabs(o->right) * t.value : t.value;
	o->holds = fabs(o->left - o->right) <= o->tolerance;
}

/* "left within 15% of right" */
static void
read_within(struct lab_parser *p, struct lab_outcome *o)
{
	struct tolerance t;

	lab_parser_next(p);
	t = read_tolerance(p);
	if (!lab_token_is(&p->token, "of")) {
		lab_expression_fail(
				p, p->token.text, "A within TOLERANCE of B: \"of\" is expected");
		return;
	}
	lab_parser_next(p);
	o->right = lab_parse_sum(p);
	judge(o, t);
}

/* "left < right", "left = right within 1ns" */
static void
read_comparison(struct lab_parser *p, struct lab_outcome *o)
{
	struct lab_token op = p->token;

	if (op.kind != LAB_TOKEN_OPERATOR || strchr("<l>g=!", op.op) == NULL) {
		lab_expression_fail(p, op.text,
				"a comparison is expected: <, <=, >, >=, =, != or within");
		return;
	}
	lab_parser_next(p);
	o->right = lab_parse_sum(p);
	if (!lab_token_is(&p->token, "within")) {
		o->holds = compare(op.op, o->left, o->right);
		return;
	}
	if (op.op != '=') {
		lab_expression_fail(p, p->token.text, "a tolerance must follow A = B");
		return;
	}
	lab_parser_next(p);
	judge(o, read_tolerance(p));
}

static int
end(struct lab_parser *p)
{
	if (p->token.kind != LAB_TOKEN_END)
		lab_expression_fail(p, p->token.text, "an operator or the end is expected");
	return p->failed ? p->rc : 0;
}

static int
read_expectation(struct lab_parser *p, struct lab_outcome *o)
{
	*o = (struct lab_outcome){.left = lab_parse_sum(p)};
	if (lab_token_is(&p->token, "within"))
		read_within(p, o);
	else
		read_comparison(p, o);
	return end(p);
}

int
lab_expectation_check(const char *text, struct lab_expression_error *err)
{
	struct lab_outcome unused;
	struct lab_parser p;

	lab_parser_init(&p, text, NULL, true, err);
	return read_expectation(&p, &unused);
}

int
lab_expectation_run(const char *text, const json_t *result, struct lab_outcome *outcome,
		struct lab_expression_error *err)
{
	struct lab_parser p;

	lab_parser_init(&p, text, result, false, err);
	return read_expectation(&p, outcome);
}

int
lab_expression_check(const char *text, struct lab_expression_error *err)
{
	struct lab_parser p;

	lab_parser_init(&p, text, NULL, true, err);
	lab_parse_sum(&p);
	return end(&p);
}

int
lab_expression_value(const char *text, const json_t *result, double *value,
		struct lab_expression_error *err)
{
	struct lab_parser p;

	lab_parser_init(&p, text, result, false, err);
	*value = lab_parse_sum(&p);
	return end(&p);
}
