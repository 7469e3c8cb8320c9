/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_memory.h>

#include "fcn_proxy_map.h"
#include "table_test.h"

static struct fcn_proxy_prefix
item(const char *prefix, const char *proxy, enum fcn_proxy_origin origin)
{
	struct fcn_proxy_prefix result = {.origin = (uint8_t)origin};

	assert_int_equal(fcn_prefix_parse(prefix, &result.prefix), 0);
	assert_int_equal(fcn_addr_parse(proxy, &result.proxy), 0);
	return result;
}

static struct fcn_proxy_map *
map_create(const struct fcn_proxy_prefix *items, unsigned int n)
{
	struct fcn_proxy_map *map = fcn_proxy_map_create("map", items, n, SOCKET_ID_ANY);

	assert_non_null(map);
	return map;
}

/* The last byte of the proxy of a sender, which differs in all tests; -1: it has none. */
static int
find(const struct fcn_proxy_map *map, const char *text)
{
	struct fcn_addr sender;
	const uint8_t *proxy;

	assert_int_equal(fcn_addr_parse(text, &sender), 0);
	proxy = sender.version == 6 ? fcn_proxy_map_find6(map, sender.bytes)
				    : fcn_proxy_map_find4(map, table_ip4(sender.bytes));
	return proxy == NULL ? -1 : proxy[15];
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(empty)
{
	struct fcn_proxy_map *map = map_create(NULL, 0);

	assert_int_equal(find(map, "::"), -1);
	assert_int_equal(find(map, "0.0.0.0"), -1);
	fcn_proxy_map_free(map);
	fcn_proxy_map_free(NULL);
}

static bool
has(const struct fcn_proxy_map *map, const char *text)
{
	uint8_t proxy[16];
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(text, &addr), 0);
	if (addr.version == 4)
		fcn_addr_map(addr.bytes, proxy);
	else
		memcpy(proxy, addr.bytes, 16);
	return fcn_proxy_map_has(map, proxy);
}

/* Whether an address is that of a proxy, and not of a sender. */
TEST(has)
{
	const struct fcn_proxy_prefix items[] = {
			item("2001:db8:1::/48", "192.0.2.99", FCN_PROXY_STATIC),
			item("10.2.0.0/16", "2001:db8:ff00::99", FCN_PROXY_ISIS),
	};
	struct fcn_proxy_map *map = map_create(items, RTE_DIM(items));

	assert_true(has(map, "192.0.2.99"));
	assert_true(has(map, "2001:db8:ff00::99"));
	assert_false(has(map, "192.0.2.98"));
	assert_false(has(map, "2001:db8:1::1"));
	assert_false(has(map, "::"));
	fcn_proxy_map_free(map);
	map = map_create(NULL, 0);
	assert_false(has(map, "::"));
	fcn_proxy_map_free(map);
}

/* All 16 bytes, of either IP version, for senders of either version. */
TEST(addresses)
{
	static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 192, 0, 2, 99};
	static const uint8_t plain[16] = {0x20, 0x01, 0x0d, 0xb8, 0xff, [15] = 0x99};
	const struct fcn_proxy_prefix items[] = {
			item("2001:db8:1::/48", "192.0.2.99", FCN_PROXY_STATIC),
			item("2001:db8:2::/48", "2001:db8:ff00::99", FCN_PROXY_STATIC),
			item("10.1.0.0/16", "192.0.2.99", FCN_PROXY_STATIC),
			item("10.2.0.0/16", "2001:db8:ff00::99", FCN_PROXY_STATIC),
	};
	struct fcn_proxy_map *map = map_create(items, RTE_DIM(items));
	uint8_t sender[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1};

	assert_memory_equal(fcn_proxy_map_find6(map, sender), mapped, 16);
	sender[5] = 2;
	assert_memory_equal(fcn_proxy_map_find6(map, sender), plain, 16);
	sender[5] = 3;
	assert_null(fcn_proxy_map_find6(map, sender));
	assert_memory_equal(fcn_proxy_map_find4(map, 0x0a010203), mapped, 16);
	assert_memory_equal(fcn_proxy_map_find4(map, 0x0a020203), plain, 16);
	assert_null(fcn_proxy_map_find4(map, 0x0a030203));
	fcn_proxy_map_free(map);
}

