/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notify.h"
#include "notice_decide.h"

#define NOTHING UINT32_MAX

/* What the limits read and change for packets whose notices leave by one link. It is written back
 * when another link follows. */
struct exit {
	uint32_t port;      /* NOTHING: nothing is loaded */
	uint64_t full;      /* time at which the bucket of the link is full, now or later */
	uint64_t last;      /* the latest such time with which a notice may be sent */
	uint32_t len;       /* length of the last notice; UINT32_MAX: none */
	uint64_t time;      /* the time that this one takes on the link */
	uint32_t cost_ns;   /* bucket of each receiver: nanoseconds for a token; 0: no limit */
	uint32_t horizon;   /* how far ahead the time of such a bucket can be */
	uint32_t most;      /* how far ahead it may be for a token to be there */
	unsigned int taken; /* notices that were charged */
};

/* The arguments of fcn_notify_decide_burst() that are the same for all packets. */
struct same {
	const struct fcn_notify_conf *conf;
	struct fcn_notify_state *state;
	const struct fcn_notify_place *place;
	uint64_t now;
};

/* Write back what the limits of a link have become. */
static inline void
leave(const struct same *s, const struct exit *e)
{
	if (e->taken != 0 && e->port != FCN_NOTIFY_NO_LINK)
		s->place->link_full[e->port] = e->full;
}

/*
 * Begin with packets whose notices leave by a link, or by none. This and the next function pass
 * what changes by value, so that the compiler can keep it in registers where they are not called.
 */
static __rte_noinline struct exit
enter(struct same s, struct exit before, uint32_t port)
{
	const struct fcn_notify_bucket bucket = fcn_notify_receiver_bucket(s.conf, port);
	struct exit e = {
			.port = port,
			.last = UINT64_MAX,
			.len = UINT32_MAX,
			.cost_ns = bucket.cost_ns,
			.horizon = fcn_limit_cache_horizon(bucket.cost_ns, bucket.burst),
			.most = bucket.cost_ns * (bucket.burst - 1),
	};

	leave(&s, &before);
	if (port != FCN_NOTIFY_NO_LINK) {
		const struct fcn_notify_link *link = &s.conf->common->link[port];

		e.full = RTE_MAX(s.place->link_full[port], s.now);
		if (link->cost != 0)
			e.last = s.now + link->burst_ns;
	}
	return e;
}

/* Get the time that a notice takes on its link. */
static __rte_noinline uint64_t
time_of(const struct same *s, uint32_t port, uint32_t len)
{
	return port == FCN_NOTIFY_NO_LINK ? 0
					  : fcn_notify_link_time(&s->conf->common->link[port], len);
}

/* Grant a flow that is not in the cache. */
static __rte_noinline void
grant_new(const struct same *s, uint64_t flow)
{
	const uint32_t interval_ns = s->conf->interval_ns;
	struct fcn_limit_cache_place cached;

	fcn_limit_cache_interval_check(&s->state->flows, flow, s->now, interval_ns, &cached);
	s->state->forgotten += fcn_limit_cache_interval_grant(&cached, s->now, interval_ns);
}

/* Take a token of the bucket of a receiver that is not in the cache. */
static __rte_noinline bool
take_new(const struct same *s, struct exit e, uint64_t receiver)
{
	return fcn_limit_cache_bucket_ahead(
			&s->state->destinations, receiver, s->now, e.cost_ns, e.horizon, e.most);
}

/* Take a token of the bucket of any receiver, as fcn_limit_cache_bucket_ahead(). */
static __rte_always_inline bool
take(const struct same *s, const struct exit *e, uint64_t receiver)
{
	const struct fcn_limit_cache *cache = &s->state->destinations;
	struct fcn_limit_cache_set *set = &cache->set[(uint32_t)receiver & cache->mask];
	const unsigned int way = fcn_ways8_find(set->sig, fcn_limit_cache_sig(receiver));
	uint32_t ahead;

	if (unlikely(way == FCN_LIMIT_CACHE_WAYS))
		return take_new(s, *e, receiver);
	ahead = set->time[way] - (uint32_t)s->now;
	ahead = ahead > e->horizon ? 0 : ahead;
	if (unlikely(ahead > e->most))
		return false;
	set->time[way] = (uint32_t)s->now + ahead + e->cost_ns;
	return true;
}

