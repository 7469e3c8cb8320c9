/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The setting of how packets are copied. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"copies",
				"How copies of a packet are made, as for flooding: with all bytes "
				"copied (copy), with headers of their own and the rest shared "
				"(clone), or as is faster for a packet of that length (auto). A "
				"port that cannot send shared bytes has all of them copied",
				{CHOICE("mode", copies, FCN_QUOTE_AUTO, FCN_QUOTE_CLONE,
						fcn_quote_mode_name)}},
};

const struct fcn_setting_scope fcn_copies_scope = {
		.title = "Copies of packets",
		.syntax = "set",
		FCN_SETTING_TABLE(settings),
};
