/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Python part, lab-results, which makes tables of several runs, pictures and reports of the
 * files that fastcn-lab and `fastcn replay` write. It is a program of its own: in
 * app/fastcn-lab/results of the folder of the build, in fastcn/ of libexecdir where it is
 * installed.
 *
 * Thread safety: none; the functions begin processes.
 */

#ifndef FCN_PYTHON_PART_H
#define FCN_PYTHON_PART_H

#include <stdio.h>

/** What came of python_part_run(). */
enum python_part_outcome {
	PYTHON_PART_DONE,
	PYTHON_PART_FAILED,  /**< it ended with another status than 0, and has said why on stderr */
	PYTHON_PART_MISSING, /**< it could not be started, or was interrupted */
};

/**
 * Run the Python part, and wait until it ends.
 *
 * @param what begins the line that says why it could not be started
 * @param n    number of words
 * @param err  where that line goes
 */
enum python_part_outcome python_part_run(
		const char *what, unsigned int n, const char *const *words, FILE *err);

/**
 * Become the Python part.
 *
 * @param what as above; the line goes to stderr
 * @return when it could not be started
 */
void python_part_become(const char *what, unsigned int n, const char *const *words);

/**
 * Have it make the report of a run: an HTML file, or a sketch of the highest queue as text.
 *
 * @param what   begins messages on stderr
 * @param kind   "replay" or "lab": whose files they are
 * @param result file with the result of the run as JSON, from its beginning to its end
 * @param series file with the numbers over time, likewise
 * @param out    the HTML file, which is empty; NULL: the sketch goes to standard output
 * @return 0, or -1 after a message
 */
int python_part_report(const char *what, const char *kind, FILE *result, FILE *series, FILE *out);

#endif /* FCN_PYTHON_PART_H */
