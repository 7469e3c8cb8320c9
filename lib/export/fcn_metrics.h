/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Metrics for Prometheus and other programs that read its formats. Each metric has one declaration,
 * which says where its values are in the JSON of `show`. The output and the tables of the
 * documentation come from the declarations.
 *
 * The formats are OpenMetrics 1.0 and the Prometheus text format 0.0.4. The latter has no units,
 * and makes the ending _total a part of a counter's name.
 */

#ifndef FCN_METRICS_H
#define FCN_METRICS_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/** Prefix of the name of every metric. */
#define FCN_METRICS_PREFIX "fastcn_"

enum fcn_metric_type {
	FCN_METRIC_COUNTER,
	FCN_METRIC_GAUGE,
	FCN_METRIC_HISTOGRAM, /**< the value is a list of objects with from_ns, below_ns, packets */
	FCN_METRIC_INFO,      /**< the labels hold the information, and the value is 1 */
};

/** Which rows of `show port` have a sample of a metric. */
enum fcn_metric_of {
	FCN_METRIC_OF_ALL,
	FCN_METRIC_OF_LINE,             /**< only ports, and neither of the next two */
	FCN_METRIC_OF_SUB_INTERFACE,    /**< only sub-interfaces of ports */
	FCN_METRIC_OF_BRIDGE_INTERFACE, /**< only interfaces of bridges */
};

/** The declaration of a metric. */
struct fcn_metric {
	const char *name; /**< without the prefix, and without _total */
	enum fcn_metric_type type;
	const char *unit; /**< "bytes" or "seconds", with which the name ends; NULL for none */
	/**
	 * Member of a row that holds the value; "a.b" is member b of member a. It is in nanoseconds
	 * where the unit is seconds. Where its name ends with _bps it is in bits per second, and
	 * the metric in bytes per second.
	 */
	const char *member;
	/** NULL, or the label for the names if the member is an object with several named values */
	const char *each;
	const char *help; /**< one sentence without a full stop */
};

/** Rows of a `show`, and the metrics of which each row has a sample. */
struct fcn_metric_rows {
	const char *show; /**< the rows are in the JSON of `show` with this word */
	/**
	 * Member that holds the rows. It is a member of the JSON value; if that is a list, of each
	 * object in it. NULL: the JSON value is itself the list of rows, or a single row.
	 */
	const char *rows;
	const char *labels; /**< names of members of a row that become labels, separated by blanks
			     */
	enum fcn_metric_of of;
	const struct fcn_metric *metric;
	size_t n; /**< number of elements of `metric` */
};

/** All metrics, in the order in which they are written. */
extern const struct fcn_metric_rows fcn_metric_rows[];
/** Number of elements of fcn_metric_rows. */
extern const size_t fcn_metric_rows_n;

/** Go through all metrics. @param r, m variables: pointers to the rows, and to a metric of them */
#define FCN_METRIC_FOREACH(r, m)                                                      \
	for ((r) = fcn_metric_rows; (r) < fcn_metric_rows + fcn_metric_rows_n; (r)++) \
		for ((m) = (r)->metric; (m) < (r)->metric + (r)->n; (m)++)

enum fcn_metrics_format {
	FCN_METRICS_OPENMETRICS, /**< OpenMetrics 1.0 */
	FCN_METRICS_TEXT,        /**< Prometheus text format 0.0.4 */
};

/** Get the value of the Content-Type header of HTTP for a format. */
const char *fcn_metrics_content_type(enum fcn_metrics_format format);

/**
 * Choose the format for a client by its Accept header (RFC 9110 section 12.5.1): the one with the
 * higher weight, then the one that is named more precisely. Where it wants neither, the header
 * counts as if it were not there.
 *
 * @param accept NULL if it sent none
 */
enum fcn_metrics_format fcn_metrics_choose(const char *accept);

/**
 * Write all metrics. A value that is null or missing has no sample.
 *
 * @param get callback that returns the JSON of a `show` as a new reference, or NULL on lack of
 *            memory; it is called once for each `show`
 * @param arg first argument of get()
 * @return 0 on success, -ENOMEM otherwise; the text is then not complete
 */
int fcn_metrics_write(FILE *out, enum fcn_metrics_format format,
		json_t *(*get)(void *arg, const char *show), void *arg);

/** Write the declarations as a Markdown table, a row for each metric. */
void fcn_metrics_reference(FILE *out);

/**
 * Write the counters and other figures that have metrics, and rates, as Markdown tables: one for
 * each place in `show`, a row for each figure.
 */
void fcn_counters_reference(FILE *out);

#endif /* FCN_METRICS_H */
