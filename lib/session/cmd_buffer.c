/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_BUFFER 4000000000ull /* accounts are of 32 bits */
#define MAX_RESERVE 1000000000
#define MAX_ALPHA (128 * FCN_RATIO_ONE)

static int
set_buffer(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t size = fcn_args_u64(args, "size", 0);

	if (!fcn_args_has(args, "off") && (size < 1 || size > MAX_BUFFER))
		return fcn_command_error(args, -ERANGE, "size", "a buffer is 1 byte to 4G, or off");
	fcn_session_edit(session)->buffer = size;
	return 0;
}

static int
set_reserve(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t reserve = fcn_args_u64(args, "reserve", 0);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	if (reserve > MAX_RESERVE)
		return fcn_command_error(args, -ERANGE, "reserve", "a reserve is at most 1G");
	FCN_FOREACH_SELECTED(&sel, p, c)
	fcn_session_edit(session)->port[p].queue[c].reserve = reserve;
	return 0;
}

static int
set_alpha(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t alpha = fcn_args_u64(args, "alpha", 0);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	if (alpha > MAX_ALPHA)
		return fcn_command_error(args, -ERANGE, "alpha", "alpha is at most 128");
	FCN_FOREACH_SELECTED(&sel, p, c)
	fcn_session_edit(session)->port[p].queue[c].alpha = alpha;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set buffer size <size:size>",
				"Buffer that all queues share: each may have alpha times what is "
				"free, beside its reserve",
				FCN_COMMAND_CONFIG, set_buffer},
		{"set buffer off", "Each queue has its own limit alone (default)",
				FCN_COMMAND_CONFIG, set_buffer},
		{"set queue <port:name> class <class:class> reserve <reserve:size>",
				"Bytes of the shared buffer that are always the queue's (default "
				"0)",
				FCN_COMMAND_CONFIG, set_reserve},
		{"set queue <port:name> class <class:class> alpha <alpha:ratio>",
				"What the queue may have of the shared buffer, in proportion to "
				"what is free of it (default 1)",
				FCN_COMMAND_CONFIG, set_alpha},
};

const struct fcn_command_group fcn_buffer_commands = {"Shared buffer", commands, RTE_DIM(commands)};

void
fcn_save_buffer(const struct fcn_config *cfg, FILE *out)
{
	char text[32];

	if (cfg->buffer != 0)
		fprintf(out, "set buffer size %" PRIu64 "\n", cfg->buffer);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		for (unsigned int c = 0; fcn_config_is_line(cfg, p) && c < FCN_CLASSES; c++) {
			const struct fcn_config_queue *q = &port->queue[c];

			if (q->reserve != 0)
				fprintf(out, "set queue %s class %u reserve %u\n", port->name, c,
						q->reserve);
			if (q->alpha != FCN_RATIO_ONE)
				fprintf(out, "set queue %s class %u alpha %s\n", port->name, c,
						fcn_format_ratio(q->alpha, text, sizeof(text)));
		}
	}
}
