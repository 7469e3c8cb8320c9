/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Tables of several runs, which are lists of objects, as text and as JSON.
 */

#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include <stdio.h>

#include <jansson.h>

/** Write a table as text; times and rates have four digits. */
void lab_table_text(const json_t *list, FILE *out);

/**
 * Write a table to standard output as text and, when a file is given, to that file as JSON. The
 * file "-" is standard output, which then gets JSON instead of the text.
 *
 * @param text the table to be written as text, which may be list
 * @param name name of the program, for messages
 * @return 0, or -1 when the file could not be written, with a message on stderr
 */
int lab_print_table(
		const json_t *list, const json_t *text, const char *json_file, const char *name);

/** Write a table to a file of a directory, unless dir is NULL. @return 0, or -1 with a message */
int lab_write_table(const char *dir, const char *file, const json_t *value,
		void (*write)(const json_t *, FILE *), const char *name);

#endif /* LAB_TABLE_H */
