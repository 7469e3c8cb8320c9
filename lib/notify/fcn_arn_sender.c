/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "arn_due.h"
#include "fcn_arn_sender.h"

#define NONE UINT16_MAX /* instead of the number of a halt */

#define NS_PER_US 1000u

/* Time after which another buffer is asked for. */
#define RETRY_NS 10000u

/* ---- the table of halts ---- */

/* What messages about a halt say of it: not its port, and its class in mode priority only. */
static struct fcn_arn_key
said_of(const struct fcn_arn_key *key)
{
	struct fcn_arn_key said = *key;

	said.port = 0;
	said.mode = key->mode == FCN_ARN_MODE_PRIORITY;
	if (key->mode != FCN_ARN_MODE_PRIORITY)
		said.class = 0;
	return said;
}

/* Halts about which messages say the same are in the same chain. */
static unsigned int
chain_of(const struct fcn_arn_sender *s, const struct fcn_arn_key *key)
{
	const struct fcn_arn_key said = said_of(key);
	uint64_t word[sizeof(said) / sizeof(uint64_t)], hash = 0;

	_Static_assert(sizeof(said) % sizeof(uint64_t) == 0, "it consists of words");
	memcpy(word, &said, sizeof(word));
	for (unsigned int i = 0; i < RTE_DIM(word); i++)
		hash = fcn_hash_pair(&s->key, hash, word[i]);
	return hash % FCN_ARN_HALTS;
}

static struct fcn_arn_halt *
find_halt(struct fcn_arn_sender *s, const struct fcn_arn_key *key, unsigned int chain)
{
	for (uint16_t i = s->chain[chain]; i != NONE; i = s->halt[i].next) {
		if (memcmp(&s->halt[i].cause.key, key, sizeof(*key)) == 0)
			return &s->halt[i];
	}
	return NULL;
}

static struct fcn_arn_halt *
make(struct fcn_arn_sender *s, const struct fcn_arn_cause *cause, unsigned int chain, uint64_t now)
{
	uint16_t *first = &s->queue[cause->key.port][cause->key.class];
	const uint16_t number = s->free;
	struct fcn_arn_halt *h = &s->halt[number];

	s->free = h->next;
	*h = (struct fcn_arn_halt){
			.cause = *cause,
			.pending = cause->neighbours,
			.begun_ns = now,
			.round_ns = now,
			.due_ns = now,
			.next = s->chain[chain],
			.next_of_queue = *first,
			.previous_of_queue = NONE,
	};
	s->chain[chain] = number;
	if (*first != NONE)
		s->halt[*first].previous_of_queue = number;
	*first = number;
	s->n_queue[cause->key.port][cause->key.class]++;
	put_in_heap(s, s->n++, number);
	sift(s, h->heap);
	note_due(s);
	s->halts++;
	return h;
}

static void
discard(struct fcn_arn_sender *s, struct fcn_arn_halt *h)
{
	const struct fcn_arn_key *key = &h->cause.key;
	const uint16_t number = h - s->halt, last = s->heap[--s->n];
	uint16_t *link = &s->chain[chain_of(s, key)];

	while (*link != number)
		link = &s->halt[*link].next;
	*link = h->next;
	if (h->previous_of_queue == NONE)
		s->queue[key->port][key->class] = h->next_of_queue;
	else
		s->halt[h->previous_of_queue].next_of_queue = h->next_of_queue;
	if (h->next_of_queue != NONE)
		s->halt[h->next_of_queue].previous_of_queue = h->previous_of_queue;
	s->n_queue[key->port][key->class]--;
	if (last != number) {
		put_in_heap(s, h->heap, last);
		sift(s, s->halt[last].heap);
	}
	h->next = s->free;
	s->free = number;
	note_due(s);
}

void
fcn_arn_sender_init(struct fcn_arn_sender *s)
{
	memset(s, 0, sizeof(*s));
	memset(s->chain, 0xFF, sizeof(s->chain));
	memset(s->queue, 0xFF, sizeof(s->queue));
	for (unsigned int i = 0; i < FCN_ARN_HALTS; i++)
		s->halt[i].next = i + 1 < FCN_ARN_HALTS ? i + 1 : NONE;
	s->due_ns = FCN_ARN_NEVER;
}

/* ---- halts begin and end ---- */

static uint64_t
half_ns(const struct fcn_arn_halt *h)
{
	return (uint64_t)h->cause.time_us * NS_PER_US / 2;
}

