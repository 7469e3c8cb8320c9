/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_list.h"

struct fcn_config *
fcn_config_create(void)
{
	struct fcn_config *cfg = calloc(1, sizeof(*cfg));

	if (cfg == NULL)
		return NULL;
	fcn_config_default(cfg);
	return cfg;
}

void
fcn_config_free(struct fcn_config *cfg)
{
	if (cfg == NULL)
		return;
	fcn_list_release_all(cfg);
	free(cfg);
}

struct fcn_config *
fcn_config_copy(const struct fcn_config *cfg)
{
	const size_t behind = offsetof(struct fcn_config, n_ports);
	struct fcn_config *copy = calloc(1, sizeof(*copy));

	if (copy == NULL)
		return NULL;
	memcpy(copy->port, cfg->port, cfg->n_ports * sizeof(cfg->port[0]));
	memcpy((char *)copy + behind, (const char *)cfg + behind, sizeof(*cfg) - behind);
	fcn_list_share_all(copy);
	return copy;
}

bool
fcn_config_is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < FCN_NAME_LEN;
}

int
fcn_config_port_find(const struct fcn_config *cfg, const char *name)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] != '\0' && strcmp(cfg->port[p].name, name) == 0)
			return p;
	}
	return -ENOENT;
}

void
fcn_config_note_ports(struct fcn_config *cfg, const struct fcn_config *in_force)
{
	for (unsigned int p = 0; p < RTE_MAX(cfg->n_ports, in_force->n_ports); p++)
		memcpy(cfg->former[p], in_force->port[p].name, FCN_NAME_LEN);
}

/* Choose the number of a new port: the one that it has now; or else the lowest one that no current
 * port has; or else any that is free. */
static int
choose_number(const struct fcn_config *cfg, const char *name)
{
	int fresh = -ENOSPC, any = -ENOSPC;

	for (int p = FCN_MAX_PORTS - 1; p >= 0; p--) {
		if (cfg->port[p].name[0] != '\0')
			continue;
		if (strcmp(cfg->former[p], name) == 0)
			return p;
		any = p;
		if (cfg->former[p][0] == '\0')
			fresh = p;
	}
	return fresh >= 0 ? fresh : any;
}

int
fcn_config_port_add(struct fcn_config *cfg, const char *name)
{
	struct fcn_config_port *port;
	int p;

	if (!fcn_config_is_name(name))
		return -EINVAL;
	if (fcn_config_port_find(cfg, name) >= 0)
		return -EEXIST;
	p = choose_number(cfg, name);
	if (p < 0)
		return p;
	port = &cfg->port[p];
	fcn_config_port_default(port);
	memcpy(port->name, name, strlen(name) + 1);
	cfg->n_ports = RTE_MAX(cfg->n_ports, p + 1u);
	return p;
}

struct fcn_punt_rate
fcn_config_police(const struct fcn_config *cfg, unsigned int port, enum fcn_punt_kind kind)
{
	const struct fcn_config_police *own = &cfg->port[port].police[kind];
	const struct fcn_config_police *all = &cfg->host.police[kind];

	if (own->set)
		return own->rate;
	return all->set ? all->rate : fcn_punt_default(kind);
}

bool
fcn_config_has_link(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].vlan == 0;
}

bool
fcn_config_is_sub_interface(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].vlan != 0 &&
	       cfg->port[port].of_bridge < 0;
}

bool
fcn_config_is_bridge_interface(const struct fcn_config *cfg, unsigned int port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].of_bridge >= 0;
}

int
fcn_config_sub_interface_find(const struct fcn_config *cfg, uint16_t parent, uint16_t vlan)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[p].parent == parent &&
				cfg->port[p].vlan == vlan)
			return p;
	}
	return -ENOENT;
}

int
fcn_config_sub_interface_add(
		struct fcn_config *cfg, const char *name, uint16_t parent, uint16_t vlan)
{
	int p;

	if (fcn_config_sub_interface_find(cfg, parent, vlan) >= 0)
		return -EADDRINUSE;
	p = fcn_config_port_add(cfg, name);
	if (p < 0)
		return p;
	cfg->port[p].vlan = vlan;
	cfg->port[p].parent = parent;
	cfg->port[p].mtu = cfg->port[parent].mtu;
	return p;
}

int
fcn_config_port_remove(struct fcn_config *cfg, uint16_t port)
{
	if (fcn_list_forget(cfg, FCN_SETTING_PORT, port) != 0)
		return -ENOMEM;
	/* The lists are not shared any more, so nothing fails from here on. */
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p) && cfg->port[p].parent == port)
			fcn_config_port_remove(cfg, p);
	}
	memset(&cfg->port[port], 0, sizeof(cfg->port[port]));
	return 0;
}

bool
fcn_config_is_strict(const struct fcn_config *cfg, unsigned int port, unsigned int class)
{
	int strict = cfg->port[port].queue[class].strict;

	if (strict != FCN_STRICT_AUTO)
		return strict != 0;
	return class >= 6 || (cfg->notify.class == class && fcn_config_sends_notices(cfg)) ||
	       (cfg->trim.class == class && fcn_config_trims(cfg, port));
}

/* Check whether a queue of a port trims packets in one of some ways. */
static bool
trims_by(const struct fcn_config *cfg, unsigned int port, uint8_t ways)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (cfg->port[port].queue[c].trim & ways)
			return true;
	}
	return false;
}

bool
fcn_config_trims(const struct fcn_config *cfg, unsigned int port)
{
	return trims_by(cfg, port, FCN_TRIM_FORWARD);
}

uint8_t
fcn_config_notices_on(const struct fcn_config *cfg)
{
	uint8_t on = cfg->notify.on;

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (!trims_by(cfg, p, FCN_TRIM_RETURN))
			continue;
		for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
			on |= fcn_notice_kinds[k]->about_loss ? 1u << k : 0;
		break;
	}
	return on;
}

bool
fcn_config_sends_notices(const struct fcn_config *cfg)
{
	return cfg->notify.on != 0 || cfg->arn.send || cfg->proxy.receive ||
	       fcn_config_notices_on(cfg) != 0;
}

uint8_t
fcn_config_protected(const struct fcn_config *cfg)
{
	unsigned int trimmed = 0;

	if (cfg->protected_classes != FCN_PROTECTED_AUTO)
		return (uint8_t)cfg->protected_classes;
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_trims(cfg, p))
			trimmed = 1u << cfg->trim.class;
	}
	/* Class 0 is that of all other packets: it is protected only if it is configured so. */
	return (uint8_t)((1u << cfg->notify.class | 1u << cfg->host.class | trimmed | 1u << 6 |
					 1u << 7) &
			 ~1u);
}

bool
fcn_config_is_trusted(const struct fcn_config_port *port)
{
	return port->class_trust == FCN_CLASS_TRUST_ON ||
	       (port->class_trust == FCN_CLASS_TRUST_AUTO && !port->border);
}
