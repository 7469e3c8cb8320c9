/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the shared buffer, in bytes and in packets, but for the part that each queue has of
 * it. */

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
		{"packets",
				"Number of packets that all queues may hold together. A queue may "
				"have its reserve of 32 packets, and as many as are free of those "
				"that are not reserved. A switch has no more than its packet "
				"buffers permit",
				{COUNT("packets", packets, 64, 8388607, "a number of packets",
						.initial = FCN_AUTO, SHOW("packets"),
						NULL_IF(FCN_AUTO),
						.special = {OR("auto", FCN_AUTO,
								"As many as packet buffers permit, "
								"less those that devices, workers "
								"and the host functions may "
								"hold")})}},
};

const struct fcn_setting_scope fcn_buffer_scope = {
		.title = "Shared buffer",
		.syntax = "set buffer",
		.show = "buffer",
		FCN_SETTING_TABLE(settings, OPERATE),
};
