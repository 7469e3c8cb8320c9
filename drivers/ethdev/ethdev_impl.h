/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Inside a port of the live switch.
 */

#ifndef ETHDEV_IMPL_H
#define ETHDEV_IMPL_H

#include <stdbool.h>

#include "fcn_ethdev.h"

/** How the device tells its transmit backlog; found out once. */
enum ethdev_backlog {
	ETHDEV_BACKLOG_NONE,
	ETHDEV_BACKLOG_COUNT, /**< it counts */
	ETHDEV_BACKLOG_PROBE, /**< it can be asked about single descriptors */
};

struct fcn_ethdev {
	uint16_t port_id;
	uint16_t n_tx;     /**< descriptors of the transmit ring */
	uint64_t link_bps; /**< assumed where the device cannot tell */
	bool scatters;     /**< was set up for frames longer than a buffer */
	enum ethdev_backlog backlog;
	uint8_t pfc_receive, pfc_send; /**< bit set: classes the device was asked to do */
	uint16_t pfc_quanta;
	struct rte_mempool *pool;
	char name[64];
};

/** The device has started: find out how it tells its backlog. */
void ethdev_backlog_choose(struct fcn_ethdev *dev);

/** struct fcn_port_ops.tx_backlog */
int ethdev_backlog(void *port);

#endif /* ETHDEV_IMPL_H */
