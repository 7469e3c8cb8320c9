/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Devices by which a benchmark sends packets, so that a figure contains what the driver does with
 * them and the return of their buffers. A device with a peer is read there, outside of the time
 * that is taken, as another process would do it.
 */

#ifndef BENCH_EGRESS_H
#define BENCH_EGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#define BENCH_EGRESS_MAX 8

struct bench_egress {
	uint16_t port[BENCH_EGRESS_MAX]; /**< ethdev ports that send */
	unsigned int n;
	uint16_t peer[BENCH_EGRESS_MAX]; /**< ethdev ports that only receive */
	unsigned int n_peers;
	/** Devices that send, from the first on: only their peers are read. */
	unsigned int used;
	uint16_t opened[2 * BENCH_EGRESS_MAX]; /**< all of them, in order */
	unsigned int n_opened;
	/** What is sent has to be received by the same port, within the time: net_ring. */
	bool loops;
	bool multi_segs; /**< the driver reports that it takes chained mbufs */
	const char *driver;
	/** Cycles within bench_egress_send() that do not count: the peers were read, as a device
	 * was full. The caller resets it. */
	uint64_t apart;
};

/**
 * Attach, configure and start a device. The program ends on failure.
 *
 * @param device name and arguments, as for --vdev
 * @param peer   it only receives what another device sends
 */
void bench_egress_open(
		struct bench_egress *e, const char *device, bool peer, struct rte_mempool *pool);

/** Wait until the links of all devices are up. The program ends when one stays down. */
void bench_egress_wait(const struct bench_egress *e);

/** Send packets by the device with an index. Packets that it does not accept are freed. */
void bench_egress_send(
		struct bench_egress *e, unsigned int index, struct rte_mbuf **pkts, uint16_t n);

/** Receive and free what has arrived at the peers, or in a device that loops. */
void bench_egress_drain(struct bench_egress *e);

/** Get the number of packets that the devices say they have sent. */
uint64_t bench_egress_sent(const struct bench_egress *e);

/** Close all devices, those that were opened last first: they may depend on the others. */
void bench_egress_close(struct bench_egress *e);

/**
 * Make packets as a driver would receive them: in as many buffers as they need, and written to.
 * The program ends when there are too few buffers.
 */
void bench_packets(struct rte_mempool *pool, uint32_t len, struct rte_mbuf **pkts, unsigned int n);

#endif /* BENCH_EGRESS_H */
