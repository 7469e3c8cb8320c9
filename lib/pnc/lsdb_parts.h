/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The parts of a link-state database. Items belong to originators; claims (an item says that a
 * prefix has the capability) belong to an item and to a prefix, and are also in a list of the
 * originator whose address decides about them. Parts name each other by index in their pools.
 */

#ifndef FCN_PNC_LSDB_PARTS_H
#define FCN_PNC_LSDB_PARTS_H

#include "lsdb.h"
#include "pool.h"

struct claim {
	uint32_t next; /* spare */
	uint32_t prefix;
	uint32_t item;
	uint32_t origin;      /* whose change can change the proxy */
	uint32_t item_next;   /* in the list of its item */
	uint32_t prefix_next; /* in the list of its prefix */
	uint32_t prefix_prev;
	uint32_t origin_next; /* in the list of origin */
	uint32_t origin_prev;
	bool uses_origin; /* the address of origin may be the proxy */
	struct fcn_addr proxy;
	struct fcn_addr instead;
};

struct prefix {
	uint32_t next; /* of the hash table, or spare */
	uint32_t claim;
	uint32_t n_claims;
	uint32_t changed_next;
	bool is_changed; /* in the list of those that the sink may have to be told about */
	bool is_told;    /* the sink knows it */
	uint8_t kind;    /* enum fcn_pnc_kind */
	struct fcn_prefix prefix;
	struct fcn_addr proxy; /* as told */
	uint64_t expires_ns;   /* as told */
};

struct item {
	uint32_t next; /* of the hash table, or spare */
	uint32_t origin;
	uint32_t claim;
	uint32_t place;        /* in the heap of lifetimes */
	uint32_t address_next; /* of its originator, if it has addresses */
	uint32_t address_prev;
	uint32_t empty_next; /* of those without contents */
	uint32_t empty_prev;
	uint32_t sequence;
	uint16_t checksum;
	bool is_first;
	bool is_withdrawn;
	bool has_address;
	bool is_empty;
	uint8_t key[LSDB_KEY_LEN];
	struct fcn_addr address[LSDB_SOURCE_COUNT][2];
	uint64_t expires_ns;
};

struct origin {
	uint32_t next; /* of the hash table, or spare */
	uint32_t n_items;
	uint32_t n_firsts;
	uint32_t n_prefixes; /* claims of its items */
	uint32_t item;       /* first with addresses */
	uint32_t claim;      /* first that its address decides about */
	uint8_t key[LSDB_ORIGIN_LEN];
	struct fcn_addr address[LSDB_SOURCE_COUNT][2];
};

struct lsdb {
	struct lsdb_conf conf;
	struct pnc_pool items;
	struct pnc_pool origins;
	struct pnc_pool claims;
	struct pnc_pool prefixes;
	struct pnc_table item_table;
	struct pnc_table origin_table;
	struct pnc_table prefix_table;
	uint32_t *heap; /* items by the end of their lifetimes, from index 1 on */
	uint32_t n_heap;
	uint32_t empty_first; /* the one that has been empty for the longest time */
	uint32_t empty_last;
	uint32_t changed; /* prefixes */
	uint32_t n_told[FCN_PNC_KIND_COUNT];
	uint32_t n_originators; /* those that have items; prefixes may name others */
	uint64_t count[FCN_PNC_COUNTER_COUNT];
	struct lsdb_message message;
};

static inline struct item *
item_at(const struct lsdb *db, uint32_t i)
{
	return pnc_pool_at(&db->items, i);
}

static inline struct origin *
origin_at(const struct lsdb *db, uint32_t i)
{
	return pnc_pool_at(&db->origins, i);
}

static inline struct claim *
claim_at(const struct lsdb *db, uint32_t i)
{
	return pnc_pool_at(&db->claims, i);
}

static inline struct prefix *
prefix_at(const struct lsdb *db, uint32_t i)
{
	return pnc_pool_at(&db->prefixes, i);
}

/** Hash of up to 32 octets. */
uint64_t lsdb_hash(const struct lsdb *db, const void *data, size_t len);

/** Find an originator. @return 0 when it is not known */
uint32_t lsdb_origin_find(const struct lsdb *db, const uint8_t key[LSDB_ORIGIN_LEN]);

/**
 * Get an originator, a new one if it is not known. There is room for those that may have items, and
 * for one that each prefix names.
 */
uint32_t lsdb_origin_get(struct lsdb *db, const uint8_t key[LSDB_ORIGIN_LEN]);

/** Forget an originator that nothing refers to. */
void lsdb_origin_release(struct lsdb *db, uint32_t o);

/**
 * Put an item's addresses into its originator, or take them out, and look again at the prefixes
 * that this concerns.
 */
void lsdb_origin_add_addresses(struct lsdb *db, uint32_t i);
void lsdb_origin_remove_addresses(struct lsdb *db, uint32_t i);

/** Look again at all prefixes that an originator decides about. */
void lsdb_origin_changed(struct lsdb *db, uint32_t o);

/** Add what a message says about a prefix; what cannot be added is counted. */
void lsdb_claim_add(struct lsdb *db, uint32_t i, const struct lsdb_prefix *said);

/** Remove all claims of an item. */
void lsdb_claims_remove(struct lsdb *db, uint32_t i);

/** Mark a prefix as one that the sink may have to be told about. */
void lsdb_prefix_changed(struct lsdb *db, uint32_t p);

/** Tell the sink about all prefixes that have changed. */
void lsdb_tell(struct lsdb *db);

/** Put an item into the heap of lifetimes, move it to its place there, take it out. */
void lsdb_heap_add(struct lsdb *db, uint32_t i);
void lsdb_heap_move(struct lsdb *db, uint32_t i);
void lsdb_heap_remove(struct lsdb *db, uint32_t i);

#endif /* FCN_PNC_LSDB_PARTS_H */
