/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The search of the console's history, as Ctrl-R of shells does it. Internal to lib/cli.
 */

#ifndef FCN_CONSOLE_SEARCH_H
#define FCN_CONSOLE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#define FCN_SEARCH_LINES 1000 /**< lines that are kept to be found */

/** A history, and a search in it. All zero: there are no lines and no search. */
struct fcn_search {
	char *line[FCN_SEARCH_LINES]; /**< a ring: number n is at n % FCN_SEARCH_LINES */
	size_t end;                   /**< number of the next line */
	bool on;                      /**< keys are those of a search */
	bool failed;                  /**< no older line has what was typed */
	char typed[64];               /**< what is searched for */
	size_t len;
	size_t at; /**< number of the line that was found; `end`: none */
};

/** What a key has done to a search. */
enum fcn_search_key {
	FCN_SEARCH_GOES_ON, /**< it is to be shown again */
	FCN_SEARCH_TAKEN,   /**< the line that was found is to be edited, and the key is for that */
	FCN_SEARCH_CANCELLED, /**< the line of before is to be edited, and the key was used */
};

/** Add a line to the history, unless it is the newest one of it. */
void fcn_search_remember(struct fcn_search *search, const char *line);
/** Begin a search. */
void fcn_search_begin(struct fcn_search *search);
/** Use a key in a search. One that ends it sets `on` to false. */
enum fcn_search_key fcn_search_use(struct fcn_search *search, char key);
/** @return the line that was found; NULL: none */
const char *fcn_search_found(const struct fcn_search *search);
/** Write the search as one row of a terminal. @param columns of the terminal; 0: not known */
void fcn_search_format(
		const struct fcn_search *search, unsigned int columns, char *dst, size_t size);
/** Free the lines. */
void fcn_search_free(struct fcn_search *search);

#endif /* FCN_CONSOLE_SEARCH_H */
