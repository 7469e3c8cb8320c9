/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression_private.h"

#define MAX_NUMBERS 4000000u

void
lab_numbers_add(struct lab_parser *p, struct lab_numbers *numbers, double value)
{
	double *more;

	if ((numbers->n & (numbers->n - 1)) == 0) { /* full: room is a power of 2 */
		more = numbers->n >= MAX_NUMBERS
				       ? NULL
				       : realloc(numbers->value,
							 (numbers->n == 0 ? 1
									  : (size_t)numbers->n * 2) *
									 sizeof(double));
		if (more == NULL) {
			lab_expression_fail(p, p->token.text, "%s", strerror(ENOMEM));
			return;
		}
		numbers->value = more;
	}
	numbers->value[numbers->n++] = value;
}

static double
sum_of(const struct lab_numbers *v)
{
	double sum = 0;

	for (unsigned int i = 0; i < v->n; i++)
		sum += v->value[i];
	return sum;
}

static double
mean_of(const struct lab_numbers *v)
{
	return sum_of(v) / v->n;
}

static double
min_of(const struct lab_numbers *v)
{
	double least = v->value[0];

	for (unsigned int i = 1; i < v->n; i++)
		if (v->value[i] < least)
			least = v->value[i];
	return least;
}

static double
max_of(const struct lab_numbers *v)
{
	double most = v->value[0];

	for (unsigned int i = 1; i < v->n; i++)
		if (v->value[i] > most)
			most = v->value[i];
	return most;
}

static double
count_of(const struct lab_numbers *v)
{
	return v->n;
}

/* Jain's index of fairness: 1 when all are equal, 1/n when one has everything. */
static double
jain_of(const struct lab_numbers *v)
{
	double sum = sum_of(v), squares = 0;

	for (unsigned int i = 0; i < v->n; i++)
		squares += v->value[i] * v->value[i];
	return squares == 0 ? 1 : sum * sum / (v->n * squares);
}

static double
abs_of(const struct lab_numbers *v)
{
	return fabs(v->value[0]);
}

static double
log2_of(const struct lab_numbers *v)
{
	return log2(v->value[0]);
}

static double
exp_of(const struct lab_numbers *v)
{
	return exp(v->value[0]);
}

static double
sqrt_of(const struct lab_numbers *v)
{
	return sqrt(v->value[0]);
}

static double
ceil_of(const struct lab_numbers *v)
{
	return ceil(v->value[0]);
}

static double
floor_of(const struct lab_numbers *v)
{
	return floor(v->value[0]);
}

static const struct function {
	const char *name;
	bool list; /* takes any number of values and lists; otherwise one value */
	double (*value)(const struct lab_numbers *v);
} functions[] = {
		{"min", true, min_of},
		{"max", true, max_of},
		{"sum", true, sum_of},
		{"mean", true, mean_of},
		{"jain", true, jain_of},
		{"count", true, count_of},
		{"abs", false, abs_of},
		{"log2", false, log2_of},
		{"exp", false, exp_of},
		{"sqrt", false, sqrt_of},
		{"ceil", false, ceil_of},
		{"floor", false, floor_of},
};

static const struct function *
find_function(const struct lab_token *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (lab_token_is(name, functions[i].name))
			return &functions[i];
	return NULL;
}

bool
lab_function_exists(const struct lab_token *name)
{
	return find_function(name) != NULL;
}

double
lab_function(struct lab_parser *p, const struct lab_token *name, const struct lab_numbers *numbers)
{
	const struct function *f = find_function(name);
	double value;

	/* The value is not known while only the syntax is checked. */
	for (unsigned int i = 0; i < numbers->n; i++)
		if (isnan(numbers->value[i]))
			return NAN;
	if (!f->list && numbers->n != 1) {
		lab_expression_fail(p, name->text, "%s takes one number", f->name);
		return NAN;
	}
	value = f->value(numbers);
	if (!isfinite(value)) {
		lab_expression_fail(p, name->text, "%s has no value for %g", f->name,
				numbers->value[0]);
		return NAN;
	}
	return value;
}
