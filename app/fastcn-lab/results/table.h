/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Tables of several runs: a list of objects, as text, JSON and in files.
 */

#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include <stdio.h>

#include <jansson.h>

/** As text, times and rates with four digits. */
void lab_table_text(const json_t *list, FILE *out);

/**
 * To the terminal as text; with a file as JSON, too, "-" being the terminal, instead of the text.
 *
 * @param name of the program, for messages
 * @return 0, -1 when the file could not be written, which is said
 */
int lab_print_table(const json_t *list, const char *json_file, const char *name);

/** To a file of a directory; dir may be NULL. @return 0, -1, said on stderr */
int lab_write_table(const char *dir, const char *file, const json_t *value,
		void (*write)(const json_t *, FILE *), const char *name);

#endif /* LAB_TABLE_H */
