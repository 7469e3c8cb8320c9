/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_held_flows.h"
#include "halt_time.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

/* Add times; a sum beyond the range stands for never. */
static uint64_t
after(uint64_t from, uint64_t ns)
{
	return from > UINT64_MAX - ns ? FCN_HELD_FLOWS_NEVER : from + ns;
}

int
fcn_held_flows_init(struct fcn_held_flows *h, uint32_t flows, uint32_t packets,
		const struct fcn_hash_key *hash, int socket)
{
	const uint32_t buckets = rte_align32pow2(RTE_MAX(2 * flows, 2u));

	memset(h, 0, sizeof(*h));
	h->hash = *hash;
	h->flow = rte_zmalloc_socket(
			"fcn_held_flow", flows * sizeof(*h->flow), RTE_CACHE_LINE_SIZE, socket);
	h->slot = rte_zmalloc_socket(
			"fcn_held_slot", packets * sizeof(*h->slot), RTE_CACHE_LINE_SIZE, socket);
	h->bucket = rte_malloc_socket("fcn_held_bucket", buckets * sizeof(*h->bucket),
			RTE_CACHE_LINE_SIZE, socket);
	if (h->flow == NULL || h->slot == NULL || h->bucket == NULL) {
		fcn_held_flows_fini(h);
		return -ENOMEM;
	}
	h->mask = buckets - 1;
	h->max_flows = flows;
	memset(h->bucket, 0xff, buckets * sizeof(*h->bucket));
	for (uint32_t i = 0; i < flows; i++)
		h->flow[i].chain = i + 1 < flows ? i + 1 : FCN_HELD_FLOWS_NONE;
	for (uint32_t i = 0; i < packets; i++)
		h->slot[i].next = i + 1 < packets ? i + 1 : FCN_HELD_FLOWS_NONE;
	h->check_at = FCN_HELD_FLOWS_NEVER;
	return 0;
}

void
fcn_held_flows_fini(struct fcn_held_flows *h)
{
	rte_free(h->flow);
	rte_free(h->slot);
	rte_free(h->bucket);
	memset(h, 0, sizeof(*h));
}

static uint32_t
bucket_of(const struct fcn_held_flows *h, const struct fcn_held_key *key)
{
	const struct fcn_flow_descriptor *f = &key->flow;
	uint64_t word[4], rest;

	memcpy(&word[0], f->src, sizeof(f->src));
	memcpy(&word[2], f->dst, sizeof(f->dst));
	rest = (uint64_t)f->src_port << 48 | (uint64_t)f->dst_port << 32 |
	       (uint64_t)f->proto << 16 | (uint64_t)f->version << 8 | key->mode;
	return (uint32_t)(fcn_hash_pair(&h->hash, word[0] ^ rest, word[1]) ^
			       fcn_hash_other_pair(&h->hash, word[2], word[3])) &
	       h->mask;
}

static bool
is_same(const struct fcn_held_key *a, const struct fcn_held_key *b)
{
	return a->mode == b->mode && a->flow.version == b->flow.version &&
	       a->flow.proto == b->flow.proto && a->flow.src_port == b->flow.src_port &&
	       a->flow.dst_port == b->flow.dst_port &&
	       memcmp(a->flow.src, b->flow.src, sizeof(a->flow.src)) == 0 &&
	       memcmp(a->flow.dst, b->flow.dst, sizeof(a->flow.dst)) == 0;
}

static uint32_t
find(const struct fcn_held_flows *h, const struct fcn_held_key *key)
{
	uint32_t i = h->bucket[bucket_of(h, key)];

	while (i != FCN_HELD_FLOWS_NONE && !is_same(&h->flow[i].key, key))
		i = h->flow[i].chain;
	return i;
}

/*
 * Let go of a flow that is neither held nor in a storm, and has no packets. How long it was held is
 * remembered until its element is needed for another flow.
 */
static void
forget(struct fcn_held_flows *h, uint32_t i)
{
	struct fcn_held_flow *f = &h->flow[i];

	if (!f->used || f->held || f->storm || f->packets != 0)
		return;
	f->used = false;
	h->n_flows--;
}

/* Take an element that no flow uses: one that never was used, or the next one after the last. There
 * is one, since fewer flows than elements are in use. */
static uint32_t
take_element(struct fcn_held_flows *h)
{
	uint32_t i = h->free_flow, *at;

	if (i != FCN_HELD_FLOWS_NONE) {
		h->free_flow = h->flow[i].chain;
		return i;
	}
	do {
		i = h->hand;
		h->hand = i + 1 < h->max_flows ? i + 1 : 0;
	} while (h->flow[i].used);
	at = &h->bucket[h->flow[i].bucket];
	while (*at != i)
		at = &h->flow[*at].chain;
	*at = h->flow[i].chain;
	return i;
}

