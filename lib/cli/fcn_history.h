/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The history of a console in a file, so that later sessions have it. Only its owner may read the
 * file (mode 0600). Errors of the file are ignored.
 *
 * Thread safety: there is no shared state. Several programs may add lines to a file. A file system
 * may take its time.
 */

#ifndef FCN_HISTORY_H
#define FCN_HISTORY_H

#include <stdbool.h>

#define FCN_HISTORY_PATH 4096 /**< size of the longest path, with terminator */

/**
 * Get the path of a history file.
 *
 * @param variable environment variable with the path; if it is empty, there is no history
 * @param file     name of the file in the user's home directory, without that variable
 * @param name     result; "" if there is none
 * @return whether there is one
 */
bool fcn_history_file(const char *variable, const char *file, char name[FCN_HISTORY_PATH]);

/** Call add() with each line of a history file, the oldest first. A file of more than 64 KiB then
 * loses its older half. @param name "": there is none */
void fcn_history_load(const char *name, void (*add)(void *arg, const char *line), void *arg);

/** Append a line to a history file, unless it is empty. @param name "": there is none */
void fcn_history_add(const char *name, const char *line);

#endif /* FCN_HISTORY_H */
