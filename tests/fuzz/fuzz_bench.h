/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the targets that run a worker on the test bench of testbed.h share.
 */

#ifndef FUZZ_BENCH_H
#define FUZZ_BENCH_H

#include "fuzz.h"

/**
 * Make the bench for an input, which is a setup of FRAME_OFFSET octets and a frame.
 *
 * @param least octets of a frame; what is shorter is no input for the target
 * @param most the same
 * @param setup the setup is copied to it
 * @param len set to the number of octets of the frame
 * @return the frame, in exactly its size on the heap; NULL: the input is none for this target
 */
uint8_t *fuzz_begin(const uint8_t *data, size_t size, uint32_t least, uint32_t most, void *setup,
		uint32_t *len);

/** Check the bench, and free it and the frame. */
void fuzz_end(uint8_t *frame);

/** Add to an octet of a frame, behind the addresses of Ethernet. */
void fuzz_change(uint8_t *frame, uint32_t len, uint8_t where, uint8_t change);

/**
 * Let a frame arrive.
 *
 * @param segment octets of a segment, of which the first has the Ethernet header at least; 0: the
 *                frame is one segment where it fits
 * @param in_pool whether it lies in ordinary buffers, or in memory of its size, so that the
 *                sanitizer sees what is read behind it
 */
void fuzz_arrive(uint16_t port, const uint8_t *data, uint32_t len, uint32_t segment, bool in_pool);

/** Take what is in the queues to host functions, if there are any, and free it. */
void fuzz_take_punts(void);

#endif /* FUZZ_BENCH_H */
