/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Short forms for tables of members of things, in addition to those of setting_table.h. A file that
 * uses them defines THING, the structure of the things of the table below it. Internal to
 * lib/config.
 */

#ifndef LIST_TABLE_H
#define LIST_TABLE_H

#include "fcn_list.h"
#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(THING, member)

/** A prefix without host bits; an address with its prefix length; an address; SIDs. */
#define PREFIX(k, member, ...) SETTING_VALUE(PREFIX, k, member, ##__VA_ARGS__)
#define ADDR_LEN(k, member, ...) SETTING_VALUE(ADDR_LEN, k, member, ##__VA_ARGS__)
#define ADDR(k, member, ...) SETTING_VALUE(ADDR, k, member, ##__VA_ARGS__)
#define SEGMENTS(k, member, ...) SETTING_VALUE(SEGMENTS, k, member, ##__VA_ARGS__)
/** A word that may be given. */
#define WORD(w, member, ...) SETTING_VALUE(WORD, w, member, .word = w, OPTIONAL, ##__VA_ARGS__)
/** References. */
#define PORT(k, member, ...) SETTING_VALUE(PORT, k, member, ##__VA_ARGS__)
#define TABLE(k, member, ...) SETTING_VALUE(TABLE, k, member, ##__VA_ARGS__)
#define POLICY(k, member, ...) SETTING_VALUE(POLICY, k, member, ##__VA_ARGS__)

#define KEY .key = true

/** The only member of things that are a struct fcn_prefix. */
#define ONLY_PREFIX(...)                                                                          \
	{                                                                                         \
		{.type = FCN_SETTING_PREFIX, .key = "prefix", .size = sizeof(struct fcn_prefix)}, \
				KEY, ##__VA_ARGS__                                                \
	}
/** The table of a thing, which is the main one if it is left out. */
#define IN_TABLE(...)                                                                          \
	{                                                                                      \
		TABLE("table", table, .word = "table", OPTIONAL, SHOW("table")), ##__VA_ARGS__ \
	}

#endif /* LIST_TABLE_H */
