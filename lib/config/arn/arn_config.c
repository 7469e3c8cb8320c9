/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of precise flow control: upstream neighbours, and sources of messages. */

#include <errno.h>
#include <string.h>

#include "config_prefix_list.h"
#include "fcn_arn_conf.h"
#include "fcn_config.h"

static int
find(const struct fcn_config_arn *arn, const struct fcn_addr *addr, uint16_t port,
		unsigned int table)
{
	for (size_t i = 0; i < arn->neighbours.n; i++) {
		const struct fcn_config_arn_neighbour *n = &arn->neighbours.item[i];

		if (n->port == port && n->table == table && fcn_addr_equal(&n->addr, addr))
			return i;
	}
	return -ENOENT;
}

int
fcn_config_arn_neighbour_add(struct fcn_config *cfg, const struct fcn_addr *addr, uint16_t port,
		unsigned int table)
{
	struct fcn_config_arn_neighbour n;

	if (addr->version != 6 || fcn_addr_why_no_host(addr) != NULL ||
			fcn_addr_is_link_local(addr))
		return -EINVAL;
	if (find(&cfg->arn, addr, port, table) >= 0)
		return -EEXIST;
	if (cfg->arn.neighbours.n == FCN_ARN_NEIGHBOURS)
		return -ENOSPC;
	/* Padding is 0: configurations are compared as bytes. */
	memset(&n, 0, sizeof(n));
	n.addr = *addr;
	n.port = port;
	n.table = (uint8_t)table;
	return FCN_CONFIG_APPEND(&cfg->arn.neighbours, n);
}

int
fcn_config_arn_neighbour_remove(struct fcn_config *cfg, const struct fcn_addr *addr, uint16_t port,
		unsigned int table)
{
	int i = find(&cfg->arn, addr, port, table);

	if (i < 0)
		return i;
	if (FCN_CONFIG_OWN(&cfg->arn.neighbours, cfg->arn.neighbours.n) != 0)
		return -ENOMEM;
	FCN_CONFIG_REMOVE(&cfg->arn.neighbours, i);
	return 0;
}

int
fcn_config_arn_source_add(struct fcn_config *cfg, const struct fcn_prefix *prefix, uint16_t port)
{
	struct fcn_config_arn_source s;

	if (prefix->addr.version != 6)
		return -EINVAL;
	/* Padding is 0: configurations are compared as bytes. */
	memset(&s, 0, sizeof(s));
	s.prefix = *prefix;
	s.port = port;
	return FCN_CONFIG_PREFIX_SET(&cfg->arn.sources, FCN_ARN_SOURCES, &s);
}

int
fcn_config_arn_source_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->arn.sources, prefix);
}

void
fcn_config_arn_forget_port(struct fcn_config *cfg, uint16_t port)
{
	for (size_t i = cfg->arn.neighbours.n; i-- > 0;) {
		if (cfg->arn.neighbours.item[i].port == port)
			FCN_CONFIG_REMOVE(&cfg->arn.neighbours, i);
	}
	for (size_t i = cfg->arn.sources.n; i-- > 0;) {
		if (cfg->arn.sources.item[i].port == port)
			FCN_CONFIG_REMOVE(&cfg->arn.sources, i);
	}
}

const char *
fcn_arn_policy_name(unsigned int policy)
{
	return policy == 0 ? "off" : fcn_arn_mode_name(policy - 1);
}

const char *
fcn_arn_edge_name(unsigned int edge)
{
#define EDGE_NAME(sym, name) name,
	static const char *const names[] = {FCN_ARN_EDGES(EDGE_NAME)};
#undef EDGE_NAME

	return names[edge];
}
