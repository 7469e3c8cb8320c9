/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The kernel interface of a device, which some drivers have: its link status and MTU. */

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/socket.h>

#include "ethdev_impl.h"

void
ethdev_kernel_open(struct fcn_ethdev *dev, int if_index)
{
	dev->socket = -1;
	dev->if_index = if_index;
	if (if_index != 0)
		dev->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

void
ethdev_kernel_close(struct fcn_ethdev *dev)
{
	if (dev->socket >= 0)
		close(dev->socket);
	dev->socket = -1;
}

/*
 * Request data about the interface by its index, because its name may change.
 *
 * @return 0 or a negative errno
 */
static int
request(const struct fcn_ethdev *dev, unsigned long what, struct ifreq *ifr)
{
	if (dev->socket < 0)
		return -ENOENT;
	memset(ifr, 0, sizeof(*ifr));
	ifr->ifr_ifindex = dev->if_index;
	if (ioctl(dev->socket, SIOCGIFNAME, ifr) != 0 || ioctl(dev->socket, what, ifr) != 0)
		return -errno;
	return 0;
}

int
ethdev_kernel_link(const struct fcn_ethdev *dev)
{
	struct ifreq ifr;
	int rc = request(dev, SIOCGIFFLAGS, &ifr);

	if (rc == -ENODEV) /* it was removed, or is in another network namespace */
		return dev->traits & ETHDEV_MOVES ? -1 : 0;
	if (rc != 0)
		return -1;
	return (ifr.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
}

int
ethdev_kernel_mtu(const struct fcn_ethdev *dev)
{
	struct ifreq ifr;

	return request(dev, SIOCGIFMTU, &ifr) == 0 ? ifr.ifr_mtu : -1;
}

bool
ethdev_kernel_is_veth(const struct fcn_ethdev *dev)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq ifr = {.ifr_ifindex = dev->if_index};

	if (dev->socket < 0 || ioctl(dev->socket, SIOCGIFNAME, &ifr) != 0)
		return false;
	ifr.ifr_data = (char *)&info;
	return ioctl(dev->socket, SIOCETHTOOL, &ifr) == 0 && strcmp(info.driver, "veth") == 0;
}
