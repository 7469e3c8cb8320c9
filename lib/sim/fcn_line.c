/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_ether.h>

#include "fcn_line.h"
#include "fcn_port.h"

#define LINE_NS_PER_S UINT64_C(1000000000)
#define MAX_SHORT (UINT64_C(1) << 32) /* bits: times 10^9, plus a rate below 2^62, fits 64 bits */

#define MIN_FRAME                                                                      \
	(RTE_ETHER_MIN_LEN - RTE_ETHER_CRC_LEN) /* shorter ones are padded on the wire \
						 */

__extension__ typedef unsigned __int128 u128;

uint64_t
fcn_line_send(struct fcn_line *line, uint32_t len, uint64_t now)
{
	uint64_t bits = ((uint64_t)RTE_MAX(len, (uint32_t)MIN_FRAME) + FCN_WIRE_OVERHEAD) * 8;
	u128 time;

	/*
	 * A frame that is sent at the first whole nanosecond after the line became free follows
	 * back to back: a clock of nanoseconds allows nothing earlier.
	 */
	if (now > fcn_line_ready(line)) {
		line->ns = now;
		line->frac = 0;
	}
	if (likely(bits < MAX_SHORT)) { /* a 64-bit division is enough */
		if (bits != line->last_bits) {
			line->last_bits = bits;
			line->last_ns = bits * LINE_NS_PER_S / line->bps;
			line->last_frac = bits * LINE_NS_PER_S % line->bps;
		}
		line->ns += line->last_ns;
		line->frac += line->last_frac;
		if (line->frac >= line->bps) {
			line->frac -= line->bps;
			line->ns++;
		}
		return fcn_line_ready(line);
	}
	time = (u128)bits * LINE_NS_PER_S + line->frac;
	line->ns += time / line->bps;
	line->frac = time % line->bps;
	return fcn_line_ready(line);
}

/* A frame that is being sent ends at the old speed. */
void
fcn_line_speed(struct fcn_line *line, uint64_t bps)
{
	if (bps == 0 || bps == line->bps)
		return;
	line->ns = fcn_line_ready(line);
	line->frac = 0;
	line->bps = bps;
	line->last_bits = 0;
}
