/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>

#include "fcn_hash_key.h"
#include "fcn_mac_table.h"

#define MIN_HASH_ENTRIES 8 /* the minimum of rte_hash */

struct slot {
	struct fcn_mac_entry entry;
	uint64_t shared_ns; /* when it was last advertised to, or by, the other tables */
	bool used;
};

/* A port's use of the table, and its limit. */
struct share {
	uint32_t count;
	uint32_t limit;
};

struct fcn_mac_table {
	struct rte_hash *hash;
	uint32_t capacity;
	uint32_t count;
	uint32_t reserve;     /* entries set aside for each port */
	uint32_t shared;      /* entries that are not set aside */
	uint32_t shared_used; /* entries of ports beyond their reserve */
	uint32_t n_slots;     /* number of positions that the hash can return */
	uint32_t age_next;
	uint16_t moved_from; /* previous port of the address that moved last */
	struct slot *slots;  /* indexed by position in the hash */
	struct share port[FCN_MAX_PORTS];
};

/*
 * Read the first 8 bytes of a key. The generic functions for keys of 10 bytes read them unaligned
 * or call memcmp().
 */
static inline uint64_t
key_head(const void *key)
{
	uint64_t head;

	memcpy(&head, key, sizeof(head));
	return head;
}

static inline uint16_t
key_tail(const void *key)
{
	uint16_t tail;

	memcpy(&tail, (const uint8_t *)key + sizeof(uint64_t), sizeof(tail));
	return tail;
}

static uint32_t
key_hash(const void *key, uint32_t len, uint32_t init)
{
	const struct fcn_hash_key by_number = {
			.word = {init * FCN_HASH_WORD2, init * FCN_HASH_WORD3}};

	RTE_SET_USED(len);
	return (uint32_t)fcn_hash_pair(&by_number, key_head(key), key_tail(key));
}

static int
key_compare(const void *a, const void *b, size_t len)
{
	RTE_SET_USED(len);
	return key_head(a) != key_head(b) || key_tail(a) != key_tail(b);
}

static struct rte_hash *
hash_create(const struct fcn_mac_table *table, int socket, uint32_t key)
{
	struct rte_hash_parameters params = {
			.entries = table->n_slots,
			.key_len = sizeof(struct fcn_mac_key),
			.hash_func = key_hash,
			.hash_func_init_val = key,
			.socket_id = socket,
			/*
			 * Without an extension table a cuckoo hash can refuse keys before it is
			 * full.
			 */
			.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};
	char name[RTE_HASH_NAMESIZE];
	struct rte_hash *hash;

	/*
	 * The hash gets a unique short name instead of the caller's, because DPDK truncates the
	 * names of its rings.
	 */
	snprintf(name, sizeof(name), "m_%llx", (unsigned long long)(uintptr_t)table);
	params.name = name;
	hash = rte_hash_create(&params);
	if (hash != NULL)
		rte_hash_set_cmp_func(hash, key_compare);
	return hash;
}

struct fcn_mac_table *
fcn_mac_table_create(const char *name, uint32_t capacity, int socket, uint32_t key)
{
	struct fcn_mac_table *table;

	/* The key that is hashed must have no padding. */
	RTE_BUILD_BUG_ON(sizeof(struct fcn_mac_key) != 10);
	if (capacity == 0) {
		rte_errno = EINVAL;
		return NULL;
	}
	table = rte_zmalloc_socket(name, sizeof(*table), RTE_CACHE_LINE_SIZE, socket);
	if (table == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	table->capacity = capacity;
	table->shared = capacity;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		table->port[p].limit = UINT32_MAX;
	table->n_slots = RTE_MAX(capacity, (uint32_t)MIN_HASH_ENTRIES);
	table->slots = rte_calloc_socket(
			name, table->n_slots, sizeof(*table->slots), RTE_CACHE_LINE_SIZE, socket);
	if (table->slots == NULL) {
		fcn_mac_table_free(table);
		rte_errno = ENOMEM;
		return NULL;
	}
	table->hash = hash_create(table, socket, key);
	if (table->hash == NULL) {
		int err = rte_errno;

		fcn_mac_table_free(table);
		rte_errno = err;
		return NULL;
	}
	return table;
}

void
fcn_mac_table_free(struct fcn_mac_table *table)
{
	if (table == NULL)
		return;
	rte_hash_free(table->hash);
	rte_free(table->slots);
	rte_free(table);
}

static bool
slot_aged(const struct slot *slot, uint64_t now, uint64_t max_age_ns)
{
	return now > slot->entry.seen_ns && now - slot->entry.seen_ns > max_age_ns;
}

void
fcn_mac_table_reserve(struct fcn_mac_table *table, uint32_t reserve)
{
	table->reserve = reserve;
	table->shared = table->capacity - reserve * FCN_MAX_PORTS;
}

void
fcn_mac_table_limit(struct fcn_mac_table *table, uint16_t port, uint32_t limit)
{
	table->port[port].limit = limit;
}

/* Check whether a port may have one more entry. @return 0, -EDQUOT, -ENOSPC */
static int
may_add(const struct fcn_mac_table *table, uint16_t port)
{
	const struct share *s = &table->port[port];

	if (s->count >= s->limit)
		return -EDQUOT;
	return s->count < table->reserve || table->shared_used < table->shared ? 0 : -ENOSPC;
}

static void
take(struct fcn_mac_table *table, uint16_t port)
{
	table->shared_used += table->port[port].count >= table->reserve;
	table->port[port].count++;
}

static void
release(struct fcn_mac_table *table, uint16_t port)
{
	table->port[port].count--;
	table->shared_used -= table->port[port].count >= table->reserve;
}

static void
slot_remove(struct fcn_mac_table *table, struct slot *slot)
{
	release(table, slot->entry.port);
	rte_hash_del_key(table->hash, &slot->entry.key);
	slot->used = false;
	table->count--;
}

/*
 * Handle an address that was seen on another port than before. The function is not inlined, because
 * addresses seldom move.
 */
static __rte_noinline int
move(struct fcn_mac_table *table, struct slot *slot, uint16_t port, uint64_t now)
{
	int rc;

	/*
	 * The entry of the old port is released first, because the new port may need this very
	 * entry.
	 */
	release(table, slot->entry.port);
	rc = may_add(table, port);
	take(table, rc == 0 ? port : slot->entry.port);
	if (rc != 0)
		return rc;
	table->moved_from = slot->entry.port;
	slot->entry.port = port;
	slot->entry.seen_ns = now;
	return 2;
}

static inline int
learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port, uint64_t now,
		struct slot **found)
{
	hash_sig_t sig = rte_hash_hash(table->hash, key);
	int32_t pos = rte_hash_lookup_with_hash(table->hash, key, sig);
	struct slot *slot;
	int rc;

