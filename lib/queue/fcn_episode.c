/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_episode.h"

#include <string.h>

#include "fcn_detector.h"

void
fcn_episode_begin(struct fcn_episodes *e, uint64_t now)
{
	e->current = (struct fcn_episode){.start_ns = now, .max_level = FCN_LEVEL_NONE};
	memset(e->flow, 0, sizeof(e->flow));
}

void
fcn_episode_end(struct fcn_episodes *e, uint64_t at)
{
	e->current.end_ns = at;
	e->kept[e->n_ended++ % FCN_EPISODES_KEPT] = e->current;
}

void
fcn_episode_flow(struct fcn_episodes *e, uint64_t flow_hash)
{
	uint32_t key = (uint32_t)(flow_hash ^ flow_hash >> 32);

	key += key == 0;
	/*
	 * The search may be long, but notices are rare, and there are no more searches when the
	 * table is full.
	 */
	for (uint32_t i = 0; i < FCN_EPISODE_FLOWS; i++) {
		uint32_t *slot = &e->flow[(key + i) % FCN_EPISODE_FLOWS];

		if (*slot == key)
			return;
		if (*slot == 0) {
			*slot = key;
			e->current.flows++;
			return;
		}
	}
	e->current.more_flows = true;
}
