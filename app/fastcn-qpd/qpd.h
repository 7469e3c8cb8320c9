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
};

/** Run until a signal. @return exit status */
int qpd_loop(struct qpd *qpd);

/** Write the state, as the options say. */
void qpd_report(const struct qpd *qpd, uint64_t now_ns);

/** Write what the counters of the state mean. */
void qpd_counters_help(FILE *out);

#endif /* QPD_H */
