/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Commands of lists of prefixes: what adds to and removes from a list, its errors, and its lines in
 * `save`. The argument with the prefix is called "prefix".
 */

#ifndef PREFIX_COMMANDS_H
#define PREFIX_COMMANDS_H

#include <stdio.h>

#include "session_private.h"

/** A list of prefixes without values: the data of the commands that add to it and remove from it.
 */
struct fcn_prefix_commands {
	/** Add a prefix. @return 0; -EEXIST, -ENOSPC, -ENOMEM */
	int (*add)(struct fcn_config *cfg, const struct fcn_prefix *prefix);
	/** Remove a prefix. @return 0; -ENOENT, -ENOMEM */
	int (*remove)(struct fcn_config *cfg, const struct fcn_prefix *prefix);
	const char *why_no_ipv4; /**< error for an IPv4 prefix; NULL: the list can have them */
	const char *what;        /**< of whom or what these prefixes are, in the plural */
	unsigned int most;       /**< how many the list can have; 0: any number */
};

/** Run a command that adds to the list in its data. */
int fcn_session_prefix_add(struct fcn_session *session, const struct fcn_args *args);

/** Run a command that removes from the list in its data. */
int fcn_session_prefix_remove(struct fcn_session *session, const struct fcn_args *args);

/**
 * Report why a prefix was not added or removed.
 *
 * @param rc   what lib/config returned: 0 or a negative errno
 * @param what of whom or what the prefixes are, in the plural, for the error of a full list
 * @param most how many prefixes the list can have
 * @return rc
 */
int fcn_session_prefix_error(
		const struct fcn_args *args, int rc, const char *what, unsigned int most);

/** Write a line for each prefix. @param command what adds a prefix, such as "border peer add" */
void fcn_save_prefixes(FILE *out, const char *command, const struct fcn_prefix *prefix, size_t n);

#endif /* PREFIX_COMMANDS_H */
