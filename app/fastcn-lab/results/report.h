/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a run shows: a report for people, and the files of its directory.
 *
 *   result = lab_run(...);
 *   failed = lab_judge(sc, result);
 *   lab_save(m, result, stderr);         with a directory
 *   lab_report(result, stdout);          or fcn_render_json()
 */

#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdio.h>

#include "measure.h"

/**
 * What the scenario expects, against its result: adds "expectations" to it.
 *
 * @return how many do not hold, or cannot be computed
 */
unsigned int lab_judge(const struct lab_scenario *sc, json_t *result);

/** Write a result for people: title, parameters, what happened, what was expected. */
void lab_report(const json_t *result, FILE *out);

/**
 * Write the files of the measure's directory: result.json, report.txt, series.csv, pictures.
 * Without a directory it does nothing. That gnuplot is missing is said and is no failure.
 *
 * @return 0, -1 when something could not be written, which is said on err
 */
int lab_save(struct lab_measure *m, const json_t *result, FILE *err);

/** The same without pictures. */
int lab_save_files(struct lab_measure *m, const json_t *result, FILE *err);

/** `fastcn-lab compare DIR|result.json... [--out DIR] [--json]`, argv[0] is "compare".
 * @return exit status */
int lab_compare_main(int argc, char **argv);

/** `fastcn-lab sweep SCENARIO --vary NAME=V1,V2... ...`, argv[0] is "sweep". @return exit status */
int lab_sweep_main(int argc, char **argv);

#endif /* LAB_REPORT_H */