TEST(longest_match)
{
	const struct fcn_proxy_prefix items[] = {
			item("2001:db8:1::/48", "2001:db8:f::2", FCN_PROXY_BGP),
			item("2001:db8::/32", "2001:db8:f::1", FCN_PROXY_STATIC),
			item("2001:db8:1::5", "2001:db8:f::3", FCN_PROXY_OSPF3),
			item("10.1.0.0/16", "10.9.9.5", FCN_PROXY_OSPF),
			item("10.0.0.0/8", "10.9.9.4", FCN_PROXY_STATIC),
	};
	struct fcn_proxy_map *map = map_create(items, RTE_DIM(items));

	assert_int_equal(find(map, "2001:db8:2::"), 1);
	assert_int_equal(find(map, "2001:db8:1::4"), 2);
	assert_int_equal(find(map, "2001:db8:1::5"), 3);
	assert_int_equal(find(map, "2001:db9::"), -1);
	assert_int_equal(find(map, "10.2.0.0"), 4);
	assert_int_equal(find(map, "10.1.255.255"), 5);
	assert_int_equal(find(map, "11.0.0.0"), -1);
	fcn_proxy_map_free(map);
}

/* Of equal prefixes that with the first origin counts, whatever the order of the list and whether
 * they have host bits. */
TEST(precedence)
{
	struct fcn_proxy_prefix items[FCN_PROXY_ORIGIN_COUNT];
	struct fcn_proxy_map *map;

	for (unsigned int n = 1; n <= FCN_PROXY_ORIGIN_COUNT; n++) {
		const unsigned int best = FCN_PROXY_ORIGIN_COUNT - n;

		for (unsigned int turn = 0; turn < n; turn++) {
			for (unsigned int i = 0; i < n; i++) {
				struct fcn_proxy_prefix *p = &items[(i + turn) % n];

				*p = item("2001:db8::/32", "2001:db8:f::", best + i);
				p->prefix.addr.bytes[15] = (uint8_t)i;
				p->proxy.bytes[15] = (uint8_t)(best + i);
			}
			map = map_create(items, n);
			assert_int_equal(find(map, "2001:db8::1"), (int)best);
			fcn_proxy_map_free(map);
		}
	}
}

TEST(first_of_an_origin)
{
	const struct fcn_proxy_prefix items[] = {
			item("10.0.0.0/8", "192.0.2.7", FCN_PROXY_ISIS),
			item("10.0.0.0/8", "192.0.2.8", FCN_PROXY_ISIS),
	};
	struct fcn_proxy_map *map = map_create(items, RTE_DIM(items));

	assert_int_equal(find(map, "10.1.2.3"), 7);
	fcn_proxy_map_free(map);
}

static void
assert_refused(const struct fcn_proxy_prefix *bad)
{
	assert_null(fcn_proxy_map_create("map", bad, 1, SOCKET_ID_ANY));
	assert_int_equal(rte_errno, EINVAL);
}

TEST(bad_items)
{
	const struct fcn_proxy_prefix good = item("10.0.0.0/8", "192.0.2.1", FCN_PROXY_STATIC);
	struct fcn_proxy_prefix bad = good;
	size_t before = table_heap_used();

	bad.prefix.len = 33;
	assert_refused(&bad);
	bad = good;
	bad.prefix.addr.version = 0;
	assert_refused(&bad);
	bad = good;
	bad.proxy.version = 0;
	assert_refused(&bad);
	bad = good;
	bad.origin = FCN_PROXY_ORIGIN_COUNT;
	assert_refused(&bad);
	assert_int_equal(table_heap_used(), before);
}

TEST(names)
{
	assert_string_equal(fcn_proxy_origin_name(FCN_PROXY_STATIC), "static");
	assert_string_equal(fcn_proxy_origin_name(FCN_PROXY_BGP), "bgp");
	assert_string_equal(fcn_proxy_origin_name(FCN_PROXY_ORIGIN_COUNT), "unknown");
}

/* As many as there may be, and all memory is given back. */
#define N_ITEMS 65536

TEST(many)
{
	struct fcn_proxy_prefix *items = calloc(N_ITEMS, sizeof(*items));
	size_t before = table_heap_used();
	struct fcn_proxy_map *map;

	assert_non_null(items);
	for (unsigned int i = 0; i < N_ITEMS; i++) {
		items[i] = item("10.0.0.0/24", "192.0.0.0", i % FCN_PROXY_ORIGIN_COUNT);
		items[i].prefix.addr.bytes[1] = (uint8_t)(i >> 8);
		items[i].prefix.addr.bytes[2] = (uint8_t)i;
		items[i].proxy.bytes[2] = (uint8_t)(i >> 8);
		items[i].proxy.bytes[3] = (uint8_t)i;
	}
	map = map_create(items, N_ITEMS);
	for (uint32_t i = 0; i < N_ITEMS; i++) {
		const uint8_t *proxy = fcn_proxy_map_find4(map, 10u << 24 | i << 8 | 0xFF);

		assert_non_null(proxy);
		assert_int_equal(table_ip4(proxy + 12), 192u << 24 | i);
	}
	assert_null(fcn_proxy_map_find4(map, 11u << 24));
	fcn_proxy_map_free(map);
	assert_int_equal(table_heap_used(), before);
	free(items);
}
