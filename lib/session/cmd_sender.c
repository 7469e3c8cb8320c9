/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_config_names.h"
#include "prefix_commands.h"

static enum fcn_sender_capability
capability_of(const char *name)
{
	enum fcn_sender_capability c = FCN_SENDER_UNKNOWN;

	while (strcmp(fcn_capability_name(c), name) != 0)
		c++;
	return c;
}

static int
sender_add(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_config_sender_set(fcn_session_edit(session), fcn_args_prefix(args, "prefix"),
			capability_of(fcn_args_str(args, "capability")));
}

static const struct fcn_prefix_commands senders = {.remove = fcn_config_sender_remove};

static const struct fcn_command commands[] = {
		{"sender add <prefix:prefix> <capability:unknown|capable|none>",
				"Set whether the senders of a prefix support notices. Packets "
				"of capable senders are not marked with CE when their sender "
				"is notified. Senders with none are not notified, and their "
				"packets are only marked",
				FCN_COMMAND_CONFIG, sender_add},
		{"sender remove <prefix:prefix>", "Remove a prefix of senders", FCN_COMMAND_CONFIG,
				fcn_session_prefix_remove, &senders},
};

const struct fcn_command_group fcn_sender_commands = {"Notices", commands, RTE_DIM(commands)};

void
fcn_save_senders(const struct fcn_config *cfg, FILE *out)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < cfg->senders.n; i++)
		fprintf(out, "sender add %s %s\n",
				fcn_prefix_format(&cfg->senders.item[i].prefix, text, sizeof(text)),
				fcn_capability_name(cfg->senders.item[i].capability));
}
