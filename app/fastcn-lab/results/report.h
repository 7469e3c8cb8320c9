/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The report of a run, and the files of its directory.
 *
 *   result = lab_run(...);
 *   failed = lab_check_expectations(sc, result);
 *   lab_warn_unfair(sc, result);
 *   lab_save(m, result, stderr);         with a directory, whose pictures lab_present_run() makes
 *   lab_report(result, stdout);          or fcn_render_json()
 */

#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdio.h>

#include "measure.h"

/**
 * Evaluate the expectations of a scenario with its result, and add the outcomes to the result as
 * "expectations".
 *
 * @return number of expectations that do not hold or cannot be computed
 */
unsigned int lab_check_expectations(const struct lab_scenario *sc, json_t *result);

/**
 * Add to the result, as "warnings", in which set-ups of the run one way to notify senders is worse
 * than it has to be, so that a comparison with it would not be fair.
 */
void lab_warn_unfair(const struct lab_scenario *sc, json_t *result);

/** A copy of a list of objects in which times and rates are rounded to four digits. */
json_t *lab_rounded(const json_t *list);

/** Write a result as text: title, parameters, traffic, queues, notices, expectations. */
void lab_report(const json_t *result, FILE *out);

/**
 * Write the files of the measure's directory: result.json, report.txt, series.csv, captures.
 * Without a directory it does nothing.
 *
 * @return 0, or -1 when a file could not be written, with a message on err
 */
int lab_save(struct lab_measure *m, const json_t *result, FILE *err);

#endif /* LAB_REPORT_H */
