/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_notify.h"
#include "fcn_notify_limits.h"
#include "notice_prepare.h"

_Static_assert(FCN_NOTICE_KIND_MAX <= 8 * sizeof(((struct fcn_notices_conf *)0)->on),
		"bit sets have room for each kind");

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
	int rc = fcn_limit_cache_init(&state->flows, flow_sets, socket);

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
fcn_notify_state_clear_stats(struct fcn_notify_state *c, unsigned int n_ports)
{
	memset(c->stats, 0, n_ports * sizeof(c->stats[0]));
	FCN_NOTIFY_STATE_COUNTERS(FCN_COUNTER_CLEAR)
}

void
fcn_notify_age_caches(
		const struct fcn_notify_conf *conf, struct fcn_notify_state *state, uint64_t now)
{
	/* The checks of the configuration refuse values whose product needs more than 31 bits. */
	uint64_t horizon = RTE_MAX((uint64_t)conf->dest_cost_ns * (conf->dest_burst + UINT64_C(1)),
			(uint64_t)conf->source.cost_ns * (conf->source.burst + UINT64_C(1)));

	state->aged_ns = now;
	if (!state->has_entries) {
		fcn_limit_cache_skip(&state->flows, now);
		fcn_limit_cache_skip(&state->destinations, now);
		return;
	}
	fcn_limit_cache_age(&state->flows, now, RTE_MAX(conf->interval_ns, conf->recent_ns), 0);
	fcn_limit_cache_age(&state->destinations, now, 0,
			(uint32_t)RTE_MIN(horizon, (uint64_t)INT32_MAX));
}

__rte_noinline struct fcn_hash_prepared
fcn_notify_prepared_key(const struct fcn_notify_state *state)
{
	return fcn_hash_prepare(&state->key);
}

uint64_t
fcn_notify_flow_hash(const struct fcn_hash_key *key, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);
	const uint8_t *ip = data + info->l3_off;
	uint32_t ports = (uint32_t)info->src_port << 16 | info->dst_port;
	uint64_t addresses;

	if (info->flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED) && info->final_dst_off != 0)
		return fcn_notify_hash_sender(&prepared, fcn_notify_sender(data, info)) ^
		       fcn_notify_hash_receiver(
				       &prepared, data + info->final_dst_off, info->dest_qp);
	if (info->flags & FCN_PKT_IPV6)
		return fcn_notify_hash_sender(
				       &prepared, ip + offsetof(struct rte_ipv6_hdr, src_addr)) ^
		       fcn_notify_hash_receiver(&prepared,
				       ip + offsetof(struct rte_ipv6_hdr, dst_addr), ports);
	if (!(info->flags & FCN_PKT_IPV4))
		return 0;
	memcpy(&addresses, ip + offsetof(struct rte_ipv4_hdr, src_addr), sizeof(addresses));
	return fcn_hash_pair(key, addresses, ports);
}

/* As fcn_notify_find_fn. */
static inline struct fcn_notify_found
find_by_place(void *arg, const struct fcn_notify_case *c)
{
	const struct fcn_notify_place *place = *(const struct fcn_notify_place *const *)arg;
	struct fcn_notify_found found = {
			.reach = FCN_NOTIFY_REACH_ALL, .way = {.port = FCN_NOTIFY_NO_LINK}};

	if (place->find_route != NULL)
		found.reach = place->find_route(place->route, c->due.to, &found.way);
	return found;
}

struct fcn_notify_decision
fcn_notify_decide(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info,
		const struct fcn_notify_place *place, uint64_t now)
{
	struct fcn_notify_case c = {.data = data, .info = info, .in_port = place->in_port};
	struct fcn_notify_limits limits;
	struct fcn_notify_found found;
	enum fcn_notify_verdict verdict;

	conf->kind->prepare(conf, state, &c, 1);
	fcn_notify_limits_begin(&limits, conf, state, place, now, 1);
	verdict = fcn_notify_verdict_of(&limits, &c, find_by_place, &place, &found);
	fcn_notify_limits_end(&limits);
	return (struct fcn_notify_decision){.flow = c.flow,
			.found = c.found,
			.verdict = (uint16_t)verdict,
			.replaces_mark = fcn_notify_replaces_mark(&c, verdict)};
}

/* Bring the time at which a bucket is full forward, and those of its parts. */
static void
limit(uint64_t *tat, struct fcn_notify_shares *s, uint64_t most)
{
	*tat = RTE_MIN(*tat, most);
	fcn_notify_shares_limit(s, most);
}

void
fcn_notify_reconfigure(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		unsigned int n_ports, uint64_t now)
{
	const struct fcn_notify_bucket *queue = &conf->common->queue[0][0];
	uint64_t *tat = &state->queue_tat[0][0];

	for (size_t i = 0; i < (size_t)n_ports * FCN_NOTIFY_CLASSES; i++) {
		limit(&tat[i], &(&state->share[0][0])[i],
				now + (uint64_t)queue[i].cost_ns * queue[i].burst);
	}
	limit(&state->global_tat, &state->global_share,
			now + (uint64_t)conf->global_cost_ns * conf->global_burst);
}

bool
fcn_notify_was_notified(const struct fcn_notify_state *state, const uint8_t sender[16],
		const uint8_t receiver[16], uint32_t dest_qp, uint64_t now, uint64_t within_ns)
{
	const struct fcn_hash_prepared key = fcn_hash_prepare(&state->key);
	const uint64_t flow = fcn_notify_hash_sender(&key, sender) ^
			      fcn_notify_hash_receiver(&key, receiver, dest_qp);

	return !fcn_limit_cache_interval_peek(&state->flows, flow, now, (uint32_t)within_ns);
}
