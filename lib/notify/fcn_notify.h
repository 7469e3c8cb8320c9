/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The decision what to do about a packet that met congestion: whether its
 * sender gets a Fast CNP, whether the packet is CE-marked, and why not
 * (draft-xiao-rtgwg-rocev2-fast-cnp sections 4 and 5).
 */

#ifndef FCN_NOTIFY_H
#define FCN_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_hash_key.h"
#include "fcn_fastcnp.h"
#include "fcn_parse.h"
#include "fcn_port_limit.h"
#include "fcn_prefix_list.h"
#include "fcn_time_cache.h"

/*
 * What became of a packet that met congestion in a queue with notices on:
 * X(symbol, name, text). Up to LAST_INELIGIBLE no notice is due; from
 * INTERVAL on one was wanted, so that wanted = sent + suppressed by reason.
 */
#define FCN_NOTIFY_VERDICTS(X)                                                                   \
	X(NONE, "none", "met no congestion, or notices are off")                                 \
	X(NOT_ROCE, "not_roce", "not RoCEv2, or malformed")                                      \
	X(NOT_DATA, "not_data", "acknowledgement or CNP")                                        \
	X(IPV4, "ipv4", "RoCEv2 over IPv4, for which no Fast CNP exists")                        \
	X(TUNNELLED, "tunnelled", "RoCEv2 inside a tunnel")                                      \
	X(SOURCE, "source", "source address is not one to answer")                               \
	X(SENDER_NONE, "sender_none", "sender does not understand Fast CNP")                     \
	X(INTERVAL, "interval", "flow was notified less than the minimum interval ago")          \
	X(CONTRIBUTOR, "contributor", "flow holds less than its part of the queue")              \
	X(BUCKET_QUEUE, "bucket_queue", "token bucket of the congested queue is empty")          \
	X(BUCKET_GLOBAL, "bucket_global", "token bucket of all notices is empty")                \
	X(BUCKET_DESTINATION, "bucket_destination",                                              \
			"token bucket of the notice's receiver is empty")                        \
	X(BURST_FULL, "burst_full", "more notices in one turn than a worker makes")              \
	X(NO_MBUF, "no_mbuf", "no buffer for the notice")                                        \
	X(UNREACHABLE, "unreachable",                                                            \
			"no route, neighbour or link inside the domain by which a notice could " \
			"reach "                                                                 \
			"the sender")                                                            \
	X(SENT_OPT1, "sent_option1", "Fast CNP with option 1 made")                              \
	X(SENT_OPT2, "sent_option2", "Fast CNP with option 2 made")                              \
	X(SENT_TOO_LONG, "sent_ioam_too_long",                                                   \
			"Fast CNP with option 1 made, as the IOAM trace does not fit option 2")  \
	X(SENT_EDGE, "sent_ioam_edge",                                                           \
			"Fast CNP with option 1 made, as its way back crosses the edge of the "  \
			"IOAM domain")

enum fcn_notify_verdict {
#define FCN_NOTIFY_ENUM(sym, name, text) FCN_NOTIFY_##sym,
	FCN_NOTIFY_VERDICTS(FCN_NOTIFY_ENUM)
#undef FCN_NOTIFY_ENUM
	FCN_NOTIFY_VERDICT_COUNT,
};

static inline bool
fcn_notify_verdict_is_sent(enum fcn_notify_verdict v)
{
	return v >= FCN_NOTIFY_SENT_OPT1;
}

static inline bool
fcn_notify_verdict_is_suppressed(enum fcn_notify_verdict v)
{
	return v >= FCN_NOTIFY_INTERVAL && v < FCN_NOTIFY_SENT_OPT1;
}

const char *fcn_notify_verdict_name(enum fcn_notify_verdict v);
const char *fcn_notify_verdict_text(enum fcn_notify_verdict v);

/** What is known of a sender's understanding of Fast CNP. */
enum fcn_sender_capability {
	FCN_SENDER_UNKNOWN, /**< notify, and CE-mark as well where marking and mark-unknown are on
			     */
	FCN_SENDER_CAPABLE, /**< notify, never CE-mark a packet one notifies for */
	FCN_SENDER_NONE,    /**< CE-mark only */
};

/** Policy; part of the configuration, read only for workers. */
struct fcn_notify_conf {
	bool fast_cnp;     /**< Fast CNPs are sent at all */
	bool mark_unknown; /**< CE-mark packets of senders of unknown capability one notifies for */
	uint8_t class;     /**< class queue of the notices */
	uint32_t interval_ns;   /**< shortest time between two notices for a flow */
	uint32_t queue_cost_ns; /**< bucket per congested queue: nanoseconds a token, 0: no limit */
	uint32_t queue_burst;   /**< ... tokens saved up */
	uint64_t global_cost_ns; /**< bucket of all notices: nanoseconds a token, 0: no limit */
	uint32_t global_burst;
	uint32_t dest_cost_ns; /**< bucket per receiver of notices: nanoseconds a token, 0: no limit
				*/
	uint32_t dest_burst;
	enum fcn_sender_capability default_capability;
	struct fcn_prefix_list *senders; /**< capability by prefix of the data's source, or NULL */
	struct fcn_fastcnp_template fastcnp;
};

