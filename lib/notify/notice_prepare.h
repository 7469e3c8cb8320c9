/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Whether a notice about a packet that met congestion is due, which only its kind knows, and what
 * the limits, which are the same for all kinds, need to know about it. Used by the files of the
 * kinds only. Each of them has the loop over packets compiled for its own rule.
 */

#ifndef NOTICE_PREPARE_H
#define NOTICE_PREPARE_H

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

/** The flow of any IP packet: addresses, and a number for what else tells flows apart. */
static inline uint64_t
fcn_notice_flow(const struct fcn_hash_prepared *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint32_t number, uint64_t *sender)
{
	uint64_t from[2], to[2];

	fcn_notify_addresses(data, info, from, to);
	*sender = fcn_hash_prepared_pair(key, from[0], from[1]);
	return *sender ^ fcn_hash_prepared_other_pair(key, to[0] ^ number, to[1]);
}

/** The flow of RoCEv2 over IPv6: addresses and destination queue pair. */
static inline uint64_t
fcn_notice_roce_flow(const struct fcn_hash_prepared *key, const uint8_t *data,
		const struct fcn_wire_info *info, uint64_t *sender)
{
	*sender = fcn_notify_hash_sender(key, fcn_notify_sender(data, info));
	return *sender ^ fcn_notify_hash_receiver(key, data + info->final_dst_off, info->dest_qp);
}

/** Get the key of the hashes of a state, prepared for a burst: see struct fcn_hash_prepared. */
struct fcn_hash_prepared fcn_notify_prepared_key(const struct fcn_notify_state *state);

/** Write what the limits need to know of a packet about which a notice to its sender is due. */
static __rte_always_inline void
fcn_notice_prepare_flow(fcn_notice_flow_fn *flow_of, const struct fcn_hash_prepared *key,
		const struct fcn_limit_cache *flows, const struct fcn_limit_cache *destinations,
		struct fcn_notify_case *c)
{
	uint64_t sender;

	c->flow = flow_of(key, c->data, c->info, &sender);
	c->sender = sender;
	c->flow_set = fcn_limit_cache_prefetch(flows, c->flow);
	c->sender_set = fcn_limit_cache_prefetch(destinations, sender);
}

/** The member `prepare` of struct fcn_notice_kind with the rule and the flows of one kind. */
static __rte_always_inline void
fcn_notice_prepare_by(fcn_notice_due_fn *rule, fcn_notice_flow_fn *flow_of,
		const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	const struct fcn_hash_prepared key = fcn_notify_prepared_key(state);
	/* Copies, as what is written into c might be these for all that the compiler knows. */
	const struct fcn_limit_cache flows = state->flows, destinations = state->destinations;

	for (unsigned int i = 0; i < n; i++, c++) {
		struct fcn_notice_due due = {0};

		rule(conf->own, conf->common, c->data, c->info, &due);
		c->due = due;
		if (unlikely(due.reason != FCN_NOTIFY_NONE))
			continue;
		fcn_notice_prepare_flow(flow_of, &key, &flows, &destinations, c);
		if (due.to != fcn_notify_sender(c->data, c->info))
			c->sender_set = NULL;
	}
}

/**
 * Define a function for the member `prepare` of struct fcn_notice_kind.
 *
 * @param name of the function
 * @param rule of the kind, a function of the type fcn_notice_due_fn
 * @param flow_of the flows of the kind, a function of the type fcn_notice_flow_fn
 */
#define FCN_NOTICE_PREPARE_FLOW(name, rule, flow_of)                                               \
	static void name(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state, \
			struct fcn_notify_case *c, unsigned int n)                                 \
	{                                                                                          \
		fcn_notice_prepare_by(rule, flow_of, conf, state, c, n);                           \
	}

/** The same for a kind whose notices are about RoCEv2 over IPv6. */
#define FCN_NOTICE_PREPARE(name, rule) FCN_NOTICE_PREPARE_FLOW(name, rule, fcn_notice_roce_flow)

#endif /* NOTICE_PREPARE_H */
