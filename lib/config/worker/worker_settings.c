/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the workers. */

#include <rte_common.h>

#include "fcn_config_scopes.h"

static const struct fcn_setting settings[] = {
		{.words = "idle",
				.help = "Workers that find nothing to do for a while sleep, longer "
					"and longer up to this time",
				.value = {{.word = "sleep",
						.key = "time",
						.type = FCN_SETTING_TIME,
						FCN_SETTING_MEMBER(struct fcn_config, idle_ns),
						.least = 1000,
						.most = 1000000,
						.what = "a worker's sleep",
						.initial = 100000,
						.special = {{"spin",
								"Workers that find nothing to do "
								"look again at once: they answer "
								"fastest, and their cores are "
								"never free",
								0}}}}},
};

const struct fcn_setting_scope fcn_worker_scope = {
		.title = "Workers",
		.syntax = "set worker",
		FCN_SETTING_TABLE(settings),
};
