/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The decision what to do about a packet that met congestion: which kinds of
 * notices are due, which of these the limits let be sent, whether the packet is
 * CE-marked, and why not (draft-xiao-rtgwg-rocev2-fast-cnp sections 4 and 5).
 */

#ifndef FCN_NOTIFY_H
#define FCN_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"
#include "fcn_hash_key.h"
#include "fcn_notice_kind.h"
#include "fcn_parse.h"
#include "fcn_port_limit.h"
#include "fcn_time_cache.h"

/** Policy of one kind of notice; part of the configuration, read only for workers. */
struct fcn_notify_conf {
	const struct fcn_notice_kind *kind;
	const struct fcn_notice_common *common; /**< what it shares with the other kinds */
	void *own;                              /**< the kind's own configuration */
	uint32_t interval_ns;                   /**< shortest time between two notices for a flow */
	uint32_t queue_cost_ns; /**< bucket per congested queue: nanoseconds a token, 0: no limit */
	uint32_t queue_burst;   /**< ... tokens saved up */
	uint64_t global_cost_ns; /**< bucket of all notices: nanoseconds a token, 0: no limit */
	uint32_t global_burst;
	uint32_t dest_cost_ns; /**< bucket per receiver of notices: nanoseconds a token, 0: no limit
				*/
	uint32_t dest_burst;
};

/** Policy of all kinds; part of the configuration, read only for workers. */
struct fcn_notices_conf {
	uint8_t on;      /**< bit set: kinds that are sent */
	uint8_t n_kinds; /**< kinds there are */
	struct fcn_notice_common common;
	struct fcn_notify_conf kind[FCN_NOTICE_KIND_MAX];
};

/** Counters. wanted = sum of sent + sum of suppressed, always. */
struct fcn_notify_stats {
	uint64_t verdict[FCN_NOTIFY_VERDICT_COUNT];
};

/** Packets of which a notice was sent. */
uint64_t fcn_notify_sent(const struct fcn_notify_stats *stats);

/** Packets of which a limit suppressed the notice. */
uint64_t fcn_notify_suppressed(const struct fcn_notify_stats *stats);

/** A queue is a port and a class. */
#define FCN_NOTIFY_CLASSES 8

/*
 * In `show notify`; the form of the list is described in fcn_counter.h. A flow that was forgotten
 * may be notified once before its interval has passed.
 */
#define FCN_NOTIFY_STATE_COUNTERS(X)                                 \
	X(forgotten, "forgotten", COUNTER, "notify_forgotten_flows", \
			"Flows that others took the place of before their interval had passed")

/** State of one kind of notice; one a worker. */
struct fcn_notify_state {
	struct fcn_hash_key key;            /**< of the caches; the fixed one unless it is set */
	struct fcn_time_cache flows;        /**< when a flow was last notified */
	struct fcn_time_cache destinations; /**< bucket of each receiver of notices */
	/** Buckets of the congested queues, and of all of this kind: when each is full again. */
	uint64_t queue_tat[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	uint64_t global_tat;
	FCN_NOTIFY_STATE_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t aged_ns; /**< when the caches were last aged */
	/** By congested queue. */
	struct fcn_notify_stats stats[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
};

/**
 * @param flow_sets sets of the flow cache, power of two; eight flows and 64 bytes each
 * @param dest_sets sets of the cache of receivers
 * @return 0 or a negative errno
 */
int fcn_notify_state_init(
		struct fcn_notify_state *state, uint32_t flow_sets, uint32_t dest_sets, int socket);
void fcn_notify_state_fini(struct fcn_notify_state *state);
void fcn_notify_state_clear_stats(struct fcn_notify_state *state);

/** The caches are aged this often. */
#define FCN_NOTIFY_AGE_NS 1000000

/** The part of fcn_notify_age() that is done now and then. */
void fcn_notify_age_caches(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now);

/**
 * Let time pass: times of long ago are forgotten, before they look recent again. Decisions see to
 * that by themselves; a worker also calls this each turn, so that there is little to do at once.
 */
static inline void
fcn_notify_age(const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now)
{
	if (unlikely(now - state->aged_ns >= FCN_NOTIFY_AGE_NS))
		fcn_notify_age_caches(conf, state, now);
}

/** What to do about one packet, as far as one kind of notice is concerned. */
struct fcn_notify_decision {
	uint64_t flow;      /**< a notice is to be built: hash of the flow */
	uint32_t verdict;   /**< enum fcn_notify_verdict, see fcn_notify_verdict_name() */
	bool replaces_mark; /**< the packet needs no CE mark for its sender to know */
};

/**
 * A configuration with other rates, perhaps, is in force. What another rate took of the bucket of a
 * queue, or of that of all notices, is not paid back at the rate of now: a bucket is at most as far
 * ahead of the clock as its rate and burst can bring it.
 */
void fcn_notify_reconfigure(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now);

struct fcn_notice_route;

/** How far a notice would get on its route. */
enum fcn_notify_reach {
	FCN_NOTIFY_REACH_NONE,     /**< it cannot leave the switch */
	FCN_NOTIFY_REACH_NO_TRACE, /**< it leaves by an edge of the IOAM domain: without a trace */
	FCN_NOTIFY_REACH_ALL,      /**< it leaves as it is */
};

/** The congested queue, and what the worker has to say about a notice now. */
struct fcn_notify_place {
	uint16_t port;
	uint8_t class;
	/** Why no notice can be made now (BURST_FULL, NO_MBUF) or is to be (CONTRIBUTOR), or NONE
	 */
	enum fcn_notify_verdict refuse;
	/**
	 * How far the notice would get on its way to the address it goes to. This is asked
	 * last before the token buckets, so that packets within the minimum interval cost nothing.
	 * NULL: FCN_NOTIFY_REACH_ALL.
	 */
	enum fcn_notify_reach (*find_route)(struct fcn_notice_route *route, const uint8_t to[16]);
	struct fcn_notice_route
			*route; /**< the first argument of find_route; its owner knows what it is */
};

/**
 * Hash of the flow a packet is of: of RoCEv2 over IPv6 the one notices are
 * spaced by (source, last destination, destination queue pair), else of the outer addresses and
 * ports; 0 when it is not IP.
 */
uint64_t fcn_notify_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info);

/**
 * Decide about a packet that met congestion, for one kind of notice that is on.
 *
 * A packet whose notice stands in for the CE mark (struct fcn_notice_due.replaces_mark) needs none
 * when that notice is sent, or was within the minimum interval; when another limit suppressed it,
 * or it cannot reach whom it goes to, the mark stands in for it.
 *
 * @param data  the frame
 * @param info  result of fcn_parse() on it
 * @param place where it met congestion
 * @param now   nanoseconds
 */
struct fcn_notify_decision fcn_notify_decide(const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, const uint8_t *data,
		const struct fcn_wire_info *info, const struct fcn_notify_place *place,
		uint64_t now);

/**
 * Whether a flow was notified lately, by the cache that spaces its notices.
 *
 * @param within_ns below 2^31
 */
bool fcn_notify_was_notified(const struct fcn_notify_state *state, const uint8_t sender[16],
		const uint8_t receiver[16], uint32_t dest_qp, uint64_t now, uint64_t within_ns);

/** IPv6 source address of a packet, the inner one in a tunnel: whom a notice goes to. */
static inline const uint8_t *
fcn_notify_sender(const uint8_t *data, const struct fcn_wire_info *info)
{
	return data + info->inner_l3_off + offsetof(struct rte_ipv6_hdr, src_addr);
}

#endif /* FCN_NOTIFY_H */
