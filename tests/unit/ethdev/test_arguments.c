/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What drivers cannot stand is refused before they are asked. Some of this ended the process. */

#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "fcn_ethdev.h"
#include "fcn_test.h"

static struct rte_mempool *pool;

static int
group_setup(void **state)
{
	char *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "512",
			"--no-telemetry", "--log-level=*:critical", "-l", "0",
			"--vdev=net_null0,copy=1,size=60000", NULL};

	RTE_SET_USED(state);
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("p", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

TEST_FIXTURE(.begin = group_setup, .end = fcn_test_eal_cleanup);

/* What can be opened against expectation is also asked for packets, which is where some crash. */
static void
try_device(const char *device, uint16_t queues, char *err, size_t size)
{
	const struct fcn_ethdev_conf conf = {
			.device = device, .pool = pool, .mtu = 1500, .queues = queues};
	struct fcn_ethdev *dev = fcn_ethdev_open(&conf, err, size);
	struct rte_mbuf *pkts[32];
	uint16_t n;

	if (dev == NULL)
		return;
	n = fcn_ethdev_port_ops.rx_burst(dev, pkts, RTE_DIM(pkts), 0);
	rte_pktmbuf_free_bulk(pkts, n);
	fcn_ethdev_close(dev);
	snprintf(err, size, "opened");
}

TEST(refused)
{
	static const struct {
		const char *device;
		uint16_t queues;
		const char *why;
	} cases[] = {
			{"net_tap1", 5, "net_tap has at most 4 receive queues, not 5"},
			{"net_tap1,iface=t1", 16, "net_tap has at most 4 receive queues, not 16"},
			{"net_null1,copy=1,size=65535", 1, "size is 1 to 2048, not 65535"},
			{"net_null1,size=2049", 1, "size is 1 to 2048, not 2049"},
			{"net_null1,size=65600,copy=1", 1, "size is 1 to 2048, not 65600"},
			{"net_null1,size=0", 1, "size is 1 to 2048, not 0"},
			{"net_null1,size=-1", 1, "size is 1 to 2048, not -1"},
			{"net_null1,size=no", 1, "size is 1 to 2048, not no"},
			{"net_null1,size=99999999999999999999", 1,
					"size is 1 to 2048, not 99999999999999999999"},
			{"net_null0", 1, "size is 1 to 2048, not 60000"}, /* EAL was told so */
			{"net_ring1,nodeaction=R:0:CREATE", 1,
					"nodeaction makes devices of other names"},
			{"net_af_packet1,iface=e,qpairs=17", 1, "qpairs is 1 to 16, not 17"},
			{"net_af_packet1,iface=e,qpairs=300", 1, "qpairs is 1 to 16, not 300"},
			{"net_af_packet1,iface=e,qpairs=2", 1,
					"the kernel would spread packets over 2 queues (qpairs), "
					"and the port receives from 1: add it with queues 2"},
			{"net_af_packet1,iface=e,blocksz=3000", 1,
					"blocksz is a multiple of 4096, not 3000"},
			{"net_af_packet1,iface=e,blocksz=0", 1,
					"blocksz is a multiple of 4096, not 0"},
			{"net_af_packet1,iface=e,framesz=1360", 1,
					"framesz is a multiple of 16 that blocksz (4096) is a "
					"multiple of, not 1360"},
			{"net_af_packet1,iface=e,framesz=8192", 1,
					"framesz is a multiple of 16 that blocksz (4096) is a "
					"multiple of, not 8192"},
			{"net_af_packet1,iface=e,framesz=4096", 1,
					"framesz is at most 2080: a frame has to fit into a packet "
					"buffer"},
			{"net_af_packet1,iface=e,framesz=0", 1, "framesz is 128 to 65535, not 0"},
			{"net_af_packet1,iface=e,framecnt=3", 1,
					"framecnt is a multiple of the 2 frames in a block, not 3"},
			{"net_af_packet1,iface=e,framecnt=2000000000", 1,
					"framecnt is 2 to 65536, not 2000000000"},
			{"net_memif1,role=server,rsize=20", 1, "rsize is 1 to 14, not 20"},
			{"net_memif1,role=server,id=99999999999", 1,
					"id is 0 to 4294967295, not 99999999999"},
			{"net_vhost1,iface=v,queues=0", 1, "queues is 1 to 16, not 0"},
			{"net_vhost1,iface=v,queues=200000", 1, "queues is 1 to 16, not 200000"},
			{"net_virtio_user1,path=v,server=1", 1,
					"with server=1 it would wait for its other end, and fastcn "
					"with it: let the other end be the server, or give it to "
					"EAL (--vdev)"},
			{"net_virtio_user1,path=v,queues=9", 1, "queues is 1 to 8, not 9"},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		char err[256] = "", wanted[256];

		snprintf(wanted, sizeof(wanted), "device %.*s: %s",
				(int)strcspn(cases[i].device, ","), cases[i].device, cases[i].why);
		try_device(cases[i].device, cases[i].queues, err, sizeof(err));
		assert_string_equal(err, wanted);
	}
}

/* The ends of what is allowed. */
TEST(allowed)
{
	static const char *const devices[] = {"net_null1,copy=1,size=2048",
			"net_null1,copy=1,size=1", "net_null1,size=0x40", "net_ring1"};

	for (unsigned int i = 0; i < RTE_DIM(devices); i++) {
		char err[256] = "";

		try_device(devices[i], 1, err, sizeof(err));
		assert_string_equal(err, "opened");
	}
}

/* Where EAL makes something else than an Ethernet device, the name does not stay taken. */
TEST(name_is_free_again)
{
	for (unsigned int i = 0; i < 2; i++) {
		char err[256] = "";

		try_device("crypto_null1", 1, err, sizeof(err));
		assert_int_equal(strncmp(err, "device crypto_null1: ", 21), 0);
		assert_null(strstr(err, "File exists"));
		assert_null(rte_eal_hotplug_remove("vdev", "crypto_null1") == 0 ? "is left" : NULL);
	}
}

/* Drivers return -1 for whatever they do not like, and that is the number of EPERM. */
TEST(driver_refuses)
{
	char err[256];

	try_device("net_pcap9,rx_pcap=/no/such/file", 1, err, sizeof(err));
	assert_string_equal(err, "device net_pcap9,rx_pcap=/no/such/file: EAL cannot make it: its "
				 "driver refuses: arguments, a file or permissions");
}
