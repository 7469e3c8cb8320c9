/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of the console share a session, whose control has fake ports (tests/unit/control), and
 * a line for every configuration command.
 */

#ifndef APP_UTIL_H
#define APP_UTIL_H

#include "fcn_command_form.h"
#include "fcn_session.h"
#include "platform.h"

extern struct fcn_session session;

/**
 * Group setup: EAL, command table, and a directory for files, which becomes the current directory.
 */
int app_group_setup(void **state);
int app_group_teardown(void **state);

/** For TEST_FIXTURE(): a program that can make switches. */
#define APP_TEST .begin = app_group_setup, .end = app_group_teardown

/** Test setup: an empty switch. */
int app_setup(void **state);
int app_teardown(void **state);

/** Run a line. app_output() then gives its output. @return its result */
int app_line(const char *line);
/** Get the output of the last line. */
const char *app_output(void);
/** Run a line, and fail the test if it fails. */
void app_ok(const char *line);
/** Run the lines of an array that ends with NULL, and fail the test if one fails. */
void app_all(const char *const *lines);
/** Get the text of the running configuration, which the caller frees. */
char *app_config(void);
/**
 * Load the running configuration into an empty switch, and check that the same one is in force.
 */
void app_reload(void);
/** Write a text to a file in the tests' directory. */
void app_write(const char *file, const char *text);
/** A configuration without defaults: every configuration command, ended by NULL. */
extern const char *const app_everything[];

#endif /* APP_UTIL_H */
