/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A file of commands as a stream that does not hold the control thread up: the file is read beside
 * it, and while its lines are run neighbours are answered.
 */

#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct fcn_control;

/**
 * Read a whole file. Of a regular file that is larger than a file of commands may be, nothing is
 * read; of another one, no more than that size and a block.
 *
 * @param in to be closed with fclose(), while ctl is there
 * @return 0 or a negative errno; -EFBIG: the file is too large
 */
int fcn_load_file(struct fcn_control *ctl, const char *path, FILE **in);

/** Whether a file is there and neither regular, nor a directory, nor /dev/null: one that might have
 * its reader wait. */
bool fcn_load_may_wait(struct fcn_control *ctl, const char *path);

#endif /* LOAD_FILE_H */
