/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Names of files, for the completion of consoles. Thread safe. */

#ifndef FCN_FILE_NAMES_H
#define FCN_FILE_NAMES_H

#define FCN_FILE_NAMES 512 /**< most entries of a directory that are looked at */

/**
 * List the files whose name begins like a word and can be written in a command. Directories end in
 * '/'. Files that begin with '.' are listed only if the word does. Reading a directory may take as
 * long as the file system does.
 *
 * @param word the beginning of a path
 * @param add  called for each path
 */
void fcn_file_names(const char *word, void (*add)(void *list, const char *name), void *list);

#endif /* FCN_FILE_NAMES_H */
