/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A pool of values that paths name, such as segment lists and local SIDs. Each different value is
 * stored once, however many paths name it, and has a serial, which no other value had before, and a
 * slot, which no other value has. Internal to lib/kernel.
 */

#ifndef KERNEL_POOL_H
#define KERNEL_POOL_H

#include <stdbool.h>

#include "fcn_segment_list.h"
#include "kernel_hash.h"

#define FCN_KERNEL_POOL_SLOTS FCN_SRV6_KERNEL_LISTS

/** A value. */
struct fcn_kernel_item {
	struct fcn_kernel_node node;
	uint32_t refs; /**< paths that name it */
	uint64_t serial;
	uint16_t slot; /**< below FCN_KERNEL_POOL_SLOTS */
	uint16_t len;  /**< bytes of the value */
	uint8_t value[];
};

struct fcn_kernel_pool {
	struct fcn_kernel_hash hash;
	bool used[FCN_KERNEL_POOL_SLOTS]; /**< slots in use */
	uint64_t last_serial;
	uint64_t flags; /**< of all serials */
};

/** Initialise a pool. @return 0 or -ENOMEM */
int fcn_kernel_pool_init(struct fcn_kernel_pool *pool, uint64_t flags);
/** Free a pool, whose values are no longer in use. */
void fcn_kernel_pool_fini(struct fcn_kernel_pool *pool);
/**
 * Get the item of a value, and count one more path that names it.
 *
 * @param len its bytes, a multiple of 4, as the hash function reads whole words
 * @return NULL: there is no room
 */
struct fcn_kernel_item *fcn_kernel_pool_get(
		struct fcn_kernel_pool *pool, const void *value, uint16_t len);
/** Count a path of an item no longer. The item is removed with the last one. */
void fcn_kernel_pool_put(struct fcn_kernel_pool *pool, struct fcn_kernel_item *item);
/**
 * List the items by ascending serial.
 *
 * @return array to be freed by the caller; NULL when memory is exhausted
 */
const struct fcn_kernel_item **fcn_kernel_pool_list(const struct fcn_kernel_pool *pool);

#endif /* KERNEL_POOL_H */
