/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The decision about a packet that met congestion, for one kind of notice: whether a notice is due,
 * which only the kind knows, and the limits, which are the same for all kinds. Used by the files of
 * the kinds only. Each of them has the whole decision compiled for its own rule, so that a packet
 * costs one indirect call.
 */

#ifndef NOTICE_DECIDE_H
#define NOTICE_DECIDE_H

#include <string.h>

#include "fcn_notify.h"

/** The answer of a kind to the question whether a notice about a packet is due. */
struct fcn_notice_due {
	/** address that the notice would go to, 16 bytes: IPv6, or IPv4-mapped */
	const uint8_t *to;
	uint8_t reason; /**< FCN_NOTIFY_NONE when a notice is due; otherwise why it is not, one of
			   NOT_ROCE to PROXY_UNUSABLE */
	uint8_t form;   /**< form that the notice would have, 0 to FCN_NOTICE_FORMS - 1 */
	uint16_t len;   /**< length that the notice would have, from its IP header on */
	uint16_t edge_len;  /**< the same with edge_form */
	uint8_t edge_form;  /**< form where the notice leaves by an edge of the IOAM domain, which a
			       trace must not cross (RFC 9486 section 4) */
	bool replaces_mark; /**< the notified sender needs no CE mark on the packet */
};

/**
 * Check whether a notice about a packet is due. The limits are applied afterwards.
 *
 * @param conf   the kind's own configuration
 * @param common the settings that all kinds share
 * @param data   the frame
 * @param info   result of fcn_parse() on the frame
 * @param due    result, zeroed by the caller; without a reason, all members are to be set
 */
typedef void fcn_notice_due_fn(const void *conf, const struct fcn_notice_common *common,
		const uint8_t *data, const struct fcn_wire_info *info, struct fcn_notice_due *due);

/*
 * The caches choose a set by one half of the 64-bit hash and recognise the flow by the other, so
 * both halves have to be good. The hash of a flow is made of a hash of each of its ends.
 */
static inline uint64_t
fcn_notify_hash_sender(const struct fcn_hash_key *key, const uint8_t *addr)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_pair(key, words[0], words[1]);
}

static inline uint64_t
fcn_notify_hash_receiver(const struct fcn_hash_key *key, const uint8_t *addr, uint32_t dest_qp)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_other_pair(key, words[0] ^ dest_qp, words[1]);
}

/**
 * Compute the hash of a packet's flow, to which the minimum interval applies.
 *
 * @param sender result: the hash of the address at fcn_notify_sender(), which may be the receiver
 * of the notice
 */
typedef uint64_t fcn_notice_flow_fn(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint64_t *sender);

/** The flow of RoCEv2 over IPv6: addresses and destination queue pair. */
static inline uint64_t
fcn_notice_roce_flow(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint64_t *sender)
{
	*sender = fcn_notify_hash_sender(key, fcn_notify_sender(data, info));
	return *sender ^ fcn_notify_hash_receiver(key, data + info->final_dst_off, info->dest_qp);
}

/*
 * Check whether a token bucket has a token, in the virtual scheduling form of GCRA (ITU-T I.371):
 * tat is the time at which the bucket is full. The caller that takes the token stores *next as the
 * new time.
 */
static inline bool
fcn_notify_bucket_has_token(
		uint64_t tat, uint64_t cost_ns, uint32_t burst, uint64_t now, uint64_t *next)
{
	uint64_t full = RTE_MAX(tat, now);

	*next = full + cost_ns;
	return cost_ns == 0 || full - now <= cost_ns * (burst - 1);
}

/**
 * Get the bucket of the receiver of a notice.
 *
 * @param port by which the notice would leave, or FCN_NOTIFY_NO_LINK
 */
static inline struct fcn_notify_bucket
fcn_notify_receiver_bucket(const struct fcn_notify_conf *conf, uint16_t port)
{
	if (port != FCN_NOTIFY_NO_LINK && conf->common->receiver_by_link)
		return conf->common->receiver[port];
	return (struct fcn_notify_bucket){conf->dest_cost_ns, conf->dest_burst};
}

/**
 * Take a token of the bucket of the receiver of a notice that is another node in place of the
 * sender, and of the bucket of the sender. If one has none, none is taken.
 *
 * @param bucket of the receiver
 * @param sender hash of the sender
 * @return FCN_NOTIFY_NONE, or which bucket had none
 */
enum fcn_notify_verdict fcn_notify_take_in_place(const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, struct fcn_notify_bucket bucket, const uint8_t *to,
		uint64_t sender, uint64_t now);

/*
 * Apply the limits. When one limit refuses, no token of another may be taken. Therefore all limits
 * that can be read without a change are checked first, then the buckets by address, which take
 * their tokens at once, and only then the tokens of the others are taken.
 */
