/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Properties of drivers that they do not report themselves. */

#include <string.h>

#include <bsd/string.h>
#include <rte_ethdev.h>

#include "ethdev_impl.h"

struct driver {
	const char *name;
	uint32_t traits;
};

static const struct driver drivers[] = {
		{"net_tap", ETHDEV_KERNEL_LINK | ETHDEV_MOVES | ETHDEV_NO_SPEED | ETHDEV_PAIRED |
						ETHDEV_MTU_BLOCKS | ETHDEV_SPREADS |
						ETHDEV_UNPADDED},
		{"net_af_packet", ETHDEV_KERNEL_LINK | ETHDEV_NO_SPEED | ETHDEV_KERNEL_MTU |
						  ETHDEV_FRAME_SIZE | ETHDEV_SPREADS |
						  ETHDEV_DEFRAG | ETHDEV_HIDES | ETHDEV_UNPADDED},
		{"net_af_xdp", ETHDEV_KERNEL_LINK | ETHDEV_NO_SPEED | ETHDEV_KERNEL_MTU |
						ETHDEV_ONCE | ETHDEV_SPREADS | ETHDEV_UNPADDED},
		{"net_pcap", ETHDEV_KERNEL_LINK | ETHDEV_NO_SPEED | ETHDEV_KERNEL_MTU |
						ETHDEV_CHAINS | ETHDEV_UNPADDED},
		{"net_null", ETHDEV_NO_LINK | ETHDEV_NO_SPEED},
		{"net_ring", ETHDEV_NO_LINK | ETHDEV_NO_SPEED | ETHDEV_NO_BYTES | ETHDEV_CHAINS |
						ETHDEV_ENDS | ETHDEV_PASSES_ON},
		{"net_memif", ETHDEV_NO_SPEED | ETHDEV_ENDS | ETHDEV_SERVER_FIRST |
						ETHDEV_BUFFER_SIZE | ETHDEV_UNPADDED},
		{"net_vhost", ETHDEV_NO_SPEED | ETHDEV_ENDS | ETHDEV_UNPADDED},
		{"net_virtio_user", ETHDEV_ENDS | ETHDEV_UNPADDED},
		{"net_virtio", ETHDEV_UNPADDED},
		{"net_failsafe", ETHDEV_UNPADDED}, /* its devices may be any */
		{"net_bonding", ETHDEV_UNPADDED},
		{"net_e1000_em", ETHDEV_LINK_POLL | ETHDEV_NO_BACKLOG},
		{"net_vmxnet3", ETHDEV_LINK_POLL | ETHDEV_MTU_RESTARTS},
};

static uint32_t
traits_of_driver(const char *name)
{
	for (size_t i = 0; name != NULL && i < RTE_DIM(drivers); i++) {
		if (strcmp(drivers[i].name, name) == 0)
			return drivers[i].traits;
	}
	return 0;
}

void
ethdev_traits(struct fcn_ethdev *dev, const char *device)
{
	char arguments[ETHDEV_ARGUMENTS_LEN];
	struct rte_eth_dev_info info;
	bool chains;

	if (rte_eth_dev_info_get(dev->port_id, &info) != 0)
		return;
	ethdev_arguments(device, arguments, sizeof(arguments));
	dev->traits = traits_of_driver(info.driver_name);
	chains = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS ||
		 dev->traits & ETHDEV_CHAINS;
	dev->frame_size = UINT32_MAX;
	if (dev->traits & ETHDEV_FRAME_SIZE)
		dev->frame_size = ethdev_argument(arguments, "framesz", ETHDEV_AF_PACKET_FRAME) -
				  ETHDEV_AF_PACKET_HEADER;
	if (dev->traits & ETHDEV_BUFFER_SIZE)
		dev->frame_size = ethdev_argument(arguments, "bsize", ETHDEV_MEMIF_BUFFER);
	dev->accepts_clones = chains && !(dev->traits & ETHDEV_PASSES_ON);
	if (!chains) /* longer frames are chained mbufs */
		dev->frame_size = RTE_MIN(
				dev->frame_size, (uint32_t)(rte_pktmbuf_data_room_size(dev->pool) -
								 RTE_PKTMBUF_HEADROOM));
	if (dev->traits & ETHDEV_DEFRAG)
		ethdev_send_buffers(info.if_index,
				ethdev_argument(arguments, "framecnt", ETHDEV_AF_PACKET_FRAMES));
	ethdev_kernel_open(dev, dev->traits & ETHDEV_KERNEL_LINK ? (int)info.if_index : 0);
	if (dev->traits & ETHDEV_NO_LINK ||
			(dev->traits & ETHDEV_KERNEL_LINK && dev->if_index == 0))
		ethdev_limit(dev, "cannot tell its link");
	if (dev->traits & ETHDEV_NO_SPEED)
		ethdev_limit(dev, "cannot tell its speed");
	if (dev->traits & ETHDEV_NO_BYTES)
		ethdev_limit(dev, "counts no bytes");
	if (dev->traits & ETHDEV_ONCE)
		ethdev_limit(dev, "once removed, cannot be added again before fastcn ends");
	if (dev->traits & ETHDEV_DEFRAG)
		ethdev_limit(dev, "the kernel reassembles IPv4 fragments for it: above the MTU "
				  "they are dropped");
	if (dev->traits & ETHDEV_HIDES && ethdev_argument(arguments, "qdisc_bypass", 1) != 0)
		ethdev_limit(dev, "tcpdump does not see what it sends (qdisc_bypass=0 shows it)");
	if (ethdev_kernel_is_veth(dev))
		ethdev_limit(dev, "the other end of the veth pair has to compute checksums, or TCP "
				  "and UDP from there are lost (ethtool -K PEER tx off)");
	if (info.max_rx_queues == 1)
		ethdev_limit(dev, "has one receive queue");
	else if (dev->n_rx > 1 && info.flow_type_rss_offloads == 0 &&
			!(dev->traits & ETHDEV_SPREADS))
		ethdev_limit(dev,
				dev->traits & ETHDEV_ENDS
						? "has no RSS: its other end chooses the queue"
						: "has no RSS: all packets may come by one queue");
}

void
ethdev_pad(struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i], *last;
		uint32_t missing;
		uint8_t *end;

		if (likely(m->pkt_len >= FCN_PORT_MIN_FRAME))
			continue;
		last = rte_pktmbuf_lastseg(m);
		missing = FCN_PORT_MIN_FRAME - m->pkt_len;
		end = rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len);
		/* A constant length is some stores, and there is nearly always room for them. */
		if (likely(rte_pktmbuf_tailroom(last) >= FCN_PORT_MIN_FRAME))
			memset(end, 0, FCN_PORT_MIN_FRAME);
		else if (rte_pktmbuf_tailroom(last) >= missing)
			memset(end, 0, missing);
		else
			continue;
		last->data_len += missing;
		m->pkt_len += missing;
	}
}

void
ethdev_limit(struct fcn_ethdev *dev, const char *limit)
{
	if (dev->limits[0] != '\0')
		strlcat(dev->limits, "; ", sizeof(dev->limits));
	strlcat(dev->limits, limit, sizeof(dev->limits));
}
