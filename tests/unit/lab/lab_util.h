/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of scenarios read them from text, and check the messages about bad ones.
 */

#ifndef LAB_UTIL_H
#define LAB_UTIL_H

#include "fcn_test.h"
#include "scenario.h"

/** Read a scenario. The test fails if it has an error, or if there is any message about it. */
struct lab_scenario *good(const char *text);

/** Read a scenario that may have errors. @param said result: all messages, which the caller frees
 * @return NULL if the scenario has errors */
struct lab_scenario *load(
		const char *text, const struct lab_setting *set, unsigned int n_set, char **said);

/** Read a scenario with one error, and check that the only message is `said`, of the form
 * "x.lab:LINE:COLUMN: message". */
void bad(const char *text, const char *said);

#endif /* LAB_UTIL_H */