static __rte_always_inline enum fcn_notify_verdict
fcn_notify_limits(fcn_notice_flow_fn *flow_of, const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, const uint8_t *data,
		const struct fcn_wire_info *info, const struct fcn_notify_place *place,
		const struct fcn_notice_due *due, uint64_t now, uint64_t *flow)
{
	const uint8_t *sender = fcn_notify_sender(data, info);
	uint64_t from;
	const struct fcn_notify_bucket *queue = &conf->common->queue[place->port][place->class];
	uint64_t *queue_tat = &state->queue_tat[place->port][place->class];
	struct fcn_notify_way way = {.port = FCN_NOTIFY_NO_LINK};
	enum fcn_notify_reach reach = FCN_NOTIFY_REACH_ALL;
	struct fcn_limit_cache_place cached;
	struct fcn_notify_bucket receiver;
	enum fcn_notify_verdict why;
	uint64_t queue_next, global_next;

	*flow = flow_of(&state->key, data, info, &from);
	if (!fcn_limit_cache_interval_check(&state->flows, *flow, now, conf->interval_ns, &cached))
		return FCN_NOTIFY_INTERVAL;
	if (place->refuse != FCN_NOTIFY_NONE)
		return place->refuse;
	if (place->find_route != NULL)
		reach = place->find_route(place->route, due->to, &way);
	if (reach == FCN_NOTIFY_REACH_NONE)
		return FCN_NOTIFY_UNREACHABLE;
	if (way.port != FCN_NOTIFY_NO_LINK &&
			!fcn_notify_link_has_room(&conf->common->link[way.port],
					place->link_full[way.port], now))
		return FCN_NOTIFY_BUCKET_LINK;
	if (!fcn_notify_bucket_has_token(
			    *queue_tat, queue->cost_ns, queue->burst, now, &queue_next))
		return FCN_NOTIFY_BUCKET_QUEUE;
	if (!fcn_notify_bucket_has_token(state->global_tat, conf->global_cost_ns,
			    conf->global_burst, now, &global_next))
		return FCN_NOTIFY_BUCKET_GLOBAL;
	state->has_entries = true;
	receiver = fcn_notify_receiver_bucket(conf, way.port);
	if (unlikely(due->to != sender)) {
		why = fcn_notify_take_in_place(conf, state, receiver, due->to, from, now);
		if (why != FCN_NOTIFY_NONE)
			return why;
	} else if (receiver.cost_ns != 0 && !fcn_limit_cache_bucket(&state->destinations, from, now,
							    receiver.cost_ns, receiver.burst)) {
		return FCN_NOTIFY_BUCKET_DESTINATION;
	}
	if (way.port != FCN_NOTIFY_NO_LINK)
		fcn_notify_link_charge(&conf->common->link[way.port], &place->link_full[way.port],
				way.head + (likely(reach == FCN_NOTIFY_REACH_ALL) ? due->len
										  : due->edge_len),
				now);
	*queue_tat = queue_next;
	state->global_tat = global_next;
	state->forgotten += fcn_limit_cache_interval_grant(&cached, now, conf->interval_ns);
	return FCN_NOTIFY_SENT +
	       (likely(reach == FCN_NOTIFY_REACH_ALL) ? due->form : due->edge_form);
}

/** fcn_notify_decide() with the rule and the flows of one kind. */
static __rte_always_inline struct fcn_notify_decision
fcn_notice_decide_by(fcn_notice_due_fn *rule, fcn_notice_flow_fn *flow_of,
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info,
		const struct fcn_notify_place *place, uint64_t now)
{
	struct fcn_notice_due due = {0};
	enum fcn_notify_verdict verdict;
	uint64_t flow = 0;
	bool replaces = false;

	fcn_notify_age(conf, state, now);
	rule(conf->own, conf->common, data, info, &due);
	verdict = due.reason;
	if (likely(verdict == FCN_NOTIFY_NONE)) {
		verdict = fcn_notify_limits(
				flow_of, conf, state, data, info, place, &due, now, &flow);
		replaces = due.replaces_mark && fcn_notify_verdict_is_told(verdict);
	}
	state->stats[place->port][place->class].verdict[verdict]++;
	return (struct fcn_notify_decision){flow, verdict, replaces};
}

/**
 * Define a function for the member `decide` of struct fcn_notice_kind.
 *
 * @param name of the function
 * @param rule of the kind, a function of the type fcn_notice_due_fn
 * @param flow_of the flows of the kind, a function of the type fcn_notice_flow_fn
 */
#define FCN_NOTICE_DECIDE_FLOW(name, rule, flow_of)                                              \
	static struct fcn_notify_decision name(const struct fcn_notify_conf *conf,               \
			struct fcn_notify_state *state, const uint8_t *data,                     \
			const struct fcn_wire_info *info, const struct fcn_notify_place *place,  \
			uint64_t now)                                                            \
	{                                                                                        \
		return fcn_notice_decide_by(rule, flow_of, conf, state, data, info, place, now); \
	}

/** The same for a kind whose notices are about RoCEv2 over IPv6. */
#define FCN_NOTICE_DECIDE(name, rule) FCN_NOTICE_DECIDE_FLOW(name, rule, fcn_notice_roce_flow)

#endif /* NOTICE_DECIDE_H */
