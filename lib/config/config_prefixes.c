/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of prefixes of a configuration: those of SRv6 and of proxies. */

#include "config_prefix_list.h"
#include "fcn_config.h"

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

PREFIX_LIST(srv6_p_node, &cfg->srv6.p_nodes, FCN_CONFIG_NO_LIMIT)
PREFIX_LIST(srv6_endcon, &cfg->srv6.endcons, FCN_CONFIG_NO_LIMIT)
