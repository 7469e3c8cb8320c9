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
 * All functions: from the one control thread, while the workers run or not.
 */

#ifndef FCN_WORKER_GROUP_H
#define FCN_WORKER_GROUP_H

#include <stdint.h>

#include "fcn_worker.h"

/** Workers, and for a port who does what. */
struct fcn_placement {
	unsigned int owner;                   /**< index of the worker that has its queues */
	unsigned int n_rx_queues;             /**< receive queues, at least 1 */
	uint8_t rx_worker[FCN_MAX_RX_QUEUES]; /**< index of the worker that polls each */
};

/**
 * Acquaint workers with each other; before the first port, and before they run.
 * One worker needs it not.
 *
 * @return 0 or -ENOMEM
 */
int fcn_worker_group_connect(struct fcn_worker *const *workers, unsigned int n);

/** Drop what is queued, free everything; none of them may run any more. NULLs are allowed. */
void fcn_worker_group_free(struct fcn_worker *const *workers, unsigned int n);

/**
 * Add a port.
 *
 * @param slots packets each class queue can hold
 * @return 0, -ENOMEM, or -ENOSPC: a worker polls too many queues already
 */
int fcn_worker_group_port_add(struct fcn_worker *const *workers, unsigned int n,
		const struct fcn_placement *place, uint16_t port, const struct fcn_port_ops *ops,
		void *priv, const uint32_t slots[FCN_CLASSES]);

/** Remove a port; what is queued for it, or on its way there, is dropped as "port_gone". */
void fcn_worker_group_port_remove(struct fcn_worker *const *workers, unsigned int n, uint16_t port);

/**
 * The number of a sub-interface now stands for another one: its counters begin anew, and keep
 * their place in the packet accounting.
 */
void fcn_worker_group_port_renew(struct fcn_worker *const *workers, unsigned int n, uint16_t port);

#endif /* FCN_WORKER_GROUP_H */
