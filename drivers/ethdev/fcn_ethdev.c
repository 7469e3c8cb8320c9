/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

#define RX_DESC 512
/* Short, so that the backlog is where fastcn sees it: in its own queues. */
#define TX_DESC 128

static uint16_t
rx_burst(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const struct fcn_ethdev *dev = port;

	RTE_SET_USED(now);
	return rte_eth_rx_burst(dev->port_id, 0, pkts, n);
}

static uint16_t
tx_burst(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const struct fcn_ethdev *dev = port;

	RTE_SET_USED(now);
	return rte_eth_tx_burst(dev->port_id, 0, pkts, n);
}

static uint64_t
link_bps(void *port)
{
	const struct fcn_ethdev *dev = port;
	struct rte_eth_link link;

	if (rte_eth_link_get_nowait(dev->port_id, &link) != 0 ||
			link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ||
			link.link_speed == RTE_ETH_SPEED_NUM_NONE)
		return dev->link_bps;
	return (uint64_t)link.link_speed * 1000000;
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
		.tx_burst = tx_burst,
		.tx_backlog = ethdev_backlog,
		.link_bps = link_bps,
		.device_stats = device_stats,
};

static int
fail(char *err, size_t size, const char *device, const char *what, int rc)
{
	snprintf(err, size, "device %s: %s: %s", device, what, strerror(-rc));
	return rc;
}

/* Frames of this MTU, with two VLAN tags, are longer than a buffer. */
static bool
needs_scatter(struct rte_mempool *pool, uint16_t mtu)
{
	uint32_t room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;

	return mtu + RTE_ETHER_HDR_LEN + 2 * sizeof(struct rte_vlan_hdr) > room;
}

/* What the device should be like: plain frames, multi-segment ones where it can. */
static void
choose_conf(const struct rte_eth_dev_info *info, struct rte_mempool *pool, uint16_t mtu,
		struct rte_eth_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->rxmode.mtu = mtu;
	if (needs_scatter(pool, mtu))
		conf->rxmode.offloads = info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	/* never MBUF_FAST_FREE: packets of other pools, and copies, leave by every port */
	conf->txmode.offloads = info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
}

static int
set_up_queues(uint16_t port_id, const struct rte_eth_dev_info *info,
		const struct rte_eth_conf *conf, struct rte_mempool *pool, uint16_t *n_tx)
{
	struct rte_eth_rxconf rx = info->default_rxconf;
	struct rte_eth_txconf tx = info->default_txconf;
	int socket = rte_eth_dev_socket_id(port_id);
	uint16_t n_rx = RX_DESC;
	int rc;

	*n_tx = TX_DESC;

	rx.offloads = conf->rxmode.offloads;
	tx.offloads = conf->txmode.offloads;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(port_id, &n_rx, n_tx);
	if (rc == 0)
		rc = rte_eth_rx_queue_setup(port_id, 0, n_rx, socket, &rx, pool);
	if (rc == 0)
		rc = rte_eth_tx_queue_setup(port_id, 0, *n_tx, socket, &tx);
	return rc;
}

/* Some virtual devices have no MTU, or none that can be set: not an error. */
static int
set_mtu(uint16_t port_id, uint16_t mtu)
{
	int rc = rte_eth_dev_set_mtu(port_id, mtu);

	return rc == -ENOTSUP || rc == -EBUSY ? 0 : rc;
}

static int
start(uint16_t port_id, const char *device, struct rte_mempool *pool, uint16_t mtu,
		const struct rte_ether_addr *mac, uint16_t *n_tx, char *err, size_t size)
{
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf;
	int rc;

	rc = rte_eth_dev_info_get(port_id, &info);
	if (rc != 0)
		return fail(err, size, device, "cannot be asked", rc);
	choose_conf(&info, pool, mtu, &conf);
	rc = rte_eth_dev_configure(port_id, 1, 1, &conf);
	if (rc != 0) { /* devices that refuse the MTU here may take it later, or have none */
		conf.rxmode.mtu = RTE_MIN(mtu, RTE_ETHER_MTU);
		rc = rte_eth_dev_configure(port_id, 1, 1, &conf);
	}
	if (rc != 0)
		return fail(err, size, device, "cannot be configured", rc);
	rc = set_up_queues(port_id, &info, &conf, pool, n_tx);
	if (rc != 0)
		return fail(err, size, device, "queues", rc);
	rc = set_mtu(port_id, mtu);
	if (rc != 0)
		return fail(err, size, device, "MTU", rc);
	if (mac != NULL) {
		struct rte_ether_addr copy = *mac;

		rc = rte_eth_dev_default_mac_addr_set(port_id, &copy);
		if (rc != 0 && rc != -ENOTSUP)
			return fail(err, size, device, "MAC address", rc);
	}
	rc = rte_eth_dev_start(port_id);
	if (rc != 0)
		return fail(err, size, device, "cannot be started", rc);
	/* bridges need it; devices without it hear everything anyway */
	rte_eth_promiscuous_enable(port_id);
	return 0;
}

struct fcn_ethdev *
fcn_ethdev_open(const char *device, struct rte_mempool *pool, uint16_t mtu,
		const struct rte_ether_addr *mac, uint64_t bps, char *err, size_t err_size)
{
	struct fcn_ethdev *dev;
	uint16_t port_id, n_tx;

	char name[ETHDEV_NAME_LEN];
	bool probed;

	if (ethdev_probe(device, name, &port_id, &probed, err, err_size) != 0)
		return NULL;
	if (start(port_id, name, pool, mtu, mac, &n_tx, err, err_size) != 0)
		goto fail;
	dev = calloc(1, sizeof(*dev));
	if (dev == NULL) {
		snprintf(err, err_size, "out of memory");
		rte_eth_dev_stop(port_id);
		goto fail;
	}
	dev->port_id = port_id;
	dev->probed = probed;
	dev->n_tx = n_tx;
	memcpy(dev->name, name, sizeof(name));
	dev->link_bps = bps;
	dev->pool = pool;
	dev->scatters = needs_scatter(pool, mtu);
	ethdev_backlog_choose(dev);
	return dev;
fail:
	if (probed)
		ethdev_remove(port_id);
	return NULL;
}

int
fcn_ethdev_update(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac,
		uint64_t bps, char *err, size_t err_size)
{
	struct rte_ether_addr now;
	uint16_t mtu_now;
	int rc;

	dev->link_bps = bps;
	if (needs_scatter(dev->pool, mtu) && !dev->scatters) {
		snprintf(err, err_size,
				"MTU %u: frames longer than a buffer must be planned for: remove "
				"the port "
				"and add it with this MTU",
				mtu);
		return -ENOTSUP;
	}
	if (rte_eth_dev_get_mtu(dev->port_id, &mtu_now) == 0 && mtu_now != mtu) {
		rc = set_mtu(dev->port_id, mtu);
		if (rc != 0) {
			snprintf(err, err_size, "MTU %u: %s", mtu, strerror(-rc));
			return rc;
		}
	}
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
