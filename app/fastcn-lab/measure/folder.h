/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Folders for the files of a run.
 */

#ifndef LAB_FOLDER_H
#define LAB_FOLDER_H

#include <stddef.h>

/**
 * Make a folder and those above it, unless they exist.
 *
 * @return 0, or -1 with "PATH: reason" in err
 */
int lab_make_folder(const char *path, char *err, size_t err_size);

#endif /* LAB_FOLDER_H */
