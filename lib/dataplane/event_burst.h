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

/** Get record i, below burst->n, which is to be written as a whole. */
static inline struct fcn_event *
fcn_event_burst_at(const struct fcn_event_burst *burst, unsigned int i)
{
	return i < burst->room.n1 ? (struct fcn_event *)burst->room.ptr1 + i
				  : (struct fcn_event *)burst->room.ptr2 + (i - burst->room.n1);
}

/** Push the records. */
static inline void
fcn_event_burst_end(struct fcn_worker *w, const struct fcn_event_burst *burst)
{
	rte_ring_enqueue_zc_elem_finish(w->events, burst->n);
}

#endif /* EVENT_BURST_H */
