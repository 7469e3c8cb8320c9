/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch and its workers.
 *
 * fcn_poll_once() is all a worker does; the loop around it, and the clock it
 * is handed, belong to the program: TSC in the live switch, virtual time in
 * replay and lab.
 */

#ifndef FCN_WORKER_H
#define FCN_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_burst.h"
#include "fcn_capture.h"
#include "fcn_egress.h"
#include "fcn_event.h"
#include "fcn_local.h"
#include "fcn_mac_table.h"
#include "fcn_notify.h"
#include "fcn_port.h"
#include "fcn_port_counters.h"
#include "fcn_punt.h"
#include "fcn_queued.h"
#include "fcn_dest_cache.h"
#include "fcn_snapshot.h"
#include "fcn_trace.h"

#define FCN_MAX_WORKERS 16
#define FCN_MAX_RX_QUEUES 16 /**< receive queues of a port */

/** Receive queues that one worker polls, of all ports. */
#define FCN_WORKER_RX_QUEUES 256

/** Room of a buffer, headroom included: longer frames are chained. */
#define FCN_DATA_ROOM (RTE_PKTMBUF_HEADROOM + 2048)

/**
 * A port as a worker sees it: its driver and queues, or the cross-core rings to the worker that
 * owns it. Control sets it, through fcn_worker_call().
 */
struct fcn_worker_port {
	const struct fcn_port_ops *ops; /**< NULL: no such port, or another worker's */
	void *priv;
	struct fcn_egress *egress;         /**< NULL likewise */
	struct fcn_cross_core *cross_core; /**< NULL: this worker owns the port */
	struct fcn_tx_ring *ring;          /**< of a device that reports its backlog, else NULL */
	bool pausing;                      /**< flow control may have something to do */
	bool stalled;           /**< the device took nothing for long; control may look */
	uint64_t refused_ns;    /**< since when it takes nothing; 0: it took something last */
	struct fcn_pause pause; /**< flow control, both ways */
};

/** A receive queue that a worker polls. */
struct fcn_rx_queue {
	uint16_t (*burst)(void *queue, struct rte_mbuf **pkts, uint16_t n, uint64_t now);
	void *handle;
	uint16_t port;
};

#define FCN_LEARNED_SIZE 12 /**< bytes of a MAC address that workers send each other */

/** Another worker of the switch. */
struct fcn_peer {
	struct fcn_worker *worker;
	struct rte_ring *learn_tx; /**< learned MAC addresses to the other worker */
	struct rte_ring *learn_rx; /**< learned MAC addresses from the other worker */
	struct fcn_returns *give;  /**< bytes on its accounts that have left queues here */
	struct fcn_returns *take;  /**< bytes on accounts here that have left its queues */
};

/** What a worker remembers of a port in a bridge. */
struct fcn_bridge_port {
	uint64_t storm_full_ns[FCN_FLOOD_KINDS]; /**< storm control: when the bucket is full again
						  */
	uint64_t moves_since_ns; /**< moves of MAC addresses to this port are counted since then */
	uint32_t moves[2];       /**< from ports with higher numbers, and with lower ones */
	/* when an event was last sent; 0: never */
	uint64_t storm_event_ns[FCN_FLOOD_KINDS];
	uint64_t limit_event_ns;
	uint64_t flapping_event_ns[2]; /* likewise */
	uint64_t full_event_ns;
};

/* In `show worker`, the loop around fcn_poll_once(); the form is described in fcn_counter.h. */
#define FCN_WORKER_LOAD_COUNTERS(X)                                                               \
	X(packets, "packets", COUNTER, "worker_packets", "Packets received, sent, or taken over") \
	X(turns, "turns", COUNTER, "worker_turns", "Turns")                                       \
	X(busy_turns, "busy_turns", COUNTER, "worker_busy_turns", "Turns that moved packets")     \
	X(busy_ns, "busy_ns", SECONDS, "worker_busy", "Time in turns that moved packets")         \
	X(idle_ns, "idle_ns", SECONDS, "worker_idle", "Time in other turns, and asleep")          \
	X(sleeps, "sleeps", COUNTER, "worker_sleeps",                                             \
			"Times the worker slept, having nothing to do")                           \
	X(longest_ns, "longest_turn_ns", DURATION, "worker_longest_turn",                         \
			"Longest time from one turn to the next, sleep excluded")

