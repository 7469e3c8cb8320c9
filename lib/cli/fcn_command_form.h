/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The contents of a table of commands, for programs that need to know every line it accepts: a list
 * of all commands, a generator of test lines, a test that misses no command. A form is a
 * declaration with some of its optional parts; a declaration with one optional part has two forms.
 *
 * A table does not change after it was created, so any thread may call these functions.
 */

#ifndef FCN_COMMAND_FORM_H
#define FCN_COMMAND_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "fcn_command.h"

#define FCN_COMMAND_MAX_WORDS 32 /**< maximum number of words of a form */

/** One word of a form. */
struct fcn_command_word {
	const char *literal; /**< the word itself; NULL for an argument */
	const char *key;     /**< the name of the argument; NULL for a literal word */
	/** The type of the argument: a name of fcn_command.h, or the words of a choice with '#'
	 * between them. NULL for a literal word. */
	const char *type;
};

/**
 * Get the groups of which a table was created.
 *
 * @param n is set to their number
 * @return the groups in order; they belong to the table
 */
const struct fcn_command_group *fcn_command_table_groups(
		const struct fcn_command_table *table, size_t *n);

/** Get what fcn_command_table_options() has given a table. @param n is set to their number */
const struct fcn_command_option *fcn_command_table_get_options(
		const struct fcn_command_table *table, size_t *n);

/** Get the number of forms of all declarations of a table, without those that begin with `no`. */
size_t fcn_command_form_count(const struct fcn_command_table *table);

/** Get the declaration of a form. @param form 0 to fcn_command_form_count() - 1 */
const struct fcn_command *fcn_command_form_command(
		const struct fcn_command_table *table, size_t form);

/**
 * List the words of a form in order.
 *
 * @param words is filled; the strings belong to the table
 * @return number of words
 */
unsigned int fcn_command_form_words(const struct fcn_command_table *table, size_t form,
		struct fcn_command_word words[FCN_COMMAND_MAX_WORDS]);

/** Tell whether a line has this form, and its values have the right types. */
bool fcn_command_form_matches(const struct fcn_command_table *table, size_t form, const char *line);

#endif /* FCN_COMMAND_FORM_H */
