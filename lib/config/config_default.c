/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is in force before anybody said anything. */

#include <rte_time.h>

#include "fcn_config.h"

#define DEFAULT_LINK_BPS 10000000000ull

#define DEFAULT_LIMIT_BYTES 1000000
#define DEFAULT_LIMIT_PACKETS 4096
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
default_notify(struct fcn_config_notify *n)
{
	*n = (struct fcn_config_notify){
			.on = 0,
			.mark_unknown = true,
			.class = 6,
			.dscp = 48,
			.hop_limit = 64,
			.icrc = FCN_ICRC_SKIP,
			.interval_ns = 4000,
			.queue_bucket = {.rate = 1000000, .burst = 64},
			.global_bucket = {.rate = 10000000, .burst = 1024},
			.dest_bucket = {.rate = 1000000, .burst = 64},
			.default_capability = FCN_SENDER_UNKNOWN,
	};
}

void
fcn_config_queue_default(struct fcn_config_queue *q)
{
	*q = (struct fcn_config_queue){
			.limit_bytes = DEFAULT_LIMIT_BYTES,
			.limit_packets = DEFAULT_LIMIT_PACKETS,
			.weight = 1,
			.strict = FCN_STRICT_AUTO,
			.alpha = FCN_RATIO_ONE,
			.committed.burst = FCN_AUTO,
			.peak.burst = FCN_AUTO,
			.detector =
					{
							.type = FCN_DETECTOR_OFF,
							.enter = FCN_AUTO,
							.kmax = FCN_AUTO,
							.pmax = FCN_RATIO_ONE / 5,
							.leave = FCN_AUTO,
							.qeq = FCN_AUTO,
							.weight = 2,
							.sample = 4096,
							.target_ns = 20000,
							.leave_ns = FCN_AUTO64,
							.interval_ns = FCN_AUTO64,
							.threshold = 950 * FCN_RATE_STEP,
							.leave_ratio = FCN_AUTO64,
							.hold_ns = FCN_AUTO64,
					},
	};
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

void
fcn_config_default(struct fcn_config *cfg)
{
	default_class_map(&cfg->class_map);
	default_notify(&cfg->notify);
	default_ioam(&cfg->ioam);
	fcn_config_host_default(&cfg->host);
	cfg->codes = fcn_parse_default_codes;
	cfg->protected_classes = FCN_PROTECTED_AUTO;
	cfg->idle_ns = FCN_DEFAULT_IDLE_NS;
}
