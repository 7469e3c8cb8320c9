/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Configuration and start of a device. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

#define RX_DESC 512
/*
 * Descriptors of the transmit ring. There are few, so that the backlog builds up in the queues of
 * the switch, where it is measured.
 */
#define TX_DESC 128

/* Fields that distinguish flows. RoCEv2 uses a different UDP source port for each flow. */
#define RSS_FIELDS (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP)

static int
fail(const struct fcn_ethdev *dev, char *err, size_t size, const char *what, int rc)
{
	snprintf(err, size, "device %s: %s: %s", dev->name, what, strerror(-rc));
	return rc;
}

/* Check whether frames with this MTU and two VLAN tags are longer than a buffer. */
bool
ethdev_needs_scatter(struct rte_mempool *pool, uint16_t mtu)
{
	uint32_t room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;

	return mtu + RTE_ETHER_HDR_LEN + 2 * sizeof(struct rte_vlan_hdr) > room;
}

/*
 * Choose the configuration of the device: no offloads but multi-segment frames, if it supports
 * them.
 */
static void
choose_conf(const struct fcn_ethdev *dev, const struct rte_eth_dev_info *info, uint16_t mtu,
		struct rte_eth_conf *conf)
{
	uint64_t fields = info->flow_type_rss_offloads & RSS_FIELDS;

	memset(conf, 0, sizeof(*conf));
	conf->rxmode.mtu = mtu;
	if (dev->scatters)
		conf->rxmode.offloads = info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	if (dev->n_rx > 1 && fields != 0) {
		conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf->rx_adv_conf.rss_conf.rss_hf = fields;
	}
	/*
	 * If the link status is read from the kernel, the driver's link interrupt is not needed.
	 * With this interrupt enabled, ethdev returns the status of the last interrupt, and never
	 * queries the device.
	 */
	conf->intr_conf.lsc = dev->link_changed != NULL && info->dev_flags != NULL &&
			      *info->dev_flags & RTE_ETH_DEV_INTR_LSC &&
			      !(dev->traits & (ETHDEV_KERNEL_LINK | ETHDEV_LINK_POLL));
	/*
	 * MBUF_FAST_FREE must not be used, because a port sends packets of several pools, and
	 * clones.
	 */
	conf->txmode.offloads = info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
}

/* Get the number of transmit queues. Some drivers need one for each receive queue. */
static uint16_t
tx_queues(const struct fcn_ethdev *dev)
{
	return dev->traits & ETHDEV_PAIRED ? dev->n_rx : 1;
}

static int
configure(struct fcn_ethdev *dev, struct rte_eth_conf *conf)
{
	int rc = rte_eth_dev_configure(dev->port_id, dev->n_rx, tx_queues(dev), conf);

	if (rc != 0) { /* a device that refuses the MTU here may accept it later, or has no MTU */
		conf->rxmode.mtu = RTE_MIN(conf->rxmode.mtu, (uint32_t)RTE_ETHER_MTU);
		rc = rte_eth_dev_configure(dev->port_id, dev->n_rx, tx_queues(dev), conf);
	}
	return rc;
}

/*
 * Set up the queues. The rings are allocated on the NUMA node of the device, whatever the node of
 * the pool.
 */
static int
set_up_queues(struct fcn_ethdev *dev, const struct rte_eth_dev_info *info,
		const struct rte_eth_conf *conf)
{
	struct rte_eth_rxconf rx = info->default_rxconf;
	struct rte_eth_txconf tx = info->default_txconf;
	int socket = rte_eth_dev_socket_id(dev->port_id);
	uint16_t n_rx = dev->rx_desc != 0 ? dev->rx_desc : RX_DESC;
	int rc;

	if (dev->n_tx == 0)
		dev->n_tx = TX_DESC;
	rx.offloads = conf->rxmode.offloads;
	tx.offloads = conf->txmode.offloads;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(dev->port_id, &n_rx, &dev->n_tx);
	for (uint16_t q = 0; rc == 0 && q < dev->n_rx; q++)
		rc = rte_eth_rx_queue_setup(dev->port_id, q, n_rx, socket, &rx, dev->pool);
	for (uint16_t q = 0; rc == 0 && q < tx_queues(dev); q++)
		rc = rte_eth_tx_queue_setup(dev->port_id, q, dev->n_tx, socket, &tx);
	return rc;
}

/*
 * Set the MTU of the device. It is no error if a virtual device has no MTU, or one that cannot be
 * set.
 */
int
ethdev_set_mtu(struct fcn_ethdev *dev, uint16_t mtu)
{
	int rc;

	if (dev->traits & ETHDEV_MTU_RESTARTS)
		return -EBUSY; /* the same error as from drivers that have to be stopped for it */
	rc = rte_eth_dev_set_mtu(dev->port_id, mtu);
	return rc == -ENOTSUP ? 0 : rc;
}

