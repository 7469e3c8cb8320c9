/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The option with the address of a proxy, for workers. */

#include <stdio.h>

#include <rte_malloc.h>

#include "build_parts.h"

/* Build the senders whose packets get the option. */
static int
build_senders(const struct fcn_config_proxy *proxy, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	struct fcn_proxy_prefix *items;
	char name[32];

	items = rte_calloc("fcn_proxy", proxy->inserts.n, sizeof(*items), 0);
	if (items == NULL)
		return fcn_build_fail(err, size, "proxy insert: out of memory");
	for (size_t i = 0; i < proxy->inserts.n; i++)
		items[i] = (struct fcn_proxy_prefix){
				.prefix = proxy->inserts.item[i].prefix,
				.proxy = proxy->inserts.item[i].address,
				.origin = FCN_PROXY_STATIC,
		};
	snprintf(name, sizeof(name), "%s_insert%u", env->name, (unsigned int)(env->generation % 2));
	s->proxy_edge.senders = fcn_proxy_map_create(
			name, items, (unsigned int)proxy->inserts.n, env->socket);
	rte_free(items);
	return s->proxy_edge.senders != NULL
			       ? 0
			       : fcn_build_fail(err, size, "proxy insert: out of memory");
}

int
fcn_build_proxy_edge(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	uint8_t any = 0;

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p))
			s->port[p].proxy_option = cfg->port[p].proxy_option;
		else if (fcn_config_is_sub_interface(cfg, p))
			s->port[p].proxy_option = cfg->port[cfg->port[p].parent].proxy_option;
		any |= s->port[p].proxy_option;
	}
	s->proxy_edge.too_big = cfg->proxy.too_big;
	s->proxy_edge.any_insert = any & FCN_PROXY_EDGE_INSERT && cfg->proxy.inserts.n != 0;
	/* What was inserted does not leave the domain. */
	s->proxy_edge.any_remove = any & FCN_PROXY_EDGE_REMOVE ||
				   (s->proxy_edge.any_insert &&
						   !fcn_port_set_is_empty(&s->border.ports));
	return s->proxy_edge.any_insert ? build_senders(&cfg->proxy, env, s, err, size) : 0;
}
