/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the shared buffer, but for the part that each queue has of it. */

#include <rte_common.h>

#include "fcn_config_scopes.h"

static const struct fcn_setting settings[] = {
		{.words = "",
				.help = "Buffer that all queues share: each may have alpha times "
					"what is free, beside its reserve",
				.value = {{.word = "size",
						.key = "size",
						.type = FCN_SETTING_SIZE,
						FCN_SETTING_MEMBER(struct fcn_config, buffer),
						.least = 1,
						.most = 4000000000, /* accounts are of 32 bits */
						.what = "a buffer",
						.special = {{"off",
								"Each queue has its own limit "
								"alone",
								0}}}}},
};

const struct fcn_setting_scope fcn_buffer_scope = {
		.title = "Shared buffer",
		.syntax = "set buffer",
		FCN_SETTING_TABLE(settings),
};
