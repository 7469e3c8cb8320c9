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
fcn_notify_hash_sender(const struct fcn_hash_prepared *key, const uint8_t *addr)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_prepared_pair(key, words[0], words[1]);
}

static inline uint64_t
fcn_notify_hash_receiver(const struct fcn_hash_prepared *key, const uint8_t *addr, uint32_t dest_qp)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_prepared_other_pair(key, words[0] ^ dest_qp, words[1]);
}

/**
 * Compute the hash of a packet's flow, to which the minimum interval applies.
 *
 * @param sender result: the hash of the address at fcn_notify_sender(), which may be the receiver
 * of the notice
 */
typedef uint64_t fcn_notice_flow_fn(const struct fcn_hash_prepared *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint64_t *sender);

/** The flow of RoCEv2 over IPv6: addresses and destination queue pair. */
static inline uint64_t
fcn_notice_roce_flow(const struct fcn_hash_prepared *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint64_t *sender)
{
	*sender = fcn_notify_hash_sender(key, fcn_notify_sender(data, info));
	return *sender ^ fcn_notify_hash_receiver(key, data + info->final_dst_off, info->dest_qp);
}

/**
 * A token bucket in the virtual scheduling form of GCRA (ITU-T I.371), during a turn, in which the
 * time stands still.
 */
struct fcn_notify_gate {
	uint64_t tat;     /**< time at which the bucket is full, now or later */
	uint64_t last;    /**< the latest such time with which there is a token */
	uint64_t cost_ns; /**< nanoseconds for each token; 0: there is no limit */
};

/** Read a bucket. @param tat time at which it is full */
static inline struct fcn_notify_gate
fcn_notify_gate_begin(uint64_t tat, uint64_t cost_ns, uint32_t burst, uint64_t now)
{
	return (struct fcn_notify_gate){
			.tat = RTE_MAX(tat, now),
			.last = cost_ns == 0 ? UINT64_MAX : now + cost_ns * (burst - 1),
			.cost_ns = cost_ns,
	};
}

/** Check whether a bucket has a token. To take it is to add cost_ns to tat. */
static inline bool
fcn_notify_gate_has_token(const struct fcn_notify_gate *gate)
{
	return gate->tat <= gate->last;
}

/** The limits of one queue and of the whole kind, while packets of this queue are decided about. */
struct fcn_notify_gates {
	struct fcn_notify_gate queue;
	struct fcn_notify_gate global;
	bool taken; /**< a token of each was taken, so that they have to be written back */
};

static inline struct fcn_notify_gates
fcn_notify_gates_begin(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		const struct fcn_notify_place *place, uint64_t now)
{
	const struct fcn_notify_bucket *queue = &conf->common->queue[place->port][place->class];

	return (struct fcn_notify_gates){
			.queue = fcn_notify_gate_begin(state->queue_tat[place->port][place->class],
					queue->cost_ns, queue->burst, now),
			.global = fcn_notify_gate_begin(state->global_tat, conf->global_cost_ns,
					conf->global_burst, now),
	};
}

static inline void
fcn_notify_gates_end(const struct fcn_notify_gates *gates, struct fcn_notify_state *state,
		const struct fcn_notify_place *place)
{
	if (gates->taken) {
		state->queue_tat[place->port][place->class] = gates->queue.tat;
		state->global_tat = gates->global.tat;
	}
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

/** Compute what the limits need to know of a packet about which a notice is due. */
static __rte_always_inline void
fcn_notify_case_flow(fcn_notice_flow_fn *flow_of, const struct fcn_hash_key *key,
		struct fcn_notify_case *c)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);

	c->flow = flow_of(&prepared, c->data, c->info, &c->sender);
	c->to_sender = c->due.to == fcn_notify_sender(c->data, c->info);
}

/*
 * Apply the limits. When one limit refuses, no token of another may be taken. Therefore all limits
 * that can be read without a change are checked first, then the buckets by address, which take
 * their tokens at once, and only then the tokens of the others are taken.
 */
static __rte_always_inline enum fcn_notify_verdict
fcn_notify_limits(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		struct fcn_notify_gates *gates, const struct fcn_notify_place *place,
		const struct fcn_notify_case *c, uint64_t now)
{
	struct fcn_notify_way way = c->way;
	enum fcn_notify_reach reach = c->reach;
	struct fcn_limit_cache_place cached;
	struct fcn_notify_bucket receiver;
	enum fcn_notify_verdict why;

	if (!fcn_limit_cache_interval_check(
			    &state->flows, c->flow, now, conf->interval_ns, &cached))
		return FCN_NOTIFY_INTERVAL;
	if (place->refuse != FCN_NOTIFY_NONE)
		return place->refuse;
	if (unlikely(reach == FCN_NOTIFY_REACH_UNKNOWN)) {
		/* The address of a variable of its own is passed, so that `way` needs no memory. */
		struct fcn_notify_way found = way;

		reach = place->find_route(c->route, c->due.to, &found);
		way = found;
	}
	if (reach == FCN_NOTIFY_REACH_NONE)
		return FCN_NOTIFY_UNREACHABLE;
	if (way.port != FCN_NOTIFY_NO_LINK &&
			!fcn_notify_link_has_room(&conf->common->link[way.port],
					place->link_full[way.port], now))
		return FCN_NOTIFY_BUCKET_LINK;
	if (!fcn_notify_gate_has_token(&gates->queue))
		return FCN_NOTIFY_BUCKET_QUEUE;
	if (!fcn_notify_gate_has_token(&gates->global))
		return FCN_NOTIFY_BUCKET_GLOBAL;
	state->has_entries = true;
	receiver = fcn_notify_receiver_bucket(conf, way.port);
	if (unlikely(!c->to_sender)) {
		why = fcn_notify_take_in_place(conf, state, receiver, c->due.to, c->sender, now);
		if (why != FCN_NOTIFY_NONE)
			return why;
	} else if (receiver.cost_ns != 0 &&
			!fcn_limit_cache_bucket(&state->destinations, c->sender, now,
					receiver.cost_ns, receiver.burst)) {
		return FCN_NOTIFY_BUCKET_DESTINATION;
	}
	if (way.port != FCN_NOTIFY_NO_LINK)
		fcn_notify_link_charge(&conf->common->link[way.port], &place->link_full[way.port],
				way.head + (likely(reach == FCN_NOTIFY_REACH_ALL)
									   ? c->due.len
									   : c->due.edge_len),
				now);
	gates->queue.tat += gates->queue.cost_ns;
	gates->global.tat += gates->global.cost_ns;
	gates->taken = true;
	state->forgotten += fcn_limit_cache_interval_grant(&cached, now, conf->interval_ns);
	return FCN_NOTIFY_SENT +
	       (likely(reach == FCN_NOTIFY_REACH_ALL) ? c->due.form : c->due.edge_form);
}

