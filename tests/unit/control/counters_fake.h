/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions by which `show` reads counters, replaced by others that return chosen values. One is
 * an operation of a port; the linker replaces the rest (--wrap).
 */

#ifndef COUNTERS_FAKE_H
#define COUNTERS_FAKE_H

#include "event_log.h"
#include "fcn_control.h"
#include "metrics_server.h"

/** Values that the replaced functions return. */
struct counters_fake {
	bool on; /* otherwise the packet accounting is the real one */
	struct fcn_port_device_stats device;
	struct fcn_conservation conservation;
	struct fcn_netlink_counts netlink;
	struct fcn_kernel_counts store;
	struct fcn_control_kernel_builds builds;
	struct fcn_metrics_server_stats scrapes;
	struct fcn_event_log_stats lines;
	uint64_t host[FCN_HOST_COUNTER_COUNT];
};

extern struct counters_fake fake;

/** Operation device_stats of struct fcn_port_ops. */
void counters_fake_device(void *priv, struct fcn_port_device_stats *stats);

#endif /* COUNTERS_FAKE_H */
