/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the event log, whose file has commands of its own. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"rate",
				"Number of lines that each kind of event may have in the event log "
				"in a second. Of those beyond, a line says how many more there "
				"were (`more_like_this`). Links that go up or down, and what "
				"people "
				"do, always have lines",
				{COUNT("lines", exports.event_rate, 1, 1000000,
						"the number of lines per second", .initial = 10,
						SHOW("rate"),
						.special = {OR("all", 0,
								"Each event has a line of the "
								"log, however many there are")})}},
};

const struct fcn_setting_scope fcn_event_log_scope = {
		.title = "Exports",
		.syntax = "set log events",
		.show = "export.events",
		FCN_SETTING_TABLE(settings, OPERATE),
};
