/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of prefixes of a configuration: senders, and those of the border, of SRv6 and of proxies.
 */

#include <errno.h>
#include <string.h>

#include "fcn_config.h"
#include "config_list.h"

int
fcn_config_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_sender_capability capability)
{
	struct fcn_config_sender s = {.prefix = *prefix, .capability = capability};

	fcn_prefix_normalise(&s.prefix);
	for (size_t i = 0; i < cfg->senders.n; i++) {
		if (fcn_prefix_equal(&cfg->senders.item[i].prefix, &s.prefix)) {
			if (FCN_CONFIG_OWN(&cfg->senders, cfg->senders.n) != 0)
				return -ENOMEM;
			cfg->senders.item[i].capability = capability;
			return 0;
		}
	}
	return FCN_CONFIG_APPEND(&cfg->senders, s);
}

int
fcn_config_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	struct fcn_prefix p = *prefix;

	fcn_prefix_normalise(&p);
	for (size_t i = 0; i < cfg->senders.n; i++) {
		if (fcn_prefix_equal(&cfg->senders.item[i].prefix, &p)) {
			if (FCN_CONFIG_OWN(&cfg->senders, cfg->senders.n) != 0)
				return -ENOMEM;
			FCN_CONFIG_REMOVE(&cfg->senders, i);
			return 0;
		}
	}
	return -ENOENT;
}

/* Define the functions that add to and remove from a list of prefixes without values. */
#define PREFIX_LIST(what, list)                                                                 \
	int fcn_config_##what##_add(struct fcn_config *cfg, const struct fcn_prefix *prefix)    \
	{                                                                                       \
		struct fcn_prefix p = *prefix;                                                  \
                                                                                                \
		fcn_prefix_normalise(&p);                                                       \
		for (size_t i = 0; i < (list).n; i++) {                                         \
			if (fcn_prefix_equal(&(list).item[i], &p))                              \
				return -EEXIST;                                                 \
		}                                                                               \
		return FCN_CONFIG_APPEND(&(list), p);                                           \
	}                                                                                       \
                                                                                                \
	int fcn_config_##what##_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix) \
	{                                                                                       \
		struct fcn_prefix p = *prefix;                                                  \
                                                                                                \
		fcn_prefix_normalise(&p);                                                       \
		for (size_t i = 0; i < (list).n; i++) {                                         \
			if (!fcn_prefix_equal(&(list).item[i], &p))                             \
				continue;                                                       \
			if (FCN_CONFIG_OWN(&(list), (list).n) != 0)                             \
				return -ENOMEM;                                                 \
			FCN_CONFIG_REMOVE(&(list), i);                                          \
			return 0;                                                               \
		}                                                                               \
		return -ENOENT;                                                                 \
	}

PREFIX_LIST(peer, cfg->border.peers)
PREFIX_LIST(sid, cfg->border.sids)
PREFIX_LIST(srv6_p_node, cfg->srv6.p_nodes)
PREFIX_LIST(srv6_endcon, cfg->srv6.endcons)
PREFIX_LIST(proxy_allowed, cfg->proxy.allowed)
