/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch to be measured: the real control and worker over the ethdevs that
 * EAL was given, the worker alone on the second lcore. The first lcore has the
 * worker do one job after the other.
 */

#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_control.h"
#include "traffic.h"

/** What the ports are, which decides how packets come to them again. */
enum bench_source {
	BENCH_PCAP, /**< copies from a file without end */
	BENCH_RING, /**< what was sent, so the hop limit has to be set anew */
	BENCH_NULL, /**< whatever stands in the buffers, likewise */
};

/** Parameters of the rig. */
struct bench_setup {
	enum bench_source source;
	struct bench_traffic traffic;
	unsigned int extra_routes; /**< besides those to the hosts */
	bool ipv4;                 /**< ... for IPv4, else for IPv6 */
	bool events;               /**< the worker reports, as in the live switch */
};

/** What is in force while something is measured. */
struct bench_variant {
	const char *name;
	enum fcn_detector_type detector;
	bool congested; /**< every packet meets congestion, and its sender is notified */
	bool shared;    /**< queues share a buffer */
	bool lossless;  /**< the packets' class is lossless on both ports: they stand on accounts */
};

struct bench_rig {
	struct bench_setup setup;
	struct rte_mempool *pool;
	struct fcn_control *ctl;
	uint16_t device[BENCH_PORTS]; /**< ethdev ports */
	unsigned int lcore;
	uint64_t tsc_start;
	uint64_t tsc_mult; /**< cycles * mult / 2^32 = nanoseconds */
	struct rte_ring *events;
	/* the job for the worker's lcore; NULL: none */
	void (*job)(struct bench_rig *rig, void *arg);
	void *arg;
	bool quit;
};

/** Make everything and put the ports into service; ends the program on failure. */
void bench_rig_create(struct bench_rig *rig, const struct bench_setup *setup);
void bench_rig_free(struct bench_rig *rig);

/** Put a variant in force; ends the program on failure. */
void bench_rig_configure(struct bench_rig *rig, const struct bench_variant *variant);

/** Have the worker's lcore do something, and wait for it. */
void bench_rig_run(struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg);

/** Have the worker's lcore begin something; bench_rig_wait() waits until it is done. */
void bench_rig_start(
		struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg);
void bench_rig_wait(struct bench_rig *rig);

/** Nanoseconds of the live switch's clock. */
static inline uint64_t
bench_rig_ns(const struct bench_rig *rig, uint64_t tsc)
{
	return ((unsigned __int128)(tsc - rig->tsc_start) * rig->tsc_mult) >> 32;
}

/**
 * Between two chunks, on the worker's lcore: packets that come back get their
 * hop limit again, event records are taken.
 */
void bench_rig_refresh(struct bench_rig *rig);

#endif /* BENCH_RIG_H */
