/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is known about senders. */

#include "fcn_config_names.h"
#include "list_table.h"

#define THING struct fcn_config_sender

static const struct fcn_list_member members[] = {
		{PREFIX("prefix", prefix), KEY},
		{CHOICE("capability", capability, FCN_SENDER_UNKNOWN, FCN_SENDER_NONE,
				fcn_capability_name)},
};

static const struct fcn_list lists[] = {
		{"sender", "prefix", FCN_LIST_IN(senders), FCN_LIST_MEMBERS_OF(members),
				.replaces = true,
				.add_help = "Set whether the senders of a prefix support notices. "
					    "Packets of capable senders are not marked with CE "
					    "when their sender is notified. Senders with none are "
					    "not notified, and their packets are only marked",
				.remove_help = "Remove a prefix of senders"},
};

FCN_LIST_GROUP(sender, "Notices", lists, OPERATE);
