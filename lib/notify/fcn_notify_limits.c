/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notify_limits.h"
#include "notice_prepare.h"

#define NOTHING UINT32_MAX

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

/* Read a bucket. @param tat time at which it is full, @param burst_ns in which it fills */
static inline struct fcn_notify_gate
gate_of(uint64_t tat, uint64_t cost_ns, uint64_t burst_ns, bool in_debt, uint64_t now)
{
	return (struct fcn_notify_gate){
			.tat = RTE_MAX(tat, now),
			.last = now + burst_ns - (in_debt ? 0 : RTE_MIN(cost_ns, burst_ns)),
			.cost_ns = cost_ns,
	};
}

/* Load a bucket that has no limit. */
static inline void
load_none(struct fcn_notify_divided *b)
{
	b->all = (struct fcn_notify_gate){.last = UINT64_MAX};
	b->is_divided = false;
	b->tat = NULL;
}

/* Load a bucket. @param half_ns the half of burst_ns that is divided into parts */
static inline void
load(struct fcn_notify_divided *b, uint64_t *tat, uint64_t cost_ns, uint64_t burst_ns,
		uint64_t half_ns, bool in_debt, uint64_t now)
{
	b->all = gate_of(*tat, cost_ns, burst_ns, in_debt, now);
	b->is_divided = false;
	b->burst_ns = burst_ns;
	b->half_ns = half_ns;
	b->in_debt = in_debt;
	b->tat = tat;
}

/* Load a bucket of tokens, of which only whole ones are in the half that is divided. */
static inline void
load_tokens(struct fcn_notify_divided *b, uint64_t *tat, uint64_t cost_ns, uint32_t burst,
		uint64_t now)
{
	if (cost_ns == 0)
		load_none(b);
	else
		load(b, tat, cost_ns, cost_ns * burst, cost_ns * (burst / 2), false, now);
}

/* Load the bucket of a link, each token of which is a frame of len bytes. */
static inline void
load_link(struct fcn_notify_divided *b, uint64_t *full, const struct fcn_notify_link *link,
		uint32_t len, uint64_t now)
{
	if (link->cost == 0)
		load_none(b);
	else
		load(b, full, fcn_notify_link_time(link, len), link->burst_ns, link->burst_ns / 2,
				true, now);
}

/* Load the part of a port, which counts as one that wants notices from now on. @param i its number
 */
static inline void
load_part(struct fcn_notify_divided *b, struct fcn_notify_shares *s, unsigned int i, uint64_t now)
{
	uint32_t n;

	if (b->tat == NULL)
		return;
	/* Who has emptied a slow bucket has to count until it is full again. */
	n = fcn_notify_shares_want(s, i, RTE_MAX((uint64_t)FCN_NOTIFY_SHARE_NS, b->burst_ns), now);
	b->part_tat = &s->tat[i];
	b->part = gate_of(s->tat[i], b->all.cost_ns * n, b->half_ns, b->in_debt, now);
	b->is_divided = n > 1;
	b->common_last = b->all.last - b->half_ns;
}

/* Get the number of tokens of the half that is in no part, or `most`. */
static inline uint32_t
common_tokens(const struct fcn_notify_divided *b, uint32_t most)
{
	const struct fcn_notify_gate common = {
			.tat = b->all.tat, .last = b->common_last, .cost_ns = b->all.cost_ns};

	return tokens_of(&common, most);
}

/* Get the number of tokens that a bucket has for the port, or `most`: those that are in no part,
 * and those of its part, as many as are there. */
static inline uint32_t
tokens_for_port(const struct fcn_notify_divided *b, uint32_t most)
{
	const uint32_t tokens = tokens_of(&b->all, most);

	if (likely(!b->is_divided))
		return tokens;
	return RTE_MIN(tokens, common_tokens(b, most) + tokens_of(&b->part, most));
}

/* Take tokens, which are there: at first those that are in no part. */
static inline void
take(struct fcn_notify_divided *b, uint32_t n)
{
	uint32_t of_part;

	if (b->tat == NULL)
		return;
	of_part = n - common_tokens(b, n);
	b->all.tat += b->all.cost_ns * n;
	/* A port that is alone takes those of other parts, too, which does not bring its own into
	 * debt. */
	b->part.tat = RTE_MIN(
			b->part.tat + b->part.cost_ns * of_part, b->part.last + b->part.cost_ns);
	*b->tat = b->all.tat;
	*b->part_tat = b->part.tat;
}

static inline void
count(struct fcn_notify_limits *l)
{
	uint32_t left = tokens_for_port(&l->link, l->n);

	left = RTE_MIN(left, tokens_for_port(&l->queue, l->n));
	left = RTE_MIN(left, tokens_for_port(&l->global, l->n));
	l->left = l->counted = left;
}

/* Take the tokens of the notices that were granted since they were counted. */
static inline void
settle(struct fcn_notify_limits *l)
{
	const uint32_t taken = l->counted - l->left;

	if (taken == 0)
		return;
	l->counted = l->left;
	take(&l->link, taken);
	take(&l->queue, taken);
	take(&l->global, taken);
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
	l->n = n;
	load_none(&l->link);
	load_tokens(&l->queue, &state->queue_tat[place->port][place->class], queue.cost_ns,
			queue.burst, now);
	load_tokens(&l->global, &state->global_tat, conf->global_cost_ns, conf->global_burst, now);
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

void
fcn_notify_limits_enter(struct fcn_notify_limits *l, uint32_t port, uint32_t len, uint16_t in_port)
{
	const struct fcn_notice_common *common = l->conf->common;
	const struct fcn_notify_place *place = l->place;
	const struct fcn_notify_bucket bucket = receiver_bucket(l->conf, port);
	const unsigned int i = common->part[in_port];
	struct fcn_notify_state *state = l->state;

	settle(l);
	l->port = port;
	l->len = len;
	l->in_port = in_port;
	l->receiver = fcn_limit_cache_rate_of(bucket.cost_ns, bucket.burst);
	if (port == FCN_NOTIFY_NO_LINK) {
		load_none(&l->link);
	} else {
		load_link(&l->link, &place->link[port].full, &common->link[port], len, l->now);
		load_part(&l->link, &place->link[port].part, i, l->now);
	}
	load_part(&l->queue, &state->share[place->port][place->class], i, l->now);
	load_part(&l->global, &state->global_share, i, l->now);
	state->has_entries = true;
	count(l);
}

enum fcn_notify_verdict
fcn_notify_limits_empty(struct fcn_notify_limits *l)
{
	settle(l);
	if (tokens_for_port(&l->link, 1) == 0)
		return FCN_NOTIFY_BUCKET_LINK;
	return tokens_for_port(&l->queue, 1) != 0 ? FCN_NOTIFY_BUCKET_GLOBAL
						  : FCN_NOTIFY_BUCKET_QUEUE;
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
