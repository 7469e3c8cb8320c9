/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_ether.h>

#include "fcn_serializer.h"
#include "fcn_port.h"

#define LINE_NS_PER_S UINT64_C(1000000000)
#define MAX_SHORT (UINT64_C(1) << 32) /* bits: times 10^9, plus a rate below 2^62, fits 64 bits */

#define MIN_FRAME                                                                      \
	(RTE_ETHER_MIN_LEN - RTE_ETHER_CRC_LEN) /* shorter ones are padded on the wire \
						 */

__extension__ typedef unsigned __int128 u128;

uint64_t
fcn_serializer_send(struct fcn_serializer *serializer, uint32_t len, uint64_t now)
{
	uint64_t bits = ((uint64_t)RTE_MAX(len, (uint32_t)MIN_FRAME) + FCN_WIRE_OVERHEAD) * 8;
	u128 time;

	/*
	 * A frame that is sent at the first whole nanosecond after the serializer became free
	 * follows back to back: a clock of nanoseconds allows nothing earlier.
	 */
	if (now > fcn_serializer_ready(serializer)) {
		serializer->ns = now;
		serializer->frac = 0;
	}
	if (likely(bits < MAX_SHORT)) { /* a 64-bit division is enough */
		if (bits != serializer->last_bits) {
			serializer->last_bits = bits;
			serializer->last_ns = bits * LINE_NS_PER_S / serializer->bps;
			serializer->last_frac = bits * LINE_NS_PER_S % serializer->bps;
		}
		serializer->ns += serializer->last_ns;
		serializer->frac += serializer->last_frac;
		if (serializer->frac >= serializer->bps) {
			serializer->frac -= serializer->bps;
			serializer->ns++;
		}
		return fcn_serializer_ready(serializer);
	}
	time = (u128)bits * LINE_NS_PER_S + serializer->frac;
	serializer->ns += time / serializer->bps;
	serializer->frac = time % serializer->bps;
	return fcn_serializer_ready(serializer);
}

/* Change the speed. A frame that is being sent ends at the old speed. */
void
fcn_serializer_speed(struct fcn_serializer *serializer, uint64_t bps)
{
	if (bps == 0 || bps == serializer->bps)
		return;
	serializer->ns = fcn_serializer_ready(serializer);
	serializer->frac = 0;
	serializer->bps = bps;
	serializer->last_bits = 0;
}
