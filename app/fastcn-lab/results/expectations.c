/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <math.h>

#include "expression.h"
#include "report.h"

/* A number as JSON: an integer when it is whole and below 2^53, text when JSON has no number for
 * it.
 */
static json_t *
number(double x)
{
	if (x >= -0x1p53 && x <= 0x1p53 && trunc(x) >= x && trunc(x) <= x)
		return json_integer((json_int_t)x);
	return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : "inf");
}

static json_t *
judge(const struct lab_expect *e, const json_t *result, bool *holds)
{
	struct lab_expression_error err = {0};
	struct lab_outcome outcome = {0};
	json_t *o = json_object();
	int rc = lab_expectation_run(e->text, result, &outcome, &err);

	*holds = rc == 0 && outcome.holds;
	json_object_set_new(o, "text", json_string(e->said != NULL ? e->said : e->text));
	if (e->note != NULL)
		json_object_set_new(o, "note", json_string(e->note));
	json_object_set_new(o, "ok", json_boolean(*holds));
	if (rc != 0) {
		json_object_set_new(o, "error", json_string(err.message));
		return o;
	}
	json_object_set_new(o, "left", number(outcome.left));
	json_object_set_new(o, "right", number(outcome.right));
	if (outcome.tolerance > 0)
		json_object_set_new(o, "tolerance", number(outcome.tolerance));
	return o;
}

unsigned int
lab_check_expectations(const struct lab_scenario *sc, json_t *result)
{
	json_t *list = json_array();
	unsigned int failed = 0;
	bool holds;

	for (unsigned int i = 0; i < sc->n_expects; i++) {
		json_array_append_new(list, judge(&sc->expect[i], result, &holds));
		failed += !holds;
	}
	json_object_set_new(result, "expectations", list);
	return failed;
}
