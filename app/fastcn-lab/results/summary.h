/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The summary numbers of a result, for tables and pictures of several runs.
 */

#ifndef LAB_SUMMARY_H
#define LAB_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* X(name, text): in the order of the columns of a table. A result may lack some of them. */
#define LAB_SUMMARY(X)                                                   \
	X(peak, "highest queue (bytes)")                                 \
	X(first_peak, "its first peak (bytes)")                          \
	X(p99, "99th percentile of that queue (bytes)")                  \
	X(goodput_bps, "goodput of all flows (b/s)")                     \
	X(jain, "fairness of goodput (Jain)")                            \
	X(slowdown_p50, "slowdown, median")                              \
	X(slowdown_p99, "slowdown, 99th percentile")                     \
	X(paused_ns, "hosts paused by PFC (ns, sum)")                    \
	X(switch_paused_ns, "switches paused by PFC (ns, sum)")          \
	X(notices, "Fast CNPs accepted")                                 \
	X(first_notice_ns, "congestion to first Fast CNP accepted (ns)") \
	X(cnps, "CNPs received")                                         \
	X(first_cnp_ns, "congestion to first CNP received (ns)")         \
	X(repeats, "times a sender went back")

/**
 * The summary numbers of a result as an object, and "queue", the name of the queue with the highest
 * peak, which peak, first_peak and p99 are about.
 */
json_t *lab_summary(const json_t *result);

/** Text that describes a summary number, with its unit; NULL when there is none of that name. */
const char *lab_summary_text(const char *name);

/** A summary number, or a metric of the result by its path. @return 0, or -ENOENT with a line in
 * err
 */
int lab_summary_metric(const json_t *result, const json_t *summary, const char *name, double *value,
		char *err, size_t err_size);

/**
 * A number as JSON: an integer when it is whole and below 2^53, text ("inf", "nan") when JSON has
 * no number for it.
 */
json_t *lab_number(double x);

/** A copy of a list of objects in which times and rates are rounded to four digits. */
json_t *lab_rounded(const json_t *list);

/**
 * How many expectations hold, "3 of 4".
 *
 * @param hold set to whether all of them do; may be NULL
 * @return NULL when the result has no expectations
 */
json_t *lab_summary_expectations(const json_t *result, bool *hold);

#endif /* LAB_SUMMARY_H */
