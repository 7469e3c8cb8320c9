/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Numbers of a run's result, a JSON value, by their paths.
 */

#ifndef LAB_METRIC_H
#define LAB_METRIC_H

#include <stddef.h>

#include <jansson.h>

/**
 * A number of the result by its path, "queue.s1.r.3.peak". Members of lists go by their place,
 * "flows.0.goodput_bps"; the value of a list is how many members it has, of yes and no 1 and 0.
 *
 * @return 0, or -ENOENT with a line in err that names what there is instead
 */
int lab_metric(const json_t *result, const char *path, double *value, char *err, size_t err_size);

/**
 * All numbers that a path stands for, where a part of it is `*`, "flows.*.goodput_bps": one after
 * the other, as they are in the result. Members that have no such number are left out.
 *
 * @return 0, or -ENOENT with a line in err when there is none at all
 */
int lab_metrics(const json_t *result, const char *path, void (*take)(void *arg, double value),
		void *arg, char *err, size_t err_size);

#endif /* LAB_METRIC_H */
