/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the targets that run a worker on the test bench of testbed.h share.
 */

#ifndef FUZZ_BENCH_H
#define FUZZ_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Let a frame arrive.
 *
 * @param segment octets of a segment, of which the first has the Ethernet header at least; 0: the
 *                frame is one segment where it fits
 * @param in_pool whether it lies in ordinary buffers, or in memory of its size, so that the
 *                sanitizer sees what is read behind it
 */
void fuzz_arrive(uint16_t port, const uint8_t *data, uint32_t len, uint32_t segment, bool in_pool);

/** Make the queues to host functions that take every kind of packet of port 0. */
void fuzz_make_punt_queues(void);

/** Take what is in these queues, if there are any, and free it. */
void fuzz_take_punts(void);

#endif /* FUZZ_BENCH_H */
