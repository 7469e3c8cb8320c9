/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A `show` as a request of a program, by its name and by parameters with names, as in
 * "/api/v1/show/queue?port=p1&class=3". The parameters are those of the console's syntax: an
 * argument has the name of the word in front of it or, without one, its own.
 */

#ifndef SHOW_REQUEST_H
#define SHOW_REQUEST_H

#include <stdbool.h>

#include "fcn_show_list.h"

#define FCN_SHOW_PARAMS 8      /**< most parameters of a request */
#define FCN_SHOW_PARAM_NAME 16 /**< size of a parameter's name with its '\0' */
#define FCN_SHOW_PARAM_VALUE 64
/** Rows of an answer without the parameter limit, and with it at most, of shows whose number of
 * rows is not bounded and which have the parameter skip. */
#define FCN_SHOW_ROWS 1000
#define FCN_SHOW_MOST_ROWS 10000

/** A parameter that a `show` takes. */
struct fcn_show_param {
	char name[FCN_SHOW_PARAM_NAME];
	char key[FCN_SHOW_PARAM_NAME]; /**< the argument of the console; "" if it is a word alone */
};

/**
 * Read the parameters of a `show` from its syntax. Any thread may call this.
 *
 * @param at  where to go on in the syntax: that of the `show` at first
 * @param param result
 * @return whether there is one more
 */
bool fcn_show_param_next(const char **at, struct fcn_show_param *param);

/** A request. */
struct fcn_show_request {
	const struct fcn_show *show;
	unsigned int n;
	struct {
		char name[FCN_SHOW_PARAM_NAME];
		char value[FCN_SHOW_PARAM_VALUE]; /**< of a word alone: "", "1", "true"; or "0",
						     "false" */
	} param[FCN_SHOW_PARAMS];
};

/** An answer. */
struct fcn_show_result {
	json_t *value;   /**< NULL: there is an error, or a lack of memory */
	char error[256]; /**< one line; "": none */
	uint64_t next;   /**< parameter skip for the rows that follow; 0: these are all */
};

/** Get the answer to a request. The control thread calls this. */
void fcn_show_request_run(const struct fcn_show_source *source,
		const struct fcn_show_request *request, struct fcn_show_result *result);

#endif /* SHOW_REQUEST_H */
