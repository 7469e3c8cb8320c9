/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "session_private.h"

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
		{"set protected-class <class:class> <state:on|off>",
				"Set whether the class is protected, so that packets of ports "
				"without class trust may not use it",
				FCN_COMMAND_CONFIG, set_protected, .role = FCN_ROLE_OPERATE},
		{"set protected-class auto",
				"The class of notices and the class of the host functions, and "
				"the classes 6 and 7, are protected (default)",
				FCN_COMMAND_CONFIG, set_protected, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_border_commands = {"Border", commands, RTE_DIM(commands)};

void
fcn_save_border(const struct fcn_config *cfg, FILE *out)
{
	if (cfg->protected_classes != FCN_PROTECTED_AUTO) {
		fputs("set protected-class all off\n", out);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (cfg->protected_classes >> c & 1)
				fprintf(out, "set protected-class %u on\n", c);
		}
	}
}
