/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What `show status` tells: whether the switch forwards, since when, and whether the running
 * configuration is saved. Internal to lib/export. The control thread makes all calls.
 */

#ifndef STATUS_H
#define STATUS_H

#include <limits.h>
#include <stdbool.h>
#include <time.h>

#include <jansson.h>

#include "fcn_control.h"

struct status {
	time_t started, since; /**< when the program and its present state began, UTC */
	bool forwarding;       /**< the present state: forwarding, or stopped */
	char file[PATH_MAX];   /**< the configuration file; "": there is none */
	uint64_t saved;        /**< fcn_control_commits() when it was loaded or saved */
};

/** Set the times and the state: stopped, without a file. */
void status_begin(struct status *status);

/** Note whether workers forward from now on. */
void status_forwarding(struct status *status, bool forwarding);

/**
 * Note that the running configuration is that of a file, which was loaded or saved. Without a
 * configuration file so far, this becomes the configuration file; any other is ignored.
 */
void status_saved(struct status *status, const char *file, const struct fcn_control *ctl);

/** Get the value of `show status`. @param status NULL: the program has no such state. @return a new
 * reference; NULL on lack of memory */
json_t *status_show(const struct status *status, struct fcn_control *ctl);

#endif /* STATUS_H */
