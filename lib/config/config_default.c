/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The defaults of a configuration. */

#include <bsd/string.h>
#include <rte_time.h>

#include "fcn_config_scopes.h"

static void
default_class_map(struct fcn_class_map *map)
{
	for (unsigned int d = 0; d < RTE_DIM(map->dscp); d++)
		map->dscp[d] = d / 8;
	for (unsigned int p = 0; p < RTE_DIM(map->pcp); p++)
		map->pcp[p] = p;
}

/* Settings of the switch as a whole. */
static const struct fcn_setting_scope *const scopes[] = {FCN_SWITCH_SCOPES(FCN_SCOPE_ADDRESS)};

/* Settings of ports. */
static const struct fcn_setting_scope *const port_scopes[] = {FCN_PORT_SCOPES(FCN_SCOPE_ADDRESS)};

void
fcn_config_port_default(struct fcn_config_port *port)
{
	*port = (struct fcn_config_port){
			.queues = 1,
			.worker = FCN_AUTO,
			.bridge = -1,
			.of_bridge = -1,
	};
	for (size_t i = 0; i < RTE_DIM(port_scopes); i++)
		fcn_setting_defaults(port_scopes[i], port);
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		fcn_setting_defaults(&fcn_police_port_scope, &port->police[k]);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		fcn_setting_defaults(&fcn_pfc_class_scope, &port->pfc.class[c]);
		fcn_config_queue_default(&port->queue[c]);
	}
}

void
fcn_config_default(struct fcn_config *cfg)
{
	default_class_map(&cfg->class_map);
	strlcpy(cfg->table[FCN_TABLE_MAIN].name, FCN_TABLE_MAIN_NAME, FCN_NAME_LEN);
	cfg->codes = fcn_parse_default_codes;
	cfg->host.notice_recent_ns = 2 * (uint64_t)NS_PER_S;
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		fcn_setting_defaults(&fcn_police_scope, &cfg->host.police[k]);
	cfg->protected_classes = FCN_PROTECTED_AUTO;
	for (size_t i = 0; i < RTE_DIM(scopes); i++)
		fcn_setting_defaults(scopes[i], cfg);
}
