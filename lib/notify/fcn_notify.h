/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * This library decides about a packet that met congestion: for each kind of notice, whether a
 * notice is sent, and if not, why, and whether the notice makes the CE mark unnecessary. In
 * draft-xiao-rtgwg-rocev2-fast-cnp, section 4 rules when packets are marked, and section 5 asks for
 * limits of the rate.
 *
 * Each worker has a state of its own for each kind; nothing here takes a lock. Times are in
 * nanoseconds of the worker's clock, addresses and packets in network byte order.
 */

#ifndef FCN_NOTIFY_H
#define FCN_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"
#include "fcn_hash_key.h"
#include "fcn_notice_kind.h"
#include "fcn_notify_shares.h"
#include "fcn_parse.h"
#include "fcn_port_limit.h"
#include "fcn_limit_cache.h"
#include "fcn_addr.h"

/**
 * Policy of one kind of notice. It is part of the configuration, and workers only read it. A token
 * bucket is given by the time after which it gains a token (0: the bucket sets no limit) and by the
 * number of tokens that it can hold. The buckets of congested queues are in `common`.
 */
struct fcn_notify_conf {
	const struct fcn_notice_kind *kind;
	const struct fcn_notice_common *common; /**< settings that all kinds share */
	void *own;                              /**< the kind's own configuration */
	uint32_t interval_ns;                   /**< minimum time between two notices for a flow */
	uint64_t global_cost_ns; /**< bucket of all notices of the kind: nanoseconds per token */
	uint32_t global_burst;   /**< bucket of all notices of the kind: tokens that it can hold */
	/** Bucket of each receiver of notices: nanoseconds per token. With common->receiver_by_link
	 * it is only for notices that leave by no link. */
	uint32_t dest_cost_ns;
	uint32_t dest_burst; /**< bucket of each receiver of notices: tokens that it can hold */
	/** Bucket of each sender about whose packets another node is told, which several senders
	 * share. */
	struct fcn_notify_bucket source;
	/** Greatest within_ns with which fcn_notify_was_notified() is called; below 2^31. */
	uint32_t recent_ns;
};

/** Policy of all kinds. It is part of the configuration, and workers only read it. */
struct fcn_notices_conf {
	/** bit set of the kinds about congestion that are switched on: bit enum
	 * fcn_notice_kind_number */
	uint8_t on;
	uint8_t on_loss; /**< likewise, of the kinds about lost packets */
	uint8_t n_kinds; /**< number of kinds */
	/** bit set of those of `on` that yield to others; these decide last, and of these the last
	 * kind of the list decides first, so a kind may yield to a later one that yields, too */
	uint8_t yielding;
	struct fcn_notice_common common;
	struct fcn_notify_conf kind[FCN_NOTICE_KIND_MAX];
	/** By kind: bit set of the kinds to which it yields. If one of them has a receiver for a
	 * packet that can be reached, none of this kind is sent, whether a limit suppresses the
	 * other notice or not. */
	uint8_t yields_to[FCN_NOTICE_KIND_MAX];
	uint8_t yields_always; /**< bit set of the kinds that yield for every packet */
};

/**
 * Packets that met congestion in a queue, by the decision about their notice. A notice was wanted
 * for those counted as sent and for those counted as suppressed.
 */
struct fcn_notify_stats {
	uint64_t verdict[FCN_NOTIFY_VERDICT_COUNT]; /**< by enum fcn_notify_verdict */
};

/** Get the number of packets for which a notice was sent. */
uint64_t fcn_notify_sent(const struct fcn_notify_stats *stats);

/** Get the number of packets whose notice was wanted and suppressed: by a limit, or because there
 * was no room or no route for it. */
uint64_t fcn_notify_suppressed(const struct fcn_notify_stats *stats);

/*
 * In `show notify`; the form of the list is described in fcn_counter.h. A flow that was forgotten
 * may be notified once before its interval has passed.
 */
