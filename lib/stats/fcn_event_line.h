/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An event record as a line of JSON. The line and its documentation come from one list of fields.
 */

#ifndef FCN_EVENT_LINE_H
#define FCN_EVENT_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fcn_event.h"

/** Maximum size of a line in bytes, newline and terminator included: one with the longest command,
 * all of whose characters need an escape. */
#define FCN_EVENT_LINE_MAX 2560

/** Size of a buffer for fcn_format_utc(), in bytes. */
#define FCN_UTC_SIZE 40

/** The words of an event of FCN_EVENTS_WORDED. */
struct fcn_event_text {
	const char *user; /**< who did it; NULL: nobody in particular */
	const char *role; /**< role of the session; NULL: there is none */
	const char *text; /**< the command, or what was done */
};

/** Data of a line that the record does not contain: the date, and the names of ports. */
struct fcn_event_names {
	uint64_t epoch_ns; /**< time 0 of the workers' clock, in nanoseconds since 1970 UTC */
	/** Gives the name of a port: at most 64 characters that need no escape in JSON, never NULL.
	 */
	const char *(*port)(void *arg, unsigned int port);
	void *arg; /**< first argument of port() and words() */
	/** Gives the words with a number; NULL: they are forgotten. The function may be NULL. */
	const struct fcn_event_text *(*words)(void *arg, uint32_t number);
};

/** Tell whether events of a type are about a class queue: the record has its class. */
bool fcn_event_has_class(enum fcn_event_type type);
/** Tell whether events of a type say how many bytes a queue holds: the record has them. */
bool fcn_event_has_occupancy(enum fcn_event_type type);

/**
 * Write the line of an event, with a newline and a terminator.
 *
 * @param buf FCN_EVENT_LINE_MAX bytes
 * @return length of the line without the terminator
 */
size_t fcn_event_line(const struct fcn_event *ev, const struct fcn_event_names *names, char *buf);

/**
 * Write the line of an event for people: "12:00:00.000012 congested port p1 class 3 ...", with a
 * newline and a terminator. It has the fields of fcn_event_line() that are not about time.
 *
 * @param buf FCN_EVENT_LINE_MAX bytes
 * @return length of the line without the terminator
 */
size_t fcn_event_words_line(
		const struct fcn_event *ev, const struct fcn_event_names *names, char *buf);

/** Format nanoseconds since 1970 as a date and time of UTC (RFC 3339) with nine decimals.
 * @return buf */
const char *fcn_format_utc(uint64_t ns, char buf[FCN_UTC_SIZE]);

/** Write the types of events, the fields of lines and the kinds of warnings as Markdown tables. */
void fcn_event_reference(FILE *out);

#endif /* FCN_EVENT_LINE_H */
