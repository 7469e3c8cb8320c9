/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "session_private.h"

static int
set_copies(struct fcn_session *session, const struct fcn_args *args)
{
	enum fcn_quote_mode mode = FCN_QUOTE_AUTO;

	while (strcmp(fcn_quote_mode_name(mode), fcn_args_str(args, "mode")) != 0)
		mode++;
	fcn_session_edit(session)->copies = mode;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set copies <mode:auto|copy|clone>",
				"How copies of a packet are made, as for flooding: with all bytes "
				"copied (copy), with headers of their own and the rest shared "
				"(clone), or as is faster for a packet of that length (auto, the "
				"default). A port that cannot send shared bytes has all of them "
				"copied",
				FCN_COMMAND_CONFIG, set_copies},
};

const struct fcn_command_group fcn_copies_commands = {
		"Copies of packets", commands, RTE_DIM(commands)};

void
fcn_save_copies(const struct fcn_config *cfg, FILE *out)
{
	if (cfg->copies != FCN_QUOTE_AUTO)
		fprintf(out, "set copies %s\n", fcn_quote_mode_name(cfg->copies));
}