/** fcn_notify_decide() with the rule and the flows of one kind. */
static __rte_always_inline struct fcn_notify_decision
fcn_notice_decide_by(fcn_notice_due_fn *rule, fcn_notice_flow_fn *flow_of,
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info,
		const struct fcn_notify_place *place, uint64_t now)
{
	struct fcn_notify_case c = {
			.data = data,
			.info = info,
			.route = place->route,
			.way = {.port = FCN_NOTIFY_NO_LINK},
			.reach = place->find_route != NULL ? FCN_NOTIFY_REACH_UNKNOWN
							   : FCN_NOTIFY_REACH_ALL,
	};
	enum fcn_notify_verdict verdict;
	bool replaces = false;

	fcn_notify_age(conf, state, now);
	rule(conf->own, conf->common, data, info, &c.due);
	verdict = c.due.reason;
	if (likely(verdict == FCN_NOTIFY_NONE)) {
		struct fcn_notify_gates gates = fcn_notify_gates_begin(conf, state, place, now);

		fcn_notify_case_flow(flow_of, &state->key, &c);
		verdict = fcn_notify_limits(conf, state, &gates, place, &c, now);
		fcn_notify_gates_end(&gates, state, place);
		replaces = c.due.replaces_mark && fcn_notify_verdict_is_told(verdict);
	}
	state->stats[place->port][place->class].verdict[verdict]++;
	return (struct fcn_notify_decision){c.flow, verdict, replaces};
}

/** Get the key of the hashes of a state, prepared for a burst: see struct fcn_hash_prepared. */
struct fcn_hash_prepared fcn_notify_prepared_key(const struct fcn_notify_state *state);

/**
 * The member `prepare` of struct fcn_notice_kind with the rule and the flows of one kind.
 *
 * @param rule writes all members of its result, which is not zeroed
 * @param own  first argument of the rule
 */
static __rte_always_inline void
fcn_notice_prepare_by(fcn_notice_due_fn *rule, fcn_notice_flow_fn *flow_of, const void *own,
		const struct fcn_notice_common *common, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	const struct fcn_hash_prepared key = fcn_notify_prepared_key(state);
	/* Copies, as what is written into c might be these for all that the compiler knows. */
	const struct fcn_limit_cache flows = state->flows, destinations = state->destinations;

	for (unsigned int i = 0; i < n; i++, c++) {
		const uint8_t *data = c->data;
		const struct fcn_wire_info *info = c->info;

		rule(own, common, data, info, &c->due);
		if (unlikely(c->due.reason != FCN_NOTIFY_NONE))
			continue;
		c->flow = flow_of(&key, data, info, &c->sender);
		c->to_sender = c->due.to == fcn_notify_sender(data, info);
		fcn_limit_cache_prefetch(&flows, c->flow);
		fcn_limit_cache_prefetch(&destinations, c->sender);
	}
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

/** Define a function for the member `prepare` of struct fcn_notice_kind, with the parameters of
 * FCN_NOTICE_DECIDE_FLOW(). */
#define FCN_NOTICE_PREPARE_FLOW(name, rule, flow_of)                                               \
	static __rte_always_inline void name##_rule(const void *own,                               \
			const struct fcn_notice_common *common, const uint8_t *data,               \
			const struct fcn_wire_info *info, struct fcn_notice_due *answer)           \
	{                                                                                          \
		struct fcn_notice_due zeroed = {0};                                                \
                                                                                                   \
		rule(own, common, data, info, &zeroed);                                            \
		*answer = zeroed;                                                                  \
	}                                                                                          \
	static void name(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state, \
			struct fcn_notify_case *c, unsigned int n)                                 \
	{                                                                                          \
		fcn_notice_prepare_by(name##_rule, flow_of, conf->own, conf->common, state, c, n); \
	}

/** The same for a kind whose notices are about RoCEv2 over IPv6. */
#define FCN_NOTICE_PREPARE(name, rule) FCN_NOTICE_PREPARE_FLOW(name, rule, fcn_notice_roce_flow)

#endif /* NOTICE_DECIDE_H */
