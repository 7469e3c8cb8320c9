/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Bridge ports at a worker, and the message by which workers learn from each other. The MAC table
 * is struct fcn_mac_table.
 */

#ifndef FCN_BRIDGE_STATE_H
#define FCN_BRIDGE_STATE_H

#include <stdint.h>

#include "fcn_snapshot.h"

/** Size in bytes of the message with which a worker sends a learned MAC address to another. */
#define FCN_LEARNED_SIZE 12

/** State of a bridge port at one worker. */
struct fcn_bridge_port {
	/** Storm control: time at which the token bucket is full again. */
	uint64_t storm_full_ns[FCN_FLOOD_KINDS];
	uint64_t moves_since_ns; /**< begin of the second in which `moves` counts */
	/** Moves of MAC addresses to this port: from ports with higher numbers, with lower ones. */
	uint32_t moves[2];
	/* Times of the last event of each kind; 0: never. */
	uint64_t storm_event_ns[FCN_FLOOD_KINDS];
	uint64_t limit_event_ns;
	uint64_t flapping_event_ns[2]; /* indexed as `moves` */
	uint64_t full_event_ns;
};

#endif /* FCN_BRIDGE_STATE_H */
