/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files of fastcn-qpd share. */

#ifndef QPD_H
#define QPD_H

#include "fcn_remote_feed.h"
#include "hosts.h"
#include "options.h"
#include "server.h"

struct qpd {
	struct qpd_options opt;
	struct hosts *hosts;
	struct fcn_remote_feed feed;
	struct server server;
	int epoll;
	int signals; /**< descriptor of the signals */
	/* What epoll knows of the connection to the switch. */
	uint64_t feed_number;
	uint32_t feed_events;
	uint64_t tick_ns;
	uint64_t metrics_ns; /**< when the metrics are to be written next */
	int metrics_error;   /**< of the last time, negative errno */
};

/** Run until a signal. @return exit status */
int qpd_loop(struct qpd *qpd);

/** Write the state, as the options say. */
void qpd_report(const struct qpd *qpd, uint64_t now_ns);

/** Write the metrics into their file, if the options name one. */
void qpd_metrics(struct qpd *qpd);
/** Remove this file, as its figures are no longer true. */
void qpd_metrics_end(const struct qpd *qpd);
/** Write the metrics in the text format 0.0.4 of Prometheus, from the lists of the counters. */
void qpd_metrics_write(const struct qpd *qpd, FILE *out);

/** Write what the counters of the state mean. */
void qpd_counters_help(FILE *out);

#endif /* QPD_H */
