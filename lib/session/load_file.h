/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Read a file of commands without blocking the control thread. Another thread reads the file, and
 * the control thread answers neighbours between the lines that it runs.
 */

#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct fcn_control;

/**
 * Read a whole file into memory. A regular file that is too large is not read at all; of a device
 * or a pipe, not much more than FCN_COMMAND_MAX_FILE bytes are read.
 *
 * @param in is set to a stream of the content, to be closed with fclose() before ctl is freed
 * @return 0 or a negative errno; -EFBIG: the file is too large
 */
int fcn_load_file(struct fcn_control *ctl, const char *path, FILE **in);

/** Tell whether reading a file may block until somebody writes to it: it exists, and is neither a
 * regular file, nor a directory, nor /dev/null. */
bool fcn_load_may_wait(struct fcn_control *ctl, const char *path);

#endif /* LOAD_FILE_H */
