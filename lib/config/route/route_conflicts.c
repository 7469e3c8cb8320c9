/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What excludes each other in a configuration: addresses, neighbours, routes and interfaces of the
 * kernel with bridges, and SRv6 policies with other paths.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_parts.h"
#include "route_build.h"

/* Check that ports with an interface of the kernel are routed, and that each has another one. */
static int
check_kernel(const struct fcn_config *cfg, char *err, size_t size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (port->name[0] == '\0' || port->kernel[0] == '\0')
			continue;
		if (port->bridge >= 0) {
			snprintf(err, size,
					"kernel interface %s: port %s is in bridge %s and cannot "
					"have one",
					port->kernel, port->name, cfg->bridge[port->bridge].name);
			return -1;
		}
		for (unsigned int q = 0; q < p; q++) {
			if (cfg->port[q].name[0] == '\0' ||
					strcmp(cfg->port[q].kernel, port->kernel) != 0)
				continue;
			snprintf(err, size, "kernel interface %s: ports %s and %s both have it",
					port->kernel, cfg->port[q].name, port->name);
			return -1;
		}
	}
	return 0;
}

/* Check that nothing is routed to bridge interfaces: by them, the switch is only a station. */
static int
check_bridge_interfaces(const struct fcn_config *cfg, char *err, size_t size)
{
	const char *what = NULL;
	unsigned int port = 0;

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_bridge_interface(cfg, p) && cfg->port[p].kernel[0] != '\0') {
			what = "an interface of the kernel";
			port = p;
		}
		if (fcn_config_is_bridge_interface(cfg, p) && cfg->port[p].advertise) {
			what = "router advertisements";
			port = p;
		}
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (fcn_config_is_bridge_interface(cfg, cfg->neighbours.item[i].port)) {
			what = "configured neighbours";
			port = cfg->neighbours.item[i].port;
		}
	}
	for (size_t i = 0; i < cfg->routes.n; i++) {
		if (fcn_config_route_has_gateway(&cfg->routes.item[i]) &&
				fcn_config_is_bridge_interface(cfg, cfg->routes.item[i].port)) {
			what = "routes";
			port = cfg->routes.item[i].port;
		}
	}
	if (what == NULL)
		return 0;
	snprintf(err, size, "port %s: it is an interface of bridge %s and cannot have %s",
			cfg->port[port].name, cfg->bridge[cfg->port[port].of_bridge].name, what);
	return -1;
}

/* Compare pointers to routes by table and prefix. */
static int
compare_routes(const void *va, const void *vb)
{
	const struct fcn_config_route *a = *(const struct fcn_config_route *const *)va;
	const struct fcn_config_route *b = *(const struct fcn_config_route *const *)vb;

	return a->table != b->table ? a->table - b->table
				    : fcn_prefix_compare(&a->prefix, &b->prefix);
}

/* Check that a policy is the only path to its prefix. */
static int
check_policies(const struct fcn_config *cfg, char *err, size_t size)
{
	const struct fcn_config_route **sorted;
	char text[FCN_PREFIX_STRLEN];
	size_t n_policies = 0;
	int rc = 0;

	for (size_t i = 0; i < cfg->routes.n; i++)
		n_policies += cfg->routes.item[i].policy != 0;
	if (n_policies == 0)
		return 0;
	sorted = malloc(cfg->routes.n * sizeof(*sorted));
	if (sorted == NULL)
		return fcn_build_fail(err, size, "routes: out of memory");
	for (size_t i = 0; i < cfg->routes.n; i++)
		sorted[i] = &cfg->routes.item[i];
	qsort(sorted, cfg->routes.n, sizeof(*sorted), compare_routes);
	for (size_t i = 1; i < cfg->routes.n && rc == 0; i++) {
		if ((sorted[i]->policy != 0 || sorted[i - 1]->policy != 0) &&
				compare_routes(&sorted[i], &sorted[i - 1]) == 0)
			rc = fcn_build_fail(err, size,
					"route %s: an SRv6 policy must be the only path to a "
					"prefix",
					fcn_prefix_format(&sorted[i]->prefix, text, sizeof(text)));
	}
	free(sorted);
	return rc;
}

int
fcn_build_check_routes(const struct fcn_config *cfg, char *err, size_t size)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_config_address *a = &cfg->addresses.item[i];

		if (cfg->port[a->port].bridge < 0)
			continue;
		snprintf(err, size, "address %s: port %s is in bridge %s and cannot have one",
				fcn_prefix_format(&a->prefix, text, sizeof(text)),
				cfg->port[a->port].name,
				cfg->bridge[cfg->port[a->port].bridge].name);
		return -1;
	}
	if (check_kernel(cfg, err, size) != 0 || check_bridge_interfaces(cfg, err, size) != 0 ||
			check_policies(cfg, err, size) != 0 ||
			fcn_build_check_tables(cfg, err, size) != 0)
		return -1;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];

		if (cfg->port[n->port].bridge < 0)
			continue;
		snprintf(err, size, "neighbour %s: port %s is in bridge %s and cannot have one",
				fcn_addr_format(&n->addr, text, sizeof(text)),
				cfg->port[n->port].name,
				cfg->bridge[cfg->port[n->port].bridge].name);
		return -1;
	}
	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (!fcn_config_route_has_gateway(r) || cfg->port[r->port].bridge < 0)
			continue;
		snprintf(err, size, "route %s: port %s is in bridge %s and cannot be routed to",
				fcn_prefix_format(&r->prefix, text, sizeof(text)),
				cfg->port[r->port].name,
				cfg->bridge[cfg->port[r->port].bridge].name);
		return -1;
	}
	return 0;
}
