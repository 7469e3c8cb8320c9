/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The form in which counters are declared. The counters of a structure are a list, a macro such as
 *
 *     #define FCN_QUEUE_SENT_COUNTERS(X) \
 *         X(deq_packets, "sent", COUNTER, "queue_sent_packets", "Packets that left the queue")
 *
 * in the header that has the structure. Each line of the list is one counter, and the members of
 * the structure, the JSON of `show`, the metrics (lib/export/metrics_list.c) and
 * doc/counters.md all come from it. The arguments of a line are
 *
 * - the member of the structure, a uint64_t;
 * - the name in the JSON of `show`;
 * - the type: COUNTER (events or packets), BYTES or SECONDS (the member is in nanoseconds) for a
 *   value that only grows; GAUGE, LEVEL (bytes) or DURATION (nanoseconds) for one that also falls;
 * - the name of the metric, without the prefix "fastcn_", without the unit that BYTES, SECONDS,
 *   LEVEL and DURATION append, and without the "_total" of counters;
 * - the meaning, one sentence without a full stop, which becomes the help of the metric and its
 *   text in the documentation.
 *
 * A list whose lines have another form has a comment that describes them.
 */

#ifndef FCN_COUNTER_H
#define FCN_COUNTER_H

#include <stdint.h>

/** Declare the members of a structure: LIST(FCN_COUNTER_MEMBER). */
#define FCN_COUNTER_MEMBER(member, ...) uint64_t member;

/** Set the counters of the structure that `c` points to to zero: LIST(FCN_COUNTER_CLEAR). */
#define FCN_COUNTER_CLEAR(member, ...) c->member = 0;

/** Add the counters of a list of one structure to those of another. @param to, from pointers to
 * structures that have them; their types may differ */
#define FCN_COUNTERS_ADD(to, from, LIST)                  \
	do {                                              \
		__typeof__(to) const add_to = (to);       \
		__typeof__(from) const add_from = (from); \
                                                          \
		LIST(FCN_COUNTERS_ADD_ONE)                \
	} while (0)
#define FCN_COUNTERS_ADD_ONE(member, ...) add_to->member += add_from->member;

#endif /* FCN_COUNTER_H */
