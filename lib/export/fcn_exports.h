/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A live switch gives data to other programs by metrics over HTTP, a log of events, and DPDK's
 * telemetry. Metrics and log are off until they are turned on; telemetry is on unless the EAL was
 * started with --no-telemetry. Metrics and log are part of the configuration, which
 * fcn_exports_apply() puts into force.
 *
 * The control thread makes all calls.
 */

#ifndef FCN_EXPORTS_H
#define FCN_EXPORTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_addr.h"
#include "fcn_capture_control.h"
#include "fcn_control.h"
#include "fcn_log_lines.h"

struct fcn_exports;

/**
 * Create the exports of a switch, with nothing turned on but telemetry.
 *
 * @param captures the captures for `show capture`; NULL: there are none
 * @return NULL on failure, with a line in err
 */
struct fcn_exports *fcn_exports_create(
		struct fcn_control *ctl, struct fcn_captures *captures, char *err, size_t err_size);

/** Close the log, stop the server and free the exports. To be called before the control is freed;
 * workers may have stopped already. NULL is allowed. */
void fcn_exports_free(struct fcn_exports *exports);

/** Get a descriptor that is readable when fcn_exports_run() has something to do. It belongs to the
 * exports. */
int fcn_exports_fd(const struct fcn_exports *exports);

/** Answer calls of other threads, read the counters for rates, and end connections that are too
 * old. To be called at least ten times a second while workers run. This never waits. */
void fcn_exports_run(struct fcn_exports *exports);

/**
 * Serve metrics over HTTP at an address, instead of the previous one.
 *
 * @param addr the address; NULL: do not serve metrics
 * @param port TCP port in host byte order; 0: any that is free
 * @param err  one line, on failure
 * @return 0 on success, -1 on failure; the previous server then goes on, or err says that it does
 * not
 */
int fcn_exports_listen(struct fcn_exports *exports, const struct fcn_addr *addr, uint16_t port,
		char *err, size_t err_size);

/**
 * Write events to a file, instead of the previous one.
 *
 * @param file path of the file; "-": standard output; NULL: do not write events
 * @param err  one line, on failure
 * @return 0 on success, -1 on failure; the previous file then stays in use
 */
int fcn_exports_log(struct fcn_exports *exports, const char *file, char *err, size_t err_size);

/** Open the log file by its name again, after it was renamed. @return 0 on success; -ENOENT if
 * there is no log; or another negative errno, and the old file stays open */
int fcn_exports_reopen(struct fcn_exports *exports);

/**
 * Put the configuration of metrics and event log that the program starts with into force. What
 * cannot be opened, because the TCP port is in use or the directory is not there, does not keep the
 * switch from forwarding: there is a warning, and fcn_exports_run() tries again each second.
 */
void fcn_exports_start(struct fcn_exports *exports, const struct fcn_config_exports *conf);

/**
 * Put the configuration of metrics and event log into force, as far as it differs from what is.
 *
 * @param err one line, on failure
 * @return 0 on success, -1 on failure, and then both are as before, or err says that they are not
 */
int fcn_exports_apply(struct fcn_exports *exports, const struct fcn_config_exports *conf, char *err,
		size_t err_size);

/** Read the argument of the option `--metrics [ADDRESS:]PORT` into a configuration. @return 0 on
 * success, -1 with a line in err on failure */
int fcn_exports_option_metrics(
		const char *arg, struct fcn_config_exports *conf, char *err, size_t err_size);

/** Note whether workers forward from now on, for `show status` and as an event. At first they do
 * not.
 */
void fcn_exports_forwarding(struct fcn_exports *exports, bool forwarding);

/** Tell whether workers forward. @param exports NULL: the program is no live switch */
bool fcn_exports_is_forwarding(const struct fcn_exports *exports);

/**
 * Note for `show status` that the running configuration is that of a file, which was loaded or
 * saved. The first such file is the configuration file; others are ignored.
 */
void fcn_exports_saved(struct fcn_exports *exports, const char *file);

/** Get the name of the configuration file, see fcn_exports_saved(). @return NULL: there is none yet
 */
const char *fcn_exports_saved_file(const struct fcn_exports *exports);

/** Get the value of `show status`. @param exports NULL: the program is no live switch @return a new
 * reference, or NULL on lack of memory */
json_t *fcn_exports_show_status(const struct fcn_exports *exports, struct fcn_control *ctl);

/** Have `show log` read these lines. @param log must outlive the exports; NULL: none */
void fcn_exports_set_log(struct fcn_exports *exports, struct fcn_log_lines *log);

/** Get the value of `show log`. @param exports NULL: there is no log @param last at most so many
 * lines @return a new reference, or NULL on lack of memory */
json_t *fcn_exports_show_log(const struct fcn_exports *exports, unsigned int last);

/** Have `show sessions` call a function. @param show makes the value: a new reference, or NULL on
 * lack of memory */
void fcn_exports_set_sessions(struct fcn_exports *exports, json_t *(*show)(void *arg), void *arg);

/** Get the value of `show sessions`. @param exports NULL: there are none @return a new reference,
 * or NULL on lack of memory */
json_t *fcn_exports_show_sessions(const struct fcn_exports *exports);

/** Have `show rollback` call a function, as fcn_exports_set_sessions(). */
void fcn_exports_set_rollback(struct fcn_exports *exports, json_t *(*show)(void *arg), void *arg);

/** Get the value of `show rollback`. @param exports NULL: there is no list @return a new reference,
 * or NULL on lack of memory */
json_t *fcn_exports_show_rollback(const struct fcn_exports *exports);

#define FCN_FOLLOW_BEFORE 10 /**< events of before with which following begins */

/**
 * Write the events that there are, and those that come between two calls: the state events of the
 * collector, without notices.
 *
 * @param from number of the first one, from the last call; UINT64_MAX: begin with the last
 *             FCN_FOLLOW_BEFORE. The number of those that are not kept any more is written
 * @param json as lines of JSON, as in the log; else as lines for people
 * @return number to go on with
 */
uint64_t fcn_exports_follow(struct fcn_exports *exports, uint64_t from, bool json, FILE *out);

/** Get the value of `show export`. @param exports NULL: nothing is exported @return a new
 * reference, or NULL on lack of memory */
json_t *fcn_exports_show(struct fcn_exports *exports);

/** Get the value of `show NAME` for metrics. It includes queues without traffic. @param show the
 * name @return a new reference; NULL on lack of memory, or if there is no such `show` */
json_t *fcn_exports_get(struct fcn_exports *exports, const char *show);

#endif /* FCN_EXPORTS_H */
