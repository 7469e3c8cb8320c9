/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which device is named for an interface of the kernel, in a sysfs made for the test. */

#include "ethdev_impl.h"
#include "fcn_test.h"

/* Interfaces, and what they are: a card, a card whose driver shares it, virtio, no card. */
static const char make[] =
		"mkdir -p class/net drivers/ice drivers/mlx5_core drivers/virtio_net "
		"devices/pci0000:00/0000:00:01.0/0000:03:00.1/net/eth0 "
		"devices/pci0000:00/0000:41:00.0/net/eth1 "
		"devices/pci0000:00/0000:00:05.0/virtio2/net/eth2 devices/virtual/net/veth0 && "
		"ln -s ../../../../drivers/ice "
		"devices/pci0000:00/0000:00:01.0/0000:03:00.1/driver && "
		"ln -s ../../../drivers/mlx5_core devices/pci0000:00/0000:41:00.0/driver && "
		"for i in 0000:00:01.0/0000:03:00.1/net/eth0 0000:41:00.0/net/eth1 "
		"0000:00:05.0/virtio2/net/eth2; do "
		"ln -s \"$PWD/devices/pci0000:00/${i%%/net/*}\" devices/pci0000:00/$i/device && "
		"ln -s ../../devices/pci0000:00/$i class/net/ || exit; done && "
		"ln -s ../../devices/virtual/net/veth0 class/net/";

static char sys[] = "/tmp/fcn-sys-XXXXXX";

static int
begin(void **state)
{
	char command[1200];

	(void)state;
	if (mkdtemp(sys) == NULL)
		return -1;
	snprintf(command, sizeof(command), "cd %s && %s", sys, make);
	return system(command);
}

static int
end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", sys);
	return system(command);
}

TEST_FIXTURE(.begin = begin, .end = end);

static void
check(const char *interface, const char *expected)
{
	char text[256];

	ethdev_name_interface(sys, interface, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(card)
{
	check("eth0", "it is an interface of the kernel, as a device net_af_packet0,iface=eth0; "
		      "its card is 0000:03:00.1, once: driverctl set-override 0000:03:00.1 "
		      "vfio-pci");
}

TEST(card_that_stays_with_the_kernel)
{
	check("eth1", "it is an interface of the kernel, as a device net_af_packet0,iface=eth1; "
		      "its card is 0000:41:00.0, which stays with mlx5_core");
}

TEST(virtio)
{
	check("eth2", "it is an interface of the kernel, as a device net_af_packet0,iface=eth2; "
		      "its card is 0000:00:05.0, once: driverctl set-override 0000:00:05.0 "
		      "vfio-pci");
}

TEST(no_card)
{
	check("veth0", "it is an interface of the kernel, as a device net_af_packet0,iface=veth0");
	check("gone", "it is an interface of the kernel, as a device net_af_packet0,iface=gone");
}

TEST(no_room)
{
	char text[40];

	ethdev_name_interface(sys, "eth0", text, sizeof(text));
	assert_string_equal(text, "it is an interface of the kernel, as a ");
}
