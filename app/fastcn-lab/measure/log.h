/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the parts of a network report while they run side by side, kept until none of them runs.
 * Each part has a log of calls that its events make. They are then made in the order in which the
 * events would have run one after the other, so what they lead to does not depend on the division.
 */

#ifndef LAB_LOG_H
#define LAB_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "fcn_sim.h"

struct lab_log;

typedef void (*lab_log_fn)(void *arg, const void *data);

/** @param sim the simulation whose events make the calls */
struct lab_log *lab_log_create(const struct fcn_sim *sim);
void lab_log_free(struct lab_log *log);

/**
 * Make a call of fn later, with a copy of data.
 *
 * @param log NULL: it is made at once
 */
void lab_log_call(struct lab_log *log, lab_log_fn fn, void *arg, const void *data, size_t size);

/**
 * Make all calls of n logs, which are empty afterwards.
 *
 * @return false when some could not be kept, for lack of memory
 */
bool lab_log_replay(struct lab_log *const *log, unsigned int n);

#endif /* LAB_LOG_H */