/** How busy a worker is. Times are in nanoseconds. */
struct fcn_worker_load {
	FCN_WORKER_LOAD_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show worker`: packets between workers. They are never cleared, see struct fcn_conservation.
 */
#define FCN_WORKER_CROSS_CORE_COUNTERS(X)                                                   \
	X(cross_core_tx, "cross_core_tx", COUNTER, "worker_cross_core_transmitted_packets", \
			"Packets put on cross-core rings, for ports of other workers")      \
	X(cross_core_rx, "cross_core_rx", COUNTER, "worker_cross_core_received_packets",    \
			"Packets taken from cross-core rings, of other workers")

/*
 * In `show worker`: what the worker could not tell. An address counts as lost when the ring to
 * another worker is full, and when this worker has no room for one that another learned.
 */
#define FCN_WORKER_COUNTERS(X)                                                       \
	X(learn_lost, "learn_lost", COUNTER, "worker_learned_lost",                  \
			"MAC addresses learned that another worker did not hear of") \
	X(events_made, "events_made", COUNTER, "worker_event_records",               \
			"Event records made, those lost included")                   \
	X(events_lost, "events_lost", COUNTER, "worker_lost_event_records",          \
			"Event records lost: the ring to the collector was full")

/** A notice to be built: what caused it, and the buffer it goes into. */
struct fcn_notice {
	struct rte_mbuf *mbuf;
	const struct rte_mbuf *cause_mbuf;
	const struct fcn_packet *cause;
	uint32_t occupancy; /**< of the congested queue, bytes */
	uint32_t next_hop;  /**< of a routed packet: the way to whom the notice goes */
	uint8_t kind;       /**< enum fcn_notice_kind_number */
	uint8_t verdict;    /**< of the packet for this kind: the form of the notice */
};

/* In `show notify`, by kind; the form of the list is described in fcn_counter.h. */
#define FCN_NOTICE_COUNTERS(X)                                                                     \
	X(carried, "carried", GAUGE, "notify_carried_notices",                                     \
			"Notices not yet transmitted or lost when the counters were last cleared") \
	X(made, "made", COUNTER, "notify_made_notices", "Notices made")                            \
	X(transmitted, "transmitted", COUNTER, "notify_transmitted_notices",                       \
			"Notices that were handed to a port's device")                             \
	X(queued, "queued", GAUGE, "notify_queued_notices", "Notices in class queues")

/**
 * What became of the notices of one kind that a worker made, or took over from others. Of all
 * workers together, carried + made = transmitted + lost + queued + cross_core_tx - cross_core_rx.
 */
struct fcn_notice_accounting {
	FCN_NOTICE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t cross_core_tx; /**< put on cross-core rings to the owners of their ports */
	uint64_t cross_core_rx; /**< taken from cross-core rings */
	uint64_t lost[FCN_DROP_REASON_COUNT]; /**< made and then dropped, by reason; part of drop */
};

/** A sender that a notice cannot be sent to until the host functions have found the MAC address of
 * the next hop. */
struct fcn_question {
	uint8_t sender[16]; /**< IPv6 address */
	uint16_t in_port;   /**< ingress port of the sender's packet */
	uint16_t reserved;  /**< elements of a ring are whole words */
};

#define FCN_QUESTION_MEMO 64 /**< senders asked for lately that are remembered */

/** A sender whose next hop's MAC address the host functions were asked for. */
struct fcn_question_memo {
	uint8_t sender[16];
	uint64_t time_ns; /**< 0: none */
};

/** The packet accounting of a worker, or of several: every packet is in one of these. */
struct fcn_conservation {
	uint64_t carried; /**< queued when the counters were last cleared */
	uint64_t received;
	uint64_t generated;
	uint64_t returned; /**< part of consumed that was forwarded or dropped later */
	uint64_t replicated;
	uint64_t transmitted;
	uint64_t dropped;
	uint64_t consumed; /**< consumed by the switch itself */
	uint64_t queued;
	/**
	 * cross_core_tx less cross_core_rx, modulo 2^64. Only the sum over all workers is a number
	 * of packets, those in rings between them.
	 */
	uint64_t between;
	/** Packets found in rings between workers; equals `between` when no worker runs. */
	uint64_t waiting;
	bool working; /**< some worker is running, so packets may move meanwhile */
};

/** All that one worker owns; no other thread writes it. */
struct fcn_worker {
	/* set by the outer loop or read once a turn */
	uint64_t now; /**< nanoseconds */
	const struct fcn_snapshot *snap;
	struct fcn_snapshot *const *published; /**< where control publishes snapshots */
	struct rte_rcu_qsbr
			*qsbr; /**< quiescence is reported here each turn; NULL: one thread only */
	const struct fcn_local_behaviour *local; /**< by the number that a packet has */
	unsigned int id;
	int socket;        /**< NUMA node */
	int queued_offset; /**< of struct fcn_queued in an mbuf */

	struct fcn_worker_port port[FCN_MAX_PORTS];
	uint16_t own_port[FCN_MAX_PORTS]; /**< ports whose class queues are this worker's */
	unsigned int n_own_ports;
	struct fcn_rx_queue rx_queue[FCN_WORKER_RX_QUEUES];
	unsigned int n_rx_queues;
	unsigned int rx_first; /**< queue whose turn it is to be polled first */

	/* several workers, see fcn_worker_group.h */
	struct fcn_peer peer[FCN_MAX_WORKERS];
	uint16_t index; /**< of this worker among all of the switch */
	/* Packets of lossless classes that the rings to other workers have no room for. */
	struct fcn_held *held; /**< FCN_HELD_PACKETS; NULL: alone */
	uint32_t held_free;    /**< first place that is free */
	uint32_t n_held;
	uint64_t held_ports;  /**< bit set: ports that packets are held back for */
	unsigned int n_peers; /**< 0: alone */
	struct fcn_cross_core *incoming[FCN_MAX_PORTS * (FCN_MAX_WORKERS - 1)];
	unsigned int n_incoming;
	unsigned int incoming_first; /**< whose turn it is to be emptied first */
	bool resting;                /**< the last turn was one of fcn_poll_idle() */
	FCN_WORKER_CROSS_CORE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_WORKER_COUNTERS(FCN_COUNTER_MEMBER)
	/** Bit set: classes whose sender behind a port is to pause. Its owner reads it. */
	uint8_t xoff[FCN_MAX_PORTS];

	struct fcn_buffer buffer;
	/* Lossless classes, by where their packets came in; these stand longer than the port. */
	struct fcn_ingress ingress[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t loss_event_ns[FCN_MAX_PORTS]
			      [FCN_CLASSES]; /**< time of the last event about a loss; 0: never */
	struct fcn_random random;
	uint64_t epoch_ns;   /**< nanoseconds since 1970 at now = 0, for IOAM timestamps */
	uint64_t generation; /**< of the snapshot that state was last brought in line with */

	struct fcn_dest_cache dest_cache;
	struct fcn_mac_table *macs;
	struct fcn_bridge_port bridging[FCN_MAX_PORTS];
	uint64_t aged_ns;             /**< when MAC addresses were last looked at for their age */
	struct fcn_hash_key hash_key; /**< of hashes over what packets carry */
	struct fcn_notify_state notify[FCN_NOTICE_KIND_MAX];
	struct fcn_trace trace;
	struct fcn_capture capture;

	struct rte_mempool *pool;               /**< notices and copies */
	struct rte_mbuf *spare[FCN_NOTICE_MAX]; /**< buffers for notices, taken in bulk */
	unsigned int n_spare;

	struct fcn_burst *rx;      /**< packets received this turn */
	struct fcn_burst *flood;   /**< copies of flooded packets */
	struct fcn_burst *notices; /**< notices this turn caused */
	struct fcn_burst *leaving; /**< packets a detector looks at when they leave */
	struct fcn_burst *
			received_cross_core; /**< packets of other workers, from cross-core rings */
	struct fcn_notice notice[FCN_NOTICE_MAX];
	unsigned int n_notices;
	struct fcn_notice_accounting notice_accounting[FCN_NOTICE_KIND_MAX];
	struct rte_mbuf *dead[2 * FCN_BURST_MAX + FCN_NOTICE_MAX]; /**< dropped this turn */
	unsigned int n_dead;

	struct rte_ring *events;       /**< of struct fcn_event; NULL: nobody listens */
	struct fcn_punt_queues *punts; /**< to the host functions; NULL: there are none */
	struct rte_ring *injects;      /**< of struct fcn_inject, from them */
	/** Of struct fcn_question, to the host functions; NULL: there are none. */
	struct rte_ring *questions;
	struct fcn_question_memo asked[FCN_QUESTION_MEMO];
	uint64_t question_tat[FCN_MAX_PORTS]; /**< token bucket of questions, by ingress port */
	/** Token buckets of punts, by ingress port and kind: when each is full again. */
	uint64_t punt_tat[FCN_MAX_PORTS][FCN_PUNT_KIND_COUNT];
	struct rte_ring *mailbox; /**< of struct fcn_worker_call; NULL: calls are made directly */
	struct fcn_port_counters counters[FCN_MAX_PORTS];
	/** Packets queued, or on their way to other workers, when the counters were last cleared;
	 * of one of several workers less what was on its way here. */
	uint64_t carried;
	const uint64_t *clears; /**< how often all workers' counters were to be cleared; NULL: alone
				 */
	uint64_t cleared;       /**< ... when they last were */
	struct fcn_conservation
			retired; /**< counts of ports that had a number before its present one */
	struct fcn_worker_load load; /**< kept by the loop around fcn_poll_once() */
};

/** Parameters of a worker. */
struct fcn_worker_conf {
	const char *name; /**< unique in the process, at most 16 characters */
	unsigned int id;
	int socket;
	struct rte_mempool *pool; /**< buffers of FCN_DATA_ROOM */
	struct fcn_snapshot *const *published;
	struct rte_rcu_qsbr *qsbr; /**< NULL: control and worker are one thread */
	uint32_t mac_entries;      /**< MAC addresses it can learn */
	uint32_t flow_sets;        /**< fcn_notify_state_init() */
	uint32_t dest_sets;
	uint32_t events;  /**< event records the ring holds, 0: no events */
	bool threaded;    /**< runs on a thread of its own: calls go by mailbox */
	uint32_t injects; /**< frames the ring from the host functions holds; 0: there are no host
			     functions */
	uint64_t seed;    /**< of decisions by chance */
	/** What is done with packets for the switch itself, by enum fcn_local; NULL:
	 * fcn_local_behaviours. It outlives the worker. */
	const struct fcn_local_behaviour *local;
	/** Of the hash functions over what packets carry, the same for all workers of a switch; 0:
	 * they are the same in every run. See fcn_hash_key_make(). */
	uint64_t hash_secret;
	/** How often the counters of all workers were to be cleared, see
	 * fcn_worker_clear_counters_once(); NULL: it is the only worker. */
	const uint64_t *clears;
};

/** @return NULL with rte_errno set on failure */
struct fcn_worker *fcn_worker_create(const struct fcn_worker_conf *conf);

/** Drop what is queued, free everything. The worker must not run any more. */
void fcn_worker_free(struct fcn_worker *w);

/**
 * One turn: take what the ports have, walk it through the stages, hand to the
 * ports what they have room for. Bounded work; no locks, logs, system calls.
 *
 * @param now nanoseconds, never less than before
 * @return packets received plus packets sent
 */
unsigned int fcn_poll_once(struct fcn_worker *w, uint64_t now);

/**
 * Earliest time at which a turn has anything to do without a further packet: a
 * queued packet can leave, a pause ends, a pause frame is due, congestion
 * ends; FCN_TIME_NEVER when there is nothing of that kind.
 */
uint64_t fcn_worker_next_event(const struct fcn_worker *w, uint64_t now);

/**
 * Have a function run by the worker between two turns, and wait until it has.
 * From the one control thread only.
 */
void fcn_worker_call(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg);

/**
 * Remove a port of the one worker of a switch, while the worker runs or not; what is queued for it
 * is dropped as "port_gone". From the one control thread only.
 */
void fcn_worker_port_remove(struct fcn_worker *w, uint16_t port);

/** Set all counters to zero. Within fcn_worker_call(), or while it does not run. */
void fcn_worker_clear_counters(struct fcn_worker *w);

/**
 * Clear the counters of one of several workers, unless it has done so since conf.clears was last
 * raised. To clear the counters of all workers, raise the number, and then let each worker call
 * this function by fcn_worker_call(). A worker that receives a packet from a worker that has
 * cleared its counters clears its own first. So no packet counts as received after the clearing and
 * as sent before it.
 */
void fcn_worker_clear_counters_once(struct fcn_worker *w);

/**
 * A turn without packets, for a switch that is stopped: only serves calls and
 * reports quiescent.
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

/** Add the packet accounting of one kind or worker to another. */
void fcn_notice_accounting_add(
		struct fcn_notice_accounting *sum, const struct fcn_notice_accounting *l);

/** Number of notices that were lost after they were made, for any reason. */
uint64_t fcn_notice_accounting_lost(const struct fcn_notice_accounting *l);

/** Add the counters of a port to a sum. */
void fcn_conservation_add(struct fcn_conservation *sum, const struct fcn_port_counters *c);

/**
 * carried + received + generated + returned + replicated = transmitted + dropped + consumed +
 * queued + between; and when no worker runs, the rings between workers contain as many packets as
 * the counters say.
 */
static inline bool
fcn_conservation_holds(const struct fcn_conservation *c)
{
	return c->carried + c->received + c->generated + c->returned + c->replicated ==
			       c->transmitted + c->dropped + c->consumed + c->queued + c->between &&
	       (c->working || c->waiting == c->between);
}

#endif /* FCN_WORKER_H */
