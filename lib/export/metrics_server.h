/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An HTTP server with /metrics, what http_api.h adds, and a page of the switch for people at /
 * (page_server.h). libmicrohttpd runs it on a thread of its own. The control thread writes the text
 * when a client asks for it, at most once a second for each format. Clients have no other effect on
 * the control thread.
 *
 * Limits: 16 connections with one request each, 12 of one address, 16 KiB for a request, and 10
 * seconds from connecting until the last byte was sent.
 *
 * The control thread makes all calls.
 */

#ifndef FCN_METRICS_SERVER_H
#define FCN_METRICS_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "control_rpc.h"
#include "fcn_addr.h"
#include "fcn_counter.h"
#include "fcn_metrics.h"

struct fcn_metrics_server;
struct fcn_show_source;

/* In `show export`; the form of the list is described in fcn_counter.h. */
#define FCN_METRICS_SERVER_COUNTERS(X)                                                             \
	X(scrapes, "scrapes", COUNTER, "metrics_scrapes",                                          \
			"Requests for metrics that were answered")                                 \
	X(feeds, "feeds", COUNTER, "page_feeds",                                                   \
			"Requests of the page of the switch for its feed that were answered")      \
	X(failed, "failed", COUNTER, "metrics_failed_scrapes",                                     \
			"Requests for metrics or the feed that failed because the control thread " \
			"did not answer in time, or memory was lacking")                           \
	X(shows, "shows", COUNTER, "api_shows", "Requests for a `show` that were answered")        \
	X(shows_put_off, "shows_put_off", COUNTER, "api_put_off_shows",                            \
			"Requests for a `show` that were put off because shows had "               \
			"taken a tenth of the control thread's time")

/** Counters of a server. */
struct fcn_metrics_server_stats {
	FCN_METRICS_SERVER_COUNTERS(FCN_COUNTER_MEMBER)
};

/** Where metrics come from. */
struct fcn_metrics_source {
	struct fcn_control_rpc *rpc; /**< how the server's thread calls text() */
	/** Write the metrics as text. It runs on the control thread. @return the text, which the
	 * caller frees with free(); NULL on lack of memory */
	char *(*text)(void *arg, enum fcn_metrics_format format);
	/** Write the feed of the page of the switch, likewise. */
	char *(*feed)(void *arg);
	void *arg; /**< first argument of these functions */
	/** what the shows read; it outlives the server. NULL: the server has none */
	const struct fcn_show_source *shows;
};

/**
 * Start a server.
 *
 * @param addr address to listen at
 * @param port TCP port in host byte order; 0: any that is free, see fcn_metrics_server_port()
 * @param err  one line, on failure
 * @return NULL on failure, and where fastcn was built without libmicrohttpd
 */
struct fcn_metrics_server *fcn_metrics_server_create(const struct fcn_metrics_source *source,
		const struct fcn_addr *addr, uint16_t port, char *err, size_t err_size);

/** Stop a server. This waits for its thread, for a second at most. NULL is allowed. */
void fcn_metrics_server_free(struct fcn_metrics_server *server);

/** End connections that are too old. To be called several times a second. */
void fcn_metrics_server_tick(struct fcn_metrics_server *server);

/** Get "ADDRESS:PORT", or "[ADDRESS]:PORT" for IPv6. The string belongs to the server. */
const char *fcn_metrics_server_name(const struct fcn_metrics_server *server);
/** Get the TCP port that the server listens on, in host byte order. */
uint16_t fcn_metrics_server_port(const struct fcn_metrics_server *server);
/** Read the counters. */
void fcn_metrics_server_stats(
		const struct fcn_metrics_server *server, struct fcn_metrics_server_stats *stats);

#endif /* FCN_METRICS_SERVER_H */
