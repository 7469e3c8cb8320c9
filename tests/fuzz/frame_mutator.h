/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Mutations of an Ethernet frame for libFuzzer; see frame_mutator.c. */

#ifndef FRAME_MUTATOR_H
#define FRAME_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/** Where the frame begins in the input of a target: -DFRAME_OFFSET of its build. */
#ifndef FRAME_OFFSET
#define FRAME_OFFSET 0
#endif

/** Change a frame in place, by rand(). @return its new size, at most max_size */
size_t frame_mutate(uint8_t *data, size_t size, size_t max_size);

#endif /* FRAME_MUTATOR_H */
