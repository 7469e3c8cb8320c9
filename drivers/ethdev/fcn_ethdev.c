/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

/* Poll each queue at most once, starting with a different one each time. */
static uint16_t
rx_burst(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct ethdev_rx *rx = port;
	uint16_t got = 0;

	RTE_SET_USED(now);
	if (likely(rx->n == 1))
		return rte_eth_rx_burst(rx->port_id, rx->first, pkts, n);
	for (uint16_t i = 0; i < rx->n && got < n; i++) {
		got += rte_eth_rx_burst(rx->port_id, rx->first + rx->turn, pkts + got, n - got);
		rx->turn = rx->turn + 1 < rx->n ? rx->turn + 1 : 0;
	}
	return got;
}

static uint16_t
rx_queues(void *port)
{
	const struct fcn_ethdev *dev = port;

	return dev->n_rx;
}

static void *
rx_queue(void *port, uint16_t queue)
{
	struct fcn_ethdev *dev = port;

	return &dev->queue[queue];
}

static uint16_t
tx_burst(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const struct fcn_ethdev *dev = port;

	RTE_SET_USED(now);
	return rte_eth_tx_burst(dev->port_id, 0, pkts, n);
}

static void
tx_pad(void *port, struct rte_mbuf **pkts, uint16_t n)
{
	if (((const struct fcn_ethdev *)port)->traits & ETHDEV_UNPADDED)
		ethdev_pad(pkts, n);
}

static bool
accepts_clones(void *port)
{
	return ((const struct fcn_ethdev *)port)->accepts_clones;
}

static const char *
limits(void *port)
{
	return ((const struct fcn_ethdev *)port)->limits;
}

static void
device_stats(void *port, struct fcn_port_device_stats *out)
{
	const struct fcn_ethdev *dev = port;
	struct rte_eth_stats stats;

	memset(out, 0, sizeof(*out));
	if (rte_eth_stats_get(dev->port_id, &stats) != 0)
		return;
	out->rx_missed = stats.imissed;
	out->rx_errors = stats.ierrors;
	out->rx_no_mbuf = stats.rx_nombuf;
	out->tx_errors = stats.oerrors;
}

const struct fcn_port_ops fcn_ethdev_port_ops = {
		.kind = "ethdev",
		.rx_burst = rx_burst,
		.rx_queues = rx_queues,
		.rx_queue = rx_queue,
		.tx_burst = tx_burst,
		.tx_backlog = ethdev_backlog,
		.tx_max_frame = ethdev_tx_max_frame,
		.tx_pad = tx_pad,
		.accepts_clones = accepts_clones,
		.link_bps = ethdev_link_bps,
		.link_up = ethdev_link_up,
		.limits = limits,
		.device_stats = device_stats,
		.xstats = ethdev_xstats,
		.descriptors = ethdev_descriptors,
		.rx_waiting = ethdev_rx_waiting,
};

static void
make_handles(struct fcn_ethdev *dev)
{
	dev->all = (struct ethdev_rx){.port_id = dev->port_id, .n = dev->n_rx};
	for (uint16_t q = 0; q < dev->n_rx; q++)
		dev->queue[q] = (struct ethdev_rx){.port_id = dev->port_id, .first = q, .n = 1};
}

struct fcn_ethdev *
fcn_ethdev_open(const struct fcn_ethdev_conf *conf, char *err, size_t err_size)
{
	struct fcn_ethdev *dev = calloc(1, sizeof(*dev));
	int error = ENODEV, rc;

	if (dev == NULL) {
		snprintf(err, err_size, "out of memory");
		errno = ENODEV;
		return NULL;
	}
	if (ethdev_refuse(conf->device, conf->pool, conf->queues, err, err_size) != 0) {
		error = EINVAL;
		goto no_device;
	}
	rc = ethdev_probe(conf->device, dev->name, &dev->port_id, &dev->probed, err, err_size);
	if (rc != 0) {
		error = rc == -ENOSPC ? EINVAL : ENODEV; /* there will be no room later, either */
		goto no_device;
	}
	dev->n_rx = conf->queues;
	dev->rx_desc = conf->rx_descriptors;
	dev->n_tx = conf->tx_descriptors;
	dev->pool = conf->pool;
	dev->mtu = conf->mtu;
	dev->link_changed = conf->link_changed;
	dev->link_arg = conf->arg;
	ethdev_traits(dev, conf->device);
	if (ethdev_start(dev, conf->mtu, conf->mac, err, err_size) != 0)
		goto not_started;
	make_handles(dev);
	ethdev_update_max_frame(dev);
	ethdev_backlog_choose(dev);
	return dev;
not_started:
	ethdev_kernel_close(dev);
	if (dev->probed)
		ethdev_remove(dev->port_id);
no_device:
	free(dev);
	errno = error;
	return NULL;
}

int
fcn_ethdev_update(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac, char *err,
		size_t err_size)
{
	struct rte_eth_dev_info info;
	struct rte_ether_addr now;
	uint16_t mtu_now;
	int rc;

	if (ethdev_needs_scatter(dev->pool, mtu) && !dev->scatters) {
		snprintf(err, err_size,
				"MTU %u: the device has to know of frames longer than a packet "
				"buffer when it is set up: remove the port and add it with this "
				"MTU (port add NAME mtu %u)",
				mtu, mtu);
		return -ENOTSUP;
	}
	if (rte_eth_dev_get_mtu(dev->port_id, &mtu_now) == 0 && mtu_now != mtu) {
		rc = ethdev_set_mtu(dev, mtu);
		if (rc == -EBUSY && mtu > mtu_now) {
			snprintf(err, err_size,
					"MTU %u: while it runs, the device takes none above %u: "
					"remove "
					"the port and add it with this MTU (port add NAME mtu %u)",
					mtu, mtu_now, mtu);
			return rc;
		}
		if (rc != 0 && rc != -EBUSY) {
			if (rte_eth_dev_info_get(dev->port_id, &info) == 0)
				ethdev_mtu_error(dev, &info, mtu, rc, err, err_size);
			else
				snprintf(err, err_size, "MTU %u: %s", mtu, strerror(-rc));
			return rc;
		}
	}
	dev->mtu = mtu;
	ethdev_update_max_frame(dev);
	if (mac != NULL && rte_eth_macaddr_get(dev->port_id, &now) == 0 &&
			!rte_is_same_ether_addr(&now, mac)) {
		now = *mac;
		rc = rte_eth_dev_default_mac_addr_set(dev->port_id, &now);
		if (rc != 0 && rc != -ENOTSUP) {
			snprintf(err, err_size, "MAC address: %s", strerror(-rc));
			return rc;
		}
	}
	return 0;
}

void
fcn_ethdev_close(struct fcn_ethdev *dev)
{
	if (dev == NULL)
		return;
	rte_eth_dev_stop(dev->port_id);
	ethdev_listen(dev, false);
	ethdev_kernel_close(dev);
	if (dev->probed)
		ethdev_remove(dev->port_id);
	free(dev);
}

void
fcn_ethdev_mac(const struct fcn_ethdev *dev, struct rte_ether_addr *mac)
{
	if (rte_eth_macaddr_get(dev->port_id, mac) != 0)
		memset(mac, 0, sizeof(*mac));
}

int
fcn_ethdev_socket(const struct fcn_ethdev *dev)
{
	return rte_eth_dev_socket_id(dev->port_id);
}
