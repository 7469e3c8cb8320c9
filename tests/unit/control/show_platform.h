/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The platform of platform.h with two ports, p0 and p1, and one worker, whose state the test sets.
 */

#ifndef SHOW_PLATFORM_H
#define SHOW_PLATFORM_H

#include <jansson.h>

#include "platform.h"

/**
 * @param worker the only one; its clock is at 1 ms
 * @param queue  class 3 of port 0
 * @param slack_ns polls may be this late
 */
int show_platform_setup(struct fcn_worker **worker, struct fcn_queue **queue, uint64_t slack_ns);

/** Check whether a member of a JSON object, which has to be true or false, is true. */
bool show_platform_is_true(const json_t *o, const char *key);

#endif /* SHOW_PLATFORM_H */
