/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is needed where one process takes over the devices of another one. */

#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "ethdev_impl.h"

#define BURST 32
/* Maximum number of bursts that are discarded of a queue: more than a ring holds. */
#define BURSTS 4096

enum fcn_ethdev_sharing
fcn_ethdev_sharing(const char *device)
{
	/* Drivers whose devices belong to a process, or are sockets that all receive. */
	static const char *const shared[] = {"net_af_packet", "net_null", "net_pcap", "net_ring"};

	for (size_t i = 0; i < RTE_DIM(shared); i++) {
		if (strncmp(device, shared[i], strlen(shared[i])) == 0)
			return FCN_ETHDEV_SHARED;
	}
	return memchr(device, ':', strcspn(device, ",")) != NULL ? FCN_ETHDEV_BUS
								 : FCN_ETHDEV_ALONE;
}

void
fcn_ethdev_detach_alone(void)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	uint16_t port_id;

	RTE_ETH_FOREACH_DEV (port_id) {
		if (rte_eth_dev_get_name_by_port(port_id, name) == 0 &&
				fcn_ethdev_sharing(name) == FCN_ETHDEV_ALONE)
			ethdev_remove(port_id);
	}
}

uint64_t
fcn_ethdev_discard(struct fcn_ethdev *dev)
{
	struct rte_mbuf *m[BURST];
	uint64_t discarded = 0;

	for (uint16_t q = 0; q < dev->n_rx; q++) {
		uint16_t n = BURST;

		for (unsigned int i = 0; n != 0 && i < BURSTS; i++) {
			n = rte_eth_rx_burst(dev->port_id, q, m, BURST);
			rte_pktmbuf_free_bulk(m, n);
			discarded += n;
		}
	}
	rte_eth_stats_reset(dev->port_id);
	return discarded;
}
