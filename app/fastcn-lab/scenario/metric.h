/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Access to the numbers in the result of a run, a JSON value, by their paths.
 */

#ifndef LAB_METRIC_H
#define LAB_METRIC_H

#include <stddef.h>

#include <jansson.h>

/**
 * Get a number of the result by its path, such as "queue.s1.r.3.peak". An element of a list is
 * named by its index, as in "flows.0.goodput_bps". The value of a list is the number of its
 * elements; true is 1, and false is 0.
 *
 * @return 0, or -ENOENT with a message in err that names the members that exist
 */
int lab_metric(const json_t *result, const char *path, double *value, char *err, size_t err_size);

/**
 * Get all numbers of the result that match a path with `*` in it, such as "flows.*.goodput_bps".
 * take() is called with each of them, in the order of the result. Members without that number are
 * skipped.
 *
 * @return 0, or -ENOENT with a message in err when there is none
 */
int lab_metrics(const json_t *result, const char *path, void (*take)(void *arg, double value),
		void *arg, char *err, size_t err_size);

#endif /* LAB_METRIC_H */
