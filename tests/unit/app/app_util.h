/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A session with a control whose ports are a diary (tests/unit/control), and
 * lines for every command there is.
 */

#ifndef APP_UTIL_H
#define APP_UTIL_H

#include "fcn_command_form.h"
#include "fcn_session.h"
#include "world.h"

extern struct fcn_session session;

/** Group setup: EAL, table of commands, a directory for files, which becomes the current one. */
int app_group_setup(void **state);
int app_group_teardown(void **state);
/** A switch with nothing in it. */
int app_setup(void **state);
int app_teardown(void **state);

/** Run a line. @return its result; what it said is in app_said(). */
int app_line(const char *line);
const char *app_said(void);
/** Run a line that must be fine. */
void app_ok(const char *line);
/** Run lines that must be fine, up to a NULL. */
void app_all(const char *const *lines);
/** Text of the configuration in force, to be freed. */
char *app_config(void);
void app_write(const char *file, const char *text);
/** A configuration without defaults: every configuration command, ended by NULL. */
extern const char *const app_everything[];

#endif /* APP_UTIL_H */
