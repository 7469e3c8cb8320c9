/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the workers. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"idle",
				"Workers that find nothing to do for a while sleep, longer and "
				"longer up to this time",
				{TIME("time", idle_ns, 1000, 1000000, "a worker's sleep",
						.word = "sleep", .initial = FCN_DEFAULT_IDLE_NS,
						.special = {OR("spin", 0,
								"Workers that find nothing to do "
								"look again at once: they answer "
								"fastest, and their cores are "
								"never free")})}},
};

const struct fcn_setting_scope fcn_worker_scope = {
		.title = "Workers",
		.syntax = "set worker",
		FCN_SETTING_TABLE(settings),
};
