/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion episodes of a queue: from entering congestion to leaving it, with
 * what happened between. The last few are kept. One owner, no locks.
 */

#ifndef FCN_EPISODE_H
#define FCN_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#define FCN_EPISODES_KEPT 16  /**< that ended, each queue */
#define FCN_EPISODE_FLOWS 128 /**< flows told apart, power of two */

struct fcn_episode {
	uint64_t start_ns;
	uint64_t end_ns;     /**< when congestion was left; 0: it lasts */
	uint64_t peak_ns;    /**< when occupancy was highest, for the first time */
	uint32_t peak_bytes; /**< highest occupancy, arriving packets included if taken */
	int8_t max_level;    /**< highest level, FCN_LEVEL_NONE: none */
	uint64_t packets;    /**< that arrived while congested */
	uint64_t bytes;      /**< of them */
	uint64_t over_bytes; /**< of them, those that met the detector's measure at its threshold or
				above (qcn: qeq) */
	uint64_t notices;    /**< made */
	uint64_t marked;     /**< packets CE-marked */
	uint64_t dropped;    /**< packets lost */
	uint32_t flows;      /**< different flows notified */
	bool more_flows;     /**< at least so many: the table of flows was full */
};

struct fcn_episodes {
	uint64_t n_ended;
	struct fcn_episode current; /**< start_ns to be believed while the queue is congested */
	struct fcn_episode kept[FCN_EPISODES_KEPT]; /**< ended; number k stands at k modulo this */
	uint32_t flow[FCN_EPISODE_FLOWS]; /**< hashes of flows notified in this episode; 0: free */
};

void fcn_episode_begin(struct fcn_episodes *e, uint64_t now);
void fcn_episode_end(struct fcn_episodes *e, uint64_t at);

/** A packet arrived while congested, or began it. @param over it counts in over_bytes */
static inline void
fcn_episode_arrival(struct fcn_episodes *e, uint32_t occupancy, uint32_t len, bool over, int level,
		uint64_t now)
{
	struct fcn_episode *ep = &e->current;

	ep->packets++;
	ep->bytes += len;
	if (over)
		ep->over_bytes += len;
	if (occupancy > ep->peak_bytes) {
		ep->peak_bytes = occupancy;
		ep->peak_ns = now;
	}
	if (level > ep->max_level)
		ep->max_level = level;
}

/** The part of fcn_episode_notice() that tells flows apart. */
void fcn_episode_flow(struct fcn_episodes *e, uint64_t flow_hash);

/** A flow was notified. */
static inline void
fcn_episode_notice(struct fcn_episodes *e, uint64_t flow_hash)
{
	e->current.notices++;
	if (!e->current.more_flows)
		fcn_episode_flow(e, flow_hash);
}

#endif /* FCN_EPISODE_H */
