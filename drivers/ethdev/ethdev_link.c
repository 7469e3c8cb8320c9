/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Link status of a device, and the longest frame that it accepts. */

#include <rte_ethdev.h>

#include "ethdev_impl.h"

bool
ethdev_link_up(void *port)
{
	struct fcn_ethdev *dev = port;
	struct rte_eth_link link;

	/*
	 * The control thread reads the link status a few times a second; the MTU of the kernel
	 * interface may have changed as well.
	 */
	ethdev_update_max_frame(dev);
	if (dev->traits & ETHDEV_NO_LINK)
		return true;
	if (dev->traits & ETHDEV_KERNEL_LINK)
		return ethdev_kernel_link(dev) != 0;
	return rte_eth_link_get_nowait(dev->port_id, &link) != 0 ||
	       link.link_status == RTE_ETH_LINK_UP;
}

uint64_t
ethdev_link_bps(void *port)
{
	const struct fcn_ethdev *dev = port;
	struct rte_eth_link link;

	if (dev->traits & ETHDEV_NO_SPEED || rte_eth_link_get_nowait(dev->port_id, &link) != 0 ||
			link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ||
			link.link_speed == RTE_ETH_SPEED_NUM_NONE)
		return 0;
	return (uint64_t)link.link_speed * 1000000;
}

/*
 * Get the longest frame that the kernel accepts. If the MTU of the interface equals that of the
 * port, the kernel accepts 4 more octets for tagged frames. If it is lower, the kernel does not
 * accept untagged frames of that length, and it is not known here which frames are tagged.
 */
static uint32_t
kernel_max_frame(const struct fcn_ethdev *dev)
{
	int mtu = ethdev_kernel_mtu(dev);

	if (mtu < 0)
		return UINT32_MAX;
	return mtu + RTE_ETHER_HDR_LEN +
	       (mtu >= dev->mtu ? (uint32_t)sizeof(struct rte_vlan_hdr) : 0);
}

void
ethdev_update_max_frame(struct fcn_ethdev *dev)
{
	uint32_t max_frame = dev->frame_size;
	uint16_t mtu;

	if (dev->traits & ETHDEV_MTU_BLOCKS && rte_eth_dev_get_mtu(dev->port_id, &mtu) == 0)
		max_frame = RTE_MIN(
				max_frame, mtu + (uint32_t)RTE_ETHER_HDR_LEN +
							   (uint32_t)sizeof(struct rte_vlan_hdr));
	if (dev->traits & ETHDEV_KERNEL_MTU)
		max_frame = RTE_MIN(max_frame, kernel_max_frame(dev));
	__atomic_store_n(&dev->max_frame, max_frame, __ATOMIC_RELAXED);
}

uint32_t
ethdev_tx_max_frame(void *port)
{
	const struct fcn_ethdev *dev = port;

	return __atomic_load_n(&dev->max_frame, __ATOMIC_RELAXED);
}
