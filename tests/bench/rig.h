/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch to be measured: the real control and worker on the ethdevs in the arguments of EAL, the
 * worker alone on the second lcore. The first lcore gives the worker one job after the other.
 */

#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_control.h"
#include "traffic.h"

#define BENCH_DEVICES 32 /* at most: RTE_MAX_ETHPORTS */

/** Kind of the ports, which determines how packets arrive at them again. */
enum bench_source {
	BENCH_PCAP, /**< copies of the packets of a file, again and again */
	BENCH_RING, /**< packets that were sent, whose hop limit has to be set again */
	BENCH_NULL, /**< the present contents of the buffers, whose hop limit has to be set again */
	BENCH_HEADERS, /**< no ethdev: ports that write addresses and hop limit alone, headers.h */
};

/** Parameters of the rig. */
struct bench_setup {
	enum bench_source source;
	unsigned int first_ethdev; /**< that of the first port; those of the others follow */
	struct bench_traffic traffic;
	unsigned int extra_routes; /**< besides those to the hosts, for the packets' version of IP
				    */
	/** next hops of each route to a host, which are a group; 0: the host itself is the next hop
	 */
	unsigned int groups;
	bool spread; /**< the next hops of a group are behind all ports in turn */
	bool events; /**< the worker reports, as in the live switch */
	bool cnp;    /**< notices are CNPs, and the queue pairs of all senders are known */
	/** it has a counter of cycles, as in the live switch, and so its ports have shares */
	bool has_counter;
};

/** Configuration that is in force during a measurement. */
struct bench_variant {
	const char *name;
	enum fcn_detector_type detector;
	bool congested; /**< every packet meets congestion, and its sender is notified */
	bool untold;    /**< with congested: no sender understands notices, and none is made */
	bool shared;    /**< queues share a buffer */
	bool lossless;  /**< the class of the packets is lossless on both ports, so they are charged
			   to accounts */
	bool full;      /**< no queue has room for a packet of the traffic */
	uint8_t trim;   /**< with full: what becomes of them, enum fcn_trim_mode */
	bool border;    /**< ports are at the border of the domain, so packets take the stages */
};

struct bench_rig;

/** The thread of a worker. */
struct bench_thread {
	struct bench_rig *rig;
	unsigned int number; /**< of the worker */
	/* the job that it is to do; NULL: none */
	void (*job)(struct bench_rig *rig, void *arg);
	void *arg;
	bool quit;
};

struct bench_rig {
	struct bench_setup setup;
	struct rte_mempool *pool;
	struct fcn_control *ctl;
	uint16_t device[BENCH_DEVICES]; /**< ethdev ports */
	unsigned int lcore;
	unsigned int lcores[FCN_MAX_WORKERS]; /**< of bench_rig_create_workers() */
	uint64_t tsc_start;
	uint64_t tsc_mult; /**< cycles * mult / 2^32 = nanoseconds */
	struct rte_ring *events;
	struct bench_thread thread; /**< of the only worker */
};

/**
 * Start the thread of a worker on a lcore. Between jobs it runs idle turns, which take over what
 * the control has changed. The program ends on failure.
 */
void bench_thread_launch(struct bench_thread *t, struct bench_rig *rig, unsigned int number,
		unsigned int lcore);

/** Start a job on the thread of a worker. bench_thread_wait() waits until it is done. */
void bench_thread_start(
		struct bench_thread *t, void (*job)(struct bench_rig *rig, void *arg), void *arg);
void bench_thread_wait(struct bench_thread *t);
/** Tell whether it has a job. */
bool bench_thread_is_busy(const struct bench_thread *t);

/** End the thread, which has no job. The caller waits for its lcore. */
void bench_thread_end(struct bench_thread *t);

/** Create the switch and add the ports. The program ends on failure. */
void bench_rig_create(struct bench_rig *rig, const struct bench_setup *setup);
void bench_rig_free(struct bench_rig *rig);

/**
 * Create the packet buffers and the control of a switch with n workers, on as many lcores besides
 * the first; the caller starts them, and commits a configuration with ports. To be freed with
 * fcn_control_free(). The program ends on failure.
 */
void bench_rig_create_workers(struct bench_rig *rig, struct fcn_platform *platform, unsigned int n);

/** Commit the configuration of a variant. The program ends on failure. */
void bench_rig_configure(struct bench_rig *rig, const struct bench_variant *variant);

/** Run a job on the lcore of the worker, and wait until it is done. */
void bench_rig_run(struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg);

/** Start a job on the lcore of the worker. bench_rig_wait() waits until it is done. */
void bench_rig_start(
		struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg);
void bench_rig_wait(struct bench_rig *rig);

/** Convert a TSC value to nanoseconds, as the clock of the live switch does. */
static inline uint64_t
bench_rig_ns(const struct bench_rig *rig, uint64_t tsc)
{
	return ((unsigned __int128)(tsc - rig->tsc_start) * rig->tsc_mult) >> 32;
}

/**
 * Prepare the next chunk, on the lcore of the worker: packets that return get their initial hop
 * limit, and event records are read.
 */
void bench_rig_refresh(struct bench_rig *rig);

/** What a platform has to provide (fcn_platform.h). @param arg the rig */
int bench_port_open(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size);
void bench_port_close(void *arg, struct fcn_control_port *open);

#endif /* BENCH_RIG_H */
