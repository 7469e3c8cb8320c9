/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Event records of a burst of packets, which are written where the ring has them, and pushed
 * together. Until fcn_event_burst_end(), the worker pushes no other event. Used by the stages only.
 */

#ifndef EVENT_BURST_H
#define EVENT_BURST_H

#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek_zc.h>

#include "fcn_stages.h"

/** Room for event records in the ring. */
struct fcn_event_burst {
	struct rte_ring_zc_data room;
	unsigned int n; /**< number of records; the others are lost, as the ring is full */
};

/** Begin to push n records. Those for which the ring has no room, the last ones, are counted as
 * lost. */
static inline void
fcn_event_burst_begin(struct fcn_worker *w, unsigned int n, struct fcn_event_burst *burst)
{
	burst->n = rte_ring_enqueue_zc_burst_elem_start(
			w->events, sizeof(struct fcn_event), n, &burst->room, NULL);
	w->events_made += n;
	w->events_lost += n - burst->n;
}

/** Get the place of the first record. All that there is room for are to be written as a whole. */
static inline struct fcn_event *
fcn_event_burst_first(const struct fcn_event_burst *burst)
{
	return burst->room.ptr1;
}

/** Get the place of the record behind the one at `ev`, with which `written` have been written. */
static inline struct fcn_event *
fcn_event_burst_next(
		const struct fcn_event_burst *burst, struct fcn_event *ev, unsigned int written)
{
	return unlikely(written == burst->room.n1) ? burst->room.ptr2 : ev + 1;
}

/**
 * Get the members of a record from `type` to `in_port` as one word, as they stand in it. Written
 * one by one, they would take a store each, and the two that share an octet a load of the old
 * record, which may be in the cache of another core.
 *
 * @param kind,verdict,in_port as the members; 0 where the type of the record has none
 */
static inline uint64_t
fcn_event_head(enum fcn_event_type type, uint8_t class, uint8_t kind, int8_t level, uint8_t verdict,
		uint16_t port, uint16_t in_port)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return (uint8_t)type | (uint64_t)(class | kind << 4) << 8 | (uint64_t)(uint8_t)level << 16 |
	       (uint64_t)verdict << 24 | (uint64_t)port << 32 | (uint64_t)in_port << 48;
#else
	return (uint64_t)type << 56 | (uint64_t)(class << 4 | kind) << 48 |
	       (uint64_t)(uint8_t)level << 40 | (uint64_t)verdict << 32 | (uint64_t)port << 16 |
	       in_port;
#endif
}

/* Write two numbers that stand beside each other, as one word. */
static inline void
fcn_event_write_pair(uint32_t *first, uint32_t one, uint32_t two)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	const uint64_t word = one | (uint64_t)two << 32;
#else
	const uint64_t word = two | (uint64_t)one << 32;
#endif

	memcpy(first, &word, sizeof(word));
}

/** Write the first half of a record. @param head fcn_event_head() */
static inline void
fcn_event_write_half(struct fcn_event *ev, uint64_t now, uint64_t head, uint32_t occupancy,
		uint32_t dest_qp, uint32_t wait_ns, uint32_t len)
{
	_Static_assert(offsetof(struct fcn_event, in_port) ==
							offsetof(struct fcn_event, type) + 6 &&
					offsetof(struct fcn_event, dest_qp) ==
							offsetof(struct fcn_event, occupancy) + 4 &&
					offsetof(struct fcn_event, len) ==
							offsetof(struct fcn_event, wait_ns) + 4,
			"they are words");
	ev->time_ns = now;
	memcpy(&ev->type, &head, sizeof(head));
	fcn_event_write_pair(&ev->occupancy, occupancy, dest_qp);
	fcn_event_write_pair(&ev->wait_ns, wait_ns, len);
}

/** Push the records. */
static inline void
fcn_event_burst_end(struct fcn_worker *w, const struct fcn_event_burst *burst)
{
	rte_ring_enqueue_zc_elem_finish(w->events, burst->n);
}

#endif /* EVENT_BURST_H */
