/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notify_limits.h"
#include "notice_prepare.h"

#define NOTHING UINT32_MAX

/* Read a bucket. @param tat time at which it is full */
static inline struct fcn_notify_gate
gate_of(uint64_t tat, uint64_t cost_ns, uint32_t burst, uint64_t now)
{
	return (struct fcn_notify_gate){
			.tat = RTE_MAX(tat, now),
			.last = cost_ns == 0 ? UINT64_MAX : now + cost_ns * (burst - 1),
			.cost_ns = cost_ns,
	};
}

/* Check whether a bucket has a token. To take it is to add cost_ns to tat. */
static inline bool
has_token(const struct fcn_notify_gate *gate)
{
	return gate->tat <= gate->last;
}

/* Get the number of tokens of a bucket, or `most` if it has more. @param most at least 1 */
static inline uint32_t
tokens_of(const struct fcn_notify_gate *gate, uint32_t most)
{
	if (!has_token(gate))
		return 0;
	if (likely(gate->cost_ns * (most - 1) <= gate->last - gate->tat))
		return most;
	return (uint32_t)((gate->last - gate->tat) / gate->cost_ns) + 1;
}

/* Get the number of tokens that the bucket of the queue has for the ingress port, or `most`: those
 * of its share, and of the half that is nobody's share, as many as are there. */
static inline uint32_t
tokens_of_queue(const struct fcn_notify_limits *l, uint32_t most)
{
	const struct fcn_notify_gate common = {
			.tat = l->queue.tat, .last = l->common_last, .cost_ns = l->queue.cost_ns};
	uint32_t tokens = tokens_of(&l->queue, most), shared;

	if (likely(!l->is_shared))
		return tokens;
	tokens = RTE_MIN(tokens, tokens_of(&l->share, most));
	shared = tokens_of(&common, most);
	return RTE_MAX(tokens, shared);
}

static inline void
count(struct fcn_notify_limits *l)
{
	uint32_t left = tokens_of(&l->link, l->n);

	left = RTE_MIN(left, tokens_of_queue(l, l->n));
	left = RTE_MIN(left, tokens_of(&l->global, l->n));
	l->left = l->counted = left;
}

/* Take the tokens of the notices that were granted since they were counted. */
static inline void
settle(struct fcn_notify_limits *l)
{
	const struct fcn_notify_place *place = l->place;
	const uint32_t taken = l->counted - l->left;

	if (taken == 0)
		return;
	l->counted = l->left;
	l->link.tat += l->link.cost_ns * taken;
	l->queue.tat += l->queue.cost_ns * taken;
	/* What a port has in addition to its share does not bring that into debt. */
	l->share.tat = RTE_MIN(
			l->share.tat + l->share.cost_ns * taken, l->share.last + l->share.cost_ns);
	l->shares->tat[l->in_port % FCN_NOTIFY_SHARES] = l->share.tat;
	l->global.tat += l->global.cost_ns * taken;
	if (l->port != FCN_NOTIFY_NO_LINK)
		place->link_full[l->port] = l->link.tat;
	l->state->queue_tat[place->port][place->class] = l->queue.tat;
	l->state->global_tat = l->global.tat;
}

void
fcn_notify_limits_begin(struct fcn_notify_limits *l, const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, const struct fcn_notify_place *place, uint64_t now,
		unsigned int n)
{
	const struct fcn_notify_bucket queue = conf->common->queue[place->port][place->class];

	fcn_notify_age(conf, state, now);
	l->conf = conf;
	l->state = state;
	l->place = place;
	l->count = state->stats[place->port][place->class].verdict;
	l->now = now;
	l->interval_ns = conf->interval_ns;
	l->refuse = place->refuse;
	l->left = l->counted = 0;
	l->port = NOTHING;
	l->len = 0;
	l->in_port = NOTHING;
	l->is_shared = false;
	l->shares = &state->share[place->port][place->class];
	l->share = (struct fcn_notify_gate){0};
	l->n = n;
	l->queue = gate_of(state->queue_tat[place->port][place->class], queue.cost_ns, queue.burst,
			now);
	l->global = gate_of(state->global_tat, conf->global_cost_ns, conf->global_burst, now);
}

void
fcn_notify_limits_end(struct fcn_notify_limits *l)
{
	settle(l);
}

/* Get the bucket of the receiver of a notice. @param port by which the notice would leave, or
 * FCN_NOTIFY_NO_LINK */
static inline struct fcn_notify_bucket
receiver_bucket(const struct fcn_notify_conf *conf, uint32_t port)
{
	if (port != FCN_NOTIFY_NO_LINK && conf->common->receiver_by_link)
		return conf->common->receiver[port];
	return (struct fcn_notify_bucket){conf->dest_cost_ns, conf->dest_burst};
}

