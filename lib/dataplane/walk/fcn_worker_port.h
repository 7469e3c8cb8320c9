/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A port at a worker.
 */

#ifndef FCN_WORKER_PORT_H
#define FCN_WORKER_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_egress.h"
#include "fcn_pause.h"
#include "fcn_port.h"

struct fcn_cross_core;
struct fcn_tx_ring;
struct fcn_worker;

/**
 * Data of a port at one worker. The owner of the port has its operations and class queues, every
 * other worker the cross-core rings to the owner. The control thread sets it by fcn_worker_call().
 */
struct fcn_worker_port {
	const struct fcn_port_ops *ops; /**< NULL unless this worker owns the port */
	void *priv;                     /**< private pointer of the port */
	struct fcn_egress *egress;      /**< class queues; NULL as `ops` */
	/** ring to the owner, which is that of all its ports; NULL: this worker owns the port */
	struct fcn_cross_core *cross_core;
	struct fcn_tx_ring *ring; /**< bytes in the transmit ring; NULL: no backlog is reported */
	bool pausing;             /**< flow control may have work to do */
	/**
	 * The device has accepted no packet for a second. The control thread may read this field.
	 */
	bool stalled;
	uint64_t refused_ns; /**< time since which the device has accepted no packet; 0: it accepts
				packets */
	struct fcn_pause pause; /**< flow control, received and sent */
};

/**
 * Remove a port of a switch with one worker, whether the worker runs or not. Packets queued for the
 * port are dropped with the reason "port_gone". Only the control thread may use it.
 */
void fcn_worker_port_remove(struct fcn_worker *w, uint16_t port);

#endif /* FCN_WORKER_PORT_H */
