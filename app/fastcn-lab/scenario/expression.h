/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Arithmetic in scenarios, and expectations about a result.
 *
 *   queue.s1.r.3.peak within 15% of 400K + 100G/8/1s * (15 * (2us + 4us) + 4us * (15 - log2(16)))
 *   notices.first_ns = 1us + 142*8/100G * 1s within 1ns
 *   pfc.paused_ns = 0
 *   jain(flows.*.goodput_bps) >= 0.95
 *
 * Numbers have the units of the console and are converted to ns (4us), bits/s (100G), bytes (400K,
 * 64Ki) or ratios (95%). The value of 1s is therefore 10^9: bits / rate is a number of seconds, so
 * bits / rate * 1s is a time, and rate / 8 / 1s * time is a number of bytes.
 *
 * The operators are + - * / and brackets. The functions abs, log2, exp, sqrt, ceil and floor take
 * one number; min, max, sum, mean, jain and count take any number of numbers, and lists, which are
 * names that contain a `*`. Other names are metrics of the result. A part of a name with other
 * characters than letters, digits and _ is quoted: link."a-b".sent. The comparisons are <, <=, >,
 * >=, = and !=; A = B within TOLERANCE; and A within TOLERANCE of B, where a percentage is relative
 * to B.
 */

#ifndef LAB_EXPRESSION_H
#define LAB_EXPRESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** Where and why an expression is wrong. */
struct lab_expression_error {
	unsigned int column; /**< 1 is the first character */
	char message[256];
};

/** The outcome of an expectation. */
struct lab_outcome {
	bool holds;
	double left, right; /**< values of the two sides of the comparison */
	double tolerance;   /**< absolute tolerance; 0 when there is none */
};

/** Check the syntax of an expectation. @return 0 or -EINVAL with err */
int lab_expectation_check(const char *text, struct lab_expression_error *err);

/**
 * Evaluate an expectation.
 *
 * @return 0; or -EINVAL, or -ENOENT for a metric that does not exist, with err
 */
int lab_expectation_run(const char *text, const json_t *result, struct lab_outcome *outcome,
		struct lab_expression_error *err);

/** Check the syntax of an expression without a comparison. @return 0 or -EINVAL with err */
int lab_expression_check(const char *text, struct lab_expression_error *err);

/**
 * Evaluate an expression without a comparison. result is NULL when it contains no names of metrics.
 *
 * @return the same as lab_expectation_run()
 */
int lab_expression_value(const char *text, const json_t *result, double *value,
		struct lab_expression_error *err);

#endif /* LAB_EXPRESSION_H */
