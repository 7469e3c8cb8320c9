/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

static int
set_dscp(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t dscp = fcn_args_u64(args, "dscp", 0), class = fcn_args_u64(args, "class", 0);

	if (dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP must be 0 to 63");
	if (class == FCN_ARG_CLASS_ALL)
		return fcn_command_error(
				args, -EINVAL, "class", "a single class must be given, 0 to 7");
	fcn_session_edit(session)->class_map.dscp[dscp] = class;
	return 0;
}

static int
set_pcp(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t pcp = fcn_args_u64(args, "pcp", 0), class = fcn_args_u64(args, "class", 0);

	if (pcp > 7)
		return fcn_command_error(args, -ERANGE, "pcp", "a PCP must be 0 to 7");
	if (class == FCN_ARG_CLASS_ALL)
		return fcn_command_error(
				args, -EINVAL, "class", "a single class must be given, 0 to 7");
	fcn_session_edit(session)->class_map.pcp[pcp] = class;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set class-map dscp <dscp:number> class <class:class>",
				"Set the class of packets with this DSCP (default DSCP / 8)",
				FCN_COMMAND_CONFIG, set_dscp, .role = FCN_ROLE_OPERATE},
		{"set class-map pcp <pcp:number> class <class:class>",
				"Set the class of frames with this VLAN priority (default the "
				"priority)",
				FCN_COMMAND_CONFIG, set_pcp, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_class_commands = {"Classes", commands, RTE_DIM(commands)};

void
fcn_save_classes(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int d = 0; d < RTE_DIM(cfg->class_map.dscp); d++) {
		if (cfg->class_map.dscp[d] != d / 8)
			fprintf(out, "set class-map dscp %u class %u\n", d, cfg->class_map.dscp[d]);
	}
	for (unsigned int p = 0; p < RTE_DIM(cfg->class_map.pcp); p++) {
		if (cfg->class_map.pcp[p] != p)
			fprintf(out, "set class-map pcp %u class %u\n", p, cfg->class_map.pcp[p]);
	}
}
