/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Search trees over consecutive address ranges, private to lib/table. A node is a cache line with
 * the starts of eight ranges, and has up to nine children; a leaf has the starts of five ranges and
 * their values. So a search among 400 ranges reads three lines, and among 3600 four. All starts of
 * a node are compared at once, so that a step does not branch.
 *
 * The nodes of all levels are in one array: the children of node g are 9g + 1 to 9g + 9. Only the
 * last level, which has the leaves, is incomplete; the starts in the other levels separate the
 * children. Trees are immutable; any number of threads may look up.
 *
 * A start is stored with its highest bit inverted, as SIMD instructions compare signed numbers.
 */

#ifndef RANGE_TREE_H
#define RANGE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#include "ranges.h"

#define FCN_RANGE_NODE 8 /**< number of starts in a node that is not a leaf */
#define FCN_RANGE_LEAF 5 /**< number of starts in a leaf */

/** Inverts the highest bit. */
#define FCN_RANGE_BIAS (UINT64_C(1) << 63)

/** A leaf; another node has eight starts. In a wide tree, a line with the lower halves follows. */
struct fcn_range_leaf {
	int64_t start[FCN_RANGE_LEAF];
	uint32_t value[FCN_RANGE_LEAF];
	uint32_t unused;
};

/** A tree. Its nodes are narrow: upper halves of starts; or wide: eight upper, then eight lower. */
struct fcn_range_tree {
	const int64_t *node;
	uint32_t last_value; /**< value of the last range */
	uint16_t levels;     /**< at least 1 */
	bool wide;
};

/** Get the value by the number of starts in the leaf that do not exceed the key, at least 1. */
static inline uint32_t
fcn_range_leaf_value(const int64_t *node, unsigned int count)
{
	return ((const struct fcn_range_leaf *)(const void *)node)->value[count - 1];
}

/**
 * Build a tree.
 *
 * @param steps starts in ascending order, the first at zero; values are below 2^32
 * @param tree  written; `node` is the allocation, which fcn_range_tree_clear() frees
 * @return 0, or -1 when memory is exhausted
 */
int fcn_range_tree_build(struct fcn_range_tree *tree, const struct fcn_range_step *steps,
		uint32_t n, int socket);

/** Free the memory of a tree. One that is all zeros is allowed. */
void fcn_range_tree_clear(struct fcn_range_tree *tree);

/** Key of a search: the two halves of an address as they are in nodes. */
struct fcn_range_key {
	int64_t hi;
	int64_t lo;
};

/**
 * Get the key of the upper half of an IPv6 address in narrow nodes. The last half that exists does
 * not occur there as a start, so the one before it has the same range. Hence no key reaches the
 * unused places of nodes, which contain the last one.
 */
static inline int64_t
fcn_range_key_narrow(const uint8_t *addr)
{
	uint64_t half;

	memcpy(&half, addr, sizeof(half));
	half = rte_be_to_cpu_64(half);
	return (int64_t)((half - (half == UINT64_MAX)) ^ FCN_RANGE_BIAS);
}

/** Get the key of an IPv6 address in wide nodes. */
static inline struct fcn_range_key
fcn_range_key_wide(const uint8_t *addr)
{
	uint64_t half[2];

	memcpy(half, addr, sizeof(half));
	return (struct fcn_range_key){
			.hi = (int64_t)(rte_be_to_cpu_64(half[0]) ^ FCN_RANGE_BIAS),
			.lo = (int64_t)(rte_be_to_cpu_64(half[1]) ^ FCN_RANGE_BIAS),
	};
}

/** Get the key of an IPv4 address in host byte order, in narrow nodes. */
static inline int64_t
fcn_range_key4(uint32_t addr)
{
	return (int64_t)((uint64_t)addr << 32 ^ FCN_RANGE_BIAS);
}

/** Count the first n starts in a narrow node that do not exceed the key. They are in order. */
static inline unsigned int
fcn_range_step_narrow_portable(const int64_t *node, int64_t key, unsigned int n)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++)
		count += node[i] <= key;
	return count;
}

/** The same in a wide node. */
static inline unsigned int
fcn_range_step_wide_portable(const int64_t *node, const struct fcn_range_key *key, unsigned int n)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++)
		count += (node[i] < key->hi) |
			 ((node[i] == key->hi) & (node[FCN_RANGE_NODE + i] <= key->lo));
	return count;
}

#ifdef __SSE4_2__

/** Count the leading numbers that are 0, of n that are 0 or -1. */
static inline unsigned int
fcn_range_leading(__m128i a, __m128i b, __m128i c, __m128i d, unsigned int n)
{
	const __m128i octets = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));

	return (unsigned int)__builtin_ctz((unsigned int)_mm_movemask_epi8(octets) | 1u << 2 * n) /
	       2;
}

/** fcn_range_step_narrow_portable() for n of FCN_RANGE_NODE or FCN_RANGE_LEAF */
static inline unsigned int
fcn_range_step_narrow(const int64_t *node, int64_t key, unsigned int n)
{
	const __m128i *start = (const __m128i *)(const void *)node, k = _mm_set1_epi64x(key);
	const __m128i third = _mm_cmpgt_epi64(start[2], k);

	return fcn_range_leading(_mm_cmpgt_epi64(start[0], k), _mm_cmpgt_epi64(start[1], k), third,
			n == FCN_RANGE_LEAF ? third : _mm_cmpgt_epi64(start[3], k), n);
}

/** Compare two starts of a wide node with a key. @return -1 for one that exceeds it, otherwise 0 */
static inline __m128i
fcn_range_exceed(const __m128i *start, __m128i hi, __m128i lo)
{
	return _mm_or_si128(_mm_cmpgt_epi64(start[0], hi),
			_mm_and_si128(_mm_cmpeq_epi64(start[0], hi),
					_mm_cmpgt_epi64(start[FCN_RANGE_NODE / 2], lo)));
}

/** fcn_range_step_wide_portable() for n of FCN_RANGE_NODE or FCN_RANGE_LEAF */
static inline unsigned int
fcn_range_step_wide(const int64_t *node, const struct fcn_range_key *key, unsigned int n)
{
	const __m128i *start = (const __m128i *)(const void *)node;
	const __m128i hi = _mm_set1_epi64x(key->hi), lo = _mm_set1_epi64x(key->lo);
	const __m128i third = fcn_range_exceed(&start[2], hi, lo);

	return fcn_range_leading(fcn_range_exceed(&start[0], hi, lo),
			fcn_range_exceed(&start[1], hi, lo), third,
			n == FCN_RANGE_LEAF ? third : fcn_range_exceed(&start[3], hi, lo), n);
}

#else

static inline unsigned int
fcn_range_step_narrow(const int64_t *node, int64_t key, unsigned int n)
{
	return fcn_range_step_narrow_portable(node, key, n);
}

static inline unsigned int
fcn_range_step_wide(const int64_t *node, const struct fcn_range_key *key, unsigned int n)
{
	return fcn_range_step_wide_portable(node, key, n);
}

#endif

/** Check for the last of all addresses, for which a wide tree is not searched. */
static inline bool
fcn_range_is_last(const struct fcn_range_key *key)
{
	return key->hi == INT64_MAX && key->lo == INT64_MAX;
}

#endif /* RANGE_TREE_H */