/* Add what a further packet tells about a halt. */
static void
renew(struct fcn_arn_sender *s, struct fcn_arn_halt *h, const struct fcn_arn_cause *cause,
		uint64_t now)
{
	const uint32_t fresh = cause->neighbours & ~h->cause.neighbours;

	h->cause.level = cause->level;
	h->cause.time_us = cause->time_us;
	h->cause.reason |= cause->reason;
	if (cause->has_path) {
		h->cause.has_path = true;
		h->cause.path_id = cause->path_id;
	}
	if (likely(fresh == 0 && !h->ending))
		return;
	h->cause.neighbours |= fresh;
	if (h->ending) { /* those that were not told of the end yet still halt it */
		h->ending = false;
		h->pending = h->cause.neighbours & ~h->told;
	} else {
		h->pending |= fresh;
	}
	set_due(s, h, h->pending != 0 ? now : RTE_MAX(h->round_ns + half_ns(h), now));
}

bool
fcn_arn_sender_halt(struct fcn_arn_sender *s, const struct fcn_arn_cause *cause, uint64_t now)
{
	const unsigned int chain = chain_of(s, &cause->key);
	struct fcn_arn_halt *h = find_halt(s, &cause->key, chain);

	if (h != NULL) {
		renew(s, h, cause, now);
		return true;
	}
	if (s->n_queue[cause->key.port][cause->key.class] == FCN_ARN_QUEUE_HALTS) {
		s->queue_full++;
		return false;
	}
	if (s->free == NONE) {
		s->table_full++;
		return false;
	}
	make(s, cause, chain, now);
	return true;
}

/* A halt is not needed any more: those that were asked are to be told, at once. */
static void
end(struct fcn_arn_sender *s, struct fcn_arn_halt *h, uint64_t now)
{
	if (h->ending)
		return;
	h->ending = true;
	h->pending = h->told;
	if (h->told == 0)
		discard(s, h);
	else
		set_due(s, h, now);
}

/* Remove reasons of a halt. It ends with the last one. */
static void
remove_reasons(struct fcn_arn_sender *s, struct fcn_arn_halt *h, unsigned int reasons, uint64_t now)
{
	h->cause.reason &= ~reasons;
	if (h->cause.reason == 0)
		end(s, h, now);
}

void
fcn_arn_sender_end_one(struct fcn_arn_sender *s, const struct fcn_arn_key *key,
		enum fcn_arn_reason reason, uint64_t now)
{
	struct fcn_arn_halt *h = find_halt(s, key, chain_of(s, key));

	if (h != NULL)
		remove_reasons(s, h, reason, now);
}

void
fcn_arn_sender_end(struct fcn_arn_sender *s, uint16_t port, uint8_t class,
		enum fcn_arn_reason reason, uint64_t now)
{
	for (uint16_t next, i = s->queue[port][class]; i != NONE; i = next) {
		struct fcn_arn_halt *h = &s->halt[i];

		next = h->next_of_queue;
		remove_reasons(s, h, reason, now);
	}
}

void
fcn_arn_sender_end_modes(struct fcn_arn_sender *s, uint16_t port, uint8_t class,
		enum fcn_arn_mode but, uint64_t now)
{
	for (uint16_t next, i = s->queue[port][class]; i != NONE; i = next) {
		struct fcn_arn_halt *h = &s->halt[i];

		next = h->next_of_queue;
		if (h->cause.key.mode != but)
			remove_reasons(s, h, ~(unsigned int)FCN_ARN_REASON_HELD, now);
	}
}

void
fcn_arn_sender_forget(struct fcn_arn_sender *s)
{
	while (s->n > 0) {
		s->expired++;
		discard(s, &s->halt[s->heap[s->n - 1]]);
	}
}

/* ---- neighbours ---- */

/* The bits of a set that its neighbours have in a new list. */
static uint32_t
translate(uint32_t set, const int8_t to[FCN_ARN_NEIGHBOURS])
{
	uint32_t result = 0;

	for (; set != 0; set &= set - 1) {
		const int n = to[__builtin_ctz(set)];

		result |= n >= 0 ? UINT32_C(1) << n : 0;
	}
	return result;
}

static bool
is_same_list(const struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf)
{
	return s->n_neighbours == conf->n_neighbours &&
	       memcmp(s->neighbour_addr, conf->neighbour_addr, conf->n_neighbours * 16u) == 0 &&
	       memcmp(s->neighbour_table, conf->neighbour_table, conf->n_neighbours) == 0;
}

