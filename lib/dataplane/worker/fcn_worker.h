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

#include "fcn_arn_held.h"
#include "fcn_arn_received.h"
#include "fcn_arn_edge.h"
#include "fcn_burst.h"
#include "fcn_capture.h"
#include "fcn_egress.h"
#include "fcn_event.h"
#include "fcn_local.h"
#include "fcn_mac_table.h"
#include "fcn_notify.h"
#include "fcn_port.h"
#include "fcn_port_counters.h"
#include "fcn_proxy_state.h"
#include "fcn_punt.h"
#include "fcn_queued.h"
#include "fcn_ready.h"
#include "fcn_dest_cache.h"
#include "fcn_snapshot.h"
#include "fcn_srv6_state.h"
#include "fcn_stage_cycles.h"
#include "fcn_trace.h"
#include "fcn_worker_call.h"

#define FCN_MAX_WORKERS 16   /**< maximum number of workers of a switch */
#define FCN_MAX_RX_QUEUES 16 /**< maximum number of receive queues of a port */

struct fcn_fast_functions;

/** Maximum number of receive queues, of all ports, that one worker polls. */
#define FCN_WORKER_RX_QUEUES 256

/** Size of an mbuf's data room in bytes, headroom included. Longer frames are chained mbufs. */
#define FCN_DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048)

/**
 * Data of a port at one worker. The owner of the port has its operations and class queues, every
 * other worker the cross-core rings to the owner. The control thread sets it by fcn_worker_call().
 */
struct fcn_worker_port {
	const struct fcn_port_ops *ops; /**< NULL unless this worker owns the port */
	void *priv;                     /**< private pointer of the port */
	struct fcn_egress *egress;      /**< class queues; NULL as `ops` */
	/** ring to the owner, which is that of all its ports; NULL: this worker owns the port */
	struct fcn_cross_core *cross_core;
	struct fcn_tx_ring *ring; /**< bytes in the transmit ring; NULL: no backlog is reported */
	bool pausing;             /**< flow control may have work to do */
	/**
	 * The device has accepted no packet for a second. The control thread may read this field.
	 */
	bool stalled;
	uint64_t refused_ns; /**< time since which the device has accepted no packet; 0: it accepts
				packets */
	struct fcn_pause pause; /**< flow control, received and sent */
};

/** A receive queue that a worker polls. */
struct fcn_rx_queue {
	/** struct fcn_port_ops.rx_burst of the port */
	uint16_t (*burst)(void *queue, struct rte_mbuf **pkts, uint16_t n, uint64_t now);
	void *handle;  /**< first argument of burst() */
	uint16_t port; /**< ingress port of the packets that it receives */
	/**
	 * Bursts that are still to go to the stages untried, because the fast path took nothing of
	 * the last two that it tried.
	 */
	uint8_t not_tried;
	bool in_vain; /**< the fast path took nothing of the last burst that it tried */
};

/** Size in bytes of the message with which a worker sends a learned MAC address to another. */
#define FCN_LEARNED_SIZE 12

/** Another worker of the switch, and the rings and reports exchanged with it. */
struct fcn_peer {
	struct fcn_worker *worker;
	struct fcn_cross_core *cross_core_tx; /**< packets for ports of the other worker */
	struct fcn_cross_core *cross_core_rx; /**< packets of the other worker for ports here */
	struct rte_ring *learn_tx;            /**< learned MAC addresses to the other worker */
	struct rte_ring *learn_rx;            /**< learned MAC addresses from the other worker */
	struct rte_ring *order_tx;            /**< struct fcn_arn_order to the other worker */
	struct rte_ring *order_rx;            /**< struct fcn_arn_order from the other worker */
	struct rte_ring *proxy_tx;            /**< struct fcn_proxy_claim to the other worker */
	struct rte_ring *proxy_rx;            /**< struct fcn_proxy_claim from the other worker */
	struct rte_ring *mark_tx;             /**< struct fcn_proxy_order to the other worker */
	struct rte_ring *mark_rx;             /**< struct fcn_proxy_order from the other worker */
	struct fcn_released *released_tx; /**< bytes on its accounts that have left queues of this
					     worker */
	struct fcn_released *released_rx; /**< bytes on accounts of this worker that have left its
					     queues */
};

/** State of a bridge port at one worker. */
struct fcn_bridge_port {
	/** Storm control: time at which the token bucket is full again. */
	uint64_t storm_full_ns[FCN_FLOOD_KINDS];
	uint64_t moves_since_ns; /**< begin of the second in which `moves` counts */
	/** Moves of MAC addresses to this port: from ports with higher numbers, with lower ones. */
	uint32_t moves[2];
	/* Times of the last event of each kind; 0: never. */
	uint64_t storm_event_ns[FCN_FLOOD_KINDS];
	uint64_t limit_event_ns;
	uint64_t flapping_event_ns[2]; /* indexed as `moves` */
	uint64_t full_event_ns;
};

