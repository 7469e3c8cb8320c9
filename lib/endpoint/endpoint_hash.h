/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A hash table of pointers. It has room for exactly as many keys as it was made for, while a cuckoo
 * hash (rte_hash) can refuse a key before, or needs an extension. And it takes no memzones, of
 * which DPDK has 2560, so a process can have thousands of endpoints.
 */

#ifndef ENDPOINT_HASH_H
#define ENDPOINT_HASH_H

#include <stdint.h>

#define ENDPOINT_HASH_KEY_MAX 20

struct endpoint_hash_slot {
	uint8_t key[ENDPOINT_HASH_KEY_MAX];
	uint32_t hash; /**< of the key */
	void *data;    /**< NULL: the slot is free */
};

/** At least half of the slots are free. A key is in the first free slot from its hash on. */
struct endpoint_hash {
	struct endpoint_hash_slot *slot;
	uint32_t mask;    /**< number of slots, a power of two, minus 1 */
	uint32_t key_len; /**< bytes of a key */
};

/** Make an empty table for n keys, 1 to 2^30. @return 0 or -ENOMEM */
int endpoint_hash_init(struct endpoint_hash *h, uint32_t n, uint32_t key_len);
/** Free the memory of a table; of one that is all zeros, nothing. */
void endpoint_hash_fini(struct endpoint_hash *h);
/** Find the pointer of a key. @return NULL: the key is not in the table */
void *endpoint_hash_find(const struct endpoint_hash *h, const void *key);
/** Add a key that is not in the table, with a pointer that is not NULL. The table must have room.
 */
void endpoint_hash_add(struct endpoint_hash *h, const void *key, void *data);
/** Remove a key, if it is in the table. */
void endpoint_hash_remove(struct endpoint_hash *h, const void *key);

#endif /* ENDPOINT_HASH_H */
