/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_memory.h>

#include "ranges.h"
#include "table_test.h"

#define MISS 99

/* Ranges of the prefixes given as text; the value of each is its digit behind the blank. */
static struct fcn_ranges *
ranges_of(const char *const *texts, unsigned int n)
{
	struct fcn_range_prefix items[16];
	struct fcn_ranges *ranges;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct fcn_prefix prefix;
		char text[FCN_PREFIX_STRLEN];
		size_t len = strcspn(texts[i], " ");

		memcpy(text, texts[i], len);
		text[len] = '\0';
		assert_int_equal(fcn_prefix_parse(text, &prefix), 0);
		assert_int_equal(fcn_range_prefix_set(&items[i], &prefix,
						 (uint64_t)(texts[i][len + 1] - '0'), i),
				0);
	}
	n = fcn_range_prefix_sort(items, n);
	ranges = fcn_ranges_create(items, n, MISS, SOCKET_ID_ANY);
	assert_non_null(ranges);
	return ranges;
}

static void
assert_ranges(const char *const *texts, unsigned int n, const uint64_t *starts,
		const uint64_t *values, unsigned int n_ranges)
{
	struct fcn_ranges *ranges = ranges_of(texts, n);
	unsigned int i;

	assert_int_equal(ranges->n, n_ranges);
	assert_non_null(ranges->narrow);
	assert_null(ranges->wide);
	for (i = 0; i < n_ranges; i++) {
		assert_int_equal(ranges->narrow[i], starts[i]);
		assert_int_equal(ranges->value[i], values[i]);
	}
	fcn_ranges_free(ranges);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(nothing)
{
	const uint64_t starts[] = {0};
	const uint64_t values[] = {MISS};

	assert_ranges(NULL, 0, starts, values, 1);
}

TEST(nested)
{
	const char *const texts[] = {"10.1.0.0/16 2", "10.0.0.0/8 1", "10.1.255.0/24 3"};
	/* The /16 and the /24 end together: the /8 goes on behind both. */
	const uint64_t starts[] = {0, UINT64_C(0x0a) << 56, UINT64_C(0x0a01) << 48,
			UINT64_C(0x0a01ff) << 40, UINT64_C(0x0a02) << 48, UINT64_C(0x0b) << 56};
	const uint64_t values[] = {MISS, 1, 2, 3, 1, MISS};

	assert_ranges(texts, RTE_DIM(texts), starts, values, RTE_DIM(starts));
}

/* Neighbours of one value are one range, as are prefixes inside one of the same value. */
TEST(neighbours_join)
{
	const char *const texts[] = {"10.0.0.0/9 1", "10.128.0.0/9 1", "10.3.0.0/16 1"};
	const uint64_t starts[] = {0, UINT64_C(0x0a) << 56, UINT64_C(0x0b) << 56};
	const uint64_t values[] = {MISS, 1, MISS};

	assert_ranges(texts, RTE_DIM(texts), starts, values, RTE_DIM(starts));
}

/* First and last address of all. */
TEST(ends)
{
	const char *const texts[] = {"::/0 1", "::/1 2", "8000::/1 3", "ffff::/16 4"};
	const uint64_t starts[] = {0, UINT64_C(1) << 63, UINT64_C(0xffff) << 48};
	const uint64_t values[] = {2, 3, 4};

	assert_ranges(texts, RTE_DIM(texts), starts, values, RTE_DIM(starts));
}

TEST(width)
{
	const char *const narrow[] = {"2001:db8::/64 1", "2001:db8::/64 2"};
	const char *const wide[] = {"2001:db8::/65 1"};
	struct fcn_ranges *ranges = ranges_of(narrow, RTE_DIM(narrow));

	assert_int_equal(ranges->n, 3);
	assert_int_equal(ranges->value[1], 2);
	assert_null(ranges->wide);
	fcn_ranges_free(ranges);
	ranges = ranges_of(wide, RTE_DIM(wide));
	assert_null(ranges->narrow);
	assert_int_equal(ranges->n, 3);
	assert_int_equal((uint64_t)(ranges->wide[2] >> 64), 0x20010db800000000);
	assert_int_equal((uint64_t)ranges->wide[2], UINT64_C(1) << 63);
	fcn_ranges_free(ranges);
}
