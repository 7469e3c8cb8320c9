/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "build_parts.h"

static int
build_port(const struct fcn_config_port *port, unsigned int number, struct fcn_ioam_port *out,
		char *err, size_t size)
{
	const struct fcn_config_ioam_port *c = &port->ioam;

	if (c->transit && c->edge != FCN_IOAM_EDGE_OFF)
		return fcn_build_fail(err, size,
				"port %s: packets received at the edge of the IOAM domain have "
				"no trace of the domain: set ioam transit off, or edge off",
				port->name);
	*out = (struct fcn_ioam_port){
			.transit = c->transit,
			.edge = c->edge,
			.id = c->id != FCN_AUTO ? c->id : number + 1,
			.id_wide = c->id_wide != FCN_AUTO64 ? c->id_wide : number + 1,
	};
	return 0;
}

/* Build the namespaces. Every IOAM node has to know the default namespace, 0x0000 (RFC 9197 section
 * 4.3). */
static int
build_namespaces(const struct fcn_config_ioam *c, struct fcn_ioam_conf *out, char *err, size_t size)
{
	bool add = out->any_transit && (c->namespaces.n == 0 || c->namespaces.item[0].id != 0);

	if (c->namespaces.n + add > FCN_IOAM_NAMESPACES)
		return fcn_build_fail(err, size,
				"ioam: %zu namespaces, including namespace 0, which always "
				"exists, are more than the maximum of %u",
				c->namespaces.n + add, FCN_IOAM_NAMESPACES);
	if (add)
		out->ns[0] = (struct fcn_ioam_namespace){.schema_id = FCN_IOAM_NO_SCHEMA};
	if (c->namespaces.n > 0)
		memcpy(&out->ns[add], c->namespaces.item,
				c->namespaces.n * sizeof(*c->namespaces.item));
	out->n_namespaces = c->namespaces.n + add;
	return 0;
}

int
fcn_build_ioam(const struct fcn_config *cfg, struct fcn_snapshot *s, char *err, size_t size)
{
	struct fcn_ioam_conf *out = &s->ioam;

	out->node_id = cfg->ioam.node_id;
	out->node_id_wide = cfg->ioam.node_id_wide;
	out->time_format = cfg->ioam.time_format;
	out->tai_offset = cfg->ioam.tai_offset;
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (!fcn_config_has_link(cfg, p))
			continue;
		if (build_port(&cfg->port[p], p, &s->port[p].ioam, err, size) != 0)
			return -1;
		out->any_transit |= s->port[p].ioam.transit;
		out->any_edge |= s->port[p].ioam.edge != FCN_IOAM_EDGE_OFF;
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p))
			s->port[p].ioam = s->port[cfg->port[p].parent].ioam;
	}
	return build_namespaces(&cfg->ioam, out, err, size);
}
