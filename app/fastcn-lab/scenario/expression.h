/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Arithmetic in scenarios: what is expected of a result, written as on paper.
 *
 *   queue.s1.r.3.peak within 15% of 400K + 100G/8/1s * (15 * (2us + 4us) + 4us * (15 - log2(16)))
 *   notices.first_ns = 1us + 142*8/100G * 1s within 1ns
 *   pfc.paused_ns = 0
 *   jain(flows.*.goodput_bps) >= 0.95
 *
 * Numbers have the console's units and become ns (4us), bits/s (100G), bytes (400K, 64Ki) or plain
 * ratios (95%). So 1s is a number, too, a billion: bits / rate is seconds, bits / rate * 1s a time,
 * and rate / 8 / 1s * time is bytes.
 *
 * + - * / and brackets; abs, log2, exp, sqrt, ceil, floor of a number; min, max, sum, mean, jain,
 * count of numbers, and of names with a `*`, that are lists. Other names are metrics of the result;
 * a part of one that is more than letters, digits and _ stands in quotes: link."a-b".sent. What is
 * compared: <, <=, >, >=, =, !=; A = B within TOLERANCE, or A within TOLERANCE of B, where a
 * percentage is one of B.
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
	double left, right; /**< of the comparison */
	double tolerance;   /**< absolute; 0 when none */
};

/** Syntax only, when the scenario is read. @return 0 or -EINVAL */
int lab_expectation_check(const char *text, struct lab_expression_error *err);

/** @return 0, or -EINVAL, -ENOENT (no such metric) with err */
int lab_expectation_run(const char *text, const json_t *result, struct lab_outcome *outcome,
		struct lab_expression_error *err);

/** Syntax of an expression without comparison. @return 0 or -EINVAL */
int lab_expression_check(const char *text, struct lab_expression_error *err);

/** Its value. result: NULL, it has no names. @return as lab_expectation_run() */
int lab_expression_value(const char *text, const json_t *result, double *value,
		struct lab_expression_error *err);

#endif /* LAB_EXPRESSION_H */
