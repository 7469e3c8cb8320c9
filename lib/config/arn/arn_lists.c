/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of precise flow control: upstream neighbours, and sources of messages. */

#include "fcn_arn_conf.h"
#include "fcn_burst.h"
#include "list_table.h"

/* The port of a thing; without it, the thing is not restricted to one. */
#define OF_PORT(about, ...)                                                            \
	{                                                                              \
		PORT("port", port, .word = "port", OPTIONAL, .initial = FCN_PORT_NONE, \
				NULL_IF(FCN_PORT_NONE), SHOW("port")),                 \
				.help = about, ##__VA_ARGS__                           \
	}

#define THING struct fcn_config_arn_neighbour
static const struct fcn_list_member neighbour[] = {
		{ADDR6("address", addr, SHOW("address")), KEY,
				.only_global = "messages cannot be sent to this address: it has to "
					       "be the global unicast address of a neighbour"},
		OF_PORT("Only messages about packets that this port received", KEY),
		IN_TABLE(KEY),
};
#undef THING

#define THING struct fcn_config_arn_source
static const struct fcn_list_member source[] = {
		{PREFIX("prefix", prefix, SHOW("prefix")), KEY,
				.only_ipv6 = "sources of messages have IPv6 addresses"},
		OF_PORT("The only port by which messages are obeyed"),
};
#undef THING

static const struct fcn_list lists[] = {
		{"arn neighbour", "upstream neighbour", "upstream neighbours", FCN_ARN_NEIGHBOURS,
				FCN_LIST_IN(arn.neighbours), FCN_LIST_MEMBERS_OF(neighbour),
				.show = "arn.neighbours",
				.add_help = "Add an upstream neighbour, to which adaptive routing "
					    "notifications are sent. With a port, only those about "
					    "packets that this port received; a sub-interface "
					    "counts as its port. The route to it is in this table, "
					    "or in the main one, whatever the table of the port is",
				.remove_help = "Remove an upstream neighbour"},
		{"arn source", "prefix", "prefixes of sources", FCN_ARN_SOURCES,
				FCN_LIST_IN(arn.sources), FCN_LIST_MEMBERS_OF(source),
				.replaces = true, .show = "arn.sources",
				.add_help = "Accept adaptive routing notifications from these "
					    "addresses: by this port only, or without one by ports "
					    "by which a route to the source leaves, see set arn "
					    "any-port. Messages in mode priority halt the class of "
					    "the port by which they arrive; a sub-interface counts "
					    "as its port. A prefix that exists gets this port",
				.remove_help = "Remove a prefix of sources of messages"},
};

FCN_LIST_GROUP(arn, "Precise flow control", lists, OPERATE);
