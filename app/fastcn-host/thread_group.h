/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Threads and their processes, as /proc has them. */

#ifndef THREAD_GROUP_H
#define THREAD_GROUP_H

#include <stdbool.h>
#include <stdint.h>

/** Ask whether two threads, by number, are of one process. False if one of them has ended. */
bool thread_group_is_same(uint32_t a, uint32_t b);

#endif /* THREAD_GROUP_H */
