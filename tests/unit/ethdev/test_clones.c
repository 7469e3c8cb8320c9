/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets that share bytes with others, on devices that take them: every octet is sent. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "fcn_ethdev.h"
#include "fcn_copy.h"
#include "fcn_test.h"

#define OWN 128
#define SEGMENT 2048
#define LONGEST 9000
#define N_SENT 3 /* two clones and the packet itself */

static const uint32_t lens[] = {64, 129, 1500, 2048, 2049, 2130, 4178, LONGEST};

static struct rte_mempool *pool;

static int
group_setup(void **state)
{
	char *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "256",
			"--no-telemetry", "--log-level=critical", "-l", "0", NULL};

	RTE_SET_USED(state);
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
			"p", 4095, 0, 0, RTE_PKTMBUF_HEADROOM + SEGMENT, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static struct fcn_ethdev *
open_device(const char *device)
{
	const struct fcn_ethdev_conf conf = {
			.device = device, .pool = pool, .mtu = LONGEST, .queues = 1};
	char err[256] = "";
	struct fcn_ethdev *dev = fcn_ethdev_open(&conf, err, sizeof(err));

	if (dev == NULL)
		fail_msg("%s", err);
	return dev;
}

static void
fill(uint8_t *to, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(i * 7 + i / 251 + len);
}

/* A packet as a device leaves it, in as many buffers as it needs. */
static struct rte_mbuf *
make_packet(uint32_t len)
{
	struct rte_mbuf *m = NULL;
	uint8_t octets[LONGEST];

	fill(octets, len);
	for (uint32_t at = 0; at < len; at += SEGMENT) {
		const uint32_t n = RTE_MIN(len - at, (uint32_t)SEGMENT);
		struct rte_mbuf *segment = rte_pktmbuf_alloc(pool);

		assert_non_null(segment);
		memcpy(rte_pktmbuf_append(segment, n), octets + at, n);
		if (m == NULL)
			m = segment;
		else
			assert_int_equal(rte_pktmbuf_chain(m, segment), 0);
	}
	return m;
}

/* The packet and clones of it, as a frame that is flooded. */
static void
send_packets(struct fcn_ethdev *dev, uint32_t len)
{
	struct rte_mbuf *m[N_SENT];

	m[N_SENT - 1] = make_packet(len);
	for (unsigned int i = 0; i < N_SENT - 1; i++) {
		m[i] = fcn_copy_packet(m[N_SENT - 1], OWN, pool);
		assert_non_null(m[i]);
	}
	assert_int_equal(fcn_ethdev_port_ops.tx_burst(dev, m, N_SENT, 0), N_SENT);
}

