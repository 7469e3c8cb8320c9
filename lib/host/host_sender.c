/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_jhash.h>

#include "host_state.h"

void
fcn_host_senders_init(struct fcn_host *h)
{
	struct fcn_host_senders *s = &h->senders;

	TAILQ_INIT(&s->by_time);
	TAILQ_INIT(&s->free);
	s->timer.kind = FCN_HOST_TIMER_SENDERS;
	for (unsigned int i = 0; i < FCN_HOST_MAX_SENDERS; i++)
		TAILQ_INSERT_TAIL(&s->free, &s->all[i], by_time);
}

static struct fcn_host_incapable **
bucket_of(struct fcn_host *h, const uint8_t addr[16])
{
	uint32_t key[4];

	RTE_BUILD_BUG_ON((FCN_HOST_SENDER_BUCKETS & (FCN_HOST_SENDER_BUCKETS - 1)) != 0);
	memcpy(key, addr, sizeof(key));
	return &h->senders.bucket[rte_jhash_32b(key, RTE_DIM(key), h->hash_seed) &
				  (FCN_HOST_SENDER_BUCKETS - 1)];
}

static void
forget(struct fcn_host *h, struct fcn_host_incapable *d)
{
	struct fcn_host_incapable **at = bucket_of(h, d->refusal.sender);

	while (*at != d)
		at = &(*at)->hash_next;
	*at = d->hash_next;
	d->used = false;
	TAILQ_REMOVE(&h->senders.by_time, d, by_time);
	TAILQ_INSERT_TAIL(&h->senders.free, d, by_time);
	h->version++;
}

/* Nanoseconds until an entry expires; 0: it has. It may have been learned before the clock began.
 */
static uint64_t
time_left(const struct fcn_host *h, const struct fcn_host_incapable *d, uint64_t now)
{
	const int64_t left = (int64_t)(d->learned_ns + h->conf.capability_ns - now);

	return left > 0 ? (uint64_t)left : 0;
}

/* Set the timer for the first entry of the list, which expires first. */
static void
arm(struct fcn_host *h, uint64_t now)
{
	const struct fcn_host_incapable *first = TAILQ_FIRST(&h->senders.by_time);

	if (first == NULL)
		fcn_host_timer_stop(&h->timers, &h->senders.timer);
	else
		fcn_host_timer_set(&h->timers, &h->senders.timer, now + time_left(h, first, now));
}

static struct fcn_host_incapable *
add(struct fcn_host *h, const struct fcn_host_refusal *refusal)
{
	struct fcn_host_incapable **bucket = bucket_of(h, refusal->sender);
	struct fcn_host_incapable *d;

	if (TAILQ_EMPTY(&h->senders.free))
		forget(h, TAILQ_FIRST(&h->senders.by_time));
	d = TAILQ_FIRST(&h->senders.free);
	TAILQ_REMOVE(&h->senders.free, d, by_time);
	d->refusal = *refusal;
	d->used = true;
	d->answers = 0;
	d->hash_next = *bucket;
	*bucket = d;
	TAILQ_INSERT_TAIL(&h->senders.by_time, d, by_time);
	fcn_host_count(h, FCN_HOST_CAPABILITY_LEARNED);
	h->version++;
	return d;
}

static bool
is_same(const struct fcn_host_refusal *a, const struct fcn_host_refusal *b)
{
	return a->kind == b->kind && memcmp(a->sender, b->sender, sizeof(a->sender)) == 0;
}

void
fcn_host_sender_learn(struct fcn_host *h, const struct fcn_host_refusal *refusal, uint64_t now)
{
	struct fcn_host_incapable *d = *bucket_of(h, refusal->sender);

	if (h->conf.capability_ns == 0)
		return;
	while (d != NULL && !is_same(&d->refusal, refusal))
		d = d->hash_next;
	if (d == NULL) {
		d = add(h, refusal);
	} else {
		TAILQ_REMOVE(&h->senders.by_time, d, by_time);
		TAILQ_INSERT_TAIL(&h->senders.by_time, d, by_time);
	}
	d->learned_ns = now;
	d->answers++;
	arm(h, now);
}

/* Put an entry into its place in the list, which is near the end. */
static void
put_by_time(struct fcn_host *h, struct fcn_host_incapable *d)
{
	struct fcn_host_incapable *before = d;

	do
		before = TAILQ_PREV(before, fcn_host_incapable_list, by_time);
	while (before != NULL && (int64_t)(before->learned_ns - d->learned_ns) > 0);
	TAILQ_REMOVE(&h->senders.by_time, d, by_time);
	if (before != NULL)
		TAILQ_INSERT_AFTER(&h->senders.by_time, before, d, by_time);
	else
		TAILQ_INSERT_HEAD(&h->senders.by_time, d, by_time);
}

bool
fcn_host_restore_sender(struct fcn_host *h, const struct fcn_host_refusal *refusal,
		uint64_t left_ns, uint64_t now)
{
	struct fcn_host_incapable *d = *bucket_of(h, refusal->sender);

	if (h->conf.capability_ns == 0 || left_ns == 0)
		return false;
	while (d != NULL && !is_same(&d->refusal, refusal))
		d = d->hash_next;
	if (d != NULL)
		return false;
	d = add(h, refusal);
	d->learned_ns = now - (h->conf.capability_ns - RTE_MIN(left_ns, h->conf.capability_ns));
	put_by_time(h, d);
	arm(h, now);
	return true;
}

void
fcn_host_senders_expire(struct fcn_host *h, uint64_t now)
{
	struct fcn_host_incapable *first = TAILQ_FIRST(&h->senders.by_time);

	if (first != NULL && time_left(h, first, now) == 0)
		forget(h, first);
	arm(h, now);
}

void
fcn_host_senders_review(struct fcn_host *h, uint64_t now)
{
	if (h->conf.capability_ns == 0)
		fcn_host_clear_senders(h);
	arm(h, now);
}

uint32_t
fcn_host_clear_senders(struct fcn_host *h)
{
	uint32_t n = 0;

	while (!TAILQ_EMPTY(&h->senders.by_time)) {
		forget(h, TAILQ_FIRST(&h->senders.by_time));
		n++;
	}
	arm(h, 0); /* there are none any more */
	return n;
}

bool
fcn_host_sender_next(const struct fcn_host *h, uint32_t *next, struct fcn_host_sender *out)
{
	while (*next < FCN_HOST_MAX_SENDERS) {
		const struct fcn_host_incapable *d = &h->senders.all[(*next)++];

		if (!d->used)
			continue;
		out->refusal = d->refusal;
		out->until_ns = d->learned_ns + h->conf.capability_ns;
		out->answers = d->answers;
		return true;
	}
	return false;
}
