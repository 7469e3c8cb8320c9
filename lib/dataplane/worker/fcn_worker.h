/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A worker of a switch.
 *
 * fcn_poll_once() runs one turn of a worker. The loop around it and the clock belong to the
 * program: the TSC in the live switch, virtual time in replay and lab.
 *
 * A worker and its state belong to one thread. Other threads use fcn_worker_call(). Times are in
 * nanoseconds of the worker's clock, and numbers are in host byte order, unless a comment says
 * otherwise.
 */

#ifndef FCN_WORKER_H
#define FCN_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_arn_edge.h"
#include "fcn_arn_held.h"
#include "fcn_arn_received.h"
#include "fcn_bridge_state.h"
#include "fcn_burst.h"
#include "fcn_capture.h"
#include "fcn_conservation.h"
#include "fcn_dest_cache.h"
#include "fcn_egress.h"
#include "fcn_event.h"
#include "fcn_held_back.h"
#include "fcn_local.h"
#include "fcn_mac_table.h"
#include "fcn_notice_state.h"
#include "fcn_notify.h"
#include "fcn_peer.h"
#include "fcn_port.h"
#include "fcn_port_counters.h"
#include "fcn_proxy_state.h"
#include "fcn_punt.h"
#include "fcn_queued.h"
#include "fcn_ready.h"
#include "fcn_resolve.h"
#include "fcn_rx_queue.h"
#include "fcn_rx_share.h"
#include "fcn_snapshot.h"
#include "fcn_srv6_state.h"
#include "fcn_stage_cycles.h"
#include "fcn_trace.h"
#include "fcn_worker_call.h"
#include "fcn_worker_conf.h"
#include "fcn_worker_counters.h"
#include "fcn_worker_port.h"

#define FCN_MAX_WORKERS 16 /**< maximum number of workers of a switch */

struct fcn_fast_functions;

/** Size of an mbuf's data room in bytes, headroom included. Longer frames are chained mbufs. */
#define FCN_DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048)

/** State of a worker. Only the worker writes it; others use fcn_worker_call(). */
struct fcn_worker {
	/* set by the outer loop or read once a turn */
	uint64_t now; /**< time of the current or last turn in ns; the control thread reads it */
	const struct fcn_snapshot *snap;       /**< configuration of this turn */
	struct fcn_snapshot *const *published; /**< where control publishes snapshots */
	/** Quiescent states are reported here in each turn; NULL: there is one thread only. */
	struct rte_rcu_qsbr *qsbr;
	const struct fcn_local_behaviour *local; /**< behaviours, by enum fcn_local */
	unsigned int id;                         /**< struct fcn_worker_conf.id */
	int socket;                              /**< NUMA node */
	int queued_offset;                       /**< offset of struct fcn_queued in an mbuf */
	struct fcn_stage_clock stage_clock;      /**< read once a turn, unless it is on */

	/** One more than the highest port number of all snapshots and ports that it has had: what
	 * it keeps for the numbers from there on was never written. */
	uint16_t n_ports;
	struct fcn_worker_port port[FCN_MAX_PORTS];
	uint16_t own_port[FCN_MAX_PORTS]; /**< ports that this worker owns */
	unsigned int n_own_ports;
	struct fcn_rx_queue rx_queue[FCN_WORKER_RX_QUEUES]; /**< receive queues to poll */
	unsigned int n_rx_queues;
	unsigned int rx_first;   /**< index of the queue that is polled first in the next turn */
	unsigned int n_tx_ports; /**< number of ports that had packets to transmit in the last turn
				  */

	/* several workers, see fcn_worker_group.h */
	struct fcn_peer peer[FCN_MAX_WORKERS];
	uint16_t index;            /**< index of this worker among those of the switch */
	unsigned int n_peers;      /**< number of other workers */
	struct fcn_held_back held; /**< packets that wait for room in rings to them */
	unsigned int n_tx_peers;   /**< number of peers that packets went to in the last turn */
	unsigned int peer_first; /**< index of the peer whose ring is read first in the next turn */
	bool idle;               /**< the last turn was one of fcn_poll_idle() */
	FCN_WORKER_CROSS_CORE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_WORKER_COUNTERS(FCN_COUNTER_MEMBER)
	/**
	 * Bit sets of the classes that are to be paused, by port. The owner of the port reads it in
	 * each turn, so it shares no cache line with what this worker writes more often.
	 */
	uint8_t xoff[FCN_MAX_PORTS] __rte_cache_aligned;

