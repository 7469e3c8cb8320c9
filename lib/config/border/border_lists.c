/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of the border of the domain: prefixes. */

#include "list_table.h"

static const struct fcn_list_member prefix[] = {ONLY_PREFIX()};

static const struct fcn_list lists[] = {
		{"border peer", "prefix", FCN_LIST_IN(border.peers), FCN_LIST_MEMBERS_OF(prefix),
				.add_help = "Add a prefix of hosts outside the domain that may "
					    "exchange CNPs with hosts inside. With set border cnp "
					    "drop, all other CNPs are dropped at the border",
				.remove_help = "Remove a prefix of hosts outside the domain"},
		{"border sid", "prefix", FCN_LIST_IN(border.sids), FCN_LIST_MEMBERS_OF(prefix),
				.add_help = "Add a prefix of segment identifiers (SIDs) of the "
					    "domain, including those of END.CON. Packets to and "
					    "from them are dropped at the border",
				.remove_help = "Remove a prefix of segment identifiers"},
		{"source exempt", "prefix", FCN_LIST_IN(border.unchecked),
				FCN_LIST_MEMBERS_OF(prefix),
				.add_help = "Add a prefix of sources that set port source-check "
					    "leaves out, such as those of hosts whose packets come "
					    "and go by different ports",
				.remove_help = "Remove a prefix of sources that are left out"},
};

FCN_LIST_GROUP(border, "Border", lists, OPERATE);
