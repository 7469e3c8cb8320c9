/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A receive queue of a port at the worker that polls it.
 */

#ifndef FCN_RX_QUEUE_H
#define FCN_RX_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#define FCN_MAX_RX_QUEUES 16 /**< maximum number of receive queues of a port */

/** Maximum number of receive queues, of all ports, that one worker polls. */
#define FCN_WORKER_RX_QUEUES 256

/** A receive queue that a worker polls. */
struct fcn_rx_queue {
	/** struct fcn_port_ops.rx_burst of the port */
	uint16_t (*burst)(void *queue, struct rte_mbuf **pkts, uint16_t n, uint64_t now);
	void *handle;  /**< first argument of burst() */
	uint16_t port; /**< ingress port of the packets that it receives */
	/**
	 * Bursts that are still to go to the stages untried, because the fast path took nothing of
	 * the last two that it tried.
	 */
	uint8_t not_tried;
	bool full;    /**< while ports compete: it had as many packets as were wanted */
	bool in_vain; /**< the fast path took nothing of the last burst that it tried */
};

#endif /* FCN_RX_QUEUE_H */
