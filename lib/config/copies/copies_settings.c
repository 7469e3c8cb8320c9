/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The setting of how packets are copied. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"copies",
				"How copies of a packet are made, for example for flooding: "
				"all bytes are copied (copy), only the headers are copied and "
				"the rest is shared (clone), or the faster way for the length "
				"of the packet is used (auto): up to 2048 bytes are copied, "
				"longer packets share. For a port whose device cannot send "
				"shared buffers, all bytes are always copied",
				{CHOICE("mode", copies, FCN_COPY_AUTO, FCN_COPY_CLONE,
						fcn_copy_mode_name, SHOW("copies"))}},
};

const struct fcn_setting_scope fcn_copies_scope = {
		.title = "Copies of packets",
		.syntax = "set",
		.show = "bridge",
		FCN_SETTING_TABLE(settings, OPERATE),
};
