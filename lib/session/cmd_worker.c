/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "fcn_render.h"
#include "fcn_show.h"
#include "session_private.h"

#define MAX_IDLE_NS 1000000

static int
set_idle(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t time = fcn_args_u64(args, "time", 0); /* spin says none */

	if (fcn_args_has(args, "time") && (time < 1000 || time > MAX_IDLE_NS))
		return fcn_command_error(args, -ERANGE, "time", "a worker sleeps 1us to 1ms");
	fcn_session_edit(session)->idle_ns = time;
	return 0;
}

static int
show_worker(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_session_put_list(
			session, args, fcn_show_workers(session->ctl), fcn_show_worker_columns);
}

static const struct fcn_command commands[] = {
		{"set worker idle spin",
				"Workers that find nothing to do look again at once: fastest to "
				"answer, and their cores are never free",
				FCN_COMMAND_CONFIG, set_idle},
		{"set worker idle sleep <time:time>",
				"Workers that find nothing to do for a while sleep, longer and "
				"longer up to this time (default 100us)",
				FCN_COMMAND_CONFIG, set_idle},
		{"show worker [detail] [json]",
				"Workers: their ports, how busy they are, what they handed over to "
				"each other, the longest turn",
				FCN_COMMAND_ACTION, show_worker},
};

const struct fcn_command_group fcn_worker_commands = {"Workers", commands, RTE_DIM(commands)};

void
fcn_save_workers(const struct fcn_config *cfg, FILE *out)
{
	char text[32];

	if (cfg->idle_ns == 0)
		fputs("set worker idle spin\n", out);
	else if (cfg->idle_ns != FCN_DEFAULT_IDLE_NS)
		fprintf(out, "set worker idle sleep %s\n",
				fcn_format_time(cfg->idle_ns, text, sizeof(text)));
}