	struct fcn_buffer buffer __rte_cache_aligned; /**< use of the shared buffer */
	struct fcn_packet_use packets;                /**< use of the budget of packet buffers */
	/** Accounts of lossless classes, by ingress port. They outlive the port. */
	struct fcn_ingress ingress[FCN_MAX_PORTS][FCN_CLASSES];
	/** The same in packets. What is lost counts in `ingress` only. */
	struct fcn_ingress ingress_packets[FCN_MAX_PORTS][FCN_CLASSES];
	/** Time of the last event about a loss; 0: never. */
	uint64_t loss_event_ns[FCN_MAX_PORTS][FCN_CLASSES];
	struct fcn_random random;
	/** For the packets that top flows are made of, so that these change no other decision. */
	struct fcn_random drawing;
	uint64_t epoch_ns;   /**< nanoseconds since 1970 at now = 0, for IOAM and captures */
	uint64_t generation; /**< generation of the snapshot that the state was adapted to */

	/** Those of the fast path, by the SIMD registers that EAL allows; NULL: no packet takes it.
	 */
	const struct fcn_fast_functions *fast;
	struct fcn_dest_cache dest_cache; /**< all destinations but local SIDs */
	struct fcn_dest_cache sid_cache;  /**< local SIDs: `next_hop` is the index of the SID */
	struct fcn_mac_table *macs;
	struct fcn_bridge_port bridging[FCN_MAX_PORTS];
	uint64_t aged_ns;                /**< time of the last housekeeping */
	struct fcn_hash_key hash_key;    /**< key of the hash functions over fields of packets */
	struct fcn_notify_state *notify; /**< by kind of notice, fcn_notice_kind_count of them */
	/** By egress port, for all kinds of notices: see struct fcn_notify_link. */
	struct fcn_notify_link_shares notify_link[FCN_MAX_PORTS];
	/** By egress port, for notices about lost packets. */
	struct fcn_notify_link_shares loss_link[FCN_MAX_PORTS];
	/** By egress port of this worker, for trimmed packets. */
	struct fcn_notify_link_shares trim_link[FCN_MAX_PORTS];
	struct fcn_srv6_state srv6;
	struct fcn_arn_sender *arn;           /**< halts that upstream neighbours are asked for */
	struct fcn_arn_held arn_held;         /**< packets of flows that downstream switches halt */
	struct fcn_arn_received arn_received; /**< messages of downstream switches */
	struct fcn_arn_edge_state *arn_edge;  /**< halts that are passed on */
	struct fcn_proxy_state proxy;         /**< the switch as a proxy network node */
	/** Times of the last events about messages to begin and to end halts, by port; 0: never. */
	uint64_t arn_event_ns[2][FCN_MAX_PORTS];
	struct fcn_trace trace;
	struct fcn_capture capture;

	struct rte_mempool *pool;       /**< buffers for notices, PFC frames and copies */
	struct fcn_spare_buffers spare; /**< buffers for notices */

	struct fcn_received received; /**< packets received in this turn */
	struct fcn_burst *rx;         /**< those that pass through the stages */
	struct fcn_ready_list ready;  /**< those that wait for others or for their queue */
	struct fcn_burst *waited;  /**< those of `rx` and `ready` that go to the stage `enqueue` */
	struct fcn_burst *flood;   /**< copies of flooded packets */
	struct fcn_burst *notices; /**< notices that are being routed and queued */
	struct fcn_burst *leaving; /**< packets for a detector that works at dequeue */
	struct fcn_burst *received_cross_core;         /**< packets taken from cross-core rings */
	struct fcn_notice_order order[FCN_NOTICE_MAX]; /**< notices that are to be built */
	unsigned int n_notices;
	/** Those of them that are framed: see fcn_notice_is_framed(). */
	unsigned int n_framed;
	struct fcn_notice_accounting notice_accounting[FCN_NOTICE_KIND_MAX]; /**< by kind */
	/** Dropped packets, which are freed at the end of the turn. */
	struct rte_mbuf *dead[2 * FCN_BURST_MAX + FCN_NOTICE_MAX];
	unsigned int n_dead;

