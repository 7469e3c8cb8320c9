/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a live switch tells other programs: metrics over HTTP, a log of events and DPDK's telemetry.
 * Metrics and log are off until they are turned on; telemetry is on unless the EAL was started with
 * --no-telemetry. None of it is part of the configuration.
 *
 * All functions are for the control thread.
 */

#ifndef FCN_EXPORTS_H
#define FCN_EXPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "fcn_addr.h"
#include "fcn_capture_control.h"
#include "fcn_control.h"

struct fcn_exports;

/**
 * Create the exports of a switch, with nothing turned on but telemetry.
 *
 * @param captures for `show capture`; NULL: there are none
 * @return NULL on failure, with a line in err
 */
struct fcn_exports *fcn_exports_create(
		struct fcn_control *ctl, struct fcn_captures *captures, char *err, size_t err_size);

/** Close the log, stop the server and free. To be called before the control is freed; workers may
 * have stopped already. NULL is allowed. */
void fcn_exports_free(struct fcn_exports *exports);

/** @return a descriptor that is readable when fcn_exports_run() has something to do */
int fcn_exports_fd(const struct fcn_exports *exports);

/** Answer calls of other threads, take samples for rates, end connections that are too old. To be
 * called at least ten times a second while workers run. Never waits. */
void fcn_exports_run(struct fcn_exports *exports);

/**
 * Serve metrics over HTTP at this address, in place of the one before.
 *
 * @param addr NULL: do not serve metrics
 * @param port TCP port; 0: any that is free
 * @return 0, or -1 with a line in err; the server before then goes on, or err says that it does not
 */
int fcn_exports_listen(struct fcn_exports *exports, const struct fcn_addr *addr, uint16_t port,
		char *err, size_t err_size);

/**
 * Write events to this file, in place of the one before.
 *
 * @param file "-": standard output; NULL: do not write events
 * @return 0, or -1 with a line in err; the file before then stays in use
 */
int fcn_exports_log(struct fcn_exports *exports, const char *file, char *err, size_t err_size);

/** Open the log file by its name again, after it was renamed. @return 0; -ENOENT: there is no log;
 * or another negative errno, and the old file stays open */
int fcn_exports_reopen(struct fcn_exports *exports);

/** Do what the option `--metrics [ADDRESS:]PORT` asks for. @return 0, or -1 with a line in err */
int fcn_exports_option_metrics(
		struct fcn_exports *exports, const char *arg, char *err, size_t err_size);

/** The value of `show export`. @param exports NULL: nothing is exported @return a new reference, or
 * NULL on lack of memory */
json_t *fcn_exports_show(struct fcn_exports *exports);

/** The value of `show NAME` for metrics, with queues that nothing went through; watermarks do not
 * start afresh. @return a new reference; NULL on lack of memory or when there is no such `show` */
json_t *fcn_exports_get(struct fcn_exports *exports, const char *show);

#endif /* FCN_EXPORTS_H */