/* Put a flow at the end of the ring of those whose packets may leave. */
static void
link_leaving(struct fcn_held_flows *h, uint32_t i)
{
	struct fcn_held_flow *f = &h->flow[i];

	if (h->leaving++ == 0) {
		h->turn = i;
		f->next_leaving = i;
		f->previous_leaving = i;
	} else {
		f->next_leaving = h->turn;
		f->previous_leaving = h->flow[h->turn].previous_leaving;
		h->flow[f->previous_leaving].next_leaving = i;
		h->flow[h->turn].previous_leaving = i;
	}
	h->skipped = 0;
}

static void
unlink_leaving(struct fcn_held_flows *h, uint32_t i)
{
	const struct fcn_held_flow *f = &h->flow[i];

	h->flow[f->next_leaving].previous_leaving = f->previous_leaving;
	h->flow[f->previous_leaving].next_leaving = f->next_leaving;
	if (h->turn == i)
		h->turn = f->next_leaving;
	h->leaving--;
	h->skipped = 0;
}

/* Let the packets of a flow leave from now on. */
static void
release(struct fcn_held_flows *h, uint32_t i)
{
	struct fcn_held_flow *f = &h->flow[i];

	if (!f->held)
		return;
	f->held = false;
	if (f->packets != 0)
		link_leaving(h, i);
}

static void
hold(struct fcn_held_flows *h, uint32_t i)
{
	struct fcn_held_flow *f = &h->flow[i];

	if (f->held)
		return;
	f->held = true;
	if (f->packets != 0)
		unlink_leaving(h, i);
}

/* Get the time at which the state of a flow changes without a message. */
static uint64_t
change_of(const struct fcn_held_flow *f, const struct fcn_held_flows_conf *conf)
{
	uint64_t at = FCN_HELD_FLOWS_NEVER;

	if (f->held)
		at = f->until;
	if (f->held && conf->detect_ns != 0)
		at = RTE_MIN(at, after(f->since, conf->detect_ns));
	if (f->storm)
		at = RTE_MIN(at, after(f->last_rx, conf->restore_ns));
	return at;
}

/* Begin with a flow. There are fewer than there may be. */
static uint32_t
add(struct fcn_held_flows *h, const struct fcn_held_key *key)
{
	struct fcn_held_flow *f;
	uint32_t i;

	i = take_element(h);
	f = &h->flow[i];
	h->n_flows++;
	*f = (struct fcn_held_flow){
			.key = *key,
			.first = FCN_HELD_FLOWS_NONE,
			.last = FCN_HELD_FLOWS_NONE,
			.bucket = bucket_of(h, key),
			.used = true,
	};
	f->chain = h->bucket[f->bucket];
	h->bucket[f->bucket] = i;
	return i;
}

/* Update a flow to the time `now`. */
static void
settle(struct fcn_held_flows *h, uint32_t i, const struct fcn_held_flows_conf *conf, uint64_t now)
{
	struct fcn_held_flow *f = &h->flow[i];

	if (f->storm && now >= after(f->last_rx, conf->restore_ns)) {
		f->storm = false;
		f->since = f->until; /* nothing is left of the total */
	}
	if (!f->held)
		return;
	/* A hold that ends in the nanosecond of the watchdog is no storm. */
	if (f->until <= now &&
			(conf->detect_ns == 0 || f->until <= after(f->since, conf->detect_ns))) {
		release(h, i);
	} else if (conf->detect_ns != 0 && now >= after(f->since, conf->detect_ns)) {
		release(h, i);
		f->until = RTE_MIN(f->until, now);
		f->storm = now < after(f->last_rx, conf->restore_ns);
		if (!f->storm)
			f->since = f->until;
	}
}

enum fcn_held_result
fcn_held_flows_message(struct fcn_held_flows *h, const struct fcn_held_flows_conf *conf,
		const struct fcn_held_key *key, uint64_t time_ns, uint64_t now)
{
	uint32_t i = find(h, key);
	struct fcn_held_flow *f;
	bool was_held;

	if (time_ns == 0) {
		if (i == FCN_HELD_FLOWS_NONE)
			return FCN_HELD_NOT;
		f = &h->flow[i];
		was_held = f->held;
		release(h, i);
		f->until = RTE_MIN(f->until, now);
		forget(h, i);
		return was_held ? FCN_HELD_ENDED : FCN_HELD_NOT;
	}
	if ((i == FCN_HELD_FLOWS_NONE || !h->flow[i].used) &&
			h->n_flows >= RTE_MIN(conf->flows, h->max_flows))
		return FCN_HELD_FULL;
	if (i == FCN_HELD_FLOWS_NONE) {
		i = add(h, key);
	} else if (!h->flow[i].used) {
		h->flow[i].used = true;
		h->n_flows++;
	}
	f = &h->flow[i];
	settle(h, i, conf, now);
	was_held = f->held;
	f->last_rx = now;
	if (f->storm) {
		h->check_at = RTE_MIN(h->check_at, change_of(f, conf));
		return FCN_HELD_STORM;
	}
	if (!was_held)
		f->since = fcn_halt_since(
				f->since, f->until, conf->detect_ns, conf->restore_ns, now);
	f->until = after(now, RTE_MIN(time_ns, conf->max_ns));
	hold(h, i);
	h->check_at = RTE_MIN(h->check_at, change_of(f, conf));
	return was_held ? FCN_HELD_RENEWED : FCN_HELD_BEGAN;
}

