/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Random lines for a switch, made from the declarations of its commands, with values that are
 * right, at the edge of what is right, and wrong. Unit tests, a fuzz target and the endurance test
 * run them.
 */

#ifndef LINE_MAKER_H
#define LINE_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "fcn_command_form.h"

/** Maximum length of a line with its end. */
#define LINE_MAKER_MAX 1024

/** A source of lines. */
struct line_maker {
	const struct fcn_command_table *table;
	uint64_t seed; /**< state of the random numbers */
	/** Names, of which arguments are: those of ports, bridges and other things. The first
	 * n_likely are chosen most of the time. */
	const char *const *names;
	unsigned int n_names, n_likely;
	const char *const *files; /**< names of files */
	unsigned int n_files;
	size_t *first;        /**< the first form of each command */
	unsigned int n_first; /**< number of commands */
};

/** Fill in the forms of m->table. @return 0; -1 on lack of memory */
int line_maker_init(struct line_maker *m);
void line_maker_fini(struct line_maker *m);

/** Get a random number from 0 to n - 1. */
unsigned int line_maker_choose(struct line_maker *m, unsigned int n);

/** Choose a form of a command: any command as likely as another, however many forms it has. */
size_t line_maker_form(struct line_maker *m);

/** Make a line of a form. */
void line_maker_line(struct line_maker *m, size_t form, char line[LINE_MAKER_MAX]);

/** Make a slip: cut the line, change a byte, or leave one out. */
void line_maker_spoil(struct line_maker *m, char *line);

#endif /* LINE_MAKER_H */
