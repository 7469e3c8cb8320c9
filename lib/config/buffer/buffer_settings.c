/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the shared buffer, but for the part that each queue has of it. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		/* Accounts of the buffer have 32 bits. */
		{"",
				"Size of the buffer that all queues share. A queue may occupy "
				"its reserve, and alpha times the part of the buffer that is "
				"free",
				{SIZE("size", buffer, 1, 4000000000, "a buffer", .word = "size",
						SHOW("size"),
						.special = {OR("off", 0,
								"There is no shared buffer. Each "
								"queue only has its own limit")})}},
};

const struct fcn_setting_scope fcn_buffer_scope = {
		.title = "Shared buffer",
		.syntax = "set buffer",
		.show = "buffer",
		FCN_SETTING_TABLE(settings),
};
