/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_mac_find.h"

#define MIN_NUMBERS 8
#define MAX_CAPACITY (UINT32_C(1) << 30)

/* Get the word that stands for the MAC address and VLAN ID of a key, like fcn_mac_address(). */
static inline uint64_t
address_of(const struct fcn_mac_key *key)
{
	return fcn_mac_address((const uint8_t *)key, key->vlan);
}

static inline struct fcn_mac_place *
find_address(const struct fcn_mac_table *table, const struct fcn_mac_key *key)
{
	const uint64_t address = address_of(key);

	return fcn_mac_find(&table->search, fcn_mac_home(&table->search, address, key->bridge),
			address, key->bridge);
}

/* Allocate the places, and the lists by number. */
static int
create_places(struct fcn_mac_table *table, const char *name, int socket)
{
	const uint32_t n = table->n_numbers, places = rte_align32pow2(2 * n);

	table->search.mask = places - 1;
	table->search.place = rte_malloc_socket(
			name, places * sizeof(*table->search.place), RTE_CACHE_LINE_SIZE, socket);
	table->at = rte_malloc_socket(name, n * sizeof(*table->at), RTE_CACHE_LINE_SIZE, socket);
	table->free = rte_malloc_socket(
			name, n * sizeof(*table->free), RTE_CACHE_LINE_SIZE, socket);
	if (table->search.place == NULL || table->at == NULL || table->free == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < places; i++)
		table->search.place[i] = (struct fcn_mac_place){.address = FCN_MAC_NO_ADDRESS};
	for (uint32_t i = 0; i < n; i++) {
		table->at[i] = UINT32_MAX;
		table->free[i] = i;
	}
	return 0;
}

struct fcn_mac_table *
fcn_mac_table_create(const char *name, uint32_t capacity, int socket, uint32_t key)
{
	struct fcn_mac_table *table;

	/* Two entries fill a cache line, and both halves of a key are read from it. */
	RTE_BUILD_BUG_ON(sizeof(struct fcn_mac_place) != 32);
	RTE_BUILD_BUG_ON(offsetof(struct fcn_mac_key, vlan) != 6);
	if (capacity == 0 || capacity > MAX_CAPACITY) {
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
	table->search.key[0] = FCN_HASH_WORD0 ^ key * FCN_HASH_WORD2;
	table->search.key[1] = FCN_HASH_WORD1 ^ key * FCN_HASH_WORD3;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		table->port[p].limit = UINT32_MAX;
	table->n_numbers = RTE_MAX(capacity, (uint32_t)MIN_NUMBERS);
	if (create_places(table, name, socket) != 0) {
		fcn_mac_table_free(table);
		rte_errno = ENOMEM;
		return NULL;
	}
	return table;
}

void
fcn_mac_table_free(struct fcn_mac_table *table)
{
	if (table == NULL)
		return;
	rte_free(table->search.place);
	rte_free(table->at);
	rte_free(table->free);
	rte_free(table);
}

static bool
is_aged(const struct fcn_mac_place *place, uint64_t now, uint64_t max_age_ns)
{
	/* It may have been seen before the clock began, or by a worker whose clock is ahead. */
	const int64_t age = (int64_t)(now - place->seen_ns);

	return age > 0 && (uint64_t)age > max_age_ns;
}

void
fcn_mac_table_reserve(struct fcn_mac_table *table, unsigned int n_ports)
{
	const uint32_t parts = RTE_MAX(n_ports, FCN_MAC_PARTS);
	const uint32_t reserve = table->capacity / 2 / parts;

	table->shared = table->capacity - reserve * parts;
	if (table->reserve == reserve)
		return;
	table->reserve = reserve;
	table->shared_used = 0;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (table->port[p].count > reserve)
			table->shared_used += table->port[p].count - reserve;
	}
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
	const struct fcn_mac_share *s = &table->port[port];

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

/* Put an entry into the first free place from its home on. @return its place */
static struct fcn_mac_place *
place_add(struct fcn_mac_table *table, const struct fcn_mac_key *key)
{
	const uint64_t address = address_of(key);
	uint32_t i = fcn_mac_home(&table->search, address, key->bridge);
	struct fcn_mac_place *place;

	while (table->search.place[i].address != FCN_MAC_NO_ADDRESS)
		i = (i + 1) & table->search.mask;
	place = &table->search.place[i];
	place->address = address;
	place->number = table->free[table->first_free];
	if (++table->first_free == table->n_numbers)
		table->first_free = 0;
	table->at[place->number] = i;
	return place;
}

/*
 * Make a place free. Entries behind it that are not in their home move up, so that a search for
 * them, which ends at a free place, still finds them.
 */
static void
place_clear(struct fcn_mac_table *table, uint32_t hole)
{
	struct fcn_mac_place *place = table->search.place;
	uint32_t i = hole;

	while (true) {
		uint32_t home;

		i = (i + 1) & table->search.mask;
		if (place[i].address == FCN_MAC_NO_ADDRESS)
			break;
		home = fcn_mac_home(&table->search, place[i].address, fcn_mac_bridge_of(&place[i]));
		if (((i - home) & table->search.mask) < ((i - hole) & table->search.mask))
			continue; /* its home is behind the hole */
		place[hole] = place[i];
		table->at[place[hole].number] = hole;
		hole = i;
	}
	place[hole].address = FCN_MAC_NO_ADDRESS;
}

static void
entry_remove(struct fcn_mac_table *table, const struct fcn_mac_place *place)
{
	const uint32_t number = place->number;
	uint64_t last = (uint64_t)table->first_free + table->n_numbers - table->count;

	/* The number is given out again after all others that are free. */
	if (last >= table->n_numbers)
		last -= table->n_numbers;
	table->free[last] = number;
	release(table, fcn_mac_port_of(place));
	place_clear(table, table->at[number]);
	table->at[number] = UINT32_MAX;
	table->count--;
}

/*
 * Handle an address that was seen on another port than before. The function is not inlined, because
 * addresses seldom move.
 */
static __rte_noinline int
move(struct fcn_mac_table *table, struct fcn_mac_place *place, uint16_t port, uint64_t now)
{
	const uint16_t before = fcn_mac_port_of(place);
	int rc;

	/*
	 * The entry of the old port is released first, because the new port may need this very
	 * entry.
	 */
	release(table, before);
	rc = may_add(table, port);
	take(table, rc == 0 ? port : before);
	if (rc != 0)
		return rc;
	table->moved_from = before;
	place->where = fcn_mac_where(fcn_mac_bridge_of(place), port);
	place->seen_ns = now;
	return 2;
}

static inline int
learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port, uint64_t now,
		struct fcn_mac_place **found)
{
	struct fcn_mac_place *place = find_address(table, key);
	int rc;

