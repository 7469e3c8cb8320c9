/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_notify.h"

uint64_t
fcn_notify_sent(const struct fcn_notify_stats *stats)
{
	uint64_t sum = 0;

	for (unsigned int v = FCN_NOTIFY_SENT; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		sum += stats->verdict[v];
	return sum;
}

uint64_t
fcn_notify_suppressed(const struct fcn_notify_stats *stats)
{
	uint64_t sum = 0;

	for (unsigned int v = FCN_NOTIFY_INTERVAL; v < FCN_NOTIFY_SENT; v++)
		sum += stats->verdict[v];
	return sum;
}

int
fcn_notify_state_init(
		struct fcn_notify_state *state, uint32_t flow_sets, uint32_t dest_sets, int socket)
{
	int rc;

	memset(state, 0, sizeof(*state));
	rc = fcn_limit_cache_init(&state->flows, flow_sets, socket);
	if (rc != 0)
		return rc;
	rc = fcn_limit_cache_init(&state->destinations, dest_sets, socket);
	if (rc != 0)
		fcn_limit_cache_fini(&state->flows);
	return rc;
}

void
fcn_notify_state_fini(struct fcn_notify_state *state)
{
	fcn_limit_cache_fini(&state->flows);
	fcn_limit_cache_fini(&state->destinations);
}

void
fcn_notify_state_clear_stats(struct fcn_notify_state *c)
{
	memset(c->stats, 0, sizeof(c->stats));
	FCN_NOTIFY_STATE_COUNTERS(FCN_COUNTER_CLEAR)
}

void
fcn_notify_age_caches(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now)
{
	/* The checks of the configuration refuse values whose product needs more than 31 bits. */
	uint64_t horizon = (uint64_t)conf->dest_cost_ns * (conf->dest_burst + UINT64_C(1));

	state->aged_ns = now;
	fcn_limit_cache_age(&state->flows, now, RTE_MAX(conf->interval_ns, conf->recent_ns), 0);
	fcn_limit_cache_age(&state->destinations, now, 0,
			(uint32_t)RTE_MIN(horizon, (uint64_t)INT32_MAX));
}

/*
 * The caches choose a set by one half of the 64-bit hash and recognise the flow by the other, so
 * both halves have to be good. The hash of a flow is made of a hash of each of its ends.
 */
static inline uint64_t
hash_sender(const struct fcn_hash_key *key, const uint8_t *addr)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_pair(key, words[0], words[1]);
}

static inline uint64_t
hash_receiver(const struct fcn_hash_key *key, const uint8_t *addr, uint32_t dest_qp)
{
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	return fcn_hash_other_pair(key, words[0] ^ dest_qp, words[1]);
}

uint64_t
fcn_notify_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	const uint8_t *ip = data + info->l3_off;
	uint32_t ports = (uint32_t)info->src_port << 16 | info->dst_port;
	uint64_t addresses;

	if (info->flags & FCN_PKT_ROCE && info->final_dst_off != 0)
		return hash_sender(key, fcn_notify_sender(data, info)) ^
		       hash_receiver(key, data + info->final_dst_off, info->dest_qp);
	if (info->flags & FCN_PKT_IPV6)
		return hash_sender(key, ip + offsetof(struct rte_ipv6_hdr, src_addr)) ^
		       hash_receiver(key, ip + offsetof(struct rte_ipv6_hdr, dst_addr), ports);
	if (!(info->flags & FCN_PKT_IPV4))
		return 0;
	memcpy(&addresses, ip + offsetof(struct rte_ipv4_hdr, src_addr), sizeof(addresses));
	return fcn_hash_pair(key, addresses, ports);
}

/*
 * Check whether a token bucket has a token, in the virtual scheduling form of GCRA (ITU-T I.371):
 * tat is the time at which the bucket is full. The caller that takes the token stores *next as the
 * new time.
 */
static inline bool
bucket_has_token(uint64_t tat, uint64_t cost_ns, uint32_t burst, uint64_t now, uint64_t *next)
{
	uint64_t full = RTE_MAX(tat, now);

	*next = full + cost_ns;
	return cost_ns == 0 || full - now <= cost_ns * (burst - 1);
}

