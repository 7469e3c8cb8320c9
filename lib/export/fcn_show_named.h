/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What `show NAME json` says, for programs: by name, with parameters as text.
 * Watermarks do not start afresh: they are left to the console.
 */

#ifndef FCN_SHOW_NAMED_H
#define FCN_SHOW_NAMED_H

#include <jansson.h>

#include "fcn_control.h"

/** A `show` that programs get. */
struct fcn_show_named {
	const char *name;
	const char *parameters; /**< for people; NULL: it takes none */
	const char *help;
	unsigned int n; /**< most parameters */
	json_t *(*get)(struct fcn_control *ctl, const int *param);
};

/** All of them; ends with a name that is NULL. */
extern const struct fcn_show_named fcn_show_named[];

/**
 * By name; the control thread's.
 *
 * @param params separated by commas, such as "p1,3"; NULL or "": none. At the place of a port or a
 * bridge its name.
 * @return a new reference: what show says, or an object with the member "error"; NULL on lack of
 *         memory
 */
json_t *fcn_show_by_name(struct fcn_control *ctl, const char *name, const char *params);

#endif /* FCN_SHOW_NAMED_H */
