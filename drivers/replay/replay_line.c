/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The line of a port. A frame takes bits / bps seconds, seldom a whole number
 * of nanoseconds; the rest is kept as an exact fraction, so that a million
 * frames back to back leave when the arithmetic says, not a millisecond later.
 */

#include <rte_ether.h>

#include "replay_impl.h"

#define MIN_FRAME                                                                      \
	(RTE_ETHER_MIN_LEN - RTE_ETHER_CRC_LEN) /* shorter ones are padded on the wire \
						 */

__extension__ typedef unsigned __int128 u128;

uint64_t
replay_line_ready(const struct replay_line *line)
{
	return line->ns + (line->frac > 0);
}

uint64_t
replay_line_send(struct replay_line *line, uint32_t len, uint64_t now)
{
	uint64_t bits = ((uint64_t)RTE_MAX(len, (uint32_t)MIN_FRAME) + FCN_WIRE_OVERHEAD) * 8;
	u128 time;

	/*
	 * Whoever comes at the first nanosecond after the line fell free has
	 * come as early as a clock of nanoseconds allows: back to back.
	 */
	if (now > replay_line_ready(line)) {
		line->ns = now;
		line->frac = 0;
	}
	time = (u128)bits * REPLAY_NS_PER_S + line->frac;
	line->ns += time / line->bps;
	line->frac = time % line->bps;
	return replay_line_ready(line);
}

/* The frame on its way ends at the old speed. */
void
replay_line_speed(struct replay_line *line, uint64_t bps)
{
	if (bps == 0 || bps == line->bps)
		return;
	line->ns = replay_line_ready(line);
	line->frac = 0;
	line->bps = bps;
}
