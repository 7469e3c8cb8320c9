/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The command line of a program, whose options are declared like commands of the console
 * (fcn_command.h): "lifetime <value:time>" is the option --lifetime. So values have the forms that
 * they have at the console, and options, help and errors come from one list.
 *
 * An option has no value, one or several: "--word", "--word value", "--word=value",
 * "--word value value". An option without a value that is given one is an error. A value of the
 * type text is any line, or with FCN_OPTIONS_TEXT() anything; fcn_options_word() has it, and not
 * the arguments of the command. An option that only sets a member to a value may be given once.
 * "-h" is the same as "--help". A program has at most 64 options.
 *
 * Thread safety: all state is on the stack and in the object that is filled.
 */

#ifndef FCN_PROGRAM_OPTIONS_H
#define FCN_PROGRAM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fcn_command.h"

#define FCN_OPTIONS_MAX_VALUES 2 /**< maximum number of values of an option */

/** The options of a program. */
struct fcn_options {
	const char *program; /**< its name, for messages */
	const struct fcn_command *options;
	size_t n_options;
	/** Take a word that is no option. @return 0; -1 after an error was written. NULL: there is
	 * none */
	int (*operand)(void *object, const char *word);
};

/** A member of the object that an option sets: an unsigned integer, a bool, or a text. */
struct fcn_options_member {
	size_t offset, size;
	uint64_t least, most; /**< what a number may be; most 0: it is a text, a const char pointer
			       */
};

/* What follows the help of an option that only sets a member: a number, a bool, or a text, which is
 * that of the command line. */
#define FCN_OPTIONS_NUMBER(type, member, least, most)                   \
	FCN_COMMAND_CONFIG, fcn_options_set,                            \
			(&(const struct fcn_options_member){            \
					offsetof(type, member),         \
					sizeof(((type *)NULL)->member), \
					least,                          \
					most,                           \
			})
#define FCN_OPTIONS_FLAG(type, member) FCN_OPTIONS_NUMBER(type, member, 1, 1)
#define FCN_OPTIONS_TEXT(type, member) FCN_OPTIONS_NUMBER(type, member, 0, 0)

/**
 * Read options until the words end. The first error is written to standard error, with the name of
 * the program, and with the option and value that it is about.
 *
 * @param object what the options set
 * @param words  the words of the command line behind the name of the program, ended by NULL; they
 *               must stay as long as the object if it keeps what fcn_options_word() returns
 * @return 0; -1 after an error
 */
int fcn_options_read(const struct fcn_options *options, void *object, char *const *words);

/** Write all options with their help. */
void fcn_options_help(const struct fcn_options *options, FILE *out);

/**
 * Write an error to standard error: "PROGRAM: OPTION VALUE: WHAT".
 *
 * @param value NULL: none
 * @return -1
 */
int fcn_options_error(const struct fcn_options *options, const char *option, const char *value,
		const char *what);

/* ---- for fcn_command.run of an option ---- */

/** Set the member that fcn_command.data names, a struct fcn_options_member. */
int fcn_options_set(struct fcn_session *session, const struct fcn_args *args);

/** Get the object that the options set. */
void *fcn_options_object(const struct fcn_session *session);

/** Get the option's first value as the command line has it, which stays; NULL: it has none. */
const char *fcn_options_word(const struct fcn_session *session);

#endif /* FCN_PROGRAM_OPTIONS_H */
