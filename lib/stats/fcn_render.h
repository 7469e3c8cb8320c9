/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a `show` says, as text: from the same JSON value that programs get.
 *
 * An object is a list of `name: value` lines; an array of objects is a table
 * with a column a member, numbers to the right; objects within objects are
 * indented; a table wider than 110 characters is cut into several, each with the
 * columns that tell its rows apart. A member whose name ends in "_text" is prose, for the last
 * column. One that ends in "_bps" or "_ns" is a number in that unit: JSON has it plain, text as a
 * person would write it (10G, 4us) under the name without the ending. An empty array prints as
 * "none".
 */

#ifndef FCN_RENDER_H
#define FCN_RENDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/** Write a value as text for people. */
void fcn_render_text(const json_t *value, FILE *out);

/** Write some members of the objects of a list as a table; those a row lacks are left out. */
void fcn_render_columns(const json_t *list, const char *const *keys, FILE *out);

/** Write the objects of a list one below the other, with all they hold. */
void fcn_render_each(const json_t *list, FILE *out);

/** Write a value as JSON, two spaces of indent, members in the order they were set, and a newline.
 */
void fcn_render_json(const json_t *value, FILE *out);

/** Bits per second as a person writes them: 10G, 2.5G, 64K. @return buf. */
const char *fcn_format_rate(uint64_t bps, char *buf, size_t size);

/** Nanoseconds as a person writes them: 4us, 113.6us, 1s. Exact. @return buf. */
const char *fcn_format_time(uint64_t ns, char *buf, size_t size);

/** Billionths as a person writes a ratio: 0.125, 2. Exact. @return buf. */
const char *fcn_format_ratio(uint64_t ratio, char *buf, size_t size);

#endif /* FCN_RENDER_H */
