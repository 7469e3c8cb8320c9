/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Rendering of `show` as text, from the same JSON value that programs get.
 *
 * An object is written as lines of `name: value`, with objects within it indented. An array of
 * objects is a table: each member is a column, and numbers are aligned to the right. A table wider
 * than 110 characters is split into several, each of which begins with the columns that identify a
 * row. An empty array is written as "none".
 *
 * The end of a member's name says what its value is. "_text" is a sentence for people, which goes
 * into the last column. "_bps" and "_ns" are units: the number is plain in JSON, and is written in
 * text as a person would write it (10G, 4us), under the name without the ending: rates with four
 * significant digits, lengths of times with three, and moments, which are time_ns, start_ns,
 * end_ns, first_ns, last_ns and peak_ns, to the microsecond from 1 s on.
 * A boolean is yes or no, but what commands turn on and off is on or off.
 */

#ifndef FCN_RENDER_H
#define FCN_RENDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/** Write a value as text for people. */
void fcn_render_text(const json_t *value, FILE *out);

/** Write certain members of the objects of a list as a table. A row that lacks a member that others
 * have has "-".
 * @param keys names of the members, ended by NULL */
void fcn_render_columns(const json_t *list, const char *const *keys, FILE *out);

/** Write the objects of a list one after the other, with all their members. */
void fcn_render_each(const json_t *list, FILE *out);

/** Write a value as JSON with an indent of two spaces and a newline at the end. Members are in the
 * order in which they were set. */
void fcn_render_json(const json_t *value, FILE *out);

/** Format bits per second as the console reads them: 10G, 2.5G, 64K. The result is exact.
 * @return buf */
const char *fcn_format_rate(uint64_t bps, char *buf, size_t size);

/** Format nanoseconds as the console reads them: 4us, 113.6us, 1s. The result is exact.
 * @return buf */
const char *fcn_format_time(uint64_t ns, char *buf, size_t size);

/** Format a rate for people, with four significant digits: 9.877G. @return buf */
const char *fcn_format_short_rate(uint64_t bps, char *buf, size_t size);

/** Format the length of a time for people, with three significant digits, or whole seconds: 29.2s.
 * @return buf */
const char *fcn_format_short_time(uint64_t ns, char *buf, size_t size);

/** Format a moment for people: exact below 1 s, rounded to microseconds above: 608.280271s.
 * @return buf */
const char *fcn_format_moment(uint64_t ns, char *buf, size_t size);

/** Format a ratio, given in billionths, as a decimal number: 0.125, 2. The result is exact.
 * @return buf */
const char *fcn_format_ratio(uint64_t ratio, char *buf, size_t size);

#endif /* FCN_RENDER_H */
