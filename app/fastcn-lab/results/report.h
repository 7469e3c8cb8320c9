/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The report of a run, and the files of its directory.
 *
 *   result = lab_run(...);
 *   failed = lab_check_expectations(sc, result);
 *   lab_save(m, result, stderr);         with a directory
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

/** Write a result as text: title, parameters, traffic, queues, notices, expectations. */
void lab_report(const json_t *result, FILE *out);

/**
 * Write the files of the measure's directory: result.json, report.txt, series.csv, pictures.
 * Without a directory it does nothing. When there is no gnuplot, err says so, and it is no failure.
 *
 * @return 0, or -1 when a file could not be written, with a message on err
 */
int lab_save(struct lab_measure *m, const json_t *result, FILE *err);

/** Like lab_save(), but without pictures. */
int lab_save_files(struct lab_measure *m, const json_t *result, FILE *err);

/** `fastcn-lab compare DIR|result.json... [--out DIR] [--json]`, argv[0] is "compare".
 * @return exit status */
int lab_compare_main(int argc, char **argv);

/** `fastcn-lab sweep SCENARIO --vary NAME=V1,V2... ...`, argv[0] is "sweep". @return exit status */
int lab_sweep_main(int argc, char **argv);

#endif /* LAB_REPORT_H */
