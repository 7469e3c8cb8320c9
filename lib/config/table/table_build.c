/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Checks of route tables when a snapshot is built. */

#include "build_parts.h"

/* Check that a port that names a table is routed, and that there is such a table. */
static int
check_port(const struct fcn_config *cfg, unsigned int p, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[p];

	if (port->name[0] == '\0' || port->table[0] == '\0')
		return 0;
	if (port->bridge >= 0)
		return fcn_build_fail(err, size,
				"port %s: it is in bridge %s and cannot belong to table %s",
				port->name, cfg->bridge[port->bridge].name, port->table);
	if (fcn_config_is_bridge_interface(cfg, p))
		return fcn_build_fail(err, size,
				"port %s: it is an interface of bridge %s and cannot belong to "
				"table %s",
				port->name, cfg->bridge[port->of_bridge].name, port->table);
	if (fcn_config_port_table(cfg, p) < 0)
		return fcn_build_fail(err, size, "port %s: there is no table %s", port->name,
				port->table);
	return 0;
}

/* Check that no two ports of a table have the same address. */
static int
check_addresses(const struct fcn_config *cfg, char *err, size_t size)
{
	char text[FCN_ADDR_STRLEN];

	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_config_address *a = &cfg->addresses.item[i];
		const int table = fcn_config_port_table(cfg, a->port);

		for (size_t k = 0; k < i; k++) {
			const struct fcn_config_address *b = &cfg->addresses.item[k];

			if (!fcn_addr_equal(&a->prefix.addr, &b->prefix.addr) ||
					fcn_config_port_table(cfg, b->port) != table)
				continue;
			return fcn_build_fail(err, size,
					"address %s: ports %s and %s of table %s both have it",
					fcn_addr_format(&a->prefix.addr, text, sizeof(text)),
					cfg->port[b->port].name, cfg->port[a->port].name,
					cfg->table[table].name);
		}
	}
	return 0;
}

int
fcn_build_check_tables(const struct fcn_config *cfg, char *err, size_t size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (check_port(cfg, p, err, size) != 0)
			return -1;
	}
	return check_addresses(cfg, err, size);
}