void
fcn_arn_sender_reconfigure(
		struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf, uint64_t now)
{
	int8_t to[FCN_ARN_NEIGHBOURS];

	if (is_same_list(s, conf))
		return;
	for (unsigned int o = 0; o < s->n_neighbours; o++) {
		to[o] = -1;
		for (unsigned int n = 0; n < conf->n_neighbours && to[o] < 0; n++) {
			if (memcmp(s->neighbour_addr[o], conf->neighbour_addr[n], 16) == 0 &&
					s->neighbour_table[o] == conf->neighbour_table[n])
				to[o] = n;
		}
	}
	for (unsigned int i = s->n; i-- > 0;) {
		struct fcn_arn_halt *h = &s->halt[s->heap[i]];

		h->cause.neighbours = translate(h->cause.neighbours, to);
		h->told = translate(h->told, to);
		h->pending = translate(h->pending, to);
		h->covered = translate(h->covered, to);
	}
	memset(s->neighbour_tat, 0, sizeof(s->neighbour_tat));
	s->n_neighbours = conf->n_neighbours;
	memcpy(s->neighbour_addr, conf->neighbour_addr, sizeof(s->neighbour_addr));
	memcpy(s->neighbour_table, conf->neighbour_table, sizeof(s->neighbour_table));
	/* A halt without neighbours has nobody to tell. Removing one moves others in the heap. */
	for (unsigned int i = 0; i < FCN_ARN_HALTS; i++) {
		struct fcn_arn_halt *h = &s->halt[i];

		if (h->heap < s->n && s->heap[h->heap] == i && h->cause.neighbours == 0) {
			s->expired++;
			discard(s, h);
		} else if (h->heap < s->n && s->heap[h->heap] == i && h->ending) {
			set_due(s, h, now);
		}
	}
}

/* ---- what neighbours know already, from halts of other queues ---- */

/* Get the next halt, from a number on, about which messages say the same. @return NULL: none */
static struct fcn_arn_halt *
next_twin(struct fcn_arn_sender *s, const struct fcn_arn_halt *h, uint16_t from)
{
	const struct fcn_arn_key said = said_of(&h->cause.key);

	for (uint16_t i = from; i != NONE; i = s->halt[i].next) {
		const struct fcn_arn_key other = said_of(&s->halt[i].cause.key);

		if (&s->halt[i] != h && memcmp(&other, &said, sizeof(said)) == 0)
			return &s->halt[i];
	}
	return NULL;
}

#define FOREACH_TWIN(t, s, h)                                                                    \
	for (struct fcn_arn_halt *t = next_twin(s, h, (s)->chain[chain_of(s, &(h)->cause.key)]); \
			t != NULL; t = next_twin(s, h, t->next))

/* Whether a neighbour was asked for the same less than half of its time ago, and so will be asked
 * again before the time is over. */
static bool
was_asked(const struct fcn_arn_halt *t, const struct fcn_arn_halt *h, uint32_t bit, uint64_t now)
{
	return !t->ending && (t->told & ~t->pending & ~t->covered & bit) != 0 &&
	       t->round_ns + half_ns(t) > now && t->cause.time_us >= h->cause.time_us &&
	       (t->cause.has_path || !h->cause.has_path);
}

/* Whether a neighbour need not get the message of a halt: it was asked for the same because of
 * another queue, or is to go on halting it because of one. */
static bool
is_known(struct fcn_arn_sender *s, const struct fcn_arn_halt *h, uint32_t bit, uint64_t now)
{
	FOREACH_TWIN(t, s, h)
	{
		if (h->ending ? !t->ending && ((t->told | t->pending) & bit) != 0
			      : was_asked(t, h, bit, now))
			return true;
	}
	return false;
}

/* A neighbour is told of the end of a halt: other halts of the same that end need not tell it. */
static void
tell_for_twins(struct fcn_arn_sender *s, const struct fcn_arn_halt *h, uint32_t bit)
{
	FOREACH_TWIN(t, s, h)
	{
		if (t->ending) {
			t->told &= ~bit;
			t->pending &= ~bit;
		}
	}
}

/* ---- messages ---- */

/* How long it takes until a bucket has a token; 0: it has one. */
static uint64_t
wait_of(const struct fcn_arn_bucket *b, uint64_t tat, uint64_t now)
{
	const uint64_t full = RTE_MAX(tat, now) - now, allowed = b->cost_ns * (b->burst - 1);

	return b->cost_ns == 0 || full <= allowed ? 0 : full - allowed;
}

static void
take(const struct fcn_arn_bucket *b, uint64_t *tat, uint64_t now)
{
	if (b->cost_ns != 0)
		*tat = RTE_MAX(*tat, now) + b->cost_ns;
}

/* Take a token of each bucket, or none. @return how long it takes until they have one */
static uint64_t
take_tokens(struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf,
		const struct fcn_arn_key *key, unsigned int neighbour, uint64_t now)
{
	uint64_t *queue = &s->queue_tat[key->port][key->class], wait;

	wait = wait_of(&conf->queue, *queue, now);
	if (wait != 0) {
		s->bucket_queue++;
		return wait;
	}
	wait = wait_of(&conf->global, s->global_tat, now);
	if (wait != 0) {
		s->bucket_global++;
		return wait;
	}
	wait = wait_of(&conf->neighbour, s->neighbour_tat[neighbour], now);
	if (wait != 0) {
		s->bucket_neighbour++;
		return wait;
	}
	take(&conf->queue, queue, now);
	take(&conf->global, &s->global_tat, now);
	take(&conf->neighbour, &s->neighbour_tat[neighbour], now);
	return 0;
}

