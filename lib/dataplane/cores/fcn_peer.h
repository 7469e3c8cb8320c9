/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Another worker of the switch, as a worker knows it.
 */

#ifndef FCN_PEER_H
#define FCN_PEER_H

#include <rte_ring.h>

#include "fcn_burst.h"

/** Number of slots of a cross-core ring, a power of two: four turns of its sender. */
#define FCN_CROSS_CORE_SLOTS (4 * FCN_BURST_MAX)

/** Number of packets on a ring with which no limit of it is near, whatever their class and port:
 * see fcn_cross_core_share(). */
#define FCN_CROSS_CORE_QUIET (FCN_CROSS_CORE_SLOTS / 3)

struct fcn_cross_core;
struct fcn_released;
struct fcn_worker;

/** Kinds of messages from one worker to another. Each has a ring of its own. */
enum fcn_peer_ring {
	FCN_PEER_LEARNED,      /**< MAC addresses that a bridge has learned */
	FCN_PEER_ARN_ORDERS,   /**< struct fcn_arn_order */
	FCN_PEER_PROXY_CLAIMS, /**< struct fcn_proxy_claim */
	FCN_PEER_PROXY_ORDERS, /**< struct fcn_proxy_order */
	FCN_PEER_RINGS         /**< number of kinds */
};

/** Another worker of the switch, and the rings and reports exchanged with it. */
struct fcn_peer {
	struct fcn_worker *worker;
	struct fcn_cross_core *cross_core_tx; /**< packets for ports of the other worker */
	struct fcn_cross_core *cross_core_rx; /**< packets of the other worker for ports here */
	struct rte_ring *tx[FCN_PEER_RINGS];  /**< messages to the other worker, by their kind */
	struct rte_ring *rx[FCN_PEER_RINGS];  /**< messages from the other worker */
	struct fcn_released *released_tx; /**< bytes on its accounts that have left queues of this
					     worker */
	struct fcn_released *released_rx; /**< bytes on accounts of this worker that have left its
					     queues */
};

#endif /* FCN_PEER_H */
