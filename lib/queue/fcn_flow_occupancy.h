/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The bytes that each flow has in a queue. A flow is assigned to a slot by its hash; flows in the
 * same slot count as one. The worker that owns the queue makes all calls.
 */

#ifndef FCN_FLOW_OCCUPANCY_H
#define FCN_FLOW_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#define FCN_FLOW_SLOTS 1024

/** Bytes in a queue by flow. */
struct fcn_flow_occupancy {
	uint32_t n;                     /**< number of slots with bytes in the queue */
	uint32_t bytes[FCN_FLOW_SLOTS]; /**< bytes in the queue, by slot */
};

/** Get the slot of a flow from its hash, see fcn_notify_flow_hash(). */
static inline uint32_t
fcn_flow_slot(uint64_t hash)
{
	return (uint32_t)(hash >> 32) % FCN_FLOW_SLOTS;
}

/** Add a packet of len bytes that the queue has accepted. */
static inline void
fcn_flow_occupancy_add(struct fcn_flow_occupancy *s, uint32_t slot, uint32_t len)
{
	s->n += s->bytes[slot] == 0;
	s->bytes[slot] += len;
}

/** Remove a packet of len bytes that has left the queue; it was added to the same slot. */
static inline void
fcn_flow_occupancy_remove(struct fcn_flow_occupancy *s, uint32_t slot, uint32_t len)
{
	s->bytes[slot] -= len;
	s->n -= s->bytes[slot] == 0;
}

/**
 * Check whether the flow of an arriving packet is heavy: with the packet, it has at least
 * occupancy / (2 * flows) bytes in the queue, which is half of an equal part.
 *
 * @param len       bytes of the packet, which has not been added to its slot yet
 * @param occupancy bytes queued, the packet included
 */
static inline bool
fcn_flow_is_heavy(
		const struct fcn_flow_occupancy *s, uint32_t slot, uint32_t len, uint32_t occupancy)
{
	uint64_t flows = s->n + (s->bytes[slot] == 0);

	return 2 * flows * ((uint64_t)s->bytes[slot] + len) >= occupancy;
}

#endif /* FCN_FLOW_OCCUPANCY_H */
