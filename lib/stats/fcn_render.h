/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a `show` says, as text: from the same JSON value that programs get.
 *
 * An object is a list of `name: value` lines; an array of objects is a table
 * with a column a member, numbers to the right; objects within objects are
 * indented. A member whose name ends in "_text" is left out of tables' headers
 * but printed last, as it is prose. Array "[]" prints as "none".
 */

#ifndef FCN_RENDER_H
#define FCN_RENDER_H

#include <stdio.h>

#include <jansson.h>

/** Write a value as text for people. */
void fcn_render_text(const json_t *value, FILE *out);

/** Write a value as JSON, two spaces of indent, members in the order they were set, and a newline.
 */
void fcn_render_json(const json_t *value, FILE *out);

#endif /* FCN_RENDER_H */