uint32_t
fcn_held_flows_find(const struct fcn_held_flows *h, const struct fcn_held_key *key)
{
	const uint32_t i = find(h, key);

	if (i == FCN_HELD_FLOWS_NONE || h->flow[i].held || h->flow[i].packets != 0)
		return i;
	return FCN_HELD_FLOWS_NONE;
}

bool
fcn_held_flows_is_held(const struct fcn_held_flows *h, const struct fcn_held_key *key)
{
	const uint32_t i = find(h, key);

	return i != FCN_HELD_FLOWS_NONE && h->flow[i].held;
}

enum fcn_held_verdict
fcn_held_flows_push(struct fcn_held_flows *h, const struct fcn_held_flows_conf *conf, uint32_t flow,
		uint32_t len, uint32_t *slot)
{
	struct fcn_held_flow *f = &h->flow[flow];
	const uint32_t s = h->free_slot;

	if (f->packets >= conf->flow_packets || f->bytes + len > conf->flow_bytes)
		return FCN_HELD_FLOW_LIMIT;
	if (s == FCN_HELD_FLOWS_NONE || h->packets >= conf->packets || h->bytes + len > conf->bytes)
		return FCN_HELD_TOTAL_LIMIT;
	h->free_slot = h->slot[s].next;
	h->slot[s] = (struct fcn_held_slot){.next = FCN_HELD_FLOWS_NONE, .len = len};
	if (f->first == FCN_HELD_FLOWS_NONE)
		f->first = s;
	else
		h->slot[f->last].next = s;
	f->last = s;
	f->packets++;
	f->bytes += len;
	f->bytes_max = RTE_MAX(f->bytes_max, f->bytes);
	h->packets++;
	h->bytes += len;
	*slot = s;
	return FCN_HELD_WAITS;
}

void
fcn_held_flows_update(
		struct fcn_held_flows *h, const struct fcn_held_flows_conf *conf, uint64_t now)
{
	uint64_t next = FCN_HELD_FLOWS_NEVER;

	if (now < h->check_at)
		return;
	for (uint32_t i = 0; i < h->max_flows; i++) {
		struct fcn_held_flow *f = &h->flow[i];

		if (!f->used)
			continue;
		settle(h, i, conf, now);
		next = RTE_MIN(next, change_of(f, conf));
		forget(h, i);
	}
	h->check_at = next;
}

void
fcn_held_flows_skip(struct fcn_held_flows *h)
{
	h->turn = h->flow[h->turn].next_leaving;
	h->skipped++;
}

/* Account for a packet that has left its flow, and forget a flow that is not needed any more. */
static void
removed(struct fcn_held_flows *h, uint32_t i, uint32_t slot)
{
	struct fcn_held_flow *f = &h->flow[i];

	f->packets--;
	f->bytes -= h->slot[slot].len;
	h->packets--;
	h->bytes -= h->slot[slot].len;
	h->slot[slot].next = h->free_slot;
	h->free_slot = slot;
	if (f->packets == 0 && !f->held)
		unlink_leaving(h, i);
	forget(h, i);
}

uint32_t
fcn_held_flows_pop(struct fcn_held_flows *h, uint32_t flow)
{
	struct fcn_held_flow *f = &h->flow[flow];
	const uint32_t s = f->first;

	f->first = h->slot[s].next;
	if (f->first == FCN_HELD_FLOWS_NONE)
		f->last = FCN_HELD_FLOWS_NONE;
	if (!f->held)
		h->turn = f->next_leaving;
	h->skipped = 0;
	removed(h, flow, s);
	return s;
}

static void
remove_of(struct fcn_held_flows *h, uint32_t i, bool (*is_gone)(void *arg, uint32_t slot),
		void *arg)
{
	struct fcn_held_flow *f = &h->flow[i];
	uint32_t *link = &f->first;

	f->last = FCN_HELD_FLOWS_NONE;
	while (*link != FCN_HELD_FLOWS_NONE) {
		const uint32_t s = *link;

		if (is_gone(arg, s)) {
			*link = h->slot[s].next;
			removed(h, i, s);
		} else {
			f->last = s;
			link = &h->slot[s].next;
		}
	}
}

void
fcn_held_flows_remove(
		struct fcn_held_flows *h, bool (*is_gone)(void *arg, uint32_t slot), void *arg)
{
	for (uint32_t i = 0; i < h->max_flows; i++) {
		if (h->flow[i].used)
			remove_of(h, i, is_gone, arg);
	}
}

void
fcn_held_flows_release_all(struct fcn_held_flows *h)
{
	for (uint32_t i = 0; i < h->max_flows; i++) {
		struct fcn_held_flow *f = &h->flow[i];

		f->since = f->until; /* nothing is remembered of it */
		if (!f->used)
			continue;
		release(h, i);
		f->storm = false;
		forget(h, i);
	}
	h->check_at = FCN_HELD_FLOWS_NEVER;
}
