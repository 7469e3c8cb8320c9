/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The places of a map are in pages of 64. The hash of a receiver and its queue pair chooses an
 * entry's home, and the entry is there, or at another place of the same page: the first one that is
 * free, at home ^ 1, home ^ 2 and so on. The home has a bit for each of these at which one of its
 * entries is, so a look-up reads the home, which is nearly always the only line, and then only
 * places of its own entries. Nothing ever moves, so removing leaves no traces.
 *
 * A place has a version, which is odd while the place is written. All words are atomic, so what is
 * read with the same even version before and after it is of one entry.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_pause.h>
#include <rte_prefetch.h>

#include "fcn_hash_key.h"
#include "fcn_qp_map.h"

#define PAGE 64

/*
 * Places of a map for 8 entries. On average less than half of a page is used, and with this a page
 * of a map that is full has no place for an entry in one of thousands of maps.
 */
#define PLACES_OF_8 18

/* Looks at a place that is being written, which takes some nanoseconds. */
#define LOOKS 16

#define USED (UINT64_C(1) << 63)
#define RECEIVER_QP_SHIFT 24

/* What an entry consists of. IPv4 addresses are IPv4-mapped. */
struct content {
	uint64_t receiver[2];
	uint64_t sender[2]; /* zero: any */
	uint64_t qps;       /* USED, the receiver's and the sender's queue pair; 0: no entry */
};

struct place {
	uint64_t homes; /* bit i: home ^ i has an entry whose home is this place */
	uint32_t version;
	struct content content;
} __rte_cache_aligned;

_Static_assert(sizeof(struct place) == RTE_CACHE_LINE_SIZE, "it is one cache line");

/* What only the control thread knows of an entry. */
struct note {
	uint64_t since_ns;
	uint32_t owner;
	uint32_t before, next; /* places of other entries of this owner */
};

struct fcn_qp_map {
	struct place *place; /* workers read this and the following members */
	uint32_t n_places;
	struct fcn_hash_prepared key;
	/* The control thread only: */
	struct note *note __rte_cache_aligned;
	void *heap; /* memory of `place`, if it is not of DPDK */
	unsigned int refs;
	uint32_t room, reported;
	const void *list; /* that it was made of */
	size_t n_list;
	uint32_t first[FCN_QP_MAP_OWNERS], count[FCN_QP_MAP_OWNERS]; /* by owner */
};

/* ---- keys ---- */

struct key {
	uint64_t receiver[2];
	uint32_t qp;
};

static inline struct key
key_of(uint8_t version, const uint8_t *receiver, uint32_t qp)
{
	struct key key = {.qp = qp};

	fcn_addr_words(version, receiver, key.receiver);
	return key;
}

static inline uint32_t
home_of(const struct fcn_qp_map *map, const struct key *key)
{
	const uint64_t addr = fcn_hash_prepared_pair(&map->key, key->receiver[0], key->receiver[1]);
	const uint64_t hash = fcn_hash_prepared_other_pair(&map->key, addr, key->qp);

	return (uint32_t)((hash >> 32) * map->n_places >> 32);
}

static inline bool
is_entry_of(const struct content *c, const struct key *key)
{
	return c->receiver[0] == key->receiver[0] && c->receiver[1] == key->receiver[1] &&
	       c->qps >> RECEIVER_QP_SHIFT == (USED >> RECEIVER_QP_SHIFT | key->qp);
}

static inline bool
is_from(const struct content *c, const uint64_t sender[2])
{
	return (c->sender[0] == sender[0] && c->sender[1] == sender[1]) ||
	       (c->sender[0] | c->sender[1]) == 0;
}

/* ---- places ---- */

static inline uint64_t
load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void
store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Read a place while it may be written. @return whether all is of one entry */
static inline bool
look(const struct place *p, struct content *c)
{
	const uint32_t version = __atomic_load_n(&p->version, __ATOMIC_ACQUIRE);

	c->receiver[0] = load(&p->content.receiver[0]);
	c->receiver[1] = load(&p->content.receiver[1]);
	c->sender[0] = load(&p->content.sender[0]);
	c->sender[1] = load(&p->content.sender[1]);
	c->qps = load(&p->content.qps);
	/* Each of these loads comes before the next one. */
	return !(version & 1) && __atomic_load_n(&p->version, __ATOMIC_RELAXED) == version;
}

/* Write a place. What is written comes behind the odd version, and before the even one. */
static void
write_place(struct place *p, const struct content *c)
{
	__atomic_store_n(&p->version, p->version + 1, __ATOMIC_RELAXED);
	store(&p->content.receiver[0], c->receiver[0]);
	store(&p->content.receiver[1], c->receiver[1]);
	store(&p->content.sender[0], c->sender[0]);
	store(&p->content.sender[1], c->sender[1]);
	store(&p->content.qps, c->qps);
	__atomic_store_n(&p->version, p->version + 1, __ATOMIC_RELEASE);
}

/* Find an entry. @param home of the key @param c result: the entry @return its place;
 * FCN_QP_MAP_NONE: there is none */
