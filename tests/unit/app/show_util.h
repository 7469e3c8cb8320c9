/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch that has something to show, and a `show` whose text and JSON agree.
 */

#ifndef SHOW_UTIL_H
#define SHOW_UTIL_H

#include "app_util.h"

/**
 * Run a show as JSON and as text. Each name of the JSON is in the text, or, of queues and workers,
 * those of the columns are. @return the JSON, which the caller releases
 */
json_t *show(const char *line);

/** Make all there is to show: traffic, notices, traces, drops. */
void fill(void);

/** Get a number of an object; the test fails if there is none. */
json_int_t number(const json_t *o, const char *key);

#endif /* SHOW_UTIL_H */
