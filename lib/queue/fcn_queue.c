/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include "fcn_queue.h"

/* Get the number of slots of a ring for so many packets. */
static uint32_t
ring_slots(uint32_t packets)
{
	return rte_align32pow2(RTE_MAX(packets, 2u));
}

struct fcn_queue_entry *
fcn_queue_ring_create(uint32_t slots, int socket)
{
	return rte_zmalloc_socket("fcn_queue", ring_slots(slots) * sizeof(struct fcn_queue_entry),
			RTE_CACHE_LINE_SIZE, socket);
}

void
fcn_queue_grow(struct fcn_queue *q, struct fcn_queue_entry *ring, uint32_t slots)
{
	const uint32_t mask = ring_slots(slots) - 1;

	for (uint32_t i = q->head; i != q->tail; i++)
		ring[i & mask] = q->ring[i & q->mask];
	q->before = q->ring;
	q->ring = ring;
	q->mask = mask;
}

int
fcn_queue_init(struct fcn_queue *q, uint32_t slots, int socket)
{
	memset(q, 0, sizeof(*q));
	q->ring = fcn_queue_ring_create(slots, socket);
	q->episodes = rte_zmalloc_socket(
			"fcn_episodes", sizeof(*q->episodes), RTE_CACHE_LINE_SIZE, socket);
	q->flows = rte_zmalloc_socket(
			"fcn_flow_occupancy", sizeof(*q->flows), RTE_CACHE_LINE_SIZE, socket);
	q->top_flows = rte_zmalloc_socket(
			"fcn_top_flows", sizeof(*q->top_flows), RTE_CACHE_LINE_SIZE, socket);
	if (q->ring == NULL || q->episodes == NULL || q->flows == NULL || q->top_flows == NULL) {
		fcn_queue_fini(q);
		return -ENOMEM;
	}
	q->mask = ring_slots(slots) - 1;
	fcn_detector_reset(&q->detector);
	fcn_top_flows_clear(q->top_flows, &q->next_drawn);
	return 0;
}

void
fcn_queue_fini(struct fcn_queue *q)
{
	rte_free(q->ring);
	rte_free(q->before);
	rte_free(q->episodes);
	rte_free(q->flows);
	rte_free(q->top_flows);
	q->ring = q->before = NULL;
	q->episodes = NULL;
	q->flows = NULL;
	q->top_flows = NULL;
}

void
fcn_queue_watermarks(const struct fcn_queue *q, uint64_t now, struct fcn_watermarks *wm)
{
	const uint64_t elapsed = now - q->wm_since;
	const unsigned __int128 integral = q->wm_integral +
					   (unsigned __int128)q->bytes * (now - q->wm_at);

	wm->min = q->wm_min;
	wm->max = q->wm_max;
	wm->last = q->bytes;
	wm->avg = elapsed == 0 ? q->bytes : (uint64_t)(integral / elapsed);
}

void
fcn_queue_clear_watermarks(struct fcn_queue *q, uint64_t now)
{
	q->wm_min = q->bytes;
	q->wm_max = q->bytes;
	q->wm_integral = 0;
	q->wm_since = now;
	q->wm_at = now;
}

void
fcn_queue_clear_counters(struct fcn_queue *q)
{
	memset(&q->stats, 0, sizeof(q->stats));
	fcn_detector_clear_counters(&q->detector);
	fcn_top_flows_clear(q->top_flows, &q->next_drawn);
}
