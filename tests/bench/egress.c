/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "egress.h"

#define RX_DESCRIPTORS 512
#define TX_DESCRIPTORS 128 /* as in the switch: they are also buffers that a device keeps */
#define MTU 9000
#define SEGMENT 2048u /* bytes of a received packet in one buffer, as in the switch */
#define TRIES 1000    /* to send to a device that is full */
#define LINK_MS 5000

static uint16_t
attach(const char *device)
{
	char *name = strdup(device), *arguments = strchr(device, ',');
	uint16_t port;

	if (name == NULL)
		err(1, "%s", device);
	name[strcspn(name, ",")] = '\0';
	if (rte_eal_hotplug_add("vdev", name, arguments != NULL ? arguments + 1 : "") != 0 ||
			rte_eth_dev_get_port_by_name(name, &port) != 0)
		errx(1, "%s: cannot be attached", device);
	free(name);
	return port;
}

void
bench_egress_open(struct bench_egress *e, const char *device, bool peer, struct rte_mempool *pool)
{
	const uint16_t port = attach(device);
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = {0};
	uint16_t n_rx = RX_DESCRIPTORS, n_tx = TX_DESCRIPTORS;
	unsigned int *n = peer ? &e->n_peers : &e->n;

	if (*n == BENCH_EGRESS_MAX)
		errx(1, "%s: too many devices", device);
	if (rte_eth_dev_info_get(port, &info) != 0)
		errx(1, "%s: cannot be asked", device);
	conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	conf.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	if (rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
			rte_eth_dev_adjust_nb_rx_tx_desc(port, &n_rx, &n_tx) != 0 ||
			rte_eth_rx_queue_setup(port, 0, n_rx, SOCKET_ID_ANY, NULL, pool) != 0 ||
			rte_eth_tx_queue_setup(port, 0, n_tx, SOCKET_ID_ANY, NULL) != 0)
		errx(1, "%s: cannot be configured", device);
	rte_eth_dev_set_mtu(port, MTU); /* where that can be set */
	if (rte_eth_dev_start(port) != 0)
		errx(1, "%s: cannot be started", device);
	(peer ? e->peer : e->port)[(*n)++] = port;
	e->opened[e->n_opened++] = port;
	if (peer)
		return;
	e->multi_segs = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	e->driver = info.driver_name;
	e->loops = strcmp(info.driver_name, "net_ring") == 0;
}

static void
wait_for_link(uint16_t port)
{
	struct rte_eth_link link = {0};

	for (unsigned int ms = 0; !link.link_status; ms++) {
		if (ms > LINK_MS)
			errx(1, "a device has no link");
		rte_delay_us_sleep(1000);
		rte_eth_link_get_nowait(port, &link);
	}
}

void
bench_egress_wait(const struct bench_egress *e)
{
	for (unsigned int i = 0; i < e->n_opened; i++)
		wait_for_link(e->opened[i]);
}

static void
drain(uint16_t port)
{
	struct rte_mbuf *m[64];
	uint16_t n;

	do {
		n = rte_eth_rx_burst(port, 0, m, RTE_DIM(m));
		rte_pktmbuf_free_bulk(m, n);
	} while (n == RTE_DIM(m));
}

void
bench_egress_drain(struct bench_egress *e)
{
	for (unsigned int i = 0; i < e->used && e->n_peers > 0; i++)
		drain(e->peer[i]);
	for (unsigned int i = 0; i < e->used && e->loops; i++)
		drain(e->port[i]);
}

/* Read the peers of a device that is full. */
static void
make_room(struct bench_egress *e)
{
	uint64_t start = rte_rdtsc();

	bench_egress_drain(e);
	e->apart += rte_rdtsc() - start;
}

void
bench_egress_send(struct bench_egress *e, unsigned int index, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t done = 0;

	for (unsigned int i = 0; i < TRIES; i++) {
		done += rte_eth_tx_burst(e->port[index], 0, pkts + done, n - done);
		if (done == n)
			return;
		if (e->n_peers > 0)
			make_room(e);
	}
	rte_pktmbuf_free_bulk(pkts + done, n - done); /* the device's counters tell how many */
}

uint64_t
bench_egress_sent(const struct bench_egress *e)
{
	struct rte_eth_stats stats;
	uint64_t sent = 0;

	for (unsigned int i = 0; i < e->n; i++) {
		if (rte_eth_stats_get(e->port[i], &stats) == 0)
			sent += stats.opackets;
	}
	return sent;
}

void
bench_egress_close(struct bench_egress *e)
{
	while (e->n_opened > 0) {
		uint16_t port = e->opened[--e->n_opened];

		rte_eth_dev_stop(port);
		rte_eth_dev_close(port);
	}
}

void
bench_packets(struct rte_mempool *pool, uint32_t len, struct rte_mbuf **pkts, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		pkts[i] = NULL;
		for (uint32_t left = len; left > 0; left -= RTE_MIN(left, SEGMENT)) {
			struct rte_mbuf *seg = rte_pktmbuf_alloc(pool);
			uint32_t size = RTE_MIN(left, SEGMENT);

			if (seg == NULL)
				errx(1, "no buffers");
			memset(rte_pktmbuf_append(seg, (uint16_t)size), (int)i, size);
			if (pkts[i] == NULL)
				pkts[i] = seg;
			else if (rte_pktmbuf_chain(pkts[i], seg) != 0)
				errx(1, "too many segments");
		}
	}
}
