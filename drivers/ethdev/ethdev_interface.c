/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which device to name for an interface of the kernel, whose name is no device of EAL. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#include "ethdev_impl.h"

/* Drivers of the kernel beside which those of DPDK work; all others have to let go of the card. */
static const char *const bifurcated[] = {"mlx4_core", "mlx5_core", "mana"};

#define NAME_SIZE 32

static bool
is_pci_address(const char *name)
{
	unsigned int domain, bus, device, function;
	int n = 0;

	return sscanf(name, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &n) == 4 &&
	       name[n] == '\0' && n < NAME_SIZE;
}

/*
 * Find the PCI device of an interface: the last of the devices in the path of its own, as a virtio
 * device is below that of PCI. @return whether there is one
 */
static bool
find_card(const char *sys, const char *interface, char card[NAME_SIZE], char driver[NAME_SIZE])
{
	char link[PATH_MAX], path[PATH_MAX], *end;

	driver[0] = '\0';
	if (snprintf(link, sizeof(link), "%s/class/net/%s/device", sys, interface) >=
					(int)sizeof(link) ||
			realpath(link, path) == NULL)
		return false;
	for (end = strrchr(path, '/'); end != NULL && !is_pci_address(end + 1);
			end = strrchr(path, '/'))
		*end = '\0';
	if (end == NULL)
		return false;
	snprintf(card, NAME_SIZE, "%s", end + 1);
	if (strlen(path) + sizeof("/driver") <= sizeof(path) &&
			realpath(strcat(path, "/driver"), link) != NULL)
		snprintf(driver, NAME_SIZE, "%s", strrchr(link, '/') + 1);
	return true;
}

static bool
stays_with_kernel(const char *driver)
{
	for (unsigned int i = 0; i < RTE_DIM(bifurcated); i++)
		if (strcmp(driver, bifurcated[i]) == 0)
			return true;
	return false;
}

void
ethdev_name_interface(const char *sys, const char *interface, char *text, size_t size)
{
	char card[NAME_SIZE], driver[NAME_SIZE], device[NAME_SIZE];
	unsigned int number = 0;
	uint16_t port;
	size_t len;

	do {
		snprintf(device, sizeof(device), "net_af_packet%u", number++);
	} while (rte_eth_dev_get_port_by_name(device, &port) == 0);
	len = (size_t)snprintf(text, size,
			"it is an interface of the kernel, as a device %s,iface=%s", device,
			interface);
	if (len >= size || !find_card(sys, interface, card, driver))
		return;
	if (stays_with_kernel(driver))
		snprintf(text + len, size - len, "; its card is %s, which stays with %s", card,
				driver);
	else
		snprintf(text + len, size - len,
				"; its card is %s, once: driverctl set-override %s vfio-pci", card,
				card);
}