#define FCN_NOTIFY_STATE_COUNTERS(X)                                                \
	X(forgotten, "forgotten", COUNTER, "notify_forgotten_flows",                \
			"Flows that the flow cache replaced by other flows before " \
			"their minimum interval had passed")

/** State of one kind of notice. Each worker has one for each kind. */
struct fcn_notify_state {
	struct fcn_hash_key key;      /**< of the hashes in the caches; all zero: the fixed key */
	struct fcn_limit_cache flows; /**< when a flow was last notified */
	/** bucket of each receiver of notices, and of each sender about which others are told */
	struct fcn_limit_cache destinations;
	/** Token buckets of congested queues, and of the whole kind: the time at which each is
	 * full. */
	uint64_t queue_tat[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	uint64_t global_tat;
	/** Parts of ingress ports in these buckets. A port alone has all. */
	struct fcn_notify_shares share[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	struct fcn_notify_shares global_share;
	FCN_NOTIFY_STATE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t aged_ns; /**< time at which fcn_notify_age_caches() last ran */
	bool has_entries; /**< the caches had entries once: until then, none has to be aged */
	/** Decisions, by the port and class of the congested queue. */
	struct fcn_notify_stats stats[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
};

/**
 * Initialise the state of one kind, whose bytes are all 0, and allocate its caches.
 *
 * @param flow_sets number of sets of the flow cache, a power of two. A set holds eight flows and
 *                  takes 64 bytes.
 * @param dest_sets number of sets of the cache of receivers, likewise
 * @param socket    NUMA node of the memory
 * @return 0 on success, a negative errno otherwise
 */
int fcn_notify_state_init(
		struct fcn_notify_state *state, uint32_t flow_sets, uint32_t dest_sets, int socket);

/** Free the caches of a state. */
void fcn_notify_state_fini(struct fcn_notify_state *state);

/** Set the counters to zero, those of ports below n_ports. The intervals and token buckets stay as
 * they are. */
void fcn_notify_state_clear_stats(struct fcn_notify_state *state, unsigned int n_ports);

/** Time after which fcn_notify_age() ages the caches again. */
#define FCN_NOTIFY_AGE_NS 1000000

/** Age the caches now; called by fcn_notify_age(). */
void fcn_notify_age_caches(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now);

/**
 * Remove times from the caches that are so old that they would soon look recent again, as the
 * caches hold only 32 bits of a time. fcn_notify_decide() calls this function; a worker also calls
 * it once a turn, so that the work is done in small steps.
 */
static inline void
fcn_notify_age(const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now)
{
	if (unlikely(now - state->aged_ns >= FCN_NOTIFY_AGE_NS))
		fcn_notify_age_caches(conf, state, now);
}

/** The decision about one packet for one kind of notice. */
struct fcn_notify_decision {
	uint64_t flow;      /**< hash of the flow; valid when a notice is to be built */
	uint32_t found;     /**< struct fcn_notify_case.found, likewise */
	uint16_t verdict;   /**< enum fcn_notify_verdict, see fcn_notify_verdict_name() */
	bool replaces_mark; /**< the notice informs the sender, so the packet needs no CE mark */
};

/**
 * Adapt the state to a new configuration, whose rates may differ. The token buckets of queues and
 * of the whole kind may have been drained at a lower rate; so that this does not delay notices for
 * longer than the new rate and burst can, the time at which each is full is brought forward.
 *
 * @param n_ports the queues of ports below this are adapted
 */
void fcn_notify_reconfigure(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		unsigned int n_ports, uint64_t now);

struct fcn_notice_route;

/** Whether a notice can reach the address it goes to, and in which form. */
enum fcn_notify_reach {
	FCN_NOTIFY_REACH_NONE, /**< it cannot leave the switch: there is no route, for example */
	/** It leaves by an edge of the IOAM domain, so it must not carry a trace (RFC 9486 section
	 * 4) */
	FCN_NOTIFY_REACH_NO_TRACE,
	FCN_NOTIFY_REACH_ALL, /**< it can leave the switch with its trace */
};

/** The congested queue, and conditions in the worker that affect the decision. */
struct fcn_notify_place {
	uint16_t port;    /**< egress port of the congested queue */
	uint8_t class;    /**< class of the congested queue */
	uint16_t in_port; /**< ingress port of the packet; not used by fcn_notify_limit() */
	/**
	 * FCN_NOTIFY_NONE, or the reason for which the worker makes no notice about this packet:
	 * NO_MBUF when it cannot, LIGHT_FLOW when policy.heavy_flows is set and the
	 * flow is not heavy.
	 */
	enum fcn_notify_verdict refuse;
	/** By port: the bucket of struct fcn_notify_link, which all kinds of notices about
	 * congestion share. */
	struct fcn_notify_link_shares *link;
	/**
	 * Callback that looks up the route of the notice to the address `to` of struct
	 * fcn_notice_due. It writes `way` if it does not return
	 * FCN_NOTIFY_REACH_NONE. It is
	 * called only when the minimum interval has passed, since a lookup costs time. NULL stands
	 * for a callback that returns FCN_NOTIFY_REACH_ALL, and knows no link.
	 */
	enum fcn_notify_reach (*find_route)(struct fcn_notice_route *route, const uint8_t to[16],
			struct fcn_notify_way *way);
	struct fcn_notice_route *route; /**< argument of find_route(); nothing else uses it */
};

/** The answer of a kind to the question whether a notice about a packet is due. */
struct fcn_notice_due {
	/** Address that the notice would go to, 16 bytes: IPv6, or IPv4-mapped. The pointer
	 * fcn_notify_sender() stands for the sender itself, also for one that has an IPv4 address,
	 * which is then at fcn_notify_sender4(). */
	const uint8_t *to;
	uint8_t reason; /**< FCN_NOTIFY_NONE when a notice is due; otherwise why it is not, one of
			   NOT_ROCE to OTHER_KIND */
	uint8_t form;   /**< form that the notice would have, 0 to FCN_NOTICE_FORMS - 1 */
	uint16_t len;   /**< length that the notice would have, from its IP header on */
	uint16_t edge_len;  /**< the same with edge_form */
	uint8_t edge_form;  /**< form where the notice leaves by an edge of the IOAM domain, which a
			       trace must not cross (RFC 9486 section 4) */
	bool replaces_mark; /**< the notified sender needs no CE mark on the packet */
};

/** A packet that met congestion, and what a kind of notice says about it. */
struct fcn_notify_case {
	const uint8_t *data;              /**< the frame */
	const struct fcn_wire_info *info; /**< result of fcn_parse() on the frame */
	struct fcn_notice_due due;        /**< answer of the kind */
	uint16_t in_port;                 /**< ingress port of the packet */
	/** If a notice is due: what prepare() has found out for build(), as the kind will; 0 before
	 * prepare() is called */
	uint32_t found;
	/* If a notice is due, what the limits need to know. */
	uint64_t flow;                        /**< hash of the flow */
	uint64_t sender;                      /**< hash of the sender */
	struct fcn_limit_cache_set *flow_set; /**< set of the flow in state.flows */
	/** Set of the sender in state.destinations, if the notice goes to the sender itself; NULL
	 * if it goes to another node. */
	struct fcn_limit_cache_set *sender_set;
};

/**
 * Compute the hash of a packet's flow. A flow of RoCEv2 over IPv6, to which the minimum interval
 * applies, is identified by source address, last destination address and destination queue pair.
 * Any other flow is identified by its outer addresses and ports.
 *
 * @return the hash; 0 when the packet is neither IPv4 nor IPv6
 */
uint64_t fcn_notify_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info);

/**
 * Decide about a packet that met congestion, for one kind of notice that is switched on, and count
 * the decision (draft-xiao-rtgwg-rocev2-fast-cnp sections 4 and 5).
 *
 * Where a notice replaces the CE mark (struct fcn_notice_due.replaces_mark), the packet needs no
 * mark if the notice is sent now, or if one was sent within the minimum interval. If another limit
 * suppressed the notice, or if it cannot reach its receiver, the packet is to be marked.
 *
 * @param data  the frame
 * @param info  result of fcn_parse() on the frame
 * @param place where the packet met congestion
 * @param now   nanoseconds; never less than in an earlier call
 */
struct fcn_notify_decision fcn_notify_decide(const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, const uint8_t *data,
		const struct fcn_wire_info *info, const struct fcn_notify_place *place,
		uint64_t now);

/** What the caches of a state hold about a packet: keys of struct fcn_limit_cache. */
struct fcn_notify_keys {
	uint64_t flow;               /**< in `flows` */
	uint64_t destination[2];     /**< in `destinations` */
	unsigned int n_destinations; /**< 0: no notice about the packet is due, so none is asked */
};

/**
 * Get the keys by which fcn_notify_decide() would ask the caches about a packet.
 *
 * @param data the frame
 * @param info result of fcn_parse() on the frame
 * @param keys written in full
 */
void fcn_notify_keys_of(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info,
		struct fcn_notify_keys *keys);

/**
 * Check whether a notice was sent for a flow in the last within_ns nanoseconds. A flow that is
 * not in the cache counts as not notified: another flow may have replaced it, and fcn_notify_age()
 * removes it some time (at most 2^30 ns) after both the minimum interval and recent_ns of the
 * policy have passed.
 *
 * @param sender    IPv6 address of the data's source
 * @param receiver  IPv6 address of the data's last destination
 * @param dest_qp   destination queue pair
 * @param within_ns below 2^31, at most recent_ns of the policy
 */
bool fcn_notify_was_notified(const struct fcn_notify_state *state, const uint8_t sender[16],
		const uint8_t receiver[16], uint32_t dest_qp, uint64_t now, uint64_t within_ns);

/**
 * Get the IPv6 source address of a packet, of the inner header if it is tunnelled. A notice to the
 * sender goes to this address.
 */
static inline const uint8_t *
fcn_notify_sender(const uint8_t *data, const struct fcn_wire_info *info)
{
	return data + info->inner_l3_off + offsetof(struct rte_ipv6_hdr, src_addr);
}

/** Get the IPv4 source address of a packet whose innermost IP header is IPv4, network byte order.
 */
static inline const uint8_t *
fcn_notify_sender4(const uint8_t *data, const struct fcn_wire_info *info)
{
	return data + info->inner_l3_off + offsetof(struct rte_ipv4_hdr, src_addr);
}

/**
 * Get source and final destination of a packet that is IP, of the inner header if it is tunnelled,
 * as words: see fcn_addr_words().
 */
static inline void
fcn_notify_addresses(const uint8_t *data, const struct fcn_wire_info *info, uint64_t sender[2],
		uint64_t receiver[2])
{
	const uint8_t *ip = data + info->inner_l3_off;

	if (likely(!(info->flags & FCN_PKT_INNER_IPV4))) {
		fcn_addr_words(6, ip + offsetof(struct rte_ipv6_hdr, src_addr), sender);
		fcn_addr_words(6, data + info->final_dst_off, receiver);
		return;
	}
	fcn_addr_words(4, ip + offsetof(struct rte_ipv4_hdr, src_addr), sender);
	fcn_addr_words(4, ip + offsetof(struct rte_ipv4_hdr, dst_addr), receiver);
}

/** Check whether a verdict says that the receiver was told: by a notice that is sent now, or by one
 * that was sent for the flow within the minimum interval. */
static inline bool
fcn_notify_verdict_is_told(unsigned int v)
{
	return fcn_notify_verdict_is_sent(v) || v == FCN_NOTIFY_INTERVAL;
}

/** Check whether a verdict says that there is a receiver, and that it can be reached: it was told,
 * or a limit keeps the notice back. */
static inline bool
fcn_notify_verdict_has_receiver(unsigned int v)
{
	return v >= FCN_NOTIFY_INTERVAL && v != FCN_NOTIFY_UNREACHABLE;
}

#endif /* FCN_NOTIFY_H */