static uint32_t
le32(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* Read the next packet of a pcap file. @return its length */
static uint32_t
read_record(FILE *f, uint8_t *to)
{
	uint8_t head[16];
	uint32_t len;

	assert_int_equal(fread(head, 1, sizeof(head), f), sizeof(head));
	len = le32(head + 8);
	assert_int_equal(le32(head + 12), len);
	assert_in_range(len, 1, LONGEST);
	assert_int_equal(fread(to, 1, len, f), len);
	return len;
}

/*
 * Without an end: rte_eal_cleanup() unmaps memory that EAL's interrupt thread, which memif has
 * started, may still read.
 */
TEST_FIXTURE(.begin = group_setup);

/* net_pcap puts the segments together, and does not report that it takes several. */
TEST(pcap)
{
	char path[] = "/tmp/fcn-test-clones-XXXXXX", device[128];
	uint8_t octets[LONGEST], want[LONGEST], head[24];
	int fd = mkstemp(path);
	struct fcn_ethdev *dev;
	FILE *f;

	assert_true(fd >= 0);
	snprintf(device, sizeof(device), "net_pcap_clones,tx_pcap=%s", path);
	dev = open_device(device);
	assert_true(fcn_ethdev_port_ops.accepts_clones(dev));
	for (size_t i = 0; i < RTE_DIM(lens); i++)
		send_packets(dev, lens[i]);
	fcn_ethdev_close(dev);
	f = fdopen(fd, "r");
	assert_non_null(f);
	assert_int_equal(fread(head, 1, sizeof(head), f), sizeof(head));
	for (size_t i = 0; i < N_SENT * RTE_DIM(lens); i++) {
		fill(want, lens[i / N_SENT]);
		assert_int_equal(read_record(f, octets), lens[i / N_SENT]);
		assert_memory_equal(octets, want, lens[i / N_SENT]);
	}
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
	unlink(path);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/*
 * Frames below 60 octets are padded with zeros for a device that sends them as they are, whatever
 * has been in their buffers before, and whether they are copies of each other or in pieces.
 */
TEST(padding)
{
	static const uint32_t shorts[] = {42, 59, 60, 61, 14};
	char path[] = "/tmp/fcn-test-pad-XXXXXX", device[128];
	uint8_t octets[LONGEST], want[LONGEST], head[24];
	int fd = mkstemp(path);
	struct fcn_ethdev *dev;
	struct rte_mbuf *m;
	FILE *f;

	assert_true(fd >= 0);
	snprintf(device, sizeof(device), "net_pcap_pad,tx_pcap=%s", path);
	dev = open_device(device);
	for (size_t i = 0; i < RTE_DIM(shorts); i++) {
		struct rte_mbuf *pieces[2], *copies[2];

		m = rte_pktmbuf_alloc(pool);
		memset(m->buf_addr, 0xEE, m->buf_len);
		fill((uint8_t *)rte_pktmbuf_append(m, shorts[i]), shorts[i]);
		copies[0] = rte_pktmbuf_clone(m, pool);
		copies[1] = m;
		fcn_ethdev_port_ops.tx_pad(dev, copies, 2);
		assert_int_equal(fcn_ethdev_port_ops.tx_burst(dev, copies, 2, 0), 2);
		for (unsigned int k = 0; k < 2; k++) {
			pieces[k] = rte_pktmbuf_alloc(pool);
			memset(pieces[k]->buf_addr, 0xEE, pieces[k]->buf_len);
		}
		fill(want, shorts[i]);
		memcpy(rte_pktmbuf_append(pieces[0], 10), want, 10);
		memcpy(rte_pktmbuf_append(pieces[1], shorts[i] - 10), want + 10, shorts[i] - 10);
		assert_int_equal(rte_pktmbuf_chain(pieces[0], pieces[1]), 0);
		fcn_ethdev_port_ops.tx_pad(dev, pieces, 1);
		assert_int_equal(fcn_ethdev_port_ops.tx_burst(dev, pieces, 1, 0), 1);
	}
	fcn_ethdev_close(dev);
	f = fdopen(fd, "r");
	assert_non_null(f);
	assert_int_equal(fread(head, 1, sizeof(head), f), sizeof(head));
	for (size_t i = 0; i < 3 * RTE_DIM(shorts); i++) {
		const uint32_t len = shorts[i / 3], sent = RTE_MAX(len, UINT32_C(60));

		memset(want, 0, sizeof(want));
		fill(want, len);
		assert_int_equal(read_record(f, octets), sent);
		assert_memory_equal(octets, want, sent);
	}
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
	unlink(path);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* Receive a packet of the other end of a memif. */
static void
assert_received(struct fcn_ethdev *dev, uint32_t len)
{
	uint8_t octets[LONGEST], want[LONGEST];
	struct rte_mbuf *m = NULL;

	for (unsigned int tries = 0; tries < 1000; tries++) {
		if (fcn_ethdev_port_ops.rx_burst(dev, &m, 1, 0) == 1)
			break;
		usleep(1000);
	}
	assert_non_null(m);
	assert_int_equal(m->pkt_len, len);
	fill(want, len);
	assert_memory_equal(rte_pktmbuf_read(m, 0, len, octets), want, len);
	rte_pktmbuf_free(m);
}

/*
 * net_memif copies the segments into the memory that both ends share. Each frame fits into one of
 * its buffers there, so that short frames that follow long ones arrive whole, however often its
 * rings have been used.
 */
TEST(memif)
{
	struct fcn_ethdev *server, *client;
	char device[128];

	snprintf(device, sizeof(device),
			"net_memif_server,role=server,bsize=9216,socket=fastcn-clones-%d",
			(int)getpid());
	server = open_device(device);
	snprintf(device, sizeof(device),
			"net_memif_client,role=client,bsize=9216,socket=fastcn-clones-%d",
			(int)getpid());
	client = open_device(device);
	assert_true(fcn_ethdev_port_ops.accepts_clones(client));
	/* the client connects when it is asked for its link; a server cannot send before its client
	 * has received */
	for (unsigned int ms = 0; ms < 5000 && !fcn_ethdev_port_ops.link_up(client); ms++)
		usleep(1000);
	assert_true(fcn_ethdev_port_ops.tx_max_frame(client) >= LONGEST);
	for (size_t i = 0; i < 100 * RTE_DIM(lens); i++) {
		const uint32_t len = lens[i % RTE_DIM(lens)];

		send_packets(client, len);
		for (unsigned int k = 0; k < N_SENT; k++)
			assert_received(server, len);
	}
	fcn_ethdev_close(client);
	fcn_ethdev_close(server);
}

/*
 * Both ends of a vhost-user socket: net_virtio_user gives segments descriptors, net_vhost copies
 * them. With both ends in one process, the server sometimes never gets a link while other programs
 * want the processors, for a reason that is not known; the test is skipped then.
 */
TEST(vhost)
{
	char directory[] = "/tmp/fcn-test-clones-XXXXXX", path[64], device[128];
	struct fcn_ethdev *vhost, *user;
	bool is_linked;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/socket", directory);
	snprintf(device, sizeof(device), "net_vhost_clones,iface=%s", path);
	vhost = open_device(device);
	snprintf(device, sizeof(device), "net_virtio_user_clones,path=%s,queues=1", path);
	user = open_device(device);
	assert_true(fcn_ethdev_port_ops.accepts_clones(vhost));
	assert_true(fcn_ethdev_port_ops.accepts_clones(user));
	for (unsigned int ms = 0; ms < 2000 && !fcn_ethdev_port_ops.link_up(vhost); ms++)
		usleep(1000);
	is_linked = fcn_ethdev_port_ops.link_up(vhost);
	for (size_t i = 0; is_linked && i < RTE_DIM(lens); i++) {
		send_packets(user, lens[i]);
		for (unsigned int k = 0; k < N_SENT; k++)
			assert_received(vhost, lens[i]);
		send_packets(vhost, lens[i]);
		for (unsigned int k = 0; k < N_SENT; k++)
			assert_received(user, lens[i]);
	}
	fcn_ethdev_close(user);
	fcn_ethdev_close(vhost);
	unlink(path); /* the driver may leave it behind */
	assert_int_equal(rmdir(directory), 0);
	if (!is_linked)
		skip();
}