	*found = place;
	if (likely(place != NULL)) {
		if (unlikely(fcn_mac_port_of(place) != port))
			return move(table, place, port, now);
		place->seen_ns = now;
		return 0;
	}
	rc = may_add(table, port);
	if (rc == 0 && table->count == table->capacity) /* it became full with larger parts */
		rc = -ENOSPC;
	if (rc != 0)
		return rc;
	place = place_add(table, key);
	place->where = fcn_mac_where(key->bridge, port);
	place->seen_ns = now;
	place->shared_ns = now;
	take(table, port);
	table->count++;
	*found = place;
	return 1;
}

int
fcn_mac_table_learn(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port,
		uint64_t now)
{
	struct fcn_mac_place *place;

	return learn(table, key, port, now, &place);
}

int
fcn_mac_table_learn_shared(struct fcn_mac_table *table, const struct fcn_mac_key *key,
		uint16_t port, uint64_t now, uint64_t readvertise_ns)
{
	struct fcn_mac_place *place;
	int rc = learn(table, key, port, now, &place);

	if (rc < 0)
		return rc;
	if (rc == 0 && now - place->shared_ns >= readvertise_ns)
		rc = 3;
	if (rc != 0)
		place->shared_ns = now;
	return rc;
}

bool
fcn_mac_table_restore(struct fcn_mac_table *table, const struct fcn_mac_key *key, uint16_t port,
		uint64_t age_ns, uint64_t now)
{
	struct fcn_mac_place *place;

	if (find_address(table, key) != NULL || learn(table, key, port, now, &place) < 0)
		return false;
	place->seen_ns = now - age_ns;
	return true;
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
	const struct fcn_mac_place *place = find_address(table, key);

	if (place == NULL || is_aged(place, now, max_age_ns))
		return -ENOENT;
	return fcn_mac_port_of(place);
}

/* Get the entry with a number; NULL when there is none. */
static inline const struct fcn_mac_place *
by_number(const struct fcn_mac_table *table, uint32_t number)
{
	uint32_t at = table->at[number];

	return at != UINT32_MAX ? &table->search.place[at] : NULL;
}

unsigned int
fcn_mac_table_age(
		struct fcn_mac_table *table, uint64_t now, uint64_t max_age_ns, unsigned int budget)
{
	unsigned int removed = 0;
	unsigned int left = RTE_MIN(budget, table->n_numbers);

	for (; left > 0 && table->count > 0; left--) {
		const struct fcn_mac_place *place = by_number(table, table->age_next);

		if (++table->age_next == table->n_numbers)
			table->age_next = 0;
		if (place != NULL && is_aged(place, now, max_age_ns)) {
			entry_remove(table, place);
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

	for (i = 0; i < table->n_numbers && table->count > 0; i++) {
		const struct fcn_mac_place *place = by_number(table, i);

		if (place != NULL && (port < 0 || fcn_mac_port_of(place) == port)) {
			entry_remove(table, place);
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
	const struct fcn_mac_place *place = find_address(table, key);

	if (place == NULL)
		return false;
	entry_remove(table, place);
	return true;
}

/* Restore the entry of a place. */
static void
entry_of(const struct fcn_mac_place *place, struct fcn_mac_entry *entry)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	const uint64_t mac = place->address >> 16;
#else
	const uint64_t mac = place->address;
#endif

	memcpy(&entry->key.mac, &mac, sizeof(entry->key.mac));
	entry->key.vlan = (uint16_t)place->address;
	entry->key.bridge = fcn_mac_bridge_of(place);
	entry->port = fcn_mac_port_of(place);
	entry->seen_ns = place->seen_ns;
}

bool
fcn_mac_table_next(const struct fcn_mac_table *table, uint32_t *next, struct fcn_mac_entry *entry)
{
	while (*next < table->n_numbers) {
		const struct fcn_mac_place *place = by_number(table, (*next)++);

		if (place != NULL) {
			entry_of(place, entry);
			return true;
		}
	}
	return false;
}
