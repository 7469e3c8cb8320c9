/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_ioam.h"
#include "session_private.h"

static int
prefix_error(const struct fcn_args *args, int rc)
{
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "prefix", "this prefix exists already");
	if (rc == -ENOENT)
		return fcn_command_error(args, rc, "prefix", "there is no such prefix");
	return rc;
}

static int
peer_add(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_peer_add(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
peer_remove(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_peer_remove(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
sid_add(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_sid_add(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
sid_remove(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_sid_remove(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
set_protected(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);
	struct fcn_config *cfg = fcn_session_edit(session);
	int set = class == FCN_ARG_CLASS_ALL ? 0xFF : 1 << class;

	if (fcn_args_has(args, "auto")) {
		cfg->protected_classes = FCN_PROTECTED_AUTO;
		return 0;
	}
	cfg->protected_classes = fcn_config_protected(cfg);
	if (fcn_session_is_on(args))
		cfg->protected_classes |= set;
	else
		cfg->protected_classes &= ~set;
	return 0;
}

static const struct fcn_command commands[] = {
		{"border peer add <prefix:prefix>",
				"Add a prefix of hosts outside the domain that may exchange "
				"CNPs with hosts inside. All other CNPs are dropped at the "
				"border",
				FCN_COMMAND_CONFIG, peer_add},
		{"border peer remove <prefix:prefix>",
				"Remove a prefix of hosts outside the domain", FCN_COMMAND_CONFIG,
				peer_remove},
		{"border sid add <prefix:prefix>",
				"Add a prefix of segment identifiers (SIDs) of the domain, "
				"including those of END.CON. Packets to and from them are "
				"dropped at the border",
				FCN_COMMAND_CONFIG, sid_add},
		{"border sid remove <prefix:prefix>", "Remove a prefix of segment identifiers",
				FCN_COMMAND_CONFIG, sid_remove},
		{"set protected-class <class:class> <state:on|off>",
				"Set whether the class is protected, so that packets of ports "
				"without class trust may not use it",
				FCN_COMMAND_CONFIG, set_protected},
		{"set protected-class auto",
				"The class of notices and the class of the host functions, and "
				"the classes 6 and 7, are protected (default)",
				FCN_COMMAND_CONFIG, set_protected},
};

const struct fcn_command_group fcn_border_commands = {"Border", commands, RTE_DIM(commands)};

static void
save_prefixes(const char *what, const struct fcn_prefix *prefix, size_t n, FILE *out)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "border %s add %s\n", what,
				fcn_prefix_format(&prefix[i], text, sizeof(text)));
}

void
fcn_save_border(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_border *b = &cfg->border;

	save_prefixes("peer", b->peers.item, b->peers.n, out);
	save_prefixes("sid", b->sids.item, b->sids.n, out);
	if (cfg->protected_classes != FCN_PROTECTED_AUTO) {
		fputs("set protected-class all off\n", out);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (cfg->protected_classes >> c & 1)
				fprintf(out, "set protected-class %u on\n", c);
		}
	}
}
