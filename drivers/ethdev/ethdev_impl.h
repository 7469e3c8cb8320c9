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

/** What rx_burst() is called with: receive queues to ask in turn. */
struct ethdev_rx {
	uint16_t port_id;
	uint16_t first, n; /**< queues */
	uint16_t turn;     /**< the one to be asked first, counted from first */
};

struct fcn_ethdev {
	struct ethdev_rx all;                          /**< first: the port as a handle */
	struct ethdev_rx queue[FCN_ETHDEV_MAX_QUEUES]; /**< handles of single queues */
	uint16_t port_id;
	uint16_t n_rx;     /**< receive queues */
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

/** Set up the device with its name, pool and n_rx given, and start it. @return 0 or a negative
 * errno with a line in err */
int ethdev_start(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac, char *err,
		size_t size);

/** Whether frames of this MTU do not fit into one buffer. */
bool ethdev_needs_scatter(struct rte_mempool *pool, uint16_t mtu);

/** @return 0, too, for devices that have none or cannot set it */
int ethdev_set_mtu(struct fcn_ethdev *dev, uint16_t mtu);

/** The device has started: find out how it tells its backlog. */
void ethdev_backlog_choose(struct fcn_ethdev *dev);

/** struct fcn_port_ops.tx_backlog */
int ethdev_backlog(void *port);

#endif /* ETHDEV_IMPL_H */
