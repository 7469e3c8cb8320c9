/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* IOAM namespaces with values for a use. */

#include "fcn_config_scopes.h"
#include "fcn_list.h"
#include "session_private.h"

/* Add a namespace as `ioam namespace add` does, and set what HPCC needs. */
static int
add_hpcc(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_setting_objects added = {.n = 0};
	struct fcn_config *cfg = fcn_session_edit(session);
	const struct fcn_list *list = fcn_list_of("ioam namespace");
	struct fcn_ioam_namespace *ns;
	int rc = fcn_list_run_add_to(list, cfg, args);

	if (rc == 0)
		rc = fcn_list_select(list, cfg, args, &added);
	if (rc != 0)
		return rc;
	ns = added.object[0];
	ns->short_data = FCN_IOAM_DATA_LINK_SPEED;
	ns->wide_data = FCN_IOAM_DATA_TX_BYTES;
	return 0;
}

static const struct fcn_command commands[] = {
		{"ioam namespace add <id:number> profile hpcc",
				"Add an IOAM namespace with the values that HPCC needs: this node "
				"writes the speed of the egress link and the number of bytes sent "
				"as namespace specific data",
				FCN_COMMAND_CONFIG, add_hpcc, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_ioam_commands = {"IOAM", commands, RTE_DIM(commands)};
