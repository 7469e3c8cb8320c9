/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The budget of packet buffers: how many packets may wait in the switch, whatever their length. It
 * is divided as the buffer in bytes is, by the same functions (fcn_buffer.h), with a packet as the
 * unit: a reserve for each queue, a part that queues share by dynamic thresholds with alpha 1, and
 * headroom for lossless classes. Each worker has an equal part of what is shared, so none needs to
 * know what another one holds.
 *
 * Packets are counted at the end of a turn, and the threshold that follows holds for all queues of
 * the worker in the next turn. So a queue only compares its number of packets with one number. What
 * a worker receives in a turn is not part of the budget.
 */

#ifndef FCN_PACKET_BUDGET_H
#define FCN_PACKET_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_buffer.h"

/** Threshold of queues without a budget. Twice as many packets can still be counted. */
#define FCN_PACKETS_ANY (UINT32_MAX / 2)

/** Maximum number of packets of lossless classes that a worker charges in a turn. */
#define FCN_PACKETS_TURN 1024

/** Factor of the free packets that a lossless class may have above its reserve. */
#define FCN_LOSSLESS_ALPHA (FCN_ALPHA_ONE / 8)

/** Parameters of the budget. They are part of the configuration, and workers only read them. */
struct fcn_packet_budget {
	struct fcn_buffer_conf packets; /**< in packets; size 0: there is no budget */
	uint32_t reserve;               /**< packets that belong to each class queue alone */
	/** The backlogs of punts, and of packets that wait for neighbours, are divided by 2^shift.
	 */
	uint8_t control_shift;
	/* Used by the control thread only, in packet buffers. */
	uint32_t total;      /**< buffers of a pool; 0: received packets are in none */
	uint32_t devices;    /**< of these, as many as the rings of devices can hold */
	uint32_t workers;    /**< those for packets on their way, and caches of threads */
	uint32_t control;    /**< those for the host functions and for what waits for them */
	uint32_t per_packet; /**< buffers that a packet may need */
};

/** What a worker holds. */
struct fcn_packet_use {
	struct fcn_buffer packets; /**< as fcn_buffer, in packets */
	/** Part of packets.shared_used that was counted at the end of the last turn: packets of
	 * queues above their reserves, in cross-core rings, and of held flows. */
	uint64_t counted;
	/** Packets that a class queue may have, but for those on accounts of lossless classes. */
	uint32_t most;
	uint32_t shared_free; /**< packets of the shared part that are free */
	/** With fewer packets, and no headroom in use, no account of a lossless class is at its
	 * threshold, whatever is received in a turn. */
	uint32_t quiet;
	bool in_use; /**< packets.shared_used was not 0 at the last update */
};

/** Update the threshold, after `use->packets` or the budget has changed. */
static inline void
fcn_packet_use_update(struct fcn_packet_use *use, const struct fcn_packet_budget *budget)
{
	const uint64_t left = fcn_buffer_free(&use->packets, &budget->packets);

	use->in_use = use->packets.shared_used != 0;
	if (budget->packets.size == 0) {
		use->most = use->shared_free = use->quiet = FCN_PACKETS_ANY;
		return;
	}
	use->shared_free = (uint32_t)RTE_MIN(left, (uint64_t)FCN_PACKETS_ANY / 2);
	use->most = budget->reserve + use->shared_free;
	use->quiet = (uint32_t)(fcn_buffer_over(use->shared_free, FCN_PACKETS_TURN) *
						FCN_LOSSLESS_ALPHA >>
				32);
}

/** Replace what was counted at the end of the last turn. */
static inline void
fcn_packet_use_count(struct fcn_packet_use *use, const struct fcn_packet_budget *budget,
		uint64_t counted)
{
	if (likely((counted | use->packets.shared_used | use->in_use) == 0))
		return; /* nothing has changed */
	use->packets.shared_used += counted - use->counted;
	use->packets.shared_max = RTE_MAX(use->packets.shared_max, use->packets.shared_used);
	use->counted = counted;
	fcn_packet_use_update(use, budget);
}

#endif /* FCN_PACKET_BUDGET_H */
