/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The lines by which two texts differ.
 *
 * Any thread may call this.
 */

#ifndef LINE_DIFF_H
#define LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/** A line that only one of two texts has, or that the two have in another order. */
struct line_diff_line {
	bool added;       /**< it is of the second text; else of the first one */
	size_t number;    /**< of the line in its text, from 1 on */
	const char *text; /**< in the text, not terminated */
	size_t len;       /**< without the end of the line */
};

/**
 * Compare two texts. Without the lines of the first text that are in the result, and with those of
 * the second one at their numbers, the first text is the second one. If no line stands in a text
 * twice, no shorter result has this property.
 *
 * The effort is that of sorting the lines.
 *
 * @param lines result, in the order of the second text, those removed in front of those added at
 * the same place; it points into the texts, and is to be freed
 * @param n     number of lines
 * @return 0; -ENOMEM
 */
int line_diff(const char *from, const char *to, struct line_diff_line **lines, size_t *n);

#endif /* LINE_DIFF_H */
