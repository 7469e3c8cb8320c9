/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* How copies of packets are made. */

#include <rte_common.h>

#include "fcn_config_scopes.h"

static const struct fcn_setting settings[] = {
		{.words = "copies",
				.help = "How copies of a packet are made, as for flooding: with "
					"all "
					"bytes copied (copy), with headers of their own and the "
					"rest shared (clone), or as is faster for a packet of that "
					"length (auto). A port that cannot send shared bytes has "
					"all of them copied",
				.value = {{.key = "mode",
						.type = FCN_SETTING_CHOICE,
						FCN_SETTING_MEMBER(struct fcn_config, copies),
						.least = FCN_QUOTE_AUTO,
						.most = FCN_QUOTE_CLONE,
						.name = fcn_quote_mode_name}}},
};

const struct fcn_setting_scope fcn_copies_scope = {
		.title = "Copies of packets",
		.syntax = "set",
		FCN_SETTING_TABLE(settings),
};
