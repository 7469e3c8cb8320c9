/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Python part of the lab, lab-results, which makes tables of several runs and all pictures of
 * what a run has written. It is a program of its own beside this one: in results/ of the folder of
 * the program where it was built, in fastcn/ of libexecdir where it is installed.
 */

#ifndef LAB_PRESENT_H
#define LAB_PRESENT_H

#include <stdio.h>

/**
 * Have the pictures of a run drawn into the directory that holds its files. When they cannot be
 * drawn, err says why, and the files of the run are as good without them.
 *
 * @return 0, or -1 when the scripts of the pictures could not be written, with a message on stderr
 */
int lab_present_run(const char *dir, FILE *err);

/**
 * Become the Python part: `fastcn-lab compare ...` or `fastcn-lab sweep ...`, argv[0] is that word.
 *
 * @return the exit status when it could not be started, with a message on stderr
 */
int lab_present_main(int argc, char **argv);

#endif /* LAB_PRESENT_H */
