/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion episodes of a queue. An episode lasts from the beginning of congestion to its end, and
 * records what happened in between. The last ones are kept. The worker that owns the queue makes
 * all calls.
 */

#ifndef FCN_EPISODE_H
#define FCN_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"

#define FCN_EPISODES_KEPT 16  /**< episodes that are kept of a queue after they have ended */
#define FCN_EPISODE_FLOWS 128 /**< flows that an episode distinguishes, a power of two */

/* In `show episodes`: X(member, name in JSON, text). The threshold of qcn is qeq. */
#define FCN_EPISODE_ARRIVAL_COUNTERS(X)                                                            \
	X(packets, "packets", "Packets that arrived during the episode")                           \
	X(over_bytes, "over_bytes",                                                                \
			"Bytes that arrived while the measure of the queue's detector was at its " \
			"threshold or above")
#define FCN_EPISODE_COUNTERS(X)                                    \
	X(bytes, "bytes", "Bytes that arrived during the episode") \
	X(notices, "notices", "Notices made")                      \
	X(marked, "marked", "Packets CE-marked")                   \
	X(dropped, "dropped", "Packets lost")

/** A congestion episode. */
struct fcn_episode {
	uint64_t start_ns;   /**< when congestion began */
	uint64_t end_ns;     /**< when congestion ended; 0 while it lasts */
	uint64_t peak_ns;    /**< when the occupancy first reached peak_bytes */
	uint32_t peak_bytes; /**< highest occupancy, in bytes */
	int8_t max_level;    /**< highest level, or FCN_LEVEL_NONE */
	FCN_EPISODE_ARRIVAL_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_EPISODE_COUNTERS(FCN_COUNTER_MEMBER)
	uint32_t flows;  /**< number of different flows that were notified */
	bool more_flows; /**< there may be more: the table of flows was full */
};

/** The episodes of a queue. */
struct fcn_episodes {
	uint64_t n_ended;                           /**< number of episodes that have ended */
	struct fcn_episode current;                 /**< valid while the queue is congested */
	struct fcn_episode kept[FCN_EPISODES_KEPT]; /**< ring of the last that ended: number k is at
						       k modulo FCN_EPISODES_KEPT */
	uint32_t flow[FCN_EPISODE_FLOWS]; /**< hash table of the flows notified in the current
					     episode; 0 is a free slot */
};

/** Begin an episode. */
void fcn_episode_begin(struct fcn_episodes *e, uint64_t now);

/** End the current episode, at the time `at`, and keep it. */
void fcn_episode_end(struct fcn_episodes *e, uint64_t at);

/**
 * Record the arrival of a packet in an episode; the packet may be the one that began it.
 *
 * @param occupancy bytes in the queue, including the packet if it was accepted
 * @param len       bytes of the packet
 * @param over      whether the packet counts in over_bytes
 * @param level     congestion level of the packet, or FCN_LEVEL_NONE
 */
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

/** The part of fcn_episode_notice() that is not inline: it looks the flow up in the table. */
void fcn_episode_flow(struct fcn_episodes *e, uint64_t flow_hash);

/** Record that a flow, given by its hash, was notified. */
static inline void
fcn_episode_notice(struct fcn_episodes *e, uint64_t flow_hash)
{
	e->current.notices++;
	if (!e->current.more_flows)
		fcn_episode_flow(e, flow_hash);
}

#endif /* FCN_EPISODE_H */