	if (likely(pos >= 0)) {
		slot = &table->slots[pos];
		*found = slot;
		if (unlikely(slot->entry.port != port))
			return move(table, slot, port, now);
		slot->entry.seen_ns = now;
		return 0;
	}
	rc = may_add(table, port);
	if (rc != 0)
		return rc;
	pos = rte_hash_add_key_with_hash(table->hash, key, sig);
	if (pos < 0)
		return -ENOSPC;
	slot = &table->slots[pos];
	slot->entry.key = *key;
	slot->entry.port = port;
	slot->entry.seen_ns = now;
	slot->shared_ns = now;
	slot->used = true;
	take(table, port);
	table->count++;
	*found = slot;
	return 1;
}

int
fcn_mac_table_learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port,
		uint64_t now)
{
	struct slot *slot;

	return learn(table, key, port, now, &slot);
}

int
fcn_mac_table_learn_shared(struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint16_t port, uint64_t now, uint64_t readvertise_ns)
{
	struct slot *slot;
	int rc = learn(table, key, port, now, &slot);

	if (rc < 0)
		return rc;
	if (rc == 0 && now - slot->shared_ns >= readvertise_ns)
		rc = 3;
	if (rc != 0)
		slot->shared_ns = now;
	return rc;
}

uint16_t
fcn_mac_table_moved_from(const struct fcn_mac_table *table)
{
	return table->moved_from;
}

int
fcn_mac_table_lookup(const struct fcn_mac_table *table, const struct fcn_mac_key *key, uint64_t now,
		uint64_t max_age_ns)
{
	int32_t pos = rte_hash_lookup(table->hash, key);

	if (pos < 0 || slot_aged(&table->slots[pos], now, max_age_ns))
		return -ENOENT;
	return table->slots[pos].entry.port;
}

unsigned int
fcn_mac_table_age(
		struct fcn_mac_table *table, uint64_t now, uint64_t max_age_ns, unsigned int budget)
{
	unsigned int removed = 0;
	unsigned int left = RTE_MIN(budget, table->n_slots);

	for (; left > 0 && table->count > 0; left--) {
		struct slot *slot = &table->slots[table->age_next];

		if (++table->age_next == table->n_slots)
			table->age_next = 0;
		if (slot->used && slot_aged(slot, now, max_age_ns)) {
			slot_remove(table, slot);
			removed++;
		}
	}
	return removed;
}

unsigned int
fcn_mac_table_flush(struct fcn_mac_table *table, int port)
{
	unsigned int removed = 0;
	uint32_t i;

	for (i = 0; i < table->n_slots && table->count > 0; i++) {
		struct slot *slot = &table->slots[i];

		if (slot->used && (port < 0 || slot->entry.port == port)) {
			slot_remove(table, slot);
			removed++;
		}
	}
	return removed;
}

uint32_t
fcn_mac_table_count(const struct fcn_mac_table *table)
{
	return table->count;
}

uint32_t
fcn_mac_table_count_port(const struct fcn_mac_table *table, uint16_t port)
{
	return table->port[port].count;
}

uint32_t
fcn_mac_limit(const struct fcn_mac_table *table, uint32_t limit)
{
	return limit != 0 ? RTE_MIN(limit, table->capacity) : RTE_MAX(table->capacity / 4, 1u);
}

bool
fcn_mac_table_remove(struct fcn_mac_table *table, const struct fcn_mac_key *key)
{
	int32_t pos = rte_hash_lookup(table->hash, key);

	if (pos < 0)
		return false;
	slot_remove(table, &table->slots[pos]);
	return true;
}

bool
fcn_mac_table_next(const struct fcn_mac_table *table, uint32_t *next, struct fcn_mac_entry *entry)
{
	while (*next < table->n_slots) {
		const struct slot *slot = &table->slots[(*next)++];

		if (slot->used) {
			*entry = slot->entry;
			return true;
		}
	}
	return false;
}