static inline uint32_t
find_at(const struct fcn_qp_map *map, uint32_t home, const struct key *key, struct content *c)
{
	for (uint64_t left = load(&map->place[home].homes); left != 0; left &= left - 1) {
		const uint32_t i = home ^ (uint32_t)__builtin_ctzll(left);
		unsigned int looks = 1;
		bool is_whole = look(&map->place[i], c);

		for (; unlikely(!is_whole) && looks < LOOKS; looks++) {
			rte_pause();
			is_whole = look(&map->place[i], c);
		}
		if (likely(is_whole && is_entry_of(c, key)))
			return i;
	}
	return FCN_QP_MAP_NONE;
}

static inline uint32_t
find(const struct fcn_qp_map *map, const struct key *key, struct content *c)
{
	return find_at(map, home_of(map, key), key, c);
}

bool
fcn_qp_map_find_at(const struct fcn_qp_map *map, uint32_t at, uint8_t version,
		const uint8_t *receiver, uint32_t receiver_qp, const uint8_t *sender,
		uint32_t *sender_qp)
{
	const struct key key = key_of(version, receiver, receiver_qp);
	struct content c;
	uint64_t from[2];

	fcn_addr_words(version, sender, from);
	if (unlikely(map == NULL) || find_at(map, at, &key, &c) == FCN_QP_MAP_NONE ||
			!is_from(&c, from))
		return false;
	*sender_qp = c.qps & FCN_QP_MAX;
	return true;
}

uint32_t
fcn_qp_map_prefetch(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp)
{
	const struct key key = key_of(version, receiver, receiver_qp);
	uint32_t at;

	if (unlikely(map == NULL))
		return 0;
	at = home_of(map, &key);
	rte_prefetch0(&map->place[at]);
	return at;
}

bool
fcn_qp_map_find(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp, const uint8_t *sender, uint32_t *sender_qp)
{
	const uint32_t at = fcn_qp_map_prefetch(map, version, receiver, receiver_qp);

	return fcn_qp_map_find_at(map, at, version, receiver, receiver_qp, sender, sender_qp);
}

/* ---- life ---- */

