/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The sending side of a line: when it is free, and when a frame's last bit leaves. A frame takes
 * bits / bps seconds, seldom a whole number of nanoseconds; the rest is kept as an exact fraction,
 * so that a million frames back to back leave when the arithmetic says, not a millisecond later.
 * Times are nanoseconds, rates bits per second. One owner, no locks.
 */

#ifndef FCN_LINE_H
#define FCN_LINE_H

#include <stdint.h>

/** A line, free at ns + frac / bps nanoseconds. All zero but for bps: free from the beginning. */
struct fcn_line {
	uint64_t bps; /**< bits per second, above 0 */
	uint64_t ns;
	uint64_t frac; /**< below bps */
	/* what the last frame took, for the next of its length */
	uint64_t last_bits; /**< 0: nothing */
	uint64_t last_ns;
	uint64_t last_frac;
};

/** Earliest nanosecond at which the line is free. */
static inline uint64_t
fcn_line_ready(const struct fcn_line *line)
{
	return line->ns + (line->frac > 0);
}

/**
 * Send a frame on the line, which is free at now.
 *
 * @param len bytes without FCS; shorter ones than Ethernet's shortest are padded on the wire
 * @return when its last bit has left
 */
uint64_t fcn_line_send(struct fcn_line *line, uint32_t len, uint64_t now);

/** Change the speed; the frame on its way ends at the old one. 0 is ignored. */
void fcn_line_speed(struct fcn_line *line, uint64_t bps);

#endif /* FCN_LINE_H */
