/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packet captures of a switch: what workers copy is written to files, by
 * a thread of their own, or by the one thread there is.
 *
 * The control thread's, all of it. A capture is an action and not part of the
 * configuration. One that ended (stopped, full, failed) is shown until its
 * place is needed.
 */

#ifndef FCN_CAPTURES_H
#define FCN_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "fcn_control.h"

struct fcn_captures;

struct fcn_captures_conf {
	struct fcn_control *ctl;
	bool threaded;  /**< a thread writes; else fcn_captures_run() does */
	uint32_t units; /**< of a worker's ring, see fcn_capture_ring_create(); 0: 16 MiB */
};

/** What is to be captured, and where to. */
struct fcn_capture_request {
	const char *file;
	const char *port;    /**< its name, to be shown; "all" */
	uint64_t ports;      /**< bit set of its number, or of all there may be */
	unsigned int points; /**< bit set of enum fcn_capture_point */
	const char *what;    /**< the same, to be shown */
	const char *filter;  /**< NULL: every packet */
	uint32_t snaplen;
	uint64_t packets, bytes; /**< limits; 0: none */
};

/** @return NULL, with errno set, on failure */
struct fcn_captures *fcn_captures_create(const struct fcn_captures_conf *conf);

/** End all captures; their files are whole then. The worker must still run, or never have. */
void fcn_captures_free(struct fcn_captures *captures);

/** A port is opened, or its link changed: what its number stands for from now on. */
void fcn_captures_port(
		struct fcn_captures *captures, unsigned int number, const char *name, uint64_t bps);

/** The configuration changed: what all numbers stand for. @param captures NULL: there are none */
void fcn_captures_ports(struct fcn_captures *captures);

/** Begin a capture. @return 0 or a negative errno, with a line in err */
int fcn_captures_start(struct fcn_captures *captures, const struct fcn_capture_request *request,
		char *err, size_t err_size);

/**
 * End a capture, or all that run; when it returns the files are whole, or have
 * failed, and that is shown.
 *
 * @param file as it was named; NULL: all
 * @return 0; -ENOENT: there is none
 */
int fcn_captures_stop(struct fcn_captures *captures, const char *file);

/** End those that are full or have failed; without a thread, write what there is. To be called
 * often. */
void fcn_captures_run(struct fcn_captures *captures);

/** Say which captures failed. @return how many */
unsigned int fcn_captures_failed(
		struct fcn_captures *captures, void (*say)(void *arg, const char *line), void *arg);

/** The captures, in the order they began. @param captures NULL: there are none */
json_t *fcn_captures_show(struct fcn_captures *captures);

#endif /* FCN_CAPTURES_H */