struct fcn_qp_map *
fcn_qp_map_create(const char *name, uint32_t reported, uint32_t configured, uint64_t secret,
		int socket)
{
	const uint64_t entries = (uint64_t)reported + configured;
	const uint32_t n = (uint32_t)(entries * PLACES_OF_8 / 8 / PAGE + 1) * PAGE;
	struct fcn_qp_map *map = rte_zmalloc_socket(
			name, sizeof(*map), RTE_CACHE_LINE_SIZE, socket);
	struct fcn_hash_key key;

	if (map == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	fcn_hash_key_make(&key, secret);
	map->key = fcn_hash_prepare(&key);
	map->refs = 1;
	map->room = reported;
	map->n_places = n;
	memset(map->first, 0xFF, sizeof(map->first));
	/* A page of the map is a page of memory. */
	map->place = rte_zmalloc_socket(name, (size_t)n * sizeof(map->place[0]),
			PAGE * sizeof(map->place[0]), socket);
	/* With other memory it is slower, but what was configured once can be configured again. */
	if (map->place == NULL) {
		map->heap = calloc(n + PAGE, sizeof(map->place[0]));
		map->place = RTE_PTR_ALIGN_CEIL(map->heap, PAGE * sizeof(map->place[0]));
	}
	map->note = calloc(n, sizeof(map->note[0]));
	if (map->place == NULL || map->note == NULL) {
		fcn_qp_map_free(map);
		rte_errno = ENOMEM;
		return NULL;
	}
	return map;
}

struct fcn_qp_map *
fcn_qp_map_share(struct fcn_qp_map *map)
{
	map->refs++;
	return map;
}

void
fcn_qp_map_free(struct fcn_qp_map *map)
{
	if (map == NULL || --map->refs != 0)
		return;
	if (map->heap == NULL)
		rte_free(map->place);
	free(map->heap);
	free(map->note);
	rte_free(map);
}

/* ---- owners ---- */

static void
link_note(struct fcn_qp_map *map, uint32_t i, uint32_t owner)
{
	struct note *note = &map->note[i];

	note->owner = owner;
	note->before = FCN_QP_MAP_NONE;
	note->next = map->first[owner];
	if (note->next != FCN_QP_MAP_NONE)
		map->note[note->next].before = i;
	map->first[owner] = i;
	map->count[owner]++;
	map->reported += owner != FCN_QP_MAP_CONFIGURED;
}

static void
unlink_note(struct fcn_qp_map *map, uint32_t i)
{
	const struct note *note = &map->note[i];

	if (note->before != FCN_QP_MAP_NONE)
		map->note[note->before].next = note->next;
	else
		map->first[note->owner] = note->next;
	if (note->next != FCN_QP_MAP_NONE)
		map->note[note->next].before = note->before;
	map->count[note->owner]--;
	map->reported -= note->owner != FCN_QP_MAP_CONFIGURED;
}

uint32_t
fcn_qp_map_first(const struct fcn_qp_map *map, uint32_t owner)
{
	return map->first[owner];
}

uint32_t
fcn_qp_map_next(const struct fcn_qp_map *map, uint32_t place)
{
	return map->note[place].next;
}

/* ---- changes ---- */

static struct content
content_of(const struct fcn_qp_pair *pair)
{
	struct content c = {.qps = USED | (uint64_t)pair->receiver_qp << RECEIVER_QP_SHIFT |
				   pair->sender_qp};

	fcn_addr_words(pair->receiver.version, pair->receiver.bytes, c.receiver);
	if (pair->sender.version != 0)
		fcn_addr_words(pair->sender.version, pair->sender.bytes, c.sender);
	return c;
}

/* Put a new entry at a free place. @return FCN_QP_MAP_NONE: there is none */
static uint32_t
insert(struct fcn_qp_map *map, const struct key *key, const struct content *c)
{
	const uint32_t home = home_of(map, key);

	for (uint32_t k = 0; k < PAGE; k++) {
		struct place *p = &map->place[home ^ k];

		if (p->content.qps != 0)
			continue;
		write_place(p, c);
		store(&map->place[home].homes, map->place[home].homes | UINT64_C(1) << k);
		return home ^ k;
	}
	return FCN_QP_MAP_NONE;
}

int
fcn_qp_map_put(struct fcn_qp_map *map, const struct fcn_qp_pair *pair, uint32_t owner, uint64_t now)
{
	const struct key key = key_of(
			pair->receiver.version, pair->receiver.bytes, pair->receiver_qp);
	const struct content new = content_of(pair);
	struct content old;
	uint32_t i = find(map, &key, &old);
	const bool is_there = i != FCN_QP_MAP_NONE,
		   same = is_there && !memcmp(&old, &new, sizeof(old));

	if (owner != FCN_QP_MAP_CONFIGURED && map->reported == map->room &&
			(!is_there || map->note[i].owner == FCN_QP_MAP_CONFIGURED))
		return -ENOSPC;
	if (same && map->note[i].owner == owner)
		return 2;
	if (!is_there) {
		i = insert(map, &key, &new);
		if (i == FCN_QP_MAP_NONE)
			return -ENOSPC;
	} else {
		unlink_note(map, i);
		if (!same)
			write_place(&map->place[i], &new);
	}
	link_note(map, i, owner);
	map->note[i].since_ns = now;
	return is_there;
}

uint32_t
fcn_qp_map_place(
		const struct fcn_qp_map *map, const struct fcn_addr *receiver, uint32_t receiver_qp)
{
	const struct key key = key_of(receiver->version, receiver->bytes, receiver_qp);
	struct content c;

	return find(map, &key, &c);
}

static void
put_addr(const uint64_t words[2], struct fcn_addr *addr)
{
	uint8_t bytes[16];

	memcpy(bytes, words, sizeof(bytes));
	*addr = fcn_addr_unmap(bytes);
}

bool
fcn_qp_map_get(const struct fcn_qp_map *map, uint32_t place, struct fcn_qp_entry *entry)
{
	const struct content *c = &map->place[place].content;

	if (c->qps == 0)
		return false;
	memset(entry, 0, sizeof(*entry));
	put_addr(c->receiver, &entry->pair.receiver);
	if ((c->sender[0] | c->sender[1]) != 0)
		put_addr(c->sender, &entry->pair.sender);
	entry->pair.receiver_qp = c->qps >> RECEIVER_QP_SHIFT & FCN_QP_MAX;
	entry->pair.sender_qp = c->qps & FCN_QP_MAX;
	entry->owner = map->note[place].owner;
	entry->since_ns = map->note[place].since_ns;
	return true;
}

void
fcn_qp_map_remove(struct fcn_qp_map *map, uint32_t place)
{
	static const struct content nothing;
	const struct content *c = &map->place[place].content;
	const struct key key = {.receiver = {c->receiver[0], c->receiver[1]},
			.qp = c->qps >> RECEIVER_QP_SHIFT & FCN_QP_MAX};
	const uint32_t home = home_of(map, &key);

	write_place(&map->place[place], &nothing);
	store(&map->place[home].homes, map->place[home].homes & ~(UINT64_C(1) << (home ^ place)));
	unlink_note(map, place);
}

void
fcn_qp_map_clear(struct fcn_qp_map *map)
{
	for (uint32_t i = 0; i < map->n_places; i++) {
		if (map->place[i].content.qps != 0)
			fcn_qp_map_remove(map, i);
	}
}

uint32_t
fcn_qp_map_places(const struct fcn_qp_map *map)
{
	return map->n_places;
}

void
fcn_qp_map_made_of(struct fcn_qp_map *map, const void *list, size_t n)
{
	map->list = list;
	map->n_list = n;
}

bool
fcn_qp_map_is_made_of(const struct fcn_qp_map *map, const void *list, size_t n)
{
	return map->list == list && map->n_list == n;
}

uint32_t
fcn_qp_map_count(const struct fcn_qp_map *map, uint32_t owner)
{
	return map->count[owner];
}

uint32_t
fcn_qp_map_reported(const struct fcn_qp_map *map)
{
	return map == NULL ? 0 : map->reported;
}

uint32_t
fcn_qp_map_room(const struct fcn_qp_map *map)
{
	return map == NULL ? 0 : map->room;
}
