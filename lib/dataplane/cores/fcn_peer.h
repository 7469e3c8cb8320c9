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

struct fcn_cross_core;
struct fcn_released;
struct fcn_worker;

/** Another worker of the switch, and the rings and reports exchanged with it. */
struct fcn_peer {
	struct fcn_worker *worker;
	struct fcn_cross_core *cross_core_tx; /**< packets for ports of the other worker */
	struct fcn_cross_core *cross_core_rx; /**< packets of the other worker for ports here */
	struct rte_ring *learn_tx;            /**< learned MAC addresses to the other worker */
	struct rte_ring *learn_rx;            /**< learned MAC addresses from the other worker */
	struct rte_ring *order_tx;            /**< struct fcn_arn_order to the other worker */
	struct rte_ring *order_rx;            /**< struct fcn_arn_order from the other worker */
	struct rte_ring *proxy_tx;            /**< struct fcn_proxy_claim to the other worker */
	struct rte_ring *proxy_rx;            /**< struct fcn_proxy_claim from the other worker */
	struct rte_ring *mark_tx;             /**< struct fcn_proxy_order to the other worker */
	struct rte_ring *mark_rx;             /**< struct fcn_proxy_order from the other worker */
	struct fcn_released *released_tx; /**< bytes on its accounts that have left queues of this
					     worker */
	struct fcn_released *released_rx; /**< bytes on accounts of this worker that have left its
					     queues */
};

#endif /* FCN_PEER_H */
