/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Scenarios from text, and what is said about bad ones.
 */

#ifndef LAB_UTIL_H
#define LAB_UTIL_H

#include "fcn_test.h"
#include "scenario.h"

/** A good scenario; fails the test when it is not, or when it says anything. */
struct lab_scenario *good(const char *text);

/** A scenario, good or not, and all that is said about it, to be freed. */
struct lab_scenario *load(
		const char *text, const struct lab_setting *set, unsigned int n_set, char **said);

/** A scenario of one mistake: all that is said is "x.lab:LINE:COLUMN: message". */
void bad(const char *text, const char *said);

#endif /* LAB_UTIL_H */