void
ethdev_mtu_error(const struct fcn_ethdev *dev, const struct rte_eth_dev_info *info, uint16_t mtu,
		int rc, char *err, size_t err_size)
{
	uint32_t max_mtu = info->max_mtu;

	/*
	 * as ethdev computes it: with tags, if the driver does not report the overhead of a packet
	 */
	if (info->max_mtu == UINT16_MAX || info->max_rx_pktlen <= info->max_mtu)
		max_mtu = info->max_rx_pktlen - (RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN);
	if (mtu > max_mtu)
		snprintf(err, err_size, "device %s: its driver's MTU is at most %u, not %u",
				dev->name, max_mtu, mtu);
	else
		snprintf(err, err_size, "device %s: MTU %u: %s", dev->name, mtu, strerror(-rc));
}

static int
set_mtu_first(struct fcn_ethdev *dev, const struct rte_eth_dev_info *info, uint16_t mtu, char *err,
		size_t err_size)
{
	int rc;

	/* Setting the MTU of an interface of the kernel needs a privilege, also if it has it
	 * already.
	 */
	if (ethdev_kernel_mtu(dev) == mtu && mtu + (uint32_t)RTE_ETHER_HDR_LEN <= dev->frame_size)
		return 0;
	rc = rte_eth_dev_set_mtu(dev->port_id, mtu);
	if (rc == -ENOTSUP)
		ethdev_limit(dev, "cannot set its MTU");
	if (rc == 0 || rc == -ENOTSUP || rc == -EBUSY)
		return 0;
	ethdev_mtu_error(dev, info, mtu, rc, err, err_size);
	return rc;
}

/*
 * Set the MAC address. Without one, set the current address again, to find out whether the device
 * supports this.
 */
static int
set_mac(struct fcn_ethdev *dev, const struct rte_ether_addr *mac)
{
	struct rte_ether_addr address;
	int rc = rte_eth_macaddr_get(dev->port_id, &address);

	if (mac != NULL)
		address = *mac;
	else if (rc != 0)
		return 0;
	rc = rte_eth_dev_default_mac_addr_set(dev->port_id, &address);
	if (rc == -ENOTSUP)
		ethdev_limit(dev, "cannot set its MAC address");
	return rc == -ENOTSUP || mac == NULL ? 0 : rc;
}

static int
link_event(uint16_t port_id, enum rte_eth_event_type type, void *arg, void *unused)
{
	struct fcn_ethdev *dev = arg;

	RTE_SET_USED(port_id);
	RTE_SET_USED(type);
	RTE_SET_USED(unused);
	dev->link_changed(dev->link_arg);
	return 0;
}

void
ethdev_listen(struct fcn_ethdev *dev, bool on)
{
	if (dev->link_changed == NULL)
		return;
	if (on)
		rte_eth_dev_callback_register(
				dev->port_id, RTE_ETH_EVENT_INTR_LSC, link_event, dev);
	else
		rte_eth_dev_callback_unregister(
				dev->port_id, RTE_ETH_EVENT_INTR_LSC, link_event, dev);
}

int
ethdev_start(struct fcn_ethdev *dev, uint16_t mtu, const struct rte_ether_addr *mac, char *err,
		size_t size)
{
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf;
	int rc;

	rc = rte_eth_dev_info_get(dev->port_id, &info);
	if (rc != 0)
		return fail(dev, err, size, "cannot be asked", rc);
	if (dev->n_rx > info.max_rx_queues || dev->n_rx > FCN_ETHDEV_MAX_QUEUES) {
		snprintf(err, size, "device %s: it has at most %u receive queues, not %u",
				dev->name,
				RTE_MIN((unsigned int)info.max_rx_queues,
						(unsigned int)FCN_ETHDEV_MAX_QUEUES),
				dev->n_rx);
		return -EINVAL;
	}
	dev->scatters = ethdev_needs_scatter(dev->pool, mtu);
	choose_conf(dev, &info, mtu, &conf);
	rc = configure(dev, &conf);
	if (rc != 0)
		return fail(dev, err, size, "cannot be configured", rc);
	rc = set_up_queues(dev, &info, &conf);
	if (rc != 0)
		return fail(dev, err, size, "queues", rc);
	rc = set_mtu_first(dev, &info, mtu, err, size);
	if (rc != 0)
		return rc;
	rc = set_mac(dev, mac);
	if (rc != 0)
		return fail(dev, err, size, "MAC address", rc);
	rc = rte_eth_dev_start(dev->port_id);
	if (rc != 0)
		return fail(dev, err, size,
				dev->traits & ETHDEV_SERVER_FIRST
						? "cannot be started (its other end, the server, "
						  "has to be there first)"
						: "cannot be started",
				rc);
	ethdev_listen(dev, true);
	/* Bridges need promiscuous mode. Devices without this mode receive all frames anyway. */
	rte_eth_promiscuous_enable(dev->port_id);
	return 0;
}
