/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Filters behind a `show`: "show port | include p1 | exclude down", "show port | json". A filter
 * begins with a '|' that stands alone. Filters are declared as commands are, so they have the same
 * errors, help and completion, and may be abbreviated.
 *
 * A regular expression is a POSIX extended one, without repetition counts ("{2}") and
 * back-references ("\1"), whose cost has no useful limit.
 *
 * Thread safety: there is no shared state.
 */

#ifndef FCN_FILTER_H
#define FCN_FILTER_H

#include "fcn_command.h"

#define FCN_FILTERS 8         /**< maximum number of filters of a line */
#define FCN_FILTER_MAX_RE 127 /**< maximum length of a regular expression in bytes */

/** The filters of a line. */
struct fcn_filters {
	struct {
		bool exclude; /**< lines that match are left out, and else only they are kept */
		char re[FCN_FILTER_MAX_RE + 1];
	} list[FCN_FILTERS];
	unsigned int n;
	bool json; /**< the value is wanted as JSON */
};

/** The declarations of filters, for completion and help; running one needs fcn_filters_read(). */
extern const struct fcn_command_group fcn_filter_commands;

/**
 * Find where the filters of a line begin: its first '|' that stands alone, if the line is a `show`.
 *
 * @return offset of the '|'; the length of the line if it has no filters
 */
size_t fcn_filters_find(const char *line);

/** Find where the last filter of a line begins. @return offset behind its '|'; 0: there is none */
size_t fcn_filters_last(const char *line);

/**
 * Read the filters of a line.
 *
 * @param filters result; without any it has n == 0 and json == false
 * @param diag    on failure, where and what is wrong
 * @return 0; -EINVAL; -E2BIG: there are too many; -ENOMEM; or as fcn_command_run()
 */
int fcn_filters_read(const char *line, struct fcn_filters *filters, struct fcn_diag *diag);

/** Write the lines of a text that pass all filters. @return 0; -ENOMEM */
int fcn_filters_apply(const struct fcn_filters *filters, const char *text, size_t len, FILE *out);

#endif /* FCN_FILTER_H */
