/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The egress side of a port: eight class queues, the scheduler that drains
 * them and the shapers. Owned by one worker.
 *
 * Order: the urgent class (that of the notices) first; then classes that have
 * not had their committed rate, highest number first; then strict classes,
 * highest number first; then the others by deficit round robin. A class above
 * its peak rate waits; so does a held one (paused); so does everything when the port's
 * shaper says so. The committed rate is charged with what is sent by right of it
 * alone: a class may have its share of the rest as well.
 *
 * The slack of a class's shaper has to cover the time it waits for frames of
 * others on the line: what it waits beyond that is lost to its rate.
 */

#ifndef FCN_EGRESS_H
#define FCN_EGRESS_H

#include <stdint.h>

#include "fcn_queue.h"
#include "fcn_shaper.h"

#define FCN_EGRESS_BURST 32
#define FCN_DRR_QUANTUM 1600 /**< bytes a turn adds for the weights' greatest common divisor */

/** Parameters of an egress; part of the configuration, read only for workers. */
struct fcn_egress_conf {
	struct fcn_shaper_conf shaper;
	uint8_t urgent;     /**< bit set: class that goes before all others, none or one */
	uint8_t strict;     /**< bit set: classes with queue[].strict */
	uint8_t committed;  /**< bit set: classes with a committed rate */
	uint8_t peak;       /**< bit set: classes with a peak rate */
	uint8_t at_dequeue; /**< bit set: classes whose detector looks at departures */
	struct fcn_queue_conf queue[FCN_CLASSES];
};

struct fcn_egress {
	struct fcn_shaper shaper;
	struct fcn_shaper committed[FCN_CLASSES];
	struct fcn_shaper peak[FCN_CLASSES];
	uint8_t held;        /**< bit set: classes not to be served now, as the owner says */
	uint8_t dropping;    /**< bit set: classes whose packets are refused (pause storm), by the
				owner */
	uint8_t congested;   /**< bit set: classes whose detector says so, kept by the owner */
	uint32_t ring_bytes; /**< backlog in the device's transmit ring, as last read by the owner
			      */
	uint8_t backlog;     /**< bit set: class queues that are not empty */
	uint8_t turn;        /**< class whose turn it is in the round robin */
	bool in_turn;        /**< its quantum for this turn was added already */
	uint8_t n_staged;    /**< packets taken from the queues that the port had no room for */
	struct fcn_queue_entry staged[FCN_EGRESS_BURST];
	struct fcn_queue queue[FCN_CLASSES];
};

/** @param slots packets each class queue can hold. @return 0 or -ENOMEM. */
int fcn_egress_init(struct fcn_egress *eg, const uint32_t slots[FCN_CLASSES], int socket);
void fcn_egress_fini(struct fcn_egress *eg);

/** The configuration may have changed: what shapers are owed is paid at their present rates. */
void fcn_egress_reconfigure(
		struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now);

/**
 * Take up to n packets (at most FCN_EGRESS_BURST) in the order of the
 * scheduler, as far as the shaper lets them go now.
 */
unsigned int fcn_egress_pull(struct fcn_egress *eg, const struct fcn_egress_conf *conf,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now);

/**
 * Earliest time at which fcn_egress_pull() yields a packet, with the classes
 * held that are held now; UINT64_MAX when it never will.
 */
uint64_t fcn_egress_next(
		const struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now);

/**
 * Quanta in proportion to weights, as small as can be, so that shares are
 * exact. Weight 0 counts as 1. For control.
 *
 * @param strict bit set: classes that take no part; their quanta are set, and not used
 */
void fcn_egress_quanta(
		const uint16_t weight[FCN_CLASSES], uint8_t strict, uint32_t quantum[FCN_CLASSES]);

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
