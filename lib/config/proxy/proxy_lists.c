/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Proxies of senders: those that messages are sent to, and those that an option names. */

#include "list_table.h"

#define NO_PROXY                                                                            \
	"messages cannot be sent to this address: it has to be the global unicast address " \
	"of a proxy"
#define NO_OPTION "only IPv6 packets have this option, and it contains an IPv6 address"

#define THING struct fcn_config_proxy_prefix
static const struct fcn_list_member prefix[] = {
		{PREFIX("prefix", prefix), KEY},
		{ADDR("address", address, .word = "address"), .only_global = NO_PROXY},
};
static const struct fcn_list_member insert[] = {
		{PREFIX("prefix", prefix), KEY, .only_ipv6 = NO_OPTION},
		{ADDR("address", address, .word = "address"), .only_ipv6 = NO_OPTION,
				.only_global = NO_PROXY},
};
#undef THING

static const struct fcn_list_member allowed[] = {
		ONLY_PREFIX(.only_ipv6 = "an option contains an IPv6 address, so only IPv6 "
					 "prefixes can be allowed"),
};

static const struct fcn_list lists[] = {
		{"proxy prefix", "prefix", FCN_LIST_IN(proxy.prefixes), FCN_LIST_MEMBERS_OF(prefix),
				.replaces = true,
				.add_help = "Set the proxy that is sent congestion notification "
					    "messages about the traffic of senders in this prefix. "
					    "A prefix that exists gets this proxy",
				.remove_help = "Remove a prefix of senders with a proxy"},
		{"proxy allowed", "prefix", FCN_LIST_IN(proxy.allowed),
				FCN_LIST_MEMBERS_OF(allowed),
				.add_help = "Add a prefix of proxies that are told because the "
					    "option in a data packet names them. Other addresses "
					    "in options are ignored",
				.remove_help = "Remove a prefix of proxies that may be told "
					       "because options name them"},
};

FCN_LIST_GROUP(proxy, "Congestion notification with a proxy", lists, OPERATE);

static const struct fcn_list insert_lists[] = {
		{"proxy insert", "prefix", FCN_LIST_IN(proxy.inserts), FCN_LIST_MEMBERS_OF(insert),
				.replaces = true,
				.add_help = "Insert the Proxy Network Node Address option with "
					    "this address into IPv6 packets of senders in this "
					    "prefix that ports with proxy-option insert or both "
					    "receive. A prefix that exists gets this address",
				.remove_help = "Remove a prefix of senders whose packets get the "
					       "option with the address of their proxy"},
};

FCN_LIST_GROUP(proxy_insert, "Option with the address of a proxy", insert_lists, OPERATE);
