/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The workers of one switch, together.
 *
 * The class queues, detectors and flow control of a port belong to one worker, the owner of the
 * port. Any worker may poll any of its receive queues. A packet that leaves by a port of another
 * worker goes there with its metadata on a cross-core ring (SP/SC, one for each producer, port and
 * class), and is queued there. So every queue has one writer, and packets of one receive queue stay
 * in order.
 *
 * Workers also send each other the MAC addresses that they have learned, and the classes for which
 * the sender on a port has to be paused.
 *
 * Only the one control thread may call these functions, while the workers run or not.
 */

#ifndef FCN_WORKER_GROUP_H
#define FCN_WORKER_GROUP_H

#include <stdint.h>

#include "fcn_worker.h"

/** Assignment of a port and its receive queues to workers. */
struct fcn_placement {
	unsigned int owner;                   /**< index of the worker that owns the port */
	unsigned int n_rx_queues;             /**< number of receive queues, at least 1 */
	uint8_t rx_worker[FCN_MAX_RX_QUEUES]; /**< index of the worker that polls each queue */
};

/**
 * Connect the workers of a switch with each other. To be called before the first port is added and
 * before the workers run; a single worker does not need it.
 *
 * @return 0 or -ENOMEM
 */
int fcn_worker_group_connect(struct fcn_worker *const *workers, unsigned int n);

/**
 * Remove the ports of all workers, free the packets they have queued, and free the workers. None of
 * them may run any more. Elements may be NULL.
 */
void fcn_worker_group_free(struct fcn_worker *const *workers, unsigned int n);

/**
 * Add a port to its owner and to the other workers.
 *
 * @param place owner of the port, and the workers that poll its receive queues
 * @param port  number of the port, below FCN_MAX_PORTS, which no port has
 * @param priv  private pointer of the port, the first argument of the operations
 * @param slots number of packets that each class queue can hold
 * @return 0, -ENOMEM, or -ENOSPC when a worker would poll more than FCN_WORKER_RX_QUEUES queues
 */
int fcn_worker_group_port_add(struct fcn_worker *const *workers, unsigned int n,
		const struct fcn_placement *place, uint16_t port, const struct fcn_port_ops *ops,
		void *priv, const uint32_t slots[FCN_CLASSES]);

/**
 * Give the class queues of a port more memory, where they have too little. Packets stay queued.
 *
 * @param slots number of packets that each class queue is to hold; fewer than it can hold changes
 *              nothing
 * @return 0, also when no worker owns the port; -ENOMEM: some queues have got no more; -EAGAIN: the
 *  owner is stalled, and none has got more; -EINPROGRESS: it has stalled while it gives them more
 */
int fcn_worker_group_port_grow(struct fcn_worker *const *workers, unsigned int n, uint16_t port,
		const uint32_t slots[FCN_CLASSES]);

/**
 * Remove a port. Packets queued for it, and those in cross-core rings to it, are dropped with the
 * reason "port_gone". Nothing happens if no worker owns the port.
 */
void fcn_worker_group_port_remove(struct fcn_worker *const *workers, unsigned int n, uint16_t port);

/**
 * Reset the state and counters of a port number that now stands for another sub-interface. The old
 * counters remain part of the packet accounting.
 */
void fcn_worker_group_port_renew(struct fcn_worker *const *workers, unsigned int n, uint16_t port);

#endif /* FCN_WORKER_GROUP_H */