	struct rte_ring *events; /**< ring of struct fcn_event; NULL: no events are collected */
	/* Rings to and from the host functions; NULL: there are no host functions. */
	struct fcn_punt_queues *punts; /**< punted packets */
	struct rte_ring *injects;      /**< ring of struct fcn_inject, from the host functions */
	struct fcn_resolve resolve;    /**< requests to the host functions */
	/** Token buckets of punts, by ingress port and kind: time at which each is full again. */
	uint64_t punt_tat[FCN_MAX_PORTS][FCN_PUNT_KIND_COUNT];
	/** The call of the control thread that is to be made next: see mailbox.h. */
	struct fcn_mail *mail;
	struct fcn_port_counters counters[FCN_MAX_PORTS] __rte_cache_aligned;
	/**
	 * Packets that were queued, held back or in cross-core rings to other workers when the
	 * counters were last cleared, less those in cross-core rings to this worker; modulo 2^64.
	 */
	uint64_t carried;
	/** struct fcn_worker_conf.clears */
	const uint64_t *clears;
	uint64_t cleared; /**< value of *clears when this worker last cleared its counters */
	/** Packet accounting of removed ports, whose numbers other ports now have. */
	struct fcn_conservation retired;
	struct fcn_worker_load load; /**< updated by the loop around fcn_poll_once() */
	struct fcn_stage_cycles stage_cycles;
	struct fcn_rx_share rx_share;
	/** What the control thread knows of the worker; no other thread reads or writes it. */
	struct fcn_worker_watch watch __rte_cache_aligned;
	bool threaded; /**< struct fcn_worker_conf.threaded, until the thread has ended */
};

/**
 * Create a worker without ports. The EAL must be initialised.
 *
 * @return NULL with rte_errno set on failure
 */
struct fcn_worker *fcn_worker_create(const struct fcn_worker_conf *conf);

/**
 * Remove the ports of a worker, free the packets that it has queued, and free the worker. It must
 * not run any more. NULL is allowed.
 */
void fcn_worker_free(struct fcn_worker *w);

/**
 * Run one turn: receive packets from the ports, pass them through the stages, and send as many as
 * the ports accept. The work is bounded; there are no locks, log messages or system calls. Only the
 * thread of the worker calls it.
 *
 * @param now time in ns, never less than before
 * @return number of packets received, from ports and from other workers, plus packets sent
 */
unsigned int fcn_poll_once(struct fcn_worker *w, uint64_t now);

/**
 * Run a turn that receives nothing from the ports of the worker, to send what is queued. The
 * control thread adds and removes no port meanwhile.
 *
 * @return as fcn_poll_once()
 */
unsigned int fcn_poll_drain(struct fcn_worker *w, uint64_t now);

/**
 * Run the stages for the packets that the ports have received, up to the class queues and those of
 * the notices that the packets cause. Nothing is transmitted, and no packet takes the fast path.
 * This is for a worker that stands for another one: see fcn_dry_run.h.
 */
void fcn_poll_to_queues(struct fcn_worker *w, uint64_t now);

/**
 * Get the earliest time in ns at which a turn has work to do if no further packet arrives: a queued
 * packet can leave, a pause ends, a PFC frame is due, or congestion ends. Only the thread of the
 * worker calls it, between two turns.
 *
 * @return FCN_TIME_NEVER when there will be no such work
 */
uint64_t fcn_worker_next_event(const struct fcn_worker *w, uint64_t now);

/**
 * Set all counters of a worker to zero. To be called by fcn_worker_call(), or while the worker does
 * not run.
 */
void fcn_worker_clear_counters(struct fcn_worker *w);

/** Reset the watermarks of a worker to the present values. To be called as
 * fcn_worker_clear_counters(), which leaves them. */
void fcn_worker_clear_watermarks(struct fcn_worker *w);

/**
 * Clear the counters of one of several workers, unless it has done so since conf.clears was last
 * raised. To clear the counters of all workers, raise the number, and then let each worker call
 * this function by fcn_worker_call(). A worker that receives a packet from a worker that has
 * cleared its counters clears its own first. So no packet counts as received after the clearing and
 * as sent before it.
 */
void fcn_worker_clear_counters_once(struct fcn_worker *w);

/**
 * Run a turn without packets while the switch is stopped: adapt to a new snapshot, make the calls
 * of the control thread, and report a quiescent state. Only the thread of the worker calls it.
 */
void fcn_poll_idle(struct fcn_worker *w, uint64_t now);

#endif /* FCN_WORKER_H */
