/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of prefixes of a configuration: senders, and those of the border, of SRv6 and of proxies.
 */

#include <string.h>

#include "config_prefix_list.h"
#include "fcn_config.h"

int
fcn_config_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_sender_capability capability)
{
	struct fcn_config_sender s;

	/* Padding is 0: configurations are compared as bytes. */
	memset(&s, 0, sizeof(s));
	s.prefix = *prefix;
	s.capability = capability;
	return FCN_CONFIG_PREFIX_SET(&cfg->senders, FCN_CONFIG_NO_LIMIT, &s);
}

int
fcn_config_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->senders, prefix);
}

/* Define the functions that add to and remove from a list of prefixes without values. */
#define PREFIX_LIST(what, list, most)                                                           \
	int fcn_config_##what##_add(struct fcn_config *cfg, const struct fcn_prefix *prefix)    \
	{                                                                                       \
		return FCN_CONFIG_PREFIX_ADD(list, most, prefix);                               \
	}                                                                                       \
                                                                                                \
	int fcn_config_##what##_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix) \
	{                                                                                       \
		return FCN_CONFIG_PREFIX_REMOVE(list, prefix);                                  \
	}

PREFIX_LIST(peer, &cfg->border.peers, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(sid, &cfg->border.sids, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(srv6_p_node, &cfg->srv6.p_nodes, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(srv6_endcon, &cfg->srv6.endcons, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(proxy_allowed, &cfg->proxy.allowed, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(proxy_node, &cfg->proxy.nodes, FCN_PROXY_NODES)
