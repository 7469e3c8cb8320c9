/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A port of the live switch on a device that can do next to nothing. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "fcn_ethdev.h"
#include "fcn_test.h"

static struct rte_mempool *pool;

/* Descriptors of the queues that were set up last. */
static uint16_t rx_asked, tx_asked;

int __real_rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *mp);
int __wrap_rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *mp);
int __real_rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_txconf *conf);
int __wrap_rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_txconf *conf);

int
__wrap_rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *mp)
{
	rx_asked = n;
	return __real_rte_eth_rx_queue_setup(port, queue, n, socket, conf, mp);
}

int
__wrap_rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t n, unsigned int socket,
		const struct rte_eth_txconf *conf)
{
	tx_asked = n;
	return __real_rte_eth_tx_queue_setup(port, queue, n, socket, conf);
}

static int
group_setup(void **state)
{
	char *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "512",
			"--no-telemetry", "--log-level=critical", "-l", "0", "--vdev=net_null0",
			"--vdev=net_ring0", NULL};

	RTE_SET_USED(state);
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create("p", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static struct fcn_ethdev *
try_device(const char *device, uint16_t queues, char *err, size_t size)
{
	const struct fcn_ethdev_conf conf = {
			.device = device, .pool = pool, .mtu = 1500, .queues = queues};

	return fcn_ethdev_open(&conf, err, size);
}

static struct fcn_ethdev *
open_device(void)
{
	char err[256] = "";
	struct fcn_ethdev *dev = try_device("net_null0", 1, err, sizeof(err));

	if (dev == NULL)
		fail_msg("%s", err);
	return dev;
}

/*
 * Without an end: rte_eal_cleanup() unmaps memory that EAL's interrupt thread, which memif has
 * started, may still read.
 */
TEST_FIXTURE(.begin = group_setup);

/* It has a ring of no kind: asked again and again, it cannot tell. */
TEST(backlog)
{
	struct fcn_ethdev *dev = open_device();

	for (unsigned int i = 0; i < 3; i++)
		assert_true(fcn_ethdev_port_ops.tx_backlog(dev) < 0);
	fcn_ethdev_close(dev);
}

/* The sizes of the rings: as configured, or else the defaults that doc/ports.md names. */
TEST(descriptors)
{
	struct fcn_ethdev_conf conf = {.device = "net_null0",
			.pool = pool,
			.mtu = 1500,
			.queues = 1,
			.rx_descriptors = 2048,
			.tx_descriptors = 64};
	char err[256] = "";
	struct fcn_ethdev *dev = fcn_ethdev_open(&conf, err, sizeof(err));

	assert_non_null(dev);
	assert_int_equal(rx_asked, 2048);
	assert_int_equal(tx_asked, 64);
	fcn_ethdev_close(dev);
	fcn_ethdev_close(open_device());
	assert_int_equal(rx_asked, 512);
	assert_int_equal(tx_asked, 128);
}

/* EAL is told of a device when a port wants it, and forgets it when the port goes. */
TEST(made_for_a_port)
{
	uint16_t id;

	for (unsigned int i = 0; i < 3; i++) {
		char err[256] = "";
		struct fcn_ethdev *dev;

		assert_int_not_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
		dev = try_device("net_null_hot,size=78,copy=1", 1, err, sizeof(err));
		if (dev == NULL)
			fail_msg("%s", err);
		assert_int_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
		fcn_ethdev_close(dev);
	}
	assert_int_not_equal(rte_eth_dev_get_port_by_name("net_null_hot", &id), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_null0", &id), 0); /* EAL's stays */
}

static const char long_name[] = "a_name_that_is_longer_than_the_sixty_three_characters_that_eal_"
				"has_for_one";

TEST(no_such_device)
{
	static const char *const devices[] = {
			"nothing0", "net_null_x,size=no", "", ",size=78", long_name};

	for (unsigned int i = 0; i < RTE_DIM(devices); i++) {
		char err[256] = "";

		assert_null(try_device(devices[i], 1, err, sizeof(err)));
		assert_int_equal(strncmp(err, "device ", 7), 0);
	}
}

TEST(pfc)
{
	struct fcn_ethdev *dev = open_device();
	char err[256] = "";

	assert_int_equal(fcn_ethdev_pfc(dev, 0, 0, 65535, err, sizeof(err)), 0);
	assert_int_equal(fcn_ethdev_pfc(dev, 1 << 4, 1 << 3, 65535, err, sizeof(err)), -ENOTSUP);
	assert_string_equal(err, "device net_null0 does no priority flow control of class 3: "
				 "Operation not supported");
	/* nothing is on, so there is nothing to turn off */
	assert_int_equal(fcn_ethdev_pfc(dev, 0, 0, 65535, err, sizeof(err)), 0);
	fcn_ethdev_close(dev);
}

/* Rings as a device: what is put into ring q comes out of receive queue q. */
#define QUEUES 3

static struct rte_ring *rings[QUEUES];

static void
fill_ring(unsigned int ring, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		assert_non_null(m);
		m->hash.usr = ring; /* rings carry mbufs as they are */
		assert_int_equal(rte_ring_enqueue(rings[ring], m), 0);
	}
}

/* @return packets, all of which must be of the ring, unless it is -1 */
static unsigned int
receive(void *handle, int ring, unsigned int n)
{
	struct rte_mbuf *pkts[64];
	unsigned int got = fcn_ethdev_port_ops.rx_burst(handle, pkts, n, 0);

	assert_in_range(got, 0, n);
	for (unsigned int i = 0; i < got; i++) {
		if (ring >= 0)
			assert_int_equal(pkts[i]->hash.usr, ring);
		rte_pktmbuf_free(pkts[i]);
	}
	return got;
}

static struct fcn_ethdev *
open_rings(uint16_t queues)
{
	char err[256] = "";
	struct fcn_ethdev *dev = try_device("net_ring0", queues, err, sizeof(err));

	if (dev == NULL)
		fail_msg("%s", err);
	for (unsigned int q = 0; q < queues; q++) {
		char name[RTE_RING_NAMESIZE];

		snprintf(name, sizeof(name), "ETH_RXTX%u_net_ring0", q);
		rings[q] = rte_ring_lookup(name);
		assert_non_null(rings[q]);
	}
	return dev;
}

/* Every queue has its handle; the port asked as a whole gives what is in any of them. */
TEST(queues)
{
	const struct fcn_port_ops *ops = &fcn_ethdev_port_ops;
	struct fcn_ethdev *dev;

	dev = open_rings(QUEUES);
	assert_int_equal(ops->rx_queues(dev), QUEUES);
	for (unsigned int q = 0; q < QUEUES; q++)
		fill_ring(q, 5 + q);
	for (unsigned int q = QUEUES; q-- > 0;) {
		void *handle = ops->rx_queue(dev, q);

		assert_ptr_equal(handle, ops->rx_queue(dev, q));
		assert_int_equal(receive(handle, q, 64), 5 + q);
		assert_int_equal(receive(handle, q, 64), 0);
	}
	for (unsigned int q = 0; q < QUEUES; q++)
		fill_ring(q, 20);
	assert_int_equal(receive(dev, -1, 64), 60);
	/* one that always has enough keeps none of the others waiting */
	for (unsigned int turn = 0; turn < QUEUES; turn++) {
		fill_ring(0, 40);
		if (turn == 0) {
			fill_ring(1, 8);
			fill_ring(2, 8);
		}
		receive(dev, -1, 32);
	}
	assert_int_equal(rte_ring_count(rings[1]), 0);
	assert_int_equal(rte_ring_count(rings[2]), 0);
	while (receive(dev, 0, 64) != 0)
		;
	fcn_ethdev_close(dev);

	dev = open_rings(1);
	assert_int_equal(ops->rx_queues(dev), 1);
	fill_ring(0, 3);
	assert_int_equal(receive(dev, 0, 64), 3);
	fcn_ethdev_close(dev);
}

TEST(too_many_queues)
{
	char err[256] = "";

	assert_null(try_device("net_ring0", FCN_ETHDEV_MAX_QUEUES + 1, err, sizeof(err)));
	assert_string_equal(err, "device net_ring0: it has at most 16 receive queues, not 17");
}

/* A device without filters hears everything, and says so when it is to do otherwise. */
TEST(promiscuous)
{
	struct fcn_ethdev *dev = open_device();
	char err[256] = "";

	assert_int_equal(fcn_ethdev_promiscuous(dev, true, err, sizeof(err)), 0);
	assert_int_equal(fcn_ethdev_promiscuous(dev, false, err, sizeof(err)), -ENOTSUP);
	assert_string_equal(err, "promiscuous: the device cannot do that: Operation not supported");
	assert_int_equal(fcn_ethdev_promiscuous(dev, true, err, sizeof(err)), 0);
	fcn_ethdev_close(dev);
}

static void
assert_accepts_clones(const char *device, bool want)
{
	char err[256] = "";
	struct fcn_ethdev *dev = try_device(device, 1, err, sizeof(err));

	if (dev == NULL)
		fail_msg("%s", err);
	assert_int_equal(fcn_ethdev_port_ops.accepts_clones(dev), want);
	fcn_ethdev_close(dev);
}

/* net_memif takes frames of several segments, and copies them; net_pcap does not report that it
 * does; net_null takes none. What net_ring is given, its other end has, and may write to. */
TEST(accepts_clones)
{
	char memif[128];

	snprintf(memif, sizeof(memif), "net_memif_clones,role=server,socket=fastcn-test-%d",
			(int)getpid());
	assert_accepts_clones(memif, true);
	assert_accepts_clones("net_pcap_clones,tx_pcap=/dev/null", true);
	assert_accepts_clones("net_null0", false);
	assert_accepts_clones("net_ring0", false);
}

static void
assert_max_frame(const char *socket, const char *arguments, uint32_t want)
{
	char device[128], err[256] = "";
	struct fcn_ethdev *dev;

	snprintf(device, sizeof(device), "net_memif_%s,role=server,socket=fastcn-%s-%d%s", socket,
			socket, (int)getpid(), arguments);
	dev = try_device(device, 1, err, sizeof(err));
	if (dev == NULL)
		fail_msg("%s", err);
	assert_int_equal(fcn_ethdev_port_ops.tx_max_frame(dev), want);
	fcn_ethdev_close(dev);
}

/* A frame that net_memif would send in several of its buffers spoils later ones, so it gets none.
 */
TEST(memif_frames)
{
	assert_max_frame("short", "", 2048);
	assert_max_frame("long", ",bsize=9216", 9216);
}

/* The counters of the driver have what was received; net_null tells nothing of descriptors. */
TEST(xstats)
{
	const struct fcn_port_ops *ops = &fcn_ethdev_port_ops;
	struct fcn_ethdev *dev = open_device();
	struct fcn_port_xstat stats[64];
	struct rte_mbuf *m[4];
	uint16_t received = ops->rx_burst(dev, m, RTE_DIM(m), 0);
	bool found = false;
	int n = ops->xstats(dev, NULL, 0);

	assert_true(received > 0);
	rte_pktmbuf_free_bulk(m, received);
	assert_in_range(n, 1, RTE_DIM(stats));
	assert_int_equal(ops->xstats(dev, stats, n - 1), n);
	assert_int_equal(ops->xstats(dev, stats, RTE_DIM(stats)), n);
	for (int i = 0; i < n; i++) {
		if (strcmp(stats[i].name, "rx_good_packets") == 0) {
			assert_int_equal(stats[i].value, received);
			found = true;
		}
	}
	assert_true(found);
	assert_true(ops->descriptors(dev, false, 0) < 0);
	assert_true(ops->descriptors(dev, true, 0) < 0);
	assert_true(ops->rx_waiting(ops->rx_queue(dev, 0)) < 0);
	fcn_ethdev_close(dev);
}

/* While it is open: what keeps other devices from it is no property of net_ring. */
TEST(mtu_changes)
{
	char err[256] = "";
	struct fcn_ethdev *dev = try_device("net_ring0", 1, err, sizeof(err));

	assert_non_null(dev);
	if (fcn_ethdev_update(dev, 2000, NULL, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	fcn_ethdev_close(dev);
}
