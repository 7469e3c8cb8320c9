/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The egress side of a port: eight class queues, the scheduler that drains
 * them (strict classes first, highest number first; the others by deficit
 * round robin) and the shaper. Owned by one worker.
 */

#ifndef FCN_EGRESS_H
#define FCN_EGRESS_H

#include <stdint.h>

#include "fcn_queue.h"
#include "fcn_shaper.h"

#define FCN_EGRESS_BURST 32
#define FCN_DRR_QUANTUM 1600 /**< bytes a turn of weight 1 adds */

/** Parameters of an egress; part of the configuration, read only for workers. */
struct fcn_egress_conf {
	struct fcn_shaper_conf shaper;
	struct fcn_queue_conf queue[FCN_CLASSES];
};

struct fcn_egress {
	struct fcn_shaper shaper;
	uint8_t backlog;  /**< bit set: class queues that are not empty */
	uint8_t turn;     /**< class whose turn it is in the round robin */
	bool in_turn;     /**< its quantum for this turn was added already */
	uint8_t n_staged; /**< packets taken from the queues that the port had no room for */
	struct fcn_queue_entry staged[FCN_EGRESS_BURST];
	struct fcn_queue queue[FCN_CLASSES];
};

/** @param slots packets each class queue can hold. @return 0 or -ENOMEM. */
int fcn_egress_init(struct fcn_egress *eg, const uint32_t slots[FCN_CLASSES], int socket);
void fcn_egress_fini(struct fcn_egress *eg);

/** Append a packet to its class, or refuse it. */
static inline enum fcn_queue_verdict
fcn_egress_push(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t class,
		struct rte_mbuf *m, uint32_t len, uint8_t flags, uint8_t trace, uint64_t now)
{
	enum fcn_queue_verdict v;

	v = fcn_queue_push(
			&eg->queue[class], &conf->queue[class], m, len, flags | class, trace, now);
	if (likely(v == FCN_QUEUE_TAKEN))
		eg->backlog |= 1u << class;
	return v;
}

/**
 * Take up to n packets (at most FCN_EGRESS_BURST) in the order of the
 * scheduler, as far as the shaper lets them go now.
 */
unsigned int fcn_egress_pull(struct fcn_egress *eg, const struct fcn_egress_conf *conf,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now);

/** Earliest time at which fcn_egress_pull() yields a packet; UINT64_MAX when all queues are empty.
 */
static inline uint64_t
fcn_egress_next(const struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now)
{
	if (eg->n_staged != 0)
		return now;
	if (eg->backlog == 0)
		return UINT64_MAX;
	return fcn_shaper_next(&eg->shaper, &conf->shaper, now);
}

/** Packets in all queues and staged. */
static inline uint32_t
fcn_egress_packets(const struct fcn_egress *eg)
{
	uint32_t n = eg->n_staged;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += fcn_queue_packets(&eg->queue[c]);
	return n;
}

#endif /* FCN_EGRESS_H */
