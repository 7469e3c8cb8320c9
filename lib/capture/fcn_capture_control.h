/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packet captures of a switch. Workers copy packets into rings (fcn_capture.h), and a thread
 * takes them from there and writes them to pcapng files. In virtual time, where there is only one
 * thread, fcn_captures_run() writes them.
 *
 * A capture is an action and not part of the configuration. A capture that has ended, because it
 * was stopped, is full or has failed, is shown until another capture needs its place.
 *
 * All functions are for the control thread.
 */

#ifndef FCN_CAPTURE_CONTROL_H
#define FCN_CAPTURE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "fcn_control.h"

struct fcn_captures;

/* In `show capture`: X(member, name in JSON, text). */
#define FCN_CAPTURE_COUNTERS(X)                                               \
	X(packets, "packets", "Packets in the file")                          \
	X(bytes, "bytes", "Length of the file")                               \
	X(missed, "missed",                                                   \
			"Packets that should be in the file, and are not: a " \
			"worker's ring had no room, or writing failed")

/** How captures work in a program. */
struct fcn_captures_conf {
	struct fcn_control *ctl;
	bool threaded;  /**< a thread writes the files; otherwise fcn_captures_run() does */
	uint32_t units; /**< size of a worker's ring, see fcn_capture_ring_create(); 0: 16 MiB */
};

/** Which packets are captured, and to which file. */
struct fcn_capture_request {
	const char *file; /**< path of the file, which may be a pipe */
	const char *port; /**< name of the port for `show capture`, or "all" */
	struct fcn_port_set ports;
	unsigned int points; /**< bit set of enum fcn_capture_point */
	const char *what;    /**< name of the points for `show capture` */
	const char *filter;  /**< filter as an expression of libpcap; NULL: every packet */
	uint32_t snaplen;    /**< maximum number of bytes kept of a packet */
	uint64_t packets;    /**< number of packets after which the capture ends; 0: no limit */
	uint64_t bytes;      /**< maximum length of the file in bytes; 0: no limit */
};

/** Create the captures of a switch, none of which runs. @return NULL, with errno set, on failure */
struct fcn_captures *fcn_captures_create(const struct fcn_captures_conf *conf);

/** End all captures and complete their files. Workers must still run, or never have run. NULL is
 * allowed. */
void fcn_captures_free(struct fcn_captures *captures);

/**
 * Set the name and link rate under which packets of a port appear in files from now on. To be
 * called when a port was opened or its link changed.
 *
 * @param number number of the port
 * @param bps    link rate in bits per second; 0: not known
 */
void fcn_captures_port(
		struct fcn_captures *captures, unsigned int number, const char *name, uint64_t bps);

/** Call fcn_captures_port() for all ports; to be called after the configuration changed. NULL is
 * allowed. */
void fcn_captures_ports(struct fcn_captures *captures);

/**
 * Start a capture.
 *
 * @param err one line, on failure
 * @return 0 on success; -EMFILE if FCN_CAPTURE_MAX captures are running; -EBUSY if another one
 * writes the file; -EIO if the file cannot be opened; or another negative errno
 */
int fcn_captures_start(struct fcn_captures *captures, const struct fcn_capture_request *request,
		char *err, size_t err_size);

/**
 * Stop the capture that writes a file, or all captures. When this returns, each file is complete,
 * or `show capture` says that writing it failed.
 *
 * @param file name of the file as in the request; NULL: all captures
 * @return 0 on success, also if the capture had ended already; -ENOENT if `show capture` has no
 * capture to this file; -EAGAIN: a worker is stalled, so that a capture goes on
 */
int fcn_captures_stop(struct fcn_captures *captures, const char *file);

/** End captures that are full or have failed. Without a thread, also write the packets that wait.
 * To be called at least ten times a second. NULL is allowed. */
void fcn_captures_run(struct fcn_captures *captures);

/** Call say() with one line about each capture that failed. @return number of such captures */
unsigned int fcn_captures_failed(
		struct fcn_captures *captures, void (*say)(void *arg, const char *line), void *arg);

/**
 * Get the value of `show capture`: the captures in the order in which they were started.
 *
 * @param captures NULL gives an empty list
 * @return a new reference, or NULL on lack of memory
 */
json_t *fcn_captures_show(struct fcn_captures *captures);

#endif /* FCN_CAPTURE_CONTROL_H */
