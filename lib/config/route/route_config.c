/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Addresses, neighbours and routes of a configuration. */

#include <errno.h>
#include <string.h>

#include "fcn_config.h"
#include "config_list.h"

int
fcn_config_address_add(struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix)
{
	struct fcn_config_address a = {.port = port, .prefix = *prefix};

	if (fcn_prefix_why_no_host(prefix) != NULL)
		return -EINVAL;
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_addr_equal(&cfg->addresses.item[i].prefix.addr, &prefix->addr) &&
				strcmp(cfg->port[cfg->addresses.item[i].port].table,
						cfg->port[port].table) == 0)
			return -EEXIST;
	}
	return FCN_CONFIG_APPEND(&cfg->addresses, a);
}

int
fcn_config_address_remove(struct fcn_config *cfg, uint16_t port, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (cfg->addresses.item[i].port == port &&
				fcn_addr_equal(&cfg->addresses.item[i].prefix.addr,
						&prefix->addr)) {
			if (FCN_CONFIG_OWN(&cfg->addresses, cfg->addresses.n) != 0)
				return -ENOMEM;
			FCN_CONFIG_REMOVE(&cfg->addresses, i);
			return 0;
		}
	}
	return -ENOENT;
}

int
fcn_config_neighbour_set(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac)
{
	struct fcn_config_neighbour n = {.port = port, .addr = *addr, .mac = *mac};

	if (fcn_addr_why_no_host(addr) != NULL || !rte_is_valid_assigned_ether_addr(mac))
		return -EINVAL;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *old = &cfg->neighbours.item[i];

		if (old->port != port || !fcn_addr_equal(&old->addr, addr))
			continue;
		if (FCN_CONFIG_OWN(&cfg->neighbours, cfg->neighbours.n) != 0)
			return -ENOMEM;
		cfg->neighbours.item[i].mac = *mac;
		return 0;
	}
	return FCN_CONFIG_APPEND(&cfg->neighbours, n);
}

int
fcn_config_neighbour_remove(struct fcn_config *cfg, uint16_t port, const struct fcn_addr *addr)
{
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (cfg->neighbours.item[i].port == port &&
				fcn_addr_equal(&cfg->neighbours.item[i].addr, addr)) {
			if (FCN_CONFIG_OWN(&cfg->neighbours, cfg->neighbours.n) != 0)
				return -ENOMEM;
			FCN_CONFIG_REMOVE(&cfg->neighbours, i);
			return 0;
		}
	}
	return -ENOENT;
}

static bool
is_same_path(const struct fcn_config_route *r, const struct fcn_addr *via, int port)
{
	return fcn_config_route_has_gateway(r) && fcn_addr_equal(&r->via, via) &&
	       (port < 0 || r->port == port);
}

int
fcn_config_route_add(struct fcn_config *cfg, const struct fcn_config_route *route)
{
	struct fcn_config_route r = *route;

	if (!r.blackhole && fcn_prefix_why_not_forwarded(&r.prefix) != NULL)
		return -EDOM;
	if (fcn_config_route_has_gateway(&r) &&
			((r.via.version == 4 && r.prefix.addr.version == 6) ||
					fcn_addr_why_no_host(&r.via) != NULL))
		return -EINVAL;
	fcn_prefix_normalise(&r.prefix);
	return FCN_CONFIG_APPEND(&cfg->routes, r);
}

int
fcn_config_route_remove(struct fcn_config *cfg, unsigned int table, const struct fcn_prefix *prefix,
		const struct fcn_addr *via, int port)
{
	struct fcn_prefix p = *prefix;
	size_t removed = 0;

	fcn_prefix_normalise(&p);
	for (size_t i = cfg->routes.n; i-- > 0;) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (r->table == table && fcn_prefix_equal(&r->prefix, &p) &&
				(via == NULL || is_same_path(r, via, port))) {
			if (FCN_CONFIG_OWN(&cfg->routes, cfg->routes.n) != 0)
				return -ENOMEM;
			FCN_CONFIG_REMOVE(&cfg->routes, i);
			removed++;
		}
	}
	return removed > 0 ? 0 : -ENOENT;
}
