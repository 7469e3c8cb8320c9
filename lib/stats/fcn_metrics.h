/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Metrics for Prometheus and whoever else reads its formats: one declaration a
 * metric, which says where in the JSON of `show` its values stand. The text,
 * and the list in the documentation, come from the declarations.
 *
 * Formats: OpenMetrics 1.0, and the Prometheus text format 0.0.4, which has
 * no units and writes a counter's _total into its name.
 */

#ifndef FCN_METRICS_H
#define FCN_METRICS_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/** Every name begins with this. */
#define FCN_METRICS_PREFIX "fastcn_"

enum fcn_metric_type {
	FCN_METRIC_COUNTER,
	FCN_METRIC_GAUGE,
	FCN_METRIC_HISTOGRAM, /**< of a list of from_ns, below_ns, packets */
	FCN_METRIC_INFO,      /**< members are labels, the value is 1 */
};

/** Which rows of `show port` have a sample. */
enum fcn_metric_of {
	FCN_METRIC_OF_ALL,
	FCN_METRIC_OF_LINE,             /**< ports alone: neither of the next two */
	FCN_METRIC_OF_SUB_INTERFACE,    /**< sub-interfaces of ports alone */
	FCN_METRIC_OF_BRIDGE_INTERFACE, /**< interfaces of bridges alone */
};

struct fcn_metric {
	const char *name; /**< behind the prefix, without _total */
	enum fcn_metric_type type;
	const char *unit;   /**< what the name ends in, "bytes" or "seconds"; NULL: none */
	const char *show;   /**< `show NAME json` has it */
	const char *rows;   /**< member that holds the rows, of the value or, if that is a list, of
			     * each in it; NULL: the value is the list, or a row */
	const char *labels; /**< members of a row that are labels, with blanks between; "": none */
	const char *member; /**< member of a row with the value; "a.b" is b within a. In
			     * nanoseconds where the unit is seconds, in bits a second
			     * where the metric has bytes and it ends in _bps. */
	const char *each;   /**< the member holds several values by name: label of the name */
	const char *help;   /**< one sentence without a full stop */
	enum fcn_metric_of of;
};

extern const struct fcn_metric fcn_metrics[];
extern const size_t fcn_metrics_n;

enum fcn_metrics_format {
	FCN_METRICS_OPENMETRICS,
	FCN_METRICS_TEXT,
};

/** Value of the Content-Type header. */
const char *fcn_metrics_content_type(enum fcn_metrics_format format);

/** Which format a client wants. @param accept its Accept header, NULL: none. */
enum fcn_metrics_format fcn_metrics_choose(const char *accept);

/**
 * Write all metrics. A value that is null, or not there, has no sample.
 *
 * @param get what a `show` says, a new reference, or NULL; asked once for each
 * @return 0 or -ENOMEM
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
