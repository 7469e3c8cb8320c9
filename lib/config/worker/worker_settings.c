/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the workers. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static const struct fcn_setting settings[] = {
		{"idle",
				"Maximum time for which an idle worker sleeps. The sleeping "
				"time grows while the worker remains idle",
				{TIME("time", idle_ns, 1000, 1000000, "a worker's sleep",
						.word = "sleep", .initial = FCN_DEFAULT_IDLE_NS,
						NOT_SHOWN("no `show` is about how workers sleep"),
						.special = {OR("spin", 0,
								"Idle workers poll without "
								"sleeping. This has the lowest "
								"latency, and their cores are "
								"always busy")})}},
		{"stage-cycles",
				"Whether workers count the cycles that they spend in each stage, "
				"for `show stage cycles`. Counting takes some 30 cycles for each "
				"stage and burst. On a switch without a counter of cycles, as in "
				"a replay, nothing is counted",
				{SWITCH(stage_cycles, SHOW_IN("stage cycles", "measure"))}},
		{"cycle-share",
				"Whether ports share the cycles of a worker that cannot keep up "
				"with "
				"them. A port whose packets cost more than those of others, as by "
				"local SIDs, is then received from less often, and the others get "
				"their part. Otherwise each port gets as many packets as another. "
				"Where no port is short of cycles, it makes no difference; nor "
				"does it without a counter of cycles, as in a replay",
				{SWITCH(cycle_share, .initial = true,
						SHOW_IN("stage cycles", "cycle_share"))}},
};

const struct fcn_setting_scope fcn_worker_scope = {
		.title = "Workers",
		.syntax = "set worker",
		FCN_SETTING_TABLE(settings, OPERATE),
};
