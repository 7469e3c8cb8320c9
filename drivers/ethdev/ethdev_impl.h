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

#define ETHDEV_NAME_LEN 64

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
	bool probed; /**< EAL was told of it when the port was opened, and is to forget it */
	char name[ETHDEV_NAME_LEN];
};

/**
 * Find a device by its name, or have EAL make one.
 *
 * @param device name, or name and arguments as for EAL's --vdev and -a
 * @param name   the name alone
 * @param probed EAL did not have it before
 * @param err    one line, on failure
 * @return 0 or a negative errno
 */
int ethdev_probe(const char *device, char name[ETHDEV_NAME_LEN], uint16_t *port_id, bool *probed,
		char *err, size_t err_size);

/** Have EAL forget a device that has stopped. */
void ethdev_remove(uint16_t port_id);

/** The device has started: find out how it tells its backlog. */
void ethdev_backlog_choose(struct fcn_ethdev *dev);

/** struct fcn_port_ops.tx_backlog */
int ethdev_backlog(void *port);

#endif /* ETHDEV_IMPL_H */
