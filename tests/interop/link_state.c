/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Links whose state and speed are in a file, for LD_PRELOAD before the switch: no virtual device
 * changes its speed. LINK_STATE_FILE names the file, whose lines are "DEVICE MBPS UP", with the
 * name of a device in DPDK. Other devices keep what they report. The file is to be replaced as a
 * whole (rename), as it is read at any time.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

typedef int link_get(uint16_t port, struct rte_eth_link *link);

static int
from_file(uint16_t port, struct rte_eth_link *link, const char *function)
{
	link_get *real = (link_get *)dlsym(RTLD_NEXT, function);
	const char *name = getenv("LINK_STATE_FILE");
	char device[RTE_ETH_NAME_MAX_LEN], listed[RTE_ETH_NAME_MAX_LEN];
	unsigned int mbps, up;
	FILE *in;
	int rc;

	if (real == NULL)
		abort();
	rc = real(port, link);
	if (rc != 0 || name == NULL || rte_eth_dev_get_name_by_port(port, device) != 0)
		return rc;
	in = fopen(name, "r");
	if (in == NULL)
		return rc;
	while (fscanf(in, "%63s %u %u", listed, &mbps, &up) == 3) {
		if (strcmp(listed, device) != 0)
			continue;
		link->link_speed = up ? mbps : RTE_ETH_SPEED_NUM_NONE;
		link->link_status = up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN;
		link->link_duplex = RTE_ETH_LINK_FULL_DUPLEX;
	}
	fclose(in);
	return rc;
}

int
rte_eth_link_get_nowait(uint16_t port, struct rte_eth_link *link)
{
	return from_file(port, link, __func__);
}

int
rte_eth_link_get(uint16_t port, struct rte_eth_link *link)
{
	return from_file(port, link, __func__);
}