/* Write the message of a halt to a neighbour. */
static void
fill(const struct fcn_arn_halt *h, unsigned int neighbour, struct fcn_arn_message *message)
{
	const struct fcn_arn_cause *c = &h->cause;

	*message = (struct fcn_arn_message){
			.arn = {.type = h->ending ? FCN_ARN_ENDED : FCN_ARN_CONGESTION,
					.level = h->ending ? 0 : c->level,
					.parameters = fcn_arn_mode_parameters(c->key.mode),
					.path_id = c->path_id,
					.time_us = h->ending ? FCN_ARN_TIME_RESUME : c->time_us,
					.flow = c->key.flow},
			.neighbour = neighbour,
			.port = c->key.port,
			.class = c->key.class,
			.reasons = h->ending ? 0 : c->reason,
	};
	if (c->has_path)
		message->arn.parameters |= FCN_ARN_PATH;
	if (c->key.mode == FCN_ARN_MODE_PRIORITY)
		message->arn.priority = c->key.class;
}

/* Note that a neighbour knows what the message of a halt says. */
static void
note_told(struct fcn_arn_halt *h, uint32_t bit)
{
	h->pending &= ~bit;
	h->told = h->ending ? h->told & ~bit : h->told | bit;
}

/* Count a message to a neighbour, and note that it has got it. */
static void
note_sent(struct fcn_arn_sender *s, struct fcn_arn_halt *h, unsigned int neighbour)
{
	const uint32_t bit = UINT32_C(1) << neighbour;

	h->messages++;
	h->covered &= ~bit;
	if (h->ending) {
		s->ended++;
		tell_for_twins(s, h, bit);
	} else if (h->told & bit) {
		s->refreshed++;
	} else {
		s->sent++;
	}
	note_told(h, bit);
}

/* All neighbours have got their message: wait until the next one is due. */
static void
finish_round(struct fcn_arn_sender *s, struct fcn_arn_halt *h, uint64_t now)
{
	if (h->ending)
		discard(s, h);
	else
		set_due(s, h, RTE_MAX(h->round_ns + half_ns(h), now + 1));
}

/* Whether the time for which neighbours were asked is over before they were told of the end. */
static bool
is_expired(const struct fcn_arn_halt *h, uint64_t now)
{
	return h->ending && now >= h->round_ns + 2 * half_ns(h);
}

bool
fcn_arn_sender_next(struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf,
		uint64_t (*reach)(void *arg, unsigned int neighbour), void *arg, uint64_t now,
		unsigned int *budget, struct fcn_arn_message *message)
{
	for (; s->due_ns <= now && *budget > 0; --*budget) {
		struct fcn_arn_halt *h = &s->halt[s->heap[0]];
		unsigned int neighbour;
		uint64_t wait;

		if (is_expired(h, now)) {
			s->expired++;
			discard(s, h);
			continue;
		}
		if (h->pending == 0 &&
				h->ending) { /* those to be told are no neighbours any more */
			discard(s, h);
			continue;
		}
		if (h->pending == 0) { /* half of the time is over: a new round */
			h->pending = h->cause.neighbours;
			h->round_ns = now;
		}
		neighbour = __builtin_ctz(h->pending);
		if (is_known(s, h, UINT32_C(1) << neighbour, now)) {
			s->known++;
			h->covered |= UINT32_C(1) << neighbour;
			note_told(h, UINT32_C(1) << neighbour);
			if (h->pending == 0)
				finish_round(s, h, now);
			continue;
		}
		wait = reach(arg, neighbour);
		if (wait == FCN_ARN_NEVER) {
			s->unreachable++;
			h->pending &= ~(UINT32_C(1) << neighbour);
			if (h->pending == 0)
				finish_round(s, h, now);
			continue;
		}
		if (wait != 0)
			s->bucket_link++;
		else
			wait = take_tokens(s, conf, &h->cause.key, neighbour, now);
		if (wait != 0) {
			set_due(s, h, now + wait);
			continue;
		}
		fill(h, neighbour, message);
		note_sent(s, h, neighbour);
		if (h->pending == 0)
			finish_round(s, h, now);
		--*budget;
		return true;
	}
	return false;
}

void
fcn_arn_sender_postpone(struct fcn_arn_sender *s, uint64_t now)
{
	s->no_mbuf++;
	s->retry_ns = now + RETRY_NS;
	note_due(s);
}

void
fcn_arn_sender_clear_counters(struct fcn_arn_sender *s)
{
	struct fcn_arn_sender *c = s;

	FCN_ARN_SENDER_COUNTERS(FCN_COUNTER_CLEAR)
}
