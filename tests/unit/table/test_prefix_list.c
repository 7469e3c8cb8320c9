/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "fcn_prefix_list.h"
#include "table_test.h"

#define FALLBACK 0xfa11bac0u

static struct fcn_prefix_value
item(const char *text, uint32_t value)
{
	struct fcn_prefix_value result = {.value = value};

	assert_int_equal(fcn_prefix_parse(text, &result.prefix), 0);
	return result;
}

static uint32_t
lookup(const struct fcn_prefix_list *list, const char *text)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(text, &addr), 0);
	if (addr.version == 6)
		return fcn_prefix_list_lookup6(list, addr.bytes, FALLBACK);
	return fcn_prefix_list_lookup4(list, table_ip4(addr.bytes), FALLBACK);
}

static struct fcn_prefix_list *
list_create(const struct fcn_prefix_value *items, unsigned int n)
{
	struct fcn_prefix_list *list = fcn_prefix_list_create("list", items, n, SOCKET_ID_ANY);

	assert_non_null(list);
	return list;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(empty)
{
	struct fcn_prefix_list *list = list_create(NULL, 0);

	assert_int_equal(lookup(list, "::"), FALLBACK);
	assert_int_equal(lookup(list, "0.0.0.0"), FALLBACK);
	assert_int_equal(lookup(list, "ffff::"), FALLBACK);
	assert_int_equal(lookup(list, "255.255.255.255"), FALLBACK);
	fcn_prefix_list_free(list);
	fcn_prefix_list_free(NULL);
}

TEST(families_are_apart)
{
	struct fcn_prefix_value only6 = item("::/0", 6);
	struct fcn_prefix_value only4 = item("0.0.0.0/0", 4);
	struct fcn_prefix_list *list = list_create(&only6, 1);

	assert_int_equal(lookup(list, "::"), 6);
	assert_int_equal(lookup(list, "1.2.3.4"), FALLBACK);
	fcn_prefix_list_free(list);
	list = list_create(&only4, 1);
	assert_int_equal(lookup(list, "::"), FALLBACK);
	assert_int_equal(lookup(list, "1.2.3.4"), 4);
	fcn_prefix_list_free(list);
}

/* 0 and the greatest number are values like any other. */
TEST(values)
{
	const struct fcn_prefix_value items[] = {
			item("2001:db8::/32", 0),
			item("2001:db8:1::/48", UINT32_MAX),
			item("2001:db8:1::1/128", FALLBACK - 1),
			item("10.0.0.0/8", UINT32_MAX),
			item("10.1.0.0/16", 0),
			item("10.1.0.1", 7),
	};
	struct fcn_prefix_list *list = list_create(items, RTE_DIM(items));

	assert_int_equal(lookup(list, "2001:db7:ffff::"), FALLBACK);
	assert_int_equal(lookup(list, "2001:db8::"), 0);
	assert_int_equal(lookup(list, "2001:db8:0:ffff::"), 0);
	assert_int_equal(lookup(list, "2001:db8:1::"), UINT32_MAX);
	assert_int_equal(lookup(list, "2001:db8:1::1"), FALLBACK - 1);
	assert_int_equal(lookup(list, "2001:db8:1::2"), UINT32_MAX);
	assert_int_equal(lookup(list, "2001:db8:2::"), 0);
	assert_int_equal(lookup(list, "2001:db9::"), FALLBACK);
	assert_int_equal(lookup(list, "9.255.255.255"), FALLBACK);
	assert_int_equal(lookup(list, "10.0.0.0"), UINT32_MAX);
	assert_int_equal(lookup(list, "10.1.0.0"), 0);
	assert_int_equal(lookup(list, "10.1.0.1"), 7);
	assert_int_equal(lookup(list, "10.1.0.2"), 0);
	assert_int_equal(lookup(list, "10.2.0.0"), UINT32_MAX);
	assert_int_equal(lookup(list, "11.0.0.0"), FALLBACK);
	fcn_prefix_list_free(list);
}

TEST(later_of_equal_wins)
{
	const struct fcn_prefix_value items[] = {
			item("2001:db8::1/32", 1),
			item("10.0.0.0/8", 2),
			item("2001:db8::/32", 3),
			item("10.0.0.9/8", 4),
			item("2001:db8::/33", 5),
	};
	struct fcn_prefix_list *list = list_create(items, RTE_DIM(items));

	assert_int_equal(lookup(list, "2001:db8:8000::"), 3);
	assert_int_equal(lookup(list, "2001:db8::"), 5);
	assert_int_equal(lookup(list, "10.0.0.0"), 4);
	fcn_prefix_list_free(list);
}

TEST(bad_items)
{
	struct fcn_prefix_value bad = item("10.0.0.0/8", 1);
	size_t before = table_heap_used();

	bad.prefix.len = 33;
	assert_null(fcn_prefix_list_create("list", &bad, 1, SOCKET_ID_ANY));
	assert_int_equal(rte_errno, EINVAL);
	bad = item("::/0", 1);
	bad.prefix.len = 129;
	assert_null(fcn_prefix_list_create("list", &bad, 1, SOCKET_ID_ANY));
	assert_int_equal(rte_errno, EINVAL);
	bad.prefix.len = 0;
	bad.prefix.addr.version = 0;
	assert_null(fcn_prefix_list_create("list", &bad, 1, SOCKET_ID_ANY));
	assert_int_equal(rte_errno, EINVAL);
	assert_int_equal(table_heap_used(), before);
}

#define N_ITEMS 2000

static uint32_t
slow_lookup(const struct fcn_prefix_value *items, const uint8_t *bytes, uint8_t version)
{
	uint32_t value = FALLBACK;
	int longest = -1;
	unsigned int i;

	for (i = 0; i < N_ITEMS; i++) {
		if (items[i].prefix.addr.version == version && items[i].prefix.len >= longest &&
				table_match(items[i].prefix.addr.bytes, bytes,
						items[i].prefix.len)) {
			longest = items[i].prefix.len;
			value = items[i].value;
		}
	}
	return value;
}

TEST(against_linear_search)
{
	static struct fcn_prefix_value items[N_ITEMS];
	struct fcn_prefix_list *list;
	unsigned int i, edge, hits = 0;
	uint64_t seed = 7;

	for (i = 0; i < N_ITEMS; i++) {
		items[i].prefix = table_random_prefix(&seed, i % 2 ? 4 : 6);
		items[i].value = (uint32_t)fcn_test_random(&seed) % 8;
	}
	list = list_create(items, N_ITEMS);
	for (i = 0; i < N_ITEMS; i++) {
		for (edge = 0; edge < TABLE_EDGES; edge++) {
			uint8_t version = items[i].prefix.addr.version;
			uint8_t bytes[16];
			uint32_t wanted, got;

			table_edge_address(&items[i].prefix, edge, bytes);
			wanted = slow_lookup(items, bytes, version);
			got = version == 6 ? fcn_prefix_list_lookup6(list, bytes, FALLBACK)
					   : fcn_prefix_list_lookup4(
							     list, table_ip4(bytes), FALLBACK);
			assert_int_equal(got, wanted);
			hits += got != FALLBACK;
		}
	}
	/* Both outcomes were met often. */
	assert_in_range(hits, N_ITEMS, N_ITEMS * TABLE_EDGES - 100);
	fcn_prefix_list_free(list);
}

TEST(no_leak)
{
	const struct fcn_prefix_value items[] = {item("2001:db8::/32", 1), item("10.0.0.0/8", 2)};
	size_t before = table_heap_used();
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		struct fcn_prefix_list *list = list_create(items, RTE_DIM(items));

		assert_int_equal(lookup(list, "2001:db8::1"), 1);
		fcn_prefix_list_free(list);
	}
	assert_int_equal(table_heap_used(), before);
}
