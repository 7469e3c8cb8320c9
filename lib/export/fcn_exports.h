/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a live switch tells other programs: metrics over HTTP, a log of events,
 * DPDK's telemetry. All of it off until asked for; telemetry is as the EAL
 * has it.
 *
 * The control thread's. How a process is run, and not part of the
 * configuration: a replay of the same configuration tells nobody anything.
 */

#ifndef FCN_EXPORTS_H
#define FCN_EXPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "fcn_addr.h"
#include "fcn_captures.h"
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

/** The worker may have stopped already. The control must still be there. */
void fcn_exports_free(struct fcn_exports *exports);

/** Readable when fcn_exports_run() has something to do. */
int fcn_exports_fd(const struct fcn_exports *exports);

/** Answer what is asked, look at rates, see to connections. To be called at least ten times a
 * second, while the worker runs. Never waits. */
void fcn_exports_run(struct fcn_exports *exports);

/**
 * Listen for scrapes, in place of where it listened before.
 *
 * @param addr NULL: do not listen
 * @return 0, or -1 with a line in err, and what was is as it was
 */
int fcn_exports_listen(struct fcn_exports *exports, const struct fcn_addr *addr, uint16_t port,
		char *err, size_t err_size);

/**
 * Write events to a file, in place of where they were written before.
 *
 * @param file "-": standard output; NULL: do not write
 * @return 0, or -1 with a line in err, and what was is as it was
 */
int fcn_exports_log(struct fcn_exports *exports, const char *file, char *err, size_t err_size);

/** Open the file of events anew. @return 0; -ENOENT: there is none; or another negative errno */
int fcn_exports_reopen(struct fcn_exports *exports);

/** `--metrics [ADDRESS:]PORT`. @return 0, or -1 with a line in err. */
int fcn_exports_option_metrics(
		struct fcn_exports *exports, const char *arg, char *err, size_t err_size);

/** Where what is exported, and how much. @param exports NULL: nothing is */
json_t *fcn_exports_show(struct fcn_exports *exports);

/** What a metric's declaration calls `show NAME`: a new reference, or NULL. Watermarks stay. */
json_t *fcn_exports_get(struct fcn_exports *exports, const char *show);

#endif /* FCN_EXPORTS_H */
