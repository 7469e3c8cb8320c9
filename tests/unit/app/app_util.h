/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A session with a control that has fake ports (tests/unit/control), and a line for every command.
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
/** Test setup: an empty switch. */
int app_setup(void **state);
int app_teardown(void **state);

/** Run a line. @return its result; its output is in app_said() */
int app_line(const char *line);
const char *app_said(void);
/** Run a line that must succeed. */
void app_ok(const char *line);
/** Run lines that must succeed, up to a NULL. */
void app_all(const char *const *lines);
/** Text of the running configuration, to be freed. */
char *app_config(void);
void app_write(const char *file, const char *text);
/** A configuration without defaults: every configuration command, ended by NULL. */
extern const char *const app_everything[];

#endif /* APP_UTIL_H */