/** Counters. wanted = sum of sent + sum of suppressed, always. */
struct fcn_notify_stats {
	uint64_t verdict[FCN_NOTIFY_VERDICT_COUNT];
};

/** A queue is a port and a class. */
#define FCN_NOTIFY_CLASSES 8

/** State; one a worker. */
struct fcn_notify_state {
	struct fcn_hash_key key;            /**< of the caches; the fixed one unless it is set */
	struct fcn_time_cache flows;        /**< when a flow was last notified */
	struct fcn_time_cache destinations; /**< bucket of each receiver of notices */
	/** Buckets of the congested queues, and of all: when each is full again. */
	uint64_t queue_tat[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	uint64_t global_tat;
	/** Flows whose place in the cache another took before their interval had passed: each may
	 * be notified too early, once. */
	uint64_t forgotten;
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

/** What to do about one packet. */
struct fcn_notify_decision {
	enum fcn_notify_verdict verdict; /**< FCN_NOTIFY_SENT_*: a notice is to be built */
	bool mark;                       /**< CE-mark it, if it is ECT */
	uint64_t flow;                   /**< a notice is to be built: hash of the flow */
};

/**
 * A configuration with other rates, perhaps, is in force. What another rate took of the bucket of a
 * queue, or of that of all notices, is not paid back at the rate of now: a bucket is at most as far
 * ahead of the clock as its rate and burst can bring it.
 */
void fcn_notify_reconfigure(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now);

struct fcn_notify_way;

/** How far a notice would get on its way back to the sender. */
enum fcn_notify_reach {
	FCN_NOTIFY_REACH_NONE,     /**< it cannot leave the switch */
	FCN_NOTIFY_REACH_NO_TRACE, /**< it leaves by an edge of the IOAM domain: without a trace */
	FCN_NOTIFY_REACH_ALL,      /**< it leaves as it is */
};

/** The congested queue, and what the worker has to say about a notice now. */
struct fcn_notify_place {
	uint16_t port;
	uint8_t class;
	bool notify; /**< the queue has notices on, and the packet is above their threshold */
	bool ecn;    /**< the queue has ECN marking on, and the packet is above its threshold */
	/** Why no notice can be made now (BURST_FULL, NO_MBUF) or is to be (CONTRIBUTOR), or NONE
	 */
	enum fcn_notify_verdict refuse;
	/**
	 * How far a notice would get on its way back to the sender of the packet. This is asked
	 * last before the token buckets, so that packets within the minimum interval cost nothing.
	 * NULL: FCN_NOTIFY_REACH_ALL.
	 */
	enum fcn_notify_reach (*way_back)(struct fcn_notify_way *way, const uint8_t sender[16]);
	struct fcn_notify_way
			*way; /**< the first argument of way_back; its owner knows what it is */
};

/**
 * Hash of the flow a packet is of: of RoCEv2 over IPv6 the one notices are
 * spaced by (source, last destination, destination queue pair), else of the outer addresses and
 * ports; 0 when it is not IP.
 */
uint64_t fcn_notify_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info);

/**
 * Decide about a packet that met congestion.
 *
 * A capable sender's packet is left unmarked when its sender is notified for
 * it, or was within the minimum interval; when another limit suppressed the
 * notice, or no notice can reach the sender, ECN stands in for it. So is, without
 * mark_unknown, that of a sender of unknown capability.
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

/**
 * Fill the request for a Fast CNP from a data packet.
 *
 * @param verdict FCN_NOTIFY_SENT_*
 * @param buf     where the IPv6 header goes
 */
static inline void
fcn_notify_request(const uint8_t *data, const struct fcn_wire_info *info,
		enum fcn_notify_verdict verdict, uint8_t *buf, struct fcn_fastcnp_request *req)
{
	*req = (struct fcn_fastcnp_request){
			.sender = fcn_notify_sender(data, info),
			.receiver = data + info->final_dst_off,
			.buf = buf,
			.dest_qp = info->dest_qp,
			.src_port = info->src_port,
			.p_key = info->p_key,
	};
	if (unlikely(verdict == FCN_NOTIFY_SENT_OPT2)) {
		/* behind Option Type, Opt Data Len, Reserved, IOAM Opt-Type */
		req->trace = data + info->ioam_off + 4;
		req->trace_len = info->ioam_len - 2;
		req->trace_type = data[info->ioam_off + 3];
	}
}

#endif /* FCN_NOTIFY_H */
