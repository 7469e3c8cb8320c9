/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A pcapng file under way. One thread opens it, one writes it (the same, or
 * another); its figures may be read by any.
 *
 * A file ends within no block, whatever happens: when the disk is full, what
 * could not be written whole is cut off, and its error says why. (What a pipe's
 * reader has, it has.)
 */

#ifndef FCN_CAPTURE_FILE_H
#define FCN_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_capture.h"
#include "fcn_port.h"

struct fcn_capture_file;

/** Ports as interfaces of a file are called. */
struct fcn_capture_ports {
	struct {
		char name[FCN_PORT_NAME_LEN]; /**< empty: there was no such port yet */
		uint64_t bps;                 /**< of its link; 0: not known */
	} port[FCN_MAX_PORTS];
};

struct fcn_capture_file_conf {
	const char *path;   /**< a pipe, too, that somebody reads */
	const char *filter; /**< for the file to tell; NULL: none */
	uint32_t snaplen;
	uint64_t packets; /**< the file is full with so many; 0: any number */
	uint64_t bytes;   /**< it gets no longer than that; 0: any length */
	uint64_t ports;   /**< bit set: those that are interfaces from the beginning on */
};

struct fcn_capture_file_stats {
	uint64_t packets; /**< in the file */
	uint64_t bytes;   /**< length of the file */
	uint64_t lost;    /**< packets that were put and could not be written */
	bool full;        /**< a limit was reached */
	int error;        /**< errno; 0: none. Nothing more is written */
};

/**
 * Open a file. Nothing is written yet, and what it held is still there.
 *
 * @param err one line, on failure
 * @return NULL on failure
 */
struct fcn_capture_file *fcn_capture_file_open(
		const struct fcn_capture_file_conf *conf, char *err, size_t err_size);

/** Close it. */
void fcn_capture_file_free(struct fcn_capture_file *file);

/** Whether both are one file, by whatever name. */
bool fcn_capture_file_is_same(const struct fcn_capture_file *a, const struct fcn_capture_file *b);

const char *fcn_capture_file_path(const struct fcn_capture_file *file);
void fcn_capture_file_stats(
		const struct fcn_capture_file *file, struct fcn_capture_file_stats *stats);

/* ---- for the thread that writes ---- */

/** Write a packet, or nothing when the file is full or has failed. @param tap number of the capture
 */
void fcn_capture_file_put(struct fcn_capture_file *file, const struct fcn_capture_record *record,
		const struct fcn_capture_octets *octets, unsigned int tap,
		const struct fcn_capture_ports *ports);

/** Have all that was put stand in the file; the first time, also what it begins with. */
void fcn_capture_file_flush(struct fcn_capture_file *file, const struct fcn_capture_ports *ports);

/** The end: statistics of its interfaces. @param missed by port, packets that never came here */
void fcn_capture_file_end(struct fcn_capture_file *file, const uint64_t missed[FCN_MAX_PORTS],
		uint64_t time_ns, const struct fcn_capture_ports *ports);

#endif /* FCN_CAPTURE_FILE_H */