/* In `show worker`, the loop around fcn_poll_once(); the form is described in fcn_counter.h. */
#define FCN_WORKER_LOAD_COUNTERS(X)                                                             \
	X(packets, "packets", COUNTER, "worker_packets",                                        \
			"Packets that the worker received from ports or other workers, "        \
			"or sent")                                                              \
	X(turns, "turns", COUNTER, "worker_turns", "Turns of the worker's loop")                \
	X(busy_turns, "busy_turns", COUNTER, "worker_busy_turns",                               \
			"Turns of the worker's loop that moved packets")                        \
	X(busy_ns, "busy_ns", SECONDS, "worker_busy", "Time spent in turns that moved packets") \
	X(idle_ns, "idle_ns", SECONDS, "worker_idle",                                           \
			"Time spent in turns that moved no packets, and asleep")                \
	X(sleeps, "sleeps", COUNTER, "worker_sleeps",                                           \
			"Times the worker slept because it had nothing to do")                  \
	X(longest_ns, "longest_turn_ns", DURATION, "worker_longest_turn",                       \
			"Longest time from the beginning of one turn to the beginning "         \
			"of the next, without sleep")

/** How busy a worker is. Times are in nanoseconds. */
struct fcn_worker_load {
	FCN_WORKER_LOAD_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show worker`: packets between workers. They are never cleared, see struct fcn_conservation.
 */
#define FCN_WORKER_CROSS_CORE_COUNTERS(X)                                                   \
	X(cross_core_tx, "cross_core_tx", COUNTER, "worker_cross_core_transmitted_packets", \
			"Packets that the worker put on cross-core rings, for ports of "    \
			"other workers")                                                    \
	X(cross_core_rx, "cross_core_rx", COUNTER, "worker_cross_core_received_packets",    \
			"Packets that the worker took from cross-core rings, sent by "      \
			"other workers")

/*
 * In `show worker`: messages to other workers and to the collector of events. A MAC address counts
 * as lost when the ring to another worker is full, and when this worker has no room for an address
 * that another one has learned.
 */
#define FCN_WORKER_COUNTERS(X)                                                           \
	X(learn_lost, "learn_lost", COUNTER, "worker_learned_lost",                      \
			"Learned MAC addresses that another worker was not informed of") \
	X(events_made, "events_made", COUNTER, "worker_event_records",                   \
			"Event records made by the worker, including those lost")        \
	X(events_lost, "events_lost", COUNTER, "worker_lost_event_records",              \
			"Event records lost because the ring to the collector was full")

/** Instead of the next hop of a notice: the bridge sends it back to the sender of the packet. */
#define FCN_NOTICE_BY_BRIDGE UINT32_MAX

/** The fields of a new buffer that rte_pktmbuf_reset() sets, as they stand in it. */
struct fcn_buffer_reset {
	const struct rte_mempool *pool; /**< that they are of; NULL: none yet */
	uint64_t rearm[2];              /**< from rearm_data, up to ol_flags */
	uint64_t fields[2];             /**< from rx_descriptor_fields1 on, vlan_tci included */
};

/** A notice that is to be built in this turn. */
struct fcn_notice {
	const struct rte_mbuf *cause_mbuf; /**< packet that met congestion */
	const struct fcn_packet *cause;    /**< its metadata */
	uint32_t occupancy;                /**< bytes in the congested queue */
	/** index of the next hop towards the notice's target, or FCN_NOTICE_BY_BRIDGE */
	uint32_t next_hop;
	uint8_t kind;    /**< enum fcn_notice_kind_number */
	uint8_t verdict; /**< enum fcn_notify_verdict, which selects the form of the notice */
};

/* In `show notify`, by kind; the form of the list is described in fcn_counter.h. */
#define FCN_NOTICE_COUNTERS(X)                                                          \
	X(carried, "carried", GAUGE, "notify_carried_notices",                          \
			"Notices that were still in the switch when the counters were " \
			"last cleared")                                                 \
	X(made, "made", COUNTER, "notify_made_notices", "Notices generated")            \
	X(transmitted, "transmitted", COUNTER, "notify_transmitted_notices",            \
			"Notices passed to a port's device for transmission")           \
	X(taken, "taken", COUNTER, "notify_taken_notices",                              \
			"Notices that the switch took itself, as it is their receiver") \
	X(queued, "queued", GAUGE, "notify_queued_notices", "Notices in class queues")

/**
 * Accounting of the notices of one kind that a worker made or received from other workers. The sum
 * over all workers fulfils carried + made = transmitted + taken + lost + queued + cross_core_tx
 * - cross_core_rx.
 */
struct fcn_notice_accounting {
	FCN_NOTICE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t cross_core_tx; /**< put on cross-core rings to the owners of their ports */
	uint64_t cross_core_rx; /**< taken from cross-core rings */
	/** Made and dropped later, by reason; they are also part of struct fcn_port_counters.drop.
	 */
	uint64_t lost[FCN_DROP_REASON_COUNT];
};

/**
 * Request to the host functions: resolve the MAC address of the next hop to a sender, because no
 * notice can be sent to the sender before.
 */
struct fcn_resolve_request {
	uint8_t sender[16]; /**< IPv6 or IPv4-mapped address, network byte order */
	uint16_t in_port;   /**< ingress port of the sender's packet */
	uint16_t table;     /**< number of the route table in which the sender is looked up */
};

#define FCN_RESOLVE_RECENT_MAX 64 /**< number of recent requests that a worker remembers */

/** A recent request to the host functions. */
struct fcn_resolve_recent {
	uint8_t sender[16]; /**< struct fcn_resolve_request.sender */
	uint64_t time_ns;   /**< time of the request; 0: the element is unused */
};

/*
 * In `show conservation`; the form of the list is described in fcn_counter.h. The packets of the
 * first list are, in sum, those of the second (fcn_conservation_holds()). `queued` in JSON includes
 * the packets in cross-core rings. Carried and returned are left out of JSON while they are 0.
 */
#define FCN_CONSERVATION_IN_COUNTERS(X)                                                       \
	X(carried, "carried", GAUGE, "conservation_carried_packets",                          \
			"Packets queued when the counters were last cleared")                 \
	X(received, "received", COUNTER, "conservation_received_packets", "Packets received") \
	X(generated, "generated", COUNTER, "conservation_generated_packets",                  \
			"Packets generated by the switch: notices, flow control frames "      \
			"and packets of the host functions")                                  \
	X(returned, "returned", COUNTER, "conservation_returned_packets",                     \
			"Packets counted as consumed that were later forwarded or dropped")   \
	X(replicated, "replicated", COUNTER, "conservation_replicated_packets",               \
			"Copies made for flooding")
#define FCN_CONSERVATION_OUT_COUNTERS(X)                                                  \
	X(transmitted, "transmitted", COUNTER, "conservation_transmitted_packets",        \
			"Packets passed to ports' devices for transmission")              \
	X(dropped, "dropped", COUNTER, "conservation_dropped_packets", "Packets dropped") \
	X(consumed, "consumed", COUNTER, "conservation_consumed_packets",                 \
			"Packets consumed by the switch itself")                          \
	X(queued, "queued", GAUGE, "conservation_queued_packets", "Packets in class queues")

/**
 * Packet accounting of a worker, or the sum over several workers. Numbers of packets, for which
 * fcn_conservation_holds().
 */
struct fcn_conservation {
	FCN_CONSERVATION_IN_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_CONSERVATION_OUT_COUNTERS(FCN_COUNTER_MEMBER)
	/**
	 * cross_core_tx - cross_core_rx, modulo 2^64. Only the sum over all workers is a number of
	 * packets: those in cross-core rings.
	 */
	uint64_t between;
	/** Packets found in cross-core rings; equals `between` while no worker runs. */
	uint64_t waiting;
	bool working; /**< some worker is running, so packets may move meanwhile */
};

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
	uint16_t index; /**< index of this worker among those of the switch */
	/* Packets of lossless classes that are held back, because a cross-core ring is full. */
	struct fcn_held *held; /**< FCN_HELD_PACKETS elements; NULL: there is one worker only */
	uint32_t held_free;    /**< index of the first free element */
	uint32_t n_held;
	uint32_t held_peers;  /**< bit set of the elements of `peer` that packets are held back for
			       */
	unsigned int n_peers; /**< number of other workers */
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
	/** Accounts of lossless classes, by ingress port. They outlive the port. */
	struct fcn_ingress ingress[FCN_MAX_PORTS][FCN_CLASSES];
	/** Time of the last event about a loss; 0: never. */
	uint64_t loss_event_ns[FCN_MAX_PORTS][FCN_CLASSES];
	struct fcn_random random;
	uint64_t epoch_ns;   /**< nanoseconds since 1970 at now = 0, for IOAM and captures */
	uint64_t generation; /**< generation of the snapshot that the state was adapted to */

	/** Those of the fast path, by the SIMD registers that EAL allows; NULL: no packet takes it.
	 */
	const struct fcn_fast_functions *fast;
	struct fcn_dest_cache dest_cache; /**< all destinations but local SIDs */
	struct fcn_dest_cache sid_cache;  /**< local SIDs: `next_hop` is the index of the SID */
	struct fcn_mac_table *macs;
	struct fcn_bridge_port bridging[FCN_MAX_PORTS];
	uint64_t aged_ns;             /**< time of the last search for aged MAC addresses */
	struct fcn_hash_key hash_key; /**< key of the hash functions over fields of packets */
	struct fcn_notify_state notify[FCN_NOTICE_KIND_MAX];
	/** By egress port, for all kinds of notices: see struct fcn_notify_link. */
	uint64_t notify_link_full[FCN_MAX_PORTS];
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

	struct rte_mempool *pool;               /**< buffers for notices, PFC frames and copies */
	struct rte_mbuf *spare[FCN_NOTICE_MAX]; /**< buffers for notices, allocated in bulk */
	unsigned int n_spare;
	struct fcn_buffer_reset spare_reset;

	struct fcn_received received; /**< packets received in this turn */
	struct fcn_burst *rx;         /**< those that pass through the stages */
	struct fcn_ready_list ready;  /**< those that wait for others or for their queue */
	struct fcn_burst *waited;     /**< those of `rx` and `ready` that a queue asks about */
	struct fcn_burst *flood;      /**< copies of flooded packets */
	struct fcn_burst *notices;    /**< notices that are being routed and queued */
	struct fcn_burst *leaving;    /**< packets for a detector that works at dequeue */
	struct fcn_burst *received_cross_core;         /**< packets taken from cross-core rings */
	struct fcn_notice notice[FCN_NOTICE_MAX];      /**< notices that are to be built */
	struct fcn_notice_order order[FCN_NOTICE_MAX]; /**< what their kinds need to build them */
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
	struct rte_ring *resolve_requests; /**< ring of struct fcn_resolve_request, to the host
					      functions */
	struct fcn_resolve_recent recent[FCN_RESOLVE_RECENT_MAX];
	/** Token buckets for requests, by ingress port: time at which each is full again. */
	uint64_t resolve_tat[FCN_MAX_PORTS];
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
	/** What the control thread knows of the worker; no other thread reads or writes it. */
	struct fcn_worker_watch watch __rte_cache_aligned;
	bool threaded; /**< struct fcn_worker_conf.threaded, until the thread has ended */
};

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
	 * Read a counter of cycles, for the cycles of stages, which nothing else depends on; NULL:
	 * they cannot be counted.
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
 * Get the earliest time in ns at which a turn has work to do if no further packet arrives: a queued
 * packet can leave, a pause ends, a PFC frame is due, or congestion ends. Only the thread of the
 * worker calls it, between two turns.
 *
 * @return FCN_TIME_NEVER when there will be no such work
 */
uint64_t fcn_worker_next_event(const struct fcn_worker *w, uint64_t now);

/**
 * Remove a port of a switch with one worker, whether the worker runs or not. Packets queued for the
 * port are dropped with the reason "port_gone". Only the control thread may use it.
 */
void fcn_worker_port_remove(struct fcn_worker *w, uint16_t port);

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

/**
 * Add the packet accounting of a worker to a sum. To be called by fcn_worker_call(), or while the
 * worker does not run.
 */
void fcn_worker_conservation(const struct fcn_worker *w, struct fcn_conservation *sum);

/**
 * Add the accounting of a worker's notices of a kind to a sum. To be called by fcn_worker_call(),
 * or while the worker does not run.
 */
void fcn_worker_notice_accounting(
		const struct fcn_worker *w, unsigned int kind, struct fcn_notice_accounting *sum);

/** Add an accounting of notices to a sum. */
void fcn_notice_accounting_add(
		struct fcn_notice_accounting *sum, const struct fcn_notice_accounting *l);

/** Get the number of notices that were lost after they were made, for any reason. */
uint64_t fcn_notice_accounting_lost(const struct fcn_notice_accounting *l);

/** Add the counters of a port to a packet accounting. */
void fcn_conservation_add(struct fcn_conservation *sum, const struct fcn_port_counters *c);

/**
 * Check the sum of the packet accounting of all workers: carried + received + generated + returned
 * + replicated = transmitted + dropped + consumed + queued + between. While no worker runs, the
 * cross-core rings must also contain as many packets as the counters say.
 */
static inline bool
fcn_conservation_holds(const struct fcn_conservation *c)
{
#define FCN_CONSERVATION_TERM(member, ...) +c->member
	return FCN_CONSERVATION_IN_COUNTERS(FCN_CONSERVATION_TERM) ==
			       FCN_CONSERVATION_OUT_COUNTERS(FCN_CONSERVATION_TERM) + c->between &&
	       (c->working || c->waiting == c->between);
#undef FCN_CONSERVATION_TERM
}

#endif /* FCN_WORKER_H */
