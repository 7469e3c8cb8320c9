/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcn_compat.h>
#include <rte_ethdev.h>

#include "ethdev_impl.h"
#include "fcn_tx_backlog.h"

static int
probe(void *arg, uint16_t offset)
{
	const struct fcn_ethdev *dev = arg;
	int status = rte_eth_tx_descriptor_status(dev->port_id, 0, offset);

	return status < 0 ? status : status == RTE_ETH_TX_DESC_FULL;
}

void
ethdev_backlog_choose(struct fcn_ethdev *dev)
{
	dev->backlog = ETHDEV_BACKLOG_NONE;
	if (dev->traits & ETHDEV_NO_BACKLOG)
		return;
	if (fcn_eth_tx_queue_count(dev->port_id, 0) >= 0)
		dev->backlog = ETHDEV_BACKLOG_COUNT;
	else if (dev->n_tx > 0 && fcn_tx_backlog_find(probe, dev, dev->n_tx) >= 0)
		dev->backlog = ETHDEV_BACKLOG_PROBE;
}

int
ethdev_backlog(void *port)
{
	struct fcn_ethdev *dev = port;

	switch (dev->backlog) {
	case ETHDEV_BACKLOG_COUNT:
		return fcn_eth_tx_queue_count(dev->port_id, 0);
	case ETHDEV_BACKLOG_PROBE:
		return fcn_tx_backlog_find(probe, dev, dev->n_tx);
	case ETHDEV_BACKLOG_NONE:
		break;
	}
	return -1;
}