/* Get the bucket of a link, each token of which is a frame of len bytes. */
static inline struct fcn_notify_gate
link_gate(const struct fcn_notify_limits *l, uint32_t port, uint32_t len)
{
	const struct fcn_notify_conf *conf = l->conf;
	const struct fcn_notify_link *link;

	if (port == FCN_NOTIFY_NO_LINK)
		return gate_of(0, 0, 1, l->now);
	link = &conf->common->link[port];
	return (struct fcn_notify_gate){
			.tat = RTE_MAX(l->place->link_full[port], l->now),
			.last = link->cost == 0 ? UINT64_MAX : l->now + link->burst_ns,
			.cost_ns = fcn_notify_link_time(link, len),
	};
}

/* Load the share of an ingress port, which counts as one that wants notices from now on. */
static void
enter_share(struct fcn_notify_limits *l, uint16_t in_port)
{
	const struct fcn_notify_bucket queue =
			l->conf->common->queue[l->place->port][l->place->class];
	const unsigned int i = in_port % FCN_NOTIFY_SHARES;
	struct fcn_notify_shares *s = l->shares;
	const uint32_t half = queue.burst / 2;
	/* Who has emptied a slow bucket has to count until it is full again. */
	const uint64_t lately = RTE_MAX(
			(uint64_t)FCN_NOTIFY_SHARE_NS, (uint64_t)queue.cost_ns * queue.burst);
	const uint32_t n = fcn_notify_shares_want(s, i, lately, l->now);

	l->in_port = in_port;
	l->is_shared = n > 1;
	l->share = gate_of(s->tat[i], queue.cost_ns * n, RTE_MAX(half / n, 1u), l->now);
	l->common_last = l->queue.last - queue.cost_ns * half;
}

void
fcn_notify_limits_enter(struct fcn_notify_limits *l, uint32_t port, uint32_t len, uint16_t in_port)
{
	const struct fcn_notify_bucket bucket = receiver_bucket(l->conf, port);

	settle(l);
	l->port = port;
	l->len = len;
	l->receiver = fcn_limit_cache_rate_of(bucket.cost_ns, bucket.burst);
	l->link = link_gate(l, port, len);
	enter_share(l, in_port);
	l->state->has_entries = true;
	count(l);
}

enum fcn_notify_verdict
fcn_notify_limits_empty(struct fcn_notify_limits *l)
{
	settle(l);
	if (!has_token(&l->link))
		return FCN_NOTIFY_BUCKET_LINK;
	return tokens_of_queue(l, 1) != 0 ? FCN_NOTIFY_BUCKET_GLOBAL : FCN_NOTIFY_BUCKET_QUEUE;
}

/* Get the key of a sender's bucket. It is in the cache of receivers, and a sender may be a
 * receiver, too. */
static uint64_t
source_key(uint64_t sender)
{
	return sender ^ UINT64_C(0x9e3779b97f4a7c15);
}

enum fcn_notify_verdict
fcn_notify_limits_take_in_place(struct fcn_notify_limits *l, const struct fcn_notify_case *c)
{
	const struct fcn_notify_bucket *source = &l->conf->source;
	const struct fcn_hash_prepared key = fcn_hash_prepare(&l->state->key);
	const uint64_t dest = fcn_notify_hash_sender(&key, c->due.to);
	struct fcn_limit_cache *cache = &l->state->destinations;
	const uint64_t sender = source_key(c->sender);

	if (source->cost_ns != 0 && !fcn_limit_cache_bucket_peek(cache, sender, l->now,
						    source->cost_ns, source->burst))
		return FCN_NOTIFY_BUCKET_SOURCE;
	if (l->receiver.cost_ns != 0 &&
			!fcn_limit_cache_bucket_ahead(fcn_limit_cache_set_of(cache, dest), dest,
					l->now, &l->receiver))
		return FCN_NOTIFY_BUCKET_DESTINATION;
	if (source->cost_ns != 0)
		fcn_limit_cache_bucket(cache, sender, l->now, source->cost_ns, source->burst);
	return FCN_NOTIFY_NONE;
}

void
fcn_notify_keys_of(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		const uint8_t *data, const struct fcn_wire_info *info, struct fcn_notify_keys *keys)
{
	const struct fcn_hash_prepared key = fcn_hash_prepare(&state->key);
	struct fcn_notify_case c = {.data = data, .info = info};

	*keys = (struct fcn_notify_keys){0};
	conf->kind->prepare(conf, state, &c, 1);
	if (c.due.reason != FCN_NOTIFY_NONE)
		return;
	keys->flow = c.flow;
	keys->destination[0] = c.sender;
	keys->n_destinations = 1;
	if (c.sender_set != NULL)
		return;
	keys->destination[0] = fcn_notify_hash_sender(&key, c.due.to);
	keys->destination[1] = source_key(c.sender);
	keys->n_destinations = 2;
}
