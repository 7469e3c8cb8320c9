/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The hosts behind a port of which it is measured how long their notices take: their packets come
 * at random times (Poisson), and one in a number of them is of the class whose queue is congested,
 * so that its sender is notified.
 */

#ifndef BENCH_LATENCY_HOSTS_H
#define BENCH_LATENCY_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "rig.h"

#define BENCH_HOSTS_FLOWS 4096 /* of a port, each of another host */
#define BENCH_HOSTS_RING                                                        \
	1024 /* packets that may wait at a port: the default of the live switch \
	      */

#define BENCH_HOSTS_FRAME 128    /* room for a frame; few, so that it costs few cache lines */
#define BENCH_HOSTS_BIN_NS 10    /* width of a bin of the histogram */
#define BENCH_HOSTS_BINS 1000000 /* the last one is of all longer times */

/** The hosts behind a port. One lcore at a time uses them. */
struct bench_hosts {
	struct rte_mempool *pool;
	uint32_t len; /**< of the packets */
	double gap;   /**< cycles between packets, in the mean; 0: there is always one more */
	uint64_t due; /**< when the next packet arrives */
	unsigned int next_gap; /**< the one after it */
	unsigned int next_flow;
	uint64_t arrived, lost; /**< packets; those for which the ring had no room */
	uint64_t told;          /**< packets that meet congestion */
	uint64_t answered;      /**< those whose notice came */
	uint64_t repeated;      /**< those of a host that still waited for a notice */
	/** When the last packet that meets congestion came; 0: it is answered. */
	uint64_t since[BENCH_HOSTS_FLOWS];
	uint32_t histogram[BENCH_HOSTS_BINS];
	uint8_t packet[BENCH_HOSTS_FLOWS][BENCH_HOSTS_FRAME];
};

/** Make the hosts behind a port. The program ends when there is no memory. To be freed. */
struct bench_hosts *bench_hosts_create(
		const struct bench_traffic *traffic, unsigned int port, struct rte_mempool *pool);

/** Begin a measurement now. @param gap cycles between packets, in the mean */
void bench_hosts_begin(struct bench_hosts *h, unsigned int port, double gap);

/** Get packets that have arrived until now, n at most. @return how many */
uint16_t bench_hosts_packets(struct bench_hosts *h, struct rte_mbuf **pkts, uint16_t n);

/** The packets are given to a driver only now: times count from here. */
void bench_hosts_sent(
		struct bench_hosts *h, struct rte_mbuf *const *pkts, uint16_t n, uint64_t now);

/** A frame came to its host: when it is a notice, the packet that it is about is answered. */
void bench_hosts_notified(struct bench_hosts *h, const uint8_t *frame, uint64_t now);

/** A packet was seen again: when it meets congestion, it counts as answered. */
void bench_hosts_seen(struct bench_hosts *h, const uint8_t *frame, uint64_t now);

/** Get the time, ns, below which a share of the notices of all hosts came; NAN without any. */
double bench_hosts_quantile(struct bench_hosts *const *all, unsigned int n, double share);

#endif /* BENCH_LATENCY_HOSTS_H */
