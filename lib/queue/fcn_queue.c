/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include "fcn_queue.h"

int
fcn_queue_init(struct fcn_queue *q, uint32_t slots, int socket)
{
	memset(q, 0, sizeof(*q));
	slots = rte_align32pow2(RTE_MAX(slots, 2u));
	q->ring = rte_zmalloc_socket(
			"fcn_queue", slots * sizeof(*q->ring), RTE_CACHE_LINE_SIZE, socket);
	q->episodes = rte_zmalloc_socket(
			"fcn_episodes", sizeof(*q->episodes), RTE_CACHE_LINE_SIZE, socket);
	q->flows = rte_zmalloc_socket(
			"fcn_flow_occupancy", sizeof(*q->flows), RTE_CACHE_LINE_SIZE, socket);
	if (q->ring == NULL || q->episodes == NULL || q->flows == NULL) {
		fcn_queue_fini(q);
		return -ENOMEM;
	}
	q->mask = slots - 1;
	fcn_detector_reset(&q->detector);
	return 0;
}

void
fcn_queue_fini(struct fcn_queue *q)
{
	rte_free(q->ring);
	rte_free(q->episodes);
	rte_free(q->flows);
	q->ring = NULL;
	q->episodes = NULL;
	q->flows = NULL;
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
