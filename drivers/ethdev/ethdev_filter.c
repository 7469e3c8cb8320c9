/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Receive filters of a device. */

#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

static int
refuse(char *err, size_t size, const char *what, int rc)
{
	snprintf(err, size, "promiscuous: the device cannot %s: %s", what, strerror(-rc));
	return rc;
}

/*
 * Switch promiscuous mode on or off. When it is off, the device receives frames to its own MAC
 * address, broadcasts, and all multicast frames, which Neighbour Discovery and other protocols
 * need.
 */
int
fcn_ethdev_promiscuous(struct fcn_ethdev *dev, bool on, char *err, size_t err_size)
{
	int rc;

	if (on == !dev->filters)
		return 0;
	if (on) {
		rc = rte_eth_promiscuous_enable(dev->port_id);
		if (rc != 0)
			return refuse(err, err_size, "hear everything again", rc);
	} else {
		rc = rte_eth_allmulticast_enable(dev->port_id);
		if (rc != 0)
			return refuse(err, err_size, "hear all groups otherwise", rc);
		rc = rte_eth_promiscuous_disable(dev->port_id);
		if (rc != 0)
			return refuse(err, err_size, "do that", rc);
	}
	dev->filters = !on;
	return 0;
}
