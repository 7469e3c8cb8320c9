/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "prefix_commands.h"

int
fcn_session_prefix_error(const struct fcn_args *args, int rc, const char *what, unsigned int most)
{
	switch (rc) {
	case -EEXIST:
		return fcn_command_error(args, rc, "prefix", "this prefix exists already");
	case -ENOENT:
		return fcn_command_error(args, rc, "prefix", "there is no such prefix");
	case -ENOSPC:
		return fcn_command_error(args, rc, "prefix",
				"there are %u prefixes of %s already, the most there can be", most,
				what);
	default:
		return rc;
	}
}

int
fcn_session_prefix_add(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_prefix_commands *list = fcn_args_data(args);
	const struct fcn_prefix *prefix = fcn_args_prefix(args, "prefix");

	if (prefix->addr.version != 6 && list->why_no_ipv4 != NULL)
		return fcn_command_error(args, -EAFNOSUPPORT, "prefix", "%s", list->why_no_ipv4);
	return fcn_session_prefix_error(
			args, list->add(fcn_session_edit(session), prefix), list->what, list->most);
}

int
fcn_session_prefix_remove(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_prefix_commands *list = fcn_args_data(args);

	return fcn_session_prefix_error(args,
			list->remove(fcn_session_edit(session), fcn_args_prefix(args, "prefix")),
			list->what, list->most);
}

void
fcn_save_prefixes(FILE *out, const char *command, const struct fcn_prefix *prefix, size_t n)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s %s\n", command, fcn_prefix_format(&prefix[i], text, sizeof(text)));
}
