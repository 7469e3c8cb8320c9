/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A pcapng file that is being written. One thread opens it and one thread, the same or another,
 * writes it. Any thread may read its counters.
 *
 * The file always ends with a complete block. When the disk is full, an incomplete block is cut off
 * again, and the error of the file says why. This does not hold for a pipe, whose reader may have
 * read a part of a block.
 */

#ifndef FCN_CAPTURE_FILE_H
#define FCN_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_capture.h"
#include "fcn_port.h"
#include "fcn_port_set.h"

struct fcn_capture_file;

/** Names and link rates of ports, for the interfaces of a file. */
struct fcn_capture_ports {
	struct {
		char name[FCN_PORT_NAME_LEN]; /**< empty: there is no such port */
		uint64_t bps;                 /**< rate of the link, bit/s; 0: not known */
	} port[FCN_MAX_PORTS];
};

/** Parameters of a file. */
struct fcn_capture_file_conf {
	const char *path;          /**< a regular file, or a pipe that has a reader */
	const char *filter;        /**< the filter that is recorded in the file; NULL: none */
	uint32_t snaplen;          /**< maximum number of bytes kept of a packet */
	uint64_t packets;          /**< maximum number of packets in the file; 0: no limit */
	uint64_t bytes;            /**< maximum length of the file in bytes; 0: no limit */
	struct fcn_port_set ports; /**< those that are interfaces even without a packet */
};

/** Counters of a file. */
struct fcn_capture_file_stats {
	uint64_t packets; /**< packets in the file, including those in the buffer */
	uint64_t bytes;   /**< length of the file in bytes, including the buffer */
	uint64_t lost;    /**< packets that could not be written */
	bool full;        /**< a limit was reached */
	int error;        /**< errno, after which nothing more is written; 0: none */
};

/**
 * Open a file. Nothing is written yet: the old content stays until the first flush.
 *
 * @param err one line, on failure
 * @return NULL on failure
 */
struct fcn_capture_file *fcn_capture_file_open(
		const struct fcn_capture_file_conf *conf, char *err, size_t err_size);

/** Close a file and free it. NULL is allowed. */
void fcn_capture_file_free(struct fcn_capture_file *file);

/** Tell whether both are the same file, even under two names. */
bool fcn_capture_file_is_same(const struct fcn_capture_file *a, const struct fcn_capture_file *b);

/** Get the path that the file was opened by. The string belongs to the file. */
const char *fcn_capture_file_path(const struct fcn_capture_file *file);
/** Read the counters. Any thread may call this. */
void fcn_capture_file_stats(
		const struct fcn_capture_file *file, struct fcn_capture_file_stats *stats);

/* ---- for the thread that writes ---- */

/**
 * Add a packet to the buffer of the file. Nothing happens when the file is full or has failed.
 *
 * @param octets the captured octets of the packet
 * @param tap    number of the capture, 0 to FCN_CAPTURE_MAX - 1
 * @param ports  present names and link rates
 */
void fcn_capture_file_put(struct fcn_capture_file *file, const struct fcn_capture_record *record,
		const struct fcn_capture_octets *octets, unsigned int tap,
		const struct fcn_capture_ports *ports);

/** Write the buffer to the file. The first time, this also replaces the old content and writes the
 * header. */
void fcn_capture_file_flush(struct fcn_capture_file *file, const struct fcn_capture_ports *ports);

/**
 * Write the buffer and the statistics of each interface, which end the file.
 *
 * @param missed  packets of each port that did not fit into the rings
 * @param time_ns time of the statistics, nanoseconds since 1970
 */
void fcn_capture_file_end(struct fcn_capture_file *file, const uint64_t missed[FCN_MAX_PORTS],
		uint64_t time_ns, const struct fcn_capture_ports *ports);

#endif /* FCN_CAPTURE_FILE_H */
