/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What would become of a packet: a dry run is a worker that no thread runs, with the snapshot of a
 * switch and a copy of the state that decides about one packet. The packet passes the stages of
 * the dataplane in it, up to the class queues, and nothing of the switch changes.
 *
 * The state is not copied as a whole, as caches and tables are large. A first dry run, which knows
 * nothing, tells which queue the packet comes to and by which keys tables are asked. The workers of
 * the switch then copy what they have under these, and the packet passes another dry run, until
 * that asks for nothing new. fcn_control_explain() does this.
 *
 * What is not copied: bytes in rings of devices that packets wait for between two workers, and the
 * state of messages to upstream neighbours. A packet that waits for its neighbour's address is left
 * to the host functions, as in the switch, and what they do is not followed.
 *
 * The functions named fcn_dry_run_read_*() are for fcn_worker_read(); the control thread makes all
 * other calls. Times are in nanoseconds of the workers' clock.
 */

#ifndef FCN_DRY_RUN_H
#define FCN_DRY_RUN_H

#include "fcn_worker_group.h"

/** Longest packet, bytes without FCS. */
#define FCN_DRY_RUN_MAX_LEN 16384
/** Packet buffers that a dry run needs besides those of the packet and of its copies. */
#define FCN_DRY_RUN_MBUFS 128

/** A set of struct fcn_limit_cache, without the alignment of a cache line: what workers read for
 * the control thread is copied to where it comes. */
struct fcn_dry_run_set {
	uint32_t sig[FCN_LIMIT_CACHE_WAYS];
	uint32_t time[FCN_LIMIT_CACHE_WAYS];
};

_Static_assert(sizeof(struct fcn_dry_run_set) == sizeof(struct fcn_limit_cache_set),
		"they have the same members");

/** What the worker that received a packet knows. */
struct fcn_dry_run_receiver {
	/* set by the caller */
	uint16_t in_port;       /**< the interface that the packet belongs to */
	uint16_t parent;        /**< the port that received it */
	bool has_mac;           /**< a station of a bridge is asked for: */
	struct fcn_mac_key mac; /**< its address */
	uint64_t mac_ageing_ns; /**< time for which an address is known */
	uint32_t mark;          /**< fcn_proxy_mark_find(), or FCN_PROXY_MARKS */
	/* read */
	uint64_t now, epoch_ns;
	int mac_port; /**< port of the station; negative: it is unknown */
	struct fcn_bridge_port bridging;
	uint64_t punt_tat[FCN_PUNT_KIND_COUNT];
	struct fcn_ingress ingress[FCN_CLASSES], ingress_packets[FCN_CLASSES];
	struct fcn_proxy_mark marks[FCN_PROXY_MARK_WAYS];
	bool any_marks; /**< packets of some flows are marked */
};

/** Limits of messages to the switch itself, at the worker that received them. */
struct fcn_dry_run_limits {
	/** END.CON, adaptive routing notifications, congestion notification messages */
	struct fcn_dry_run_limit {
		struct fcn_dry_run_set set[FCN_SOURCE_SETS];
		uint64_t total_tat[FCN_MAX_PORTS];
	} limit[3];
};

/** A class queue. */
struct fcn_dry_run_queue {
	uint32_t packets, slots;
	uint32_t bytes, charged, lossless;
	uint32_t head_ns; /**< when the first packet came, modulo 2^32 */
	struct fcn_detector detector;
};

/** The queues of a port, at the worker that has them. */
struct fcn_dry_run_port {
	/* set by the caller */
	uint16_t port;
	uint8_t heavy; /**< bit set of the classes of which the bytes of each flow are wanted */
	/* read */
	bool open;
	bool ring_known; /**< the device reports how much its ring holds */
	uint8_t held, dropping, paused, halted, congested;
	uint32_t ring_bytes;
	struct fcn_dry_run_queue queue[FCN_CLASSES];
	struct fcn_flow_occupancy flows[FCN_CLASSES];
};

