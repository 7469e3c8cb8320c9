/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The egress side of a port: eight class queues, the scheduler that drains them, and the shapers.
 * One worker owns it and makes all calls; times are in nanoseconds.
 *
 * The scheduler serves the urgent class (that of the notices) first; then classes that have not had
 * their committed rate, the highest number first; then strict classes, the highest number first;
 * then the others by deficit round robin. A class above its peak rate waits, and so does a held
 * (paused) class; while the shaper of the port does not permit a packet, all wait. Only packets
 * that are sent because of the committed rate are charged to it, so a class may also get its share
 * of the remaining rate.
 *
 * The slack of a class's shaper has to cover the time for which the class waits for frames of other
 * classes on the link; a longer wait is not made up for.
 */

#ifndef FCN_EGRESS_H
#define FCN_EGRESS_H

#include <stdint.h>

#include "fcn_queue.h"
#include "fcn_shaper.h"

#define FCN_EGRESS_BURST 32
#define FCN_DRR_QUANTUM 1600 /**< quantum in bytes of a class whose weight is the weights' GCD */

/** Parameters of an egress. They are part of the configuration, and workers only read them. */
struct fcn_egress_conf {
	struct fcn_shaper_conf shaper;
	uint8_t urgent;     /**< bit set with the class that is served before all others, or 0 */
	uint8_t strict;     /**< bit set of the classes with queue[].strict */
	uint8_t committed;  /**< bit set of the classes with a committed rate */
	uint8_t peak;       /**< bit set of the classes with a peak rate */
	uint8_t at_dequeue; /**< bit set of the classes whose detector chooses departing packets */
	struct fcn_queue_conf queue[FCN_CLASSES];
};

/** The egress of a port. */
struct fcn_egress {
	struct fcn_shaper shaper;                 /**< of the port */
	struct fcn_shaper committed[FCN_CLASSES]; /**< committed rate of each class */
	struct fcn_shaper peak[FCN_CLASSES];      /**< peak rate of each class */
	uint8_t held;     /**< bit set of classes that are not served now; set by the owner */
	uint8_t dropping; /**< bit set of classes whose packets are refused because of a pause
			     storm; set by the owner */
	/** Bit sets of classes whose pause, or halt, concerns upstream switches; set by the owner.
	 */
	uint8_t paused, halted;
	uint8_t congested; /**< bit set of classes whose detector is congested; set by the owner */
	uint32_t ring_bytes; /**< bytes in the device's transmit ring; set by the owner */
	uint8_t backlog;     /**< bit set of classes whose queue is not empty */
	uint8_t turn;        /**< class whose turn it is in the round robin */
	bool in_turn;        /**< its quantum was already added in this turn */
	uint8_t n_staged;    /**< packets taken from the queues for which the port had no room */
	struct fcn_queue_entry staged[FCN_EGRESS_BURST];
	struct fcn_queue queue[FCN_CLASSES];
};

/**
 * Initialise an egress with empty queues.
 *
 * @param slots  packets that each class queue can hold
 * @param socket NUMA node of the memory
 * @return 0 on success, -ENOMEM otherwise
 */
int fcn_egress_init(struct fcn_egress *eg, const uint32_t slots[FCN_CLASSES], int socket);

/** Free the memory of the queues, from which the caller has removed all packets. */
void fcn_egress_fini(struct fcn_egress *eg);

/** Adapt the shapers to a new configuration, see fcn_shaper_reconfigure(). */
void fcn_egress_reconfigure(
		struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now);

/**
 * Take packets out of the queues in the order of the scheduler, as far as the shapers permit now.
 *
 * @param out room for n packets
 * @param n   at most FCN_EGRESS_BURST
 * @return number of packets taken
 */
unsigned int fcn_egress_pull(struct fcn_egress *eg, const struct fcn_egress_conf *conf,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now);

/**
 * Get the earliest time at which fcn_egress_pull() returns a packet if no further packet arrives
 * and the held classes stay the same. This is now if there are staged packets, and UINT64_MAX if
 * there are no packets that may leave.
 */
uint64_t fcn_egress_next(
		const struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now);

/**
 * Compute the quanta of deficit round robin from weights. They are as small as the proportions
 * permit, so that the shares are exact. Weight 0 counts as 1. The control thread calls this.
 *
 * @param strict  bit set of the classes that take no part; their quanta are set but not used
 * @param quantum result in bytes
 */
void fcn_egress_quanta(
		const uint16_t weight[FCN_CLASSES], uint8_t strict, uint32_t quantum[FCN_CLASSES]);

/** Get the number of packets in all queues, staged ones included. */
static inline uint32_t
fcn_egress_packets(const struct fcn_egress *eg)
{
	uint32_t n = eg->n_staged;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		n += fcn_queue_packets(&eg->queue[c]);
	return n;
}

#endif /* FCN_EGRESS_H */
