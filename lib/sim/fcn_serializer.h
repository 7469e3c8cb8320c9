/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The transmitting side of a link. It computes when the link is free, and when the last bit of a
 * frame leaves. A frame takes bits / bps seconds, which is seldom a whole number of nanoseconds.
 * The remainder is kept as an exact fraction, so that rounding errors do not add up over many
 * frames. Times are in nanoseconds, rates in bits per second. A serializer is used by one thread;
 * there are no locks.
 */

#ifndef FCN_SERIALIZER_H
#define FCN_SERIALIZER_H

#include <stdint.h>

/**
 * A serializer, which is free at ns + frac / bps nanoseconds. If all fields but bps are zero, it is
 * free from the beginning.
 */
struct fcn_serializer {
	uint64_t bps; /**< bits per second, above 0 */
	uint64_t ns;
	uint64_t frac; /**< below bps */
	/* duration of the last frame, reused for the next frame of the same length */
	uint64_t last_bits; /**< 0: not valid */
	uint64_t last_ns;
	uint64_t last_frac;
};

/** Get the earliest nanosecond at which the serializer is free. */
static inline uint64_t
fcn_serializer_ready(const struct fcn_serializer *serializer)
{
	return serializer->ns + (serializer->frac > 0);
}

/**
 * Send a frame on the serializer, which must be free at now.
 *
 * @param len bytes without FCS; a frame shorter than the minimum of Ethernet is padded on the wire
 * @return time at which its last bit has left
 */
uint64_t fcn_serializer_send(struct fcn_serializer *serializer, uint32_t len, uint64_t now);

/** Change the speed. A frame that is being sent ends at the old speed. A bps of 0 is ignored. */
void fcn_serializer_speed(struct fcn_serializer *serializer, uint64_t bps);

#endif /* FCN_SERIALIZER_H */
