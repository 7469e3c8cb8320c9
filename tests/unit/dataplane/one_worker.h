/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Ports of a switch that has one worker. */

#ifndef ONE_WORKER_H
#define ONE_WORKER_H

#include "fcn_worker_group.h"

/** Add a port with one receive queue, as fcn_worker_group_port_add() does. */
static inline int
one_worker_port_add(struct fcn_worker *w, uint16_t port, const struct fcn_port_ops *ops, void *priv,
		const uint32_t slots[FCN_CLASSES])
{
	static const struct fcn_placement alone = {.n_rx_queues = 1};

	return fcn_worker_group_port_add(&w, 1, &alone, port, ops, priv, slots);
}

#endif /* ONE_WORKER_H */
