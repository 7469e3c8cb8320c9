/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

static enum rte_eth_fc_mode
mode_of(uint8_t receive, uint8_t send, unsigned int class)
{
	bool rx = receive >> class & 1, tx = send >> class & 1;

	if (rx && tx)
		return RTE_ETH_FC_FULL;
	if (rx)
		return RTE_ETH_FC_RX_PAUSE;
	return tx ? RTE_ETH_FC_TX_PAUSE : RTE_ETH_FC_NONE;
}

int
fcn_ethdev_pfc(struct fcn_ethdev *dev, uint8_t receive, uint8_t send, uint16_t quanta, char *err,
		size_t err_size)
{
	struct rte_eth_fc_conf base;

	/* Keep the watermarks of the device, if it reports them. */
	if (rte_eth_dev_flow_ctrl_get(dev->port_id, &base) != 0)
		memset(&base, 0, sizeof(base));
	for (unsigned int c = 0; c < 8; c++) {
		struct rte_eth_pfc_conf conf = {.fc = base, .priority = c};
		bool same = quanta == dev->pfc_quanta || !((receive | send) >> c & 1);
		int rc;

		conf.fc.mode = mode_of(receive, send, c);
		if (same && conf.fc.mode == mode_of(dev->pfc_receive, dev->pfc_send, c))
			continue;
		conf.fc.pause_time = quanta;
		conf.fc.send_xon = 1;
		rc = rte_eth_dev_priority_flow_ctrl_set(dev->port_id, &conf);
		if (rc != 0) {
			snprintf(err, err_size,
					"device %s does no priority flow control of class %u: %s",
					dev->name, c, strerror(-rc));
			return rc;
		}
		dev->pfc_receive = (dev->pfc_receive & ~(1u << c)) | (receive & 1u << c);
		dev->pfc_send = (dev->pfc_send & ~(1u << c)) | (send & 1u << c);
	}
	dev->pfc_quanta = quanta;
	return 0;
}
