/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Parameters of a worker.
 */

#ifndef FCN_WORKER_CONF_H
#define FCN_WORKER_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

struct fcn_local_behaviour;
struct fcn_patience;
struct fcn_snapshot;

/** Parameters of a worker. */
struct fcn_worker_conf {
	const char *name;         /**< unique in the process, at most 16 characters */
	unsigned int id;          /**< thread ID of the worker for `qsbr` */
	int socket;               /**< NUMA node of its memory */
	struct rte_mempool *pool; /**< mbufs with a data room of FCN_DATA_ROOM */
	/** Pointer to the current snapshot, which the worker reads in each turn. */
	struct fcn_snapshot *const *published;
	struct rte_rcu_qsbr *qsbr; /**< NULL: control and worker are one thread */
	uint32_t mac_entries;      /**< number of MAC addresses that it can learn */
	uint32_t flow_sets;        /**< as for fcn_notify_state_init() */
	uint32_t dest_sets;        /**< as for fcn_notify_state_init() */
	/** Number of destinations whose next hops it remembers, rounded up to a power of two, at
	 * least 64; 32 bytes each. */
	uint32_t destinations;
	uint32_t events; /**< event records that the ring holds; 0: no events */
	bool threaded;   /**< it runs in a thread of its own: calls use its mailbox */
	/** Clock by which the control thread gives up waiting; NULL: it waits as long as it takes.
	 * It has to outlive the worker. */
	const struct fcn_patience *patience;
	/** Frames that the ring from the host functions holds; 0: there are no host functions. */
	uint32_t injects;
	uint64_t seed; /**< seed of its pseudo-random numbers */
	/**
	 * Read a counter of cycles, for the cycles of stages and the shares of ports in the cycles
	 * (fcn_rx_share.h), which nothing else depends on; NULL: there are neither.
	 */
	uint64_t (*read_cycles)(void);
	/**
	 * Behaviours for packets to the switch itself, by enum fcn_local; NULL:
	 * fcn_local_behaviours. The table has to outlive the worker.
	 */
	const struct fcn_local_behaviour *local;
	/**
	 * Secret of the hash functions over fields of packets, the same for all workers of a
	 * switch; 0: the functions are the same in every run. See fcn_hash_key_make().
	 */
	uint64_t hash_secret;
	/**
	 * Number of times that the counters of all workers were cleared, which the control thread
	 * raises: see fcn_worker_clear_counters_once(). NULL: it is the only worker.
	 */
	const uint64_t *clears;
};

#endif /* FCN_WORKER_CONF_H */
