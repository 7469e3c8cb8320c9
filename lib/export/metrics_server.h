/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * GET /metrics over HTTP, by libmicrohttpd on a thread of its own. The control
 * thread writes the text when one is asked for, at most once a second for each
 * format; what a client does has no other effect on it.
 *
 * Limits: 16 connections, one request each, 10 seconds from connecting to the
 * last byte, 16 KiB of request.
 */

#ifndef FCN_METRICS_SERVER_H
#define FCN_METRICS_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "control_rpc.h"
#include "fcn_addr.h"
#include "fcn_metrics.h"

struct fcn_metrics_server;

struct fcn_metrics_server_stats {
	uint64_t scrapes; /**< requests answered with metrics */
	uint64_t failed; /**< those not answered in time by the control thread, or without memory */
};

/** Where metrics come from. */
struct fcn_metrics_source {
	struct fcn_desk *desk;
	/** Text, to be freed; called by the control thread. @return NULL on lack of memory */
	char *(*text)(void *arg, enum fcn_metrics_format format);
	void *arg;
};

/**
 * Listen.
 *
 * @param port 0: any, see fcn_metrics_server_port()
 * @param err  one line, on failure
 * @return NULL on failure, and where fastcn was built without libmicrohttpd
 */
struct fcn_metrics_server *fcn_metrics_server_create(const struct fcn_metrics_source *source,
		const struct fcn_addr *addr, uint16_t port, char *err, size_t err_size);

/** The control thread's; takes a second at most. */
void fcn_metrics_server_free(struct fcn_metrics_server *server);

/** To be called now and then, for connections that are too old. The control thread's. */
void fcn_metrics_server_tick(struct fcn_metrics_server *server);

/** "ADDRESS:PORT", "[ADDRESS]:PORT" for IPv6. */
const char *fcn_metrics_server_name(const struct fcn_metrics_server *server);
uint16_t fcn_metrics_server_port(const struct fcn_metrics_server *server);
void fcn_metrics_server_stats(
		const struct fcn_metrics_server *server, struct fcn_metrics_server_stats *stats);

#endif /* FCN_METRICS_SERVER_H */
