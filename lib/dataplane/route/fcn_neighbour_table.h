/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Table of the neighbours that are known, found on connected networks or configured: interface and
 * IP address to the index of the next hop with their MAC address. The control thread sorts it, and
 * fills a hash table with which a look-up reads one cache line or two; workers only read them.
 */

#ifndef FCN_NEIGHBOUR_TABLE_H
#define FCN_NEIGHBOUR_TABLE_H

#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_bitops.h>
#include <rte_common.h>

struct fcn_neighbour_entry {
	uint8_t addr[16];  /**< network byte order; IPv4: in the first 4 bytes, then zeros */
	uint16_t port;     /**< port or sub-interface by which the neighbour is reached */
	uint8_t version;   /**< IP version: 4 or 6 */
	uint32_t next_hop; /**< index of the next hop, above 0 */
};

/** Maximum number of consecutive places at which the hash table has a neighbour. Most have the
 * first one. */
#define FCN_NEIGHBOUR_PROBES 64

/** A place in the hash table. */
struct fcn_neighbour_slot {
	uint64_t addr[2];  /**< as in struct fcn_neighbour_entry */
	uint32_t where;    /**< fcn_neighbour_where() */
	uint32_t next_hop; /**< 0: the place is empty */
} __rte_aligned(32);

struct fcn_neighbour_table {
	uint32_t n;
	const struct fcn_neighbour_entry *entry; /**< in the order of fcn_neighbour_compare() */
	/** The same as a hash table; NULL: there is none, and the entries are searched. */
	const struct fcn_neighbour_slot *slot;
	uint64_t factor; /**< odd factor of the hash function */
	uint32_t shift;  /**< so many bits of the hash are not used */
};

/** Combine IP version and port in a number. */
static inline uint32_t
fcn_neighbour_where(uint8_t version, uint16_t port)
{
	return (uint32_t)version << 16 | port;
}

/** Get the number of slots for n neighbours: at most half of them are used. FCN_NEIGHBOUR_PROBES
 * more lie behind the last one that the hash function selects. */
static inline uint32_t
fcn_neighbour_slots(uint32_t n)
{
	return rte_align32pow2(2 * n + 2);
}

/** Get the first place for a neighbour. */
static inline size_t
fcn_neighbour_place(const struct fcn_neighbour_table *t, const uint64_t addr[2], uint32_t where)
{
	const uint64_t hash = (addr[0] ^ where) * t->factor;

	return ((addr[1] ^ hash ^ hash >> 32) * t->factor) >> t->shift;
}

/**
 * Fill the hash table. To be called when the entries are complete.
 *
 * @param slots fcn_neighbour_slots(t->n) + FCN_NEIGHBOUR_PROBES of them. When addresses are such
 *              that they have no place near each other, they are not used.
 */
void fcn_neighbour_hash(struct fcn_neighbour_table *t, struct fcn_neighbour_slot *slots);

/** Compare an entry with a key. @return below 0, 0 or above 0, as memcmp() */
static inline int
fcn_neighbour_compare(const struct fcn_neighbour_entry *e, uint8_t version, uint16_t port,
		const uint8_t addr[16])
{
	if (e->version != version)
		return e->version - version;
	if (e->port != port)
		return e->port - port;
	return memcmp(e->addr, addr, sizeof(e->addr));
}

/** Find what fcn_neighbour_find() finds, by a binary search of the entries instead of the hash
 * table. */
uint32_t fcn_neighbour_search(const struct fcn_neighbour_table *t, uint8_t version, uint16_t port,
		const uint8_t addr[16]);

/** Find the index of a neighbour's next hop; 0 when the table does not contain the neighbour. */
static inline uint32_t
fcn_neighbour_find(const struct fcn_neighbour_table *t, uint8_t version, uint16_t port,
		const uint8_t addr[16])
{
	const uint32_t where = fcn_neighbour_where(version, port);
	const struct fcn_neighbour_slot *slot;
	uint64_t key[2];

	if (unlikely(t->slot == NULL))
		return fcn_neighbour_search(t, version, port, addr);
	memcpy(key, addr, sizeof(key));
	slot = &t->slot[fcn_neighbour_place(t, key, where)];
	for (unsigned int i = 0; i < FCN_NEIGHBOUR_PROBES && slot[i].next_hop != 0; i++) {
		if (((slot[i].addr[0] ^ key[0]) | (slot[i].addr[1] ^ key[1]) |
				    (slot[i].where ^ where)) == 0)
			return slot[i].next_hop;
	}
	return 0;
}

#endif /* FCN_NEIGHBOUR_TABLE_H */
