/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "fcn_show.h"
#include "session_private.h"

static int
show_worker(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_session_put_list(
			session, args, fcn_show_workers(session->ctl), fcn_show_worker_columns);
}

static const struct fcn_command commands[] = {
		{"show worker [detail] [json]",
				"Workers: their ports, how busy they are, what they handed over to "
				"each other, the longest turn",
				FCN_COMMAND_ACTION, show_worker},
};

const struct fcn_command_group fcn_worker_commands = {"Workers", commands, RTE_DIM(commands)};
