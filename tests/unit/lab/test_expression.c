/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Expressions against values worked out by hand, and what is wrong with bad ones. */

#include <errno.h>

#include "expression.h"
#include "fcn_test.h"

static json_t *result;

static int
setup(void **state)
{
	(void)state;
	result = json_loads("{\"queue\": {\"s1\": {\"r\": {\"3\": {\"peak\": 1176000}}}},"
			    " \"notices\": {\"first_ns\": 1511, \"none\": null},"
			    " \"flows\": [{\"bps\": 30}, {\"bps\": 10}, {\"bps\": null}, {\"bps\": "
			    "20}],"
			    " \"host\": {\"a\": {\"sent\": 1}, \"b\": {\"sent\": 3}},"
			    " \"link\": {\"a-b\": {\"sent\": 5}},"
			    " \"done\": true, \"n\": 8}",
			0, NULL);
	return result == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	(void)state;
	json_decref(result);
	return 0;
}

TEST_FIXTURE(.begin = setup, .end = teardown);

struct value {
	const char *text;
	double value;
};

static void
check_values(const struct value *values, size_t n)
{
	struct lab_expression_error err;
	double value;

	for (size_t i = 0; i < n; i++) {
		if (lab_expression_value(values[i].text, result, &value, &err) != 0)
			fail_msg("\"%s\": %u: %s", values[i].text, err.column, err.message);
		if (value != values[i].value)
			fail_msg("\"%s\" is %.17g", values[i].text, value);
		assert_int_equal(lab_expression_check(values[i].text, &err), 0);
	}
}

TEST(arithmetic)
{
	static const struct value values[] = {
			{"1", 1},
			{"2+3*4", 14},
			{"(2+3)*4", 20},
			{"2 - 3 - 4", -5},
			{"64/4/2", 8},
			{"-3 + 1", -2},
			{"--3", 3},
			{"2*-3", -6},
			{"1.5*4", 6},
			{"1e3", 1000},
			{"2.5e-1", 0.25},
			{"abs(-4)", 4},
			{"log2(16)", 4},
			{"log2(1/4)", -2},
			{"exp(0)", 1},
			{"exp(1)", 2.718281828459045},
			{"sqrt(2.25)", 1.5},
			{"ceil(1.1) + ceil(2)", 4},
			{"floor(-1.5)", -2},
			{"min(3, 1, 2)", 1},
			{"max(3, 1+4, 2)", 5},
			{"sum(1,2,3) / count(7,7)", 3},
			{"mean(1, 2, 6)", 3},
			/* (1+3)^2 / (2 * (1+9)) */
			{"jain(1, 3)", 0.8},
			{"jain(5, 5, 5)", 1},
			/* one of four has all */
			{"jain(0, 0, 7, 0)", 0.25},
			{"jain(0, 0)", 1},
	};

	check_values(values, RTE_DIM(values));
}

TEST(units)
{
	static const struct value values[] = {
			{"4us", 4000},
			{"1.5ms", 1500000},
			{"7ns", 7},
			{"2s", 2e9},
			{"100G", 1e11},
			{"2.5G", 2.5e9},
			{"400K", 400000},
			{"400k", 400000},
			{"3M", 3e6},
			{"1T", 1e12},
			{"64Ki", 65536},
			{"2Mi", 2097152},
			{"1Gi", 1073741824},
			{"1Ti", 1099511627776},
			{"50%", 0.5},
			/* 12.5 GB/s for 4 us */
			{"100G/8/1s * 4us", 50000},
			/* 1136 bits at 100 Gb/s: 11.36 ns */
			{"floor(142*8/100G*1s*100)", 1136},
	};

	check_values(values, RTE_DIM(values));
}

TEST(metrics)
{
	static const struct value values[] = {
			{"queue.s1.r.3.peak", 1176000},
			{"notices.first_ns - 11", 1500},
			{"n/2", 4},
			{"done", 1},
			{"count(flows.*.bps)", 3},
			{"sum(flows.*.bps)", 60},
			{"mean(flows.*.bps)", 20},
			{"max(flows.*.bps)", 30},
			{"min(flows.*.bps, 5)", 5},
			{"flows.1.bps", 10},
			{"sum(host.*.sent)", 4},
			{"sum(host.*.sent, flows.*.bps)", 64},
			/* 60^2 / (3 * 1400) */
			{"jain(flows.*.bps) * 7", 6},
			{"link.\"a-b\".sent", 5},
			{"sum(host.*.*)", 4},
	};

	check_values(values, RTE_DIM(values));
}

struct error {
	const char *text;
	unsigned int column;
	const char *message;
	int rc;
};

static void
check_error(const struct error *m, int rc, const struct lab_expression_error *err)
{
	if (rc != (m->rc != 0 ? m->rc : -EINVAL) || err->column != m->column ||
			strcmp(err->message, m->message) != 0)
		fail_msg("\"%s\": %d %u: %s", m->text, rc, err->column, err->message);
}

