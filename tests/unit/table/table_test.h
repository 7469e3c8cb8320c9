/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that the tests of tables share: memory in use, and a simple longest match as a
 * reference.
 */

#ifndef TABLE_TEST_H
#define TABLE_TEST_H

#include <rte_malloc.h>

#include "fcn_addr.h"
#include "fcn_test.h"

/** Get the bytes allocated on all heaps of DPDK. */
static inline size_t
table_heap_used(void)
{
	struct rte_malloc_socket_stats stats;
	size_t used = 0;
	int socket;

	for (socket = 0; socket < RTE_MAX_NUMA_NODES; socket++) {
		if (rte_malloc_get_socket_stats(socket, &stats) == 0)
			used += stats.heap_allocsz_bytes;
	}
	return used;
}

static inline unsigned int
table_width(uint8_t version)
{
	return version == 6 ? 128 : 32;
}

static inline unsigned int
table_bit(const uint8_t *bytes, unsigned int index)
{
	return bytes[index / 8] >> (7 - index % 8) & 1;
}

static inline void
table_bit_set(uint8_t *bytes, unsigned int index, unsigned int value)
{
	uint8_t bit = (uint8_t)(0x80 >> index % 8);

	bytes[index / 8] = (uint8_t)(value ? bytes[index / 8] | bit : bytes[index / 8] & ~bit);
}

/** Check whether the first len bits are equal, one by one. */
static inline bool
table_match(const uint8_t *a, const uint8_t *b, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++) {
		if (table_bit(a, i) != table_bit(b, i))
			return false;
	}
	return true;
}

/**
 * Make a random prefix from a small set, so that many contain each other: bytes have few values,
 * lengths are from 0 to the full width, and host bits are random.
 */
static inline struct fcn_prefix
table_random_prefix(uint64_t *seed, uint8_t version)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0x80, 0xff};
	struct fcn_prefix prefix = {.addr.version = version};
	unsigned int i;

	for (i = 0; i < table_width(version) / 8; i++)
		prefix.addr.bytes[i] = bytes[fcn_test_random(seed) % RTE_DIM(bytes)];
	prefix.len = (uint8_t)(fcn_test_random(seed) % (table_width(version) + 1));
	if (version == 6 && prefix.len < 20)
		prefix.len += 44; /* otherwise nearly all addresses would be in a short prefix */
	return prefix;
}

/**
 * An address at the edge of a prefix: the first or the last one, the one before the first, or the
 * one after the last.
 */
enum table_edge {
	TABLE_FIRST,
	TABLE_LAST,
	TABLE_BEFORE,
	TABLE_BEHIND,
	TABLE_EDGES
};

static inline void
table_edge_address(const struct fcn_prefix *prefix, enum table_edge edge, uint8_t *bytes)
{
	unsigned int width = table_width(prefix->addr.version);
	bool up = edge == TABLE_LAST || edge == TABLE_BEHIND;
	unsigned int i;

	memcpy(bytes, prefix->addr.bytes, 16);
	for (i = prefix->len; i < width; i++)
		table_bit_set(bytes, i, up);
	if (edge == TABLE_FIRST || edge == TABLE_LAST)
		return;
	/* Add or subtract one: invert bits from the right until there is no carry. */
	for (i = width; i-- > 0;) {
		table_bit_set(bytes, i, !table_bit(bytes, i));
		if (table_bit(bytes, i) == up)
			break;
	}
}

/** Get the first four bytes as a number. */
static inline uint32_t
table_ip4(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

#endif /* TABLE_TEST_H */
