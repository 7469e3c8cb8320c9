/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "prefix_commands.h"

static const struct fcn_prefix_commands peers = {
		.add = fcn_config_peer_add, .remove = fcn_config_peer_remove};
static const struct fcn_prefix_commands sids = {
		.add = fcn_config_sid_add, .remove = fcn_config_sid_remove};

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
				"CNPs with hosts inside. With set border cnp drop, all other "
				"CNPs are dropped at the border",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &peers},
		{"border peer remove <prefix:prefix>",
				"Remove a prefix of hosts outside the domain", FCN_COMMAND_CONFIG,
				fcn_session_prefix_remove, &peers},
		{"border sid add <prefix:prefix>",
				"Add a prefix of segment identifiers (SIDs) of the domain, "
				"including those of END.CON. Packets to and from them are "
				"dropped at the border",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &sids},
		{"border sid remove <prefix:prefix>", "Remove a prefix of segment identifiers",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &sids},
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

void
fcn_save_border(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_border *b = &cfg->border;

	fcn_save_prefixes(out, "border peer add", b->peers.item, b->peers.n);
	fcn_save_prefixes(out, "border sid add", b->sids.item, b->sids.n);
	if (cfg->protected_classes != FCN_PROTECTED_AUTO) {
		fputs("set protected-class all off\n", out);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (cfg->protected_classes >> c & 1)
				fprintf(out, "set protected-class %u on\n", c);
		}
	}
}
