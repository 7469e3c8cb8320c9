/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Functions that find a device in EAL, or attach it. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <net/if.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include "ethdev_impl.h"

/* Copy the EAL name of a device: the text in front of its arguments. */
static int
copy_name(const char *device, char name[ETHDEV_NAME_LEN], char *err, size_t err_size)
{
	size_t len = strcspn(device, ",");

	if (len == 0 || len >= ETHDEV_NAME_LEN) {
		snprintf(err, err_size,
				"device %s: a name is 1 to %u characters, then come "
				"arguments behind a comma",
				device, ETHDEV_NAME_LEN - 1);
		return -EINVAL;
	}
	memcpy(name, device, len);
	name[len] = '\0';
	return 0;
}

/*
 * Write an error text for causes that EAL's errors do not show: the kernel interface does not
 * exist, or cannot be used.
 */
static void
write_cause(const char *device, int error, char *err, size_t err_size)
{
	const char *iface = strstr(device, ",iface=");
	char name[IF_NAMESIZE] = "";
	size_t len;
	int n = snprintf(err, err_size, "device %s: EAL cannot make it: ", device);

	err += RTE_MIN((size_t)n, err_size);
	err_size -= RTE_MIN((size_t)n, err_size);
	iface = iface != NULL ? iface + strlen(",iface=") : device;
	len = strcspn(iface, ",");
	if (len < sizeof(name))
		memcpy(name, iface, len);
	/*
	 * net_tap creates the interface itself, so the cause is an interface that exists already.
	 */
	if (strncmp(device, "net_tap", strlen("net_tap")) == 0)
		snprintf(err, err_size, "%s%s%s", strerror(error),
				if_nametoindex(name) != 0 ? ": there is an interface " : "",
				if_nametoindex(name) != 0 ? name : "");
	else if (iface != device && if_nametoindex(name) == 0)
		snprintf(err, err_size, "there is no interface %.*s", (int)len, iface);
	else if (iface == device && if_nametoindex(name) != 0)
		ethdev_name_interface("/sys", name, err, err_size);
	else if (error == EPERM) /* most drivers return -1, whatever the cause */
		snprintf(err, err_size, "its driver refuses: arguments, a file or permissions");
	else
		snprintf(err, err_size, "%s", strerror(error));
}

int
ethdev_probe(const char *device, char name[ETHDEV_NAME_LEN], uint16_t *port_id, bool *probed,
		char *err, size_t err_size)
{
	int rc = copy_name(device, name, err, err_size);

	*probed = false;
	if (rc != 0)
		return rc;
	if (rte_eth_dev_get_port_by_name(name, port_id) == 0)
		return 0;
	if (rte_eth_dev_count_total() >= RTE_MAX_ETHPORTS) {
		snprintf(err, err_size,
				"device %s: this DPDK has room for %u Ethernet devices "
				"(RTE_MAX_ETHPORTS), and all of them are in use",
				device, RTE_MAX_ETHPORTS);
		return -ENOSPC;
	}
	fcn_ethdev_remove_stale(device);
	rc = rte_dev_probe(device);
	if (rc < 0) {
		write_cause(device, -rc, err, err_size);
		return rc;
	}
	*probed = true;
	if (rte_eth_dev_get_port_by_name(name, port_id) != 0) {
		/* Detach the device again, because otherwise the name stays in use. */
		rte_eal_hotplug_remove("vdev", name);
		rte_eal_hotplug_remove("pci", name);
		*probed = false;
		snprintf(err, err_size, "device %s: it is no Ethernet device", device);
		return -ENODEV;
	}
	return 0;
}

void
fcn_ethdev_cleanup(void)
{
	struct rte_eth_dev_info info;
	uint16_t port_id;

	RTE_ETH_FOREACH_DEV (port_id) {
		if (rte_eth_dev_info_get(port_id, &info) == 0 && info.device != NULL &&
				strcmp(info.driver_name, "net_failsafe") == 0)
			rte_dev_remove(info.device);
	}
}

void
ethdev_remove(uint16_t port_id)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port_id, &info) == 0 && info.device != NULL)
		rte_dev_remove(info.device);
}
