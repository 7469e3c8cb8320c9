/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The live switch, which live.c serves: its ports are devices (live_ports.c), and
 * all that it is made of is set up from the command line (live_setup.c).
 */

#ifndef LIVE_H
#define LIVE_H

#include "fcn_captures.h"
#include "fcn_console.h"
#include "fcn_console_output.h"
#include "fcn_exports.h"
#include "fcn_session.h"
#include "helper.h"
#include "log_stream.h"
#include "remote_session.h"
#include "worker_loop.h"

struct fcn_live {
	struct rte_mempool *pool[RTE_MAX_NUMA_NODES]; /* of the nodes that workers are on */
	struct fcn_control *ctl;
	struct fcn_loops *loops;
	struct fcn_command_table *table;
	struct fcn_session session;
	struct fcn_control_conf conf;
	struct fcn_console_output output; /* of the built-in console */
	const char *config, *commands;    /* the command line */
	struct fcn_remote_options remote_options;
	struct fcn_remote *remote;
	const char *metrics, *log_events;
	struct fcn_exports *exports;
	struct fcn_captures *captures;
	bool interactive;
	uint64_t seed;
	struct fcn_log_stream *log; /* in place of stderr while the switch runs */
	FILE *plain_stderr;
	struct fcn_helper *helper; /* does what the kernel may hold up */
	uint64_t attended_ns;      /* when neighbours were last answered within long work */
	int link_event;            /* eventfd: a device says that its link changed */
	uint64_t links_seen_ms;    /* when all links were last looked at */
	unsigned int host_busy;    /* polls for which the host functions are looked after often */
	bool done;                 /* the console or a signal said so */
};

/** What a live switch is to the control library: it has devices, and a kernel beside it. */
struct fcn_world fcn_live_world(struct fcn_live *live);

/** The command line behind EAL's. @return 0, -1 */
int fcn_live_parse_options(struct fcn_live *live, int argc, char **argv);
/** Workers on every lcore but the control thread's, and all that they need. @return 0, -1 */
int fcn_live_set_up(struct fcn_live *live, const struct fcn_world *world);
/** @return 0, -1 */
int fcn_live_open_exports(struct fcn_live *live);
void fcn_live_tear_down(struct fcn_live *live);

#endif /* LIVE_H */
