/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The look-up in a table of MAC addresses (fcn_mac_table.h), for callers that look up whole bursts.
 *
 * An entry is in the place that its hash chooses, or, if others are there, in the next one that was
 * free, so the search ends at the first free place. There are at least twice as many places as
 * entries: if a quarter of the places is used, a search for an entry visits 1.2 places, and 1.5 in
 * a full table. The hash has a secret key, so nobody can choose addresses that make it longer.
 * An entry has half a cache line with all that a look-up needs, so it usually costs one.
 */

#ifndef FCN_MAC_FIND_H
#define FCN_MAC_FIND_H

#include <stddef.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>

#include "fcn_hash_key.h"
#include "fcn_mac_table.h"

/** In place of fcn_mac_address(): a free place. No key has this VLAN ID. */
#define FCN_MAC_NO_ADDRESS UINT64_MAX

/** A place of the table. */
struct fcn_mac_place {
	uint64_t address;   /**< fcn_mac_address() of the key */
	uint64_t seen_ns;   /**< when it was last seen */
	uint64_t shared_ns; /**< when it was last advertised to, or by, the other tables */
	uint32_t where;     /**< fcn_mac_where() */
	uint32_t number;    /**< number of the entry, which stays when the entry moves */
};

/** A port's use of the table, and its limit. */
struct fcn_mac_share {
	uint32_t count;
	uint32_t limit;
};

/** What a look-up reads of a table. A copy of it stays valid as long as the table exists. */
struct fcn_mac_search {
	struct fcn_mac_place *place;
	uint32_t mask;   /**< number of places - 1 */
	uint64_t key[2]; /**< of the hash, with its constants */
};

/** A table. Only this file and fcn_mac_table.c read its fields. */
struct fcn_mac_table {
	struct fcn_mac_search search;
	uint32_t capacity;
	uint32_t count;
	uint32_t reserve;     /**< entries set aside for each port */
	uint32_t shared;      /**< entries that are not set aside */
	uint32_t shared_used; /**< entries of ports beyond their reserve */
	uint32_t n_numbers;   /**< numbers that entries can have */
	uint32_t age_next;
	uint16_t moved_from; /**< previous port of the address that moved last */
	uint32_t *at;        /**< place of an entry by its number */
	uint32_t *free;      /**< ring of the numbers that no entry has, the longest free first */
	uint32_t first_free;
	struct fcn_mac_share port[FCN_MAX_PORTS];
};

/** Get what a look-up reads, so that a loop can have it in registers. */
static inline struct fcn_mac_search
fcn_mac_search(const struct fcn_mac_table *table)
{
	return table->search;
}

/** Combine a MAC address, at least eight readable octets, and a VLAN ID. */
static inline uint64_t
fcn_mac_address(const uint8_t *mac, uint16_t vlan)
{
	uint64_t word;

	memcpy(&word, mac, sizeof(word));
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return word << 16 | vlan;
#else
	return (word & ~UINT64_C(0xFFFF)) | vlan;
#endif
}

/** Combine a bridge and a port. */
static inline uint32_t
fcn_mac_where(uint16_t bridge, uint16_t port)
{
	return (uint32_t)bridge << 16 | port;
}

/** Get the bridge of an entry. */
static inline uint16_t
fcn_mac_bridge_of(const struct fcn_mac_place *place)
{
	return (uint16_t)(place->where >> 16);
}

/** Get the port of an entry. */
static inline uint16_t
fcn_mac_port_of(const struct fcn_mac_place *place)
{
	return (uint16_t)place->where;
}

/** Get the first place in which an address may be. */
static inline uint32_t
fcn_mac_home(const struct fcn_mac_search *s, uint64_t address, uint16_t bridge)
{
	return (uint32_t)fcn_hash_fold(address ^ s->key[0], bridge ^ s->key[1]) & s->mask;
}

/** Find the entry of an address. @param home fcn_mac_home() @return NULL: there is none */
static inline struct fcn_mac_place *
fcn_mac_find(const struct fcn_mac_search *s, uint32_t home, uint64_t address, uint16_t bridge)
{
	for (uint32_t i = home;; i = (i + 1) & s->mask) {
		struct fcn_mac_place *place = &s->place[i];

		if (likely(place->address == address && fcn_mac_bridge_of(place) == bridge))
			return place;
		if (place->address == FCN_MAC_NO_ADDRESS)
			return NULL;
	}
}

#endif /* FCN_MAC_FIND_H */