void
fcn_notify_reconfigure(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now)
{
	const uint64_t most = now + (uint64_t)conf->queue_cost_ns * conf->queue_burst;
	uint64_t *tat = &state->queue_tat[0][0];

	for (size_t i = 0; i < sizeof(state->queue_tat) / sizeof(*tat); i++)
		tat[i] = RTE_MIN(tat[i], most);
	state->global_tat = RTE_MIN(state->global_tat,
			now + (uint64_t)conf->global_cost_ns * conf->global_burst);
}

/*
 * Apply the limits. When one limit refuses, no token of another may be taken. Therefore all limits
 * that can be read without a change are checked first, then the receiver's bucket, which takes its
 * token at once, and only then the tokens of the others are taken.
 */
static inline enum fcn_notify_verdict
limits(const struct fcn_notify_conf *conf, struct fcn_notify_state *state, const uint8_t *data,
		const struct fcn_wire_info *info, const struct fcn_notify_place *place,
		const struct fcn_notice_due *due, uint64_t now, uint64_t *flow)
{
	const uint8_t *sender = fcn_notify_sender(data, info);
	uint64_t from = hash_sender(&state->key, sender), dest;
	uint64_t *queue_tat = &state->queue_tat[place->port][place->class];
	enum fcn_notify_reach reach = FCN_NOTIFY_REACH_ALL;
	struct fcn_limit_cache_place cached;
	uint64_t queue_next, global_next;

	*flow = from ^ hash_receiver(&state->key, data + info->final_dst_off, info->dest_qp);
	if (!fcn_limit_cache_interval_check(&state->flows, *flow, now, conf->interval_ns, &cached))
		return FCN_NOTIFY_INTERVAL;
	if (place->refuse != FCN_NOTIFY_NONE)
		return place->refuse;
	if (place->find_route != NULL)
		reach = place->find_route(place->route, due->to);
	if (reach == FCN_NOTIFY_REACH_NONE)
		return FCN_NOTIFY_UNREACHABLE;
	if (!bucket_has_token(*queue_tat, conf->queue_cost_ns, conf->queue_burst, now, &queue_next))
		return FCN_NOTIFY_BUCKET_QUEUE;
	if (!bucket_has_token(state->global_tat, conf->global_cost_ns, conf->global_burst, now,
			    &global_next))
		return FCN_NOTIFY_BUCKET_GLOBAL;
	dest = likely(due->to == sender) ? from : hash_sender(&state->key, due->to);
	if (conf->dest_cost_ns != 0 && !fcn_limit_cache_bucket(&state->destinations, dest, now,
						       conf->dest_cost_ns, conf->dest_burst))
		return FCN_NOTIFY_BUCKET_DESTINATION;
	*queue_tat = queue_next;
	state->global_tat = global_next;
	state->forgotten += fcn_limit_cache_interval_grant(&cached, now, conf->interval_ns);
	return FCN_NOTIFY_SENT +
	       (likely(reach == FCN_NOTIFY_REACH_ALL) ? due->form : due->edge_form);
}

struct fcn_notify_decision
fcn_notify_decide(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info,
		const struct fcn_notify_place *place, uint64_t now)
{
	struct fcn_notice_due due = {0};
	enum fcn_notify_verdict verdict;
	uint64_t flow = 0;
	bool replaces = false;

	fcn_notify_age(conf, state, now);
	conf->kind->due(conf->own, conf->common, data, info, &due);
	verdict = due.reason;
	if (likely(verdict == FCN_NOTIFY_NONE)) {
		verdict = limits(conf, state, data, info, place, &due, now, &flow);
		replaces = due.replaces_mark &&
			   (fcn_notify_verdict_is_sent(verdict) || verdict == FCN_NOTIFY_INTERVAL);
	}
	state->stats[place->port][place->class].verdict[verdict]++;
	return (struct fcn_notify_decision){flow, verdict, replaces};
}

bool
fcn_notify_was_notified(const struct fcn_notify_state *state, const uint8_t sender[16],
		const uint8_t receiver[16], uint32_t dest_qp, uint64_t now, uint64_t within_ns)
{
	uint64_t flow = hash_sender(&state->key, sender) ^
			hash_receiver(&state->key, receiver, dest_qp);

	return !fcn_limit_cache_interval_peek(&state->flows, flow, now, (uint32_t)within_ns);
}