/** What the worker that has the packet's queue decides by. */
struct fcn_dry_run_decider {
	/* set by the caller */
	uint16_t port;
	unsigned int n_keys; /**< 0 to 2: what may be held, by service and by flow */
	struct fcn_held_key key[2];
	struct fcn_notify_keys notify[FCN_NOTICE_KIND_MAX]; /**< by kind */
	/* read */
	uint64_t now;
	struct fcn_random random;
	struct fcn_buffer buffer;
	struct fcn_packet_use packets;
	struct fcn_notify_link_shares notify_link[FCN_MAX_PORTS];
	struct fcn_notify_link_shares loss_link[FCN_MAX_PORTS];
	struct fcn_notify_link_shares trim_link; /**< of the port */
	struct {
		uint64_t global_tat;
		struct fcn_notify_shares global_share;
		uint64_t queue_tat[FCN_NOTIFY_CLASSES];
		struct fcn_notify_shares share[FCN_NOTIFY_CLASSES];
		uint32_t mask; /**< of the cache of destinations */
		struct fcn_dry_run_set flow, destination[2];
	} kind[FCN_NOTICE_KIND_MAX];
	bool is_held[2]; /**< `held` is the flow of the key */
	struct fcn_held_flow held[2];
	uint32_t held_packets; /**< of all flows */
	uint64_t held_bytes;
};

/** All that is known for one packet. */
struct fcn_dry_run_facts {
	struct fcn_dry_run_receiver receiver;
	struct fcn_dry_run_limits *limits;            /**< NULL: not read */
	struct fcn_dry_run_decider *decider;          /**< NULL: not read */
	struct fcn_dry_run_port *port[FCN_MAX_PORTS]; /**< NULL: not read; its queues are empty */
};

/** Read struct fcn_dry_run_receiver. */
void fcn_dry_run_read_receiver(struct fcn_worker *w, void *arg);
/** Read struct fcn_dry_run_limits. */
void fcn_dry_run_read_limits(struct fcn_worker *w, void *arg);
/** Read struct fcn_dry_run_port. */
void fcn_dry_run_read_port(struct fcn_worker *w, void *arg);
/** Read struct fcn_dry_run_decider. */
void fcn_dry_run_read_decider(struct fcn_worker *w, void *arg);

struct fcn_dry_run;

/** Parameters of a dry run. */
struct fcn_dry_run_conf {
	const char *name; /**< as for a worker */
	int socket;
	struct rte_mempool *pool; /**< mbufs with a data room of FCN_DATA_ROOM */
	struct fcn_snapshot *snapshot;
	uint64_t hash_secret;      /**< that of the workers */
	struct fcn_port_set ports; /**< those with a link */
};

/** Create a dry run that knows some facts. @return NULL with rte_errno on failure */
struct fcn_dry_run *fcn_dry_run_create(
		const struct fcn_dry_run_conf *conf, const struct fcn_dry_run_facts *facts);

/** Free a dry run, and the packets in it. NULL is allowed. */
void fcn_dry_run_free(struct fcn_dry_run *s);

/**
 * Let the port facts.receiver.parent receive a packet. Called once.
 *
 * @param len at most FCN_DRY_RUN_MAX_LEN, at least 1
 * @return 0 or -ENOMEM
 */
int fcn_dry_run_pass(struct fcn_dry_run *s, const uint8_t *frame, uint32_t len);

/** The packet traces: record 0 is the packet, others are its notices. */
const struct fcn_trace *fcn_dry_run_trace(const struct fcn_dry_run *s);

/** A packet that came to a class queue. */
struct fcn_dry_run_output {
	uint16_t port;
	uint8_t class;
	bool is_notice;
	uint8_t kind; /**< of a notice: enum fcn_notice_kind_number */
	uint32_t len;
};

/**
 * Get the packets that came to class queues, by port and class.
 *
 * @param out written: as many as there are, at most n
 * @return their number
 */
unsigned int fcn_dry_run_outputs(
		const struct fcn_dry_run *s, struct fcn_dry_run_output *out, unsigned int n);

/**
 * Get the first bytes of the packet as it stands in its class queue.
 *
 * @param out room for n bytes
 * @return how many were written; 0: it is in none
 */
uint32_t fcn_dry_run_queued(const struct fcn_dry_run *s, uint8_t *out, uint32_t n);

/**
 * Find out what else would have to be known: what of receiver and decider the caller sets, for the
 * way that the packet took. What the packet did not come to is left as it is.
 *
 * @return whether decider->port was set: the packet came to a class queue
 */
bool fcn_dry_run_wants(const struct fcn_dry_run *s, struct fcn_dry_run_receiver *receiver,
		struct fcn_dry_run_decider *decider);

#endif /* FCN_DRY_RUN_H */
