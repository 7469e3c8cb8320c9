/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is in force before anybody said anything. */

#include <rte_time.h>

#include "fcn_config_scopes.h"

#define DEFAULT_LINK_BPS 10000000000ull

#define DEFAULT_QUANTA 65535
#define DEFAULT_LINE_DELAY_NS 500
#define DEFAULT_XON_BELOW 3000
#define DEFAULT_STORM_NS 200000000ull

static void
default_class_map(struct fcn_class_map *map)
{
	for (unsigned int d = 0; d < RTE_DIM(map->dscp); d++)
		map->dscp[d] = d / 8;
	for (unsigned int p = 0; p < RTE_DIM(map->pcp); p++)
		map->pcp[p] = p;
}

void
fcn_config_host_default(struct fcn_config_host *h)
{
	*h = (struct fcn_config_host){
			.mode = FCN_HOST_AUTO,
			.dad = true,
			.mld = true,
			.class = 7,
			.errors = {.rate = 1000, .burst = 100},
			.replies = {.rate = 1000, .burst = 100},
			.solicitations = {.rate = 500, .burst = 250},
			.reachable_ns = 30 * (uint64_t)NS_PER_S,
			.retrans_ns = NS_PER_S,
			.advertise_ns = 200 * (uint64_t)NS_PER_S,
			.capability_ns = 600 * (uint64_t)NS_PER_S,
			.notice_recent_ns = 2 * (uint64_t)NS_PER_S,
			.max_neighbours = 8192,
	};
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
		h->police[k] = fcn_punt_default(k);
}

static void
default_pfc(struct fcn_config_pfc *pfc)
{
	*pfc = (struct fcn_config_pfc){
			.quanta = DEFAULT_QUANTA,
			.delay_ns = DEFAULT_LINE_DELAY_NS,
			.react_ns = FCN_AUTO64,
			.detect_ns = DEFAULT_STORM_NS,
			.restore_ns = DEFAULT_STORM_NS,
	};
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		pfc->class[c] = (struct fcn_config_pfc_class){
				.xoff = FCN_AUTO,
				.xon = FCN_AUTO,
				.alpha = FCN_RATIO_ONE / 8,
				.xon_below = DEFAULT_XON_BELOW,
				.headroom = FCN_AUTO,
		};
}

static void
default_ioam(struct fcn_config_ioam *ioam)
{
	*ioam = (struct fcn_config_ioam){
			.node_id = FCN_IOAM_NO_NODE,
			.node_id_wide = FCN_IOAM_NO_NODE_WIDE,
			.time_format = FCN_IOAM_TIME_PTP,
			.tai_offset = FCN_IOAM_TAI_OFFSET,
	};
}

void
fcn_config_port_default(struct fcn_config_port *port)
{
	*port = (struct fcn_config_port){
			.link_bps = DEFAULT_LINK_BPS,
			.burst = FCN_AUTO,
			.overhead = FCN_SHAPER_OVERHEAD,
			.queues = 1,
			.worker = FCN_AUTO,
			.mtu = FCN_DEFAULT_MTU,
			.promiscuous = true,
			.trust = FCN_TRUST_DSCP,
			.bridge = -1,
			.of_bridge = -1,
			.pvid = FCN_DEFAULT_PVID,
			.mac_limit = FCN_AUTO,
			.ioam = {.id = FCN_AUTO, .id_wide = FCN_AUTO64},
	};
	default_pfc(&port->pfc);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		fcn_config_queue_default(&port->queue[c]);
}

/* Settings of the switch as a whole. */
static const struct fcn_setting_scope *const scopes[] = {
		&fcn_worker_scope,
		&fcn_buffer_scope,
		&fcn_copies_scope,
		&fcn_notify_scope,
		&fcn_sender_scope,
};

void
fcn_config_default(struct fcn_config *cfg)
{
	default_class_map(&cfg->class_map);
	default_ioam(&cfg->ioam);
	fcn_config_host_default(&cfg->host);
	cfg->codes = fcn_parse_default_codes;
	cfg->protected_classes = FCN_PROTECTED_AUTO;
	for (size_t i = 0; i < RTE_DIM(scopes); i++)
		fcn_setting_defaults(scopes[i], cfg);
}
