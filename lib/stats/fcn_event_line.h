/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An event record as a line of JSON. One list of fields is the line and its
 * documentation.
 */

#ifndef FCN_EVENT_LINE_H
#define FCN_EVENT_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fcn_event.h"

/** No line is longer, its end and a terminator included. */
#define FCN_EVENT_LINE_MAX 1024

/** Room for a time as fcn_format_utc() writes it. */
#define FCN_UTC_SIZE 40

/** What a record does not have in it. */
struct fcn_event_names {
	uint64_t epoch_ns; /**< nanoseconds since 1970 at time 0 of the worker's clock */
	const char *(*port)(void *arg, unsigned int port); /**< of at most 64 characters that JSON
							    * takes as they are; never NULL */
	void *arg;
};

/**
 * Write a line, "\n" and terminator included.
 *
 * @param buf FCN_EVENT_LINE_MAX bytes
 * @return its length without terminator
 */
size_t fcn_event_line(const struct fcn_event *ev, const struct fcn_event_names *names, char *buf);

/** Nanoseconds since 1970 as UTC by RFC 3339, nine decimals. @return buf. */
const char *fcn_format_utc(uint64_t ns, char buf[FCN_UTC_SIZE]);

/** Write events and fields as Markdown tables. */
void fcn_event_reference(FILE *out);

#endif /* FCN_EVENT_LINE_H */