TEST(mistakes)
{
	static const struct error errors[] = {
			{"", 1, "a number, a name or ( is expected, found the end"},
			{"1 +", 4, "a number, a name or ( is expected, found the end"},
			{"1 2", 3, "an operator or the end is expected"},
			{"(1", 1, "( without )"},
			{"1)", 2, "an operator or the end is expected"},
			{"2 * 4x", 5,
					"x is not a unit; units are ns, us, ms, s, K, M, G, T, Ki, "
					"Mi, Gi, Ti "
					"and %"},
			{"1 ? 2", 3, "? is not a character of expressions"},
			{"1.5.2", 4, ". is not a character of expressions"},
			{"3 / (2-2)", 3, "division by zero"},
			{"nope(1)", 1, "there is no function nope"},
			{"abs(1, 2)", 1, "abs takes one number"},
			{"abs()", 5, "a number, a name or ( is expected"},
			{"abs(1", 6, "abs( without )"},
			{"1 + log2(0)", 5, "log2 has no value for 0"},
			{"sqrt(-1)", 1, "sqrt has no value for -1"},
			{"exp(1000)", 1, "exp has no value for 1000"},
			{"1e308*10", 6, "the number is too large"},
			{"1e999", 1, "the number is too large"},
			{"flows.*.bps + 1", 1,
					"flows.*.bps is a list; only min, max, sum, "
					"mean, jain and count take lists"},
			{"sum(flows.*.bps + 1)", 5,
					"flows.*.bps is a list, and must be the only "
					"argument of the function"},
			{"queue..s1", 1, "queue. must be followed by a name, a number or *"},
			{"of", 1, "a number, a name or ( is expected"},
	};
	struct lab_expression_error err;
	double value;

	for (size_t i = 0; i < RTE_DIM(errors); i++)
		check_error(&errors[i], lab_expression_value(errors[i].text, result, &value, &err),
				&err);
}

TEST(unknown)
{
	static const struct error errors[] = {
			{"1 + queue.s2.r", 5, "queue.s2.r: no such metric; queue has s1", -ENOENT},
			{"sum(host.*.lost)", 5, "host.*.lost: no such metric", -ENOENT},
	};
	struct lab_expression_error err;
	double value;

	for (size_t i = 0; i < RTE_DIM(errors); i++) {
		check_error(&errors[i], lab_expression_value(errors[i].text, result, &value, &err),
				&err);
		assert_int_equal(lab_expression_check(errors[i].text, &err), 0);
	}
	assert_int_equal(lab_expression_value("2*n", NULL, &value, &err), -EINVAL);
	assert_string_equal(err.message,
			"there is no metric or definition n; write $n for the parameter");
	assert_int_equal(err.column, 3);
}

/* Brackets nest to 64, and no further: the stack is not the limit. */
TEST(depth)
{
	struct lab_expression_error err;
	char text[20000];
	double value;

	memset(text, '(', 63);
	strcpy(text + 63, "7");
	memset(text + 64, ')', 63);
	text[127] = '\0';
	assert_int_equal(lab_expression_value(text, NULL, &value, &err), 0);
	assert_true(value == 7);
	memset(text, '-', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(lab_expression_value(text, NULL, &value, &err), -EINVAL);
	assert_int_equal(err.column, 65);
	assert_string_equal(err.message, "more than 64 nested brackets and signs");
}

struct expectation {
	const char *text;
	bool holds;
	double left, right, tolerance;
};

TEST(expectations)
{
	static const struct expectation list[] = {
			{"n = 8", true, 8, 8, 0},
			{"n == 8", true, 8, 8, 0},
			{"n = 8.001", false, 8, 8.001, 0},
			{"n != 8", false, 8, 8, 0},
			{"n < 8", false, 8, 8, 0},
			{"n <= 8", true, 8, 8, 0},
			{"n > 7", true, 8, 7, 0},
			{"n >= 8+1", false, 8, 9, 0},
			{"notices.first_ns = 1us + 510ns within 1ns", true, 1511, 1510, 1},
			{"notices.first_ns = 1us + 509ns within 1ns", false, 1511, 1509, 1},
			{"n = 10 within 20%", true, 8, 10, 2},
			{"n = 10 within 19%", false, 8, 10, 1.9},
			{"n within 20% of 10", true, 8, 10, 2},
			{"n within 1+1 of 10", true, 8, 10, 2},
			{"n within 1 of 10", false, 8, 10, 1},
			/* a percentage in a sum is a number: 20% + 1.8 = 2 */
			{"n within 20% + 1.8 of 10", true, 8, 10, 2},
			{"-n = -10 within 20%", true, -8, -10, 2},
			{"queue.s1.r.3.peak within 15% of 1177e3", true, 1176000, 1177000, 176550},
	};
	struct lab_expression_error err;
	struct lab_outcome o;

	for (size_t i = 0; i < RTE_DIM(list); i++) {
		const struct expectation *e = &list[i];

		assert_int_equal(lab_expectation_check(e->text, &err), 0);
		if (lab_expectation_run(e->text, result, &o, &err) != 0)
			fail_msg("\"%s\": %u: %s", e->text, err.column, err.message);
		if (o.holds != e->holds || o.left != e->left || o.right != e->right ||
				o.tolerance - e->tolerance > 1e-9 ||
				e->tolerance - o.tolerance > 1e-9)
			fail_msg("\"%s\": %d %g %g %g", e->text, o.holds, o.left, o.right,
					o.tolerance);
	}
}

TEST(bad_expectations)
{
	static const struct error errors[] = {
			{"n", 2, "a comparison is expected: <, <=, >, >=, =, != or within"},
			{"n + 1 ~ 2", 7, "~ is not a character of expressions"},
			{"n within 5%", 12, "A within TOLERANCE of B: \"of\" is expected"},
			{"n < 5 within 5%", 7, "a tolerance must follow A = B"},
			{"n = 5 within -1", 14, "a tolerance must not be negative"},
			{"n = 5 = 6", 7, "an operator or the end is expected"},
			{"within 5% of 6", 1, "a number, a name or ( is expected"},
			{"n = 1/0", 6, "division by zero"},
	};
	struct lab_expression_error err;

	for (size_t i = 0; i < RTE_DIM(errors); i++)
		check_error(&errors[i], lab_expectation_check(errors[i].text, &err), &err);
}