/* Apply the limits to any packet. No link is loaded afterwards. */
static __rte_noinline struct fcn_notify_gates
limit_any(struct same s, struct exit before, struct fcn_notify_gates gates,
		struct fcn_notify_case *c)
{
	leave(&s, &before);
	c->verdict = fcn_notify_limits(s.conf, s.state, &gates, s.place, c, s.now);
	return gates;
}

/* Check whether a notice goes to the sender, on a way that is known, in its usual form. */
static inline bool
is_usual(const struct fcn_notify_case *c)
{
	return c->reach == FCN_NOTIFY_REACH_ALL && c->to_sender;
}

/* Do the work of fcn_notify_limits() for a usual packet, whose notice is not refused. */
static __rte_always_inline enum fcn_notify_verdict
limit_usual(const struct same *s, struct exit *e, struct fcn_notify_gates *gates,
		const struct fcn_notify_case *c)
{
	struct fcn_notify_state *state = s->state;
	const uint32_t interval_ns = s->conf->interval_ns;
	struct fcn_limit_cache_place cached;
	uint32_t len;

	if (!fcn_limit_cache_interval_check(&state->flows, c->flow, s->now, interval_ns, &cached))
		return FCN_NOTIFY_INTERVAL;
	if (unlikely(c->way.port != e->port))
		*e = enter(*s, *e, c->way.port);
	if (unlikely(e->full > e->last))
		return FCN_NOTIFY_BUCKET_LINK;
	if (unlikely(!fcn_notify_gate_has_token(&gates->queue)))
		return FCN_NOTIFY_BUCKET_QUEUE;
	if (unlikely(!fcn_notify_gate_has_token(&gates->global)))
		return FCN_NOTIFY_BUCKET_GLOBAL;
	state->has_entries = true;
	if (e->cost_ns != 0 && !take(s, e, c->sender))
		return FCN_NOTIFY_BUCKET_DESTINATION;
	len = (uint32_t)c->way.head + c->due.len;
	if (unlikely(len != e->len)) {
		e->len = len;
		e->time = time_of(s, e->port, len);
	}
	e->full += e->time;
	e->taken++;
	gates->queue.tat += gates->queue.cost_ns;
	gates->global.tat += gates->global.cost_ns;
	gates->taken = true;
	if (likely(cached.way != FCN_LIMIT_CACHE_WAYS))
		cached.set->time[cached.way] = (uint32_t)s->now;
	else
		grant_new(s, c->flow);
	return FCN_NOTIFY_SENT + c->due.form;
}

void
fcn_notify_decide_burst(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		const struct fcn_notify_place *place, struct fcn_notify_case *c, unsigned int n,
		uint64_t now)
{
	uint64_t *count = state->stats[place->port][place->class].verdict;
	const struct same same = {conf, state, place, now};
	const bool refuses = place->refuse != FCN_NOTIFY_NONE;
	struct exit e = {.port = NOTHING};
	struct fcn_notify_gates gates;

	fcn_notify_age(conf, state, now);
	gates = fcn_notify_gates_begin(conf, state, place, now);
	for (unsigned int i = 0; i < n; i++, c++) {
		enum fcn_notify_verdict verdict = c->due.reason;
		bool told = false;

		if (likely(verdict == FCN_NOTIFY_NONE)) {
			if (likely(!refuses && is_usual(c))) {
				verdict = limit_usual(&same, &e, &gates, c);
			} else {
				gates = limit_any(same, e, gates, c);
				e = (struct exit){.port = NOTHING};
				verdict = c->verdict;
			}
			told = c->due.replaces_mark && fcn_notify_verdict_is_told(verdict);
		}
		c->verdict = verdict;
		c->replaces_mark = told;
		count[verdict]++;
	}
	leave(&same, &e);
	fcn_notify_gates_end(&gates, state, place);
}
