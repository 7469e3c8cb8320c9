/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fib_util.h"

struct fcn_fib_route
route(const char *text, uint32_t next_hop)
{
	struct fcn_fib_route result = {.next_hop = next_hop};

	assert_int_equal(fcn_prefix_parse(text, &result.prefix), 0);
	return result;
}

struct fcn_fib *
fib_create(const struct fcn_fib_route *routes, unsigned int n)
{
	struct fcn_fib *fib = fcn_fib_create("fib", routes, n, SOCKET_ID_ANY);

	assert_non_null(fib);
	return fib;
}

uint64_t
lookup_bytes(const struct fcn_fib *fib, uint8_t version, const uint8_t *bytes)
{
	uint64_t next_hop = UINT64_MAX;
	uint8_t addr6[1][16];
	uint32_t addr4;

	if (version == 6) {
		memcpy(addr6[0], bytes, 16);
		fcn_fib6_lookup(fib, (const uint8_t(*)[16])addr6, &next_hop, 1);
	} else {
		addr4 = table_ip4(bytes);
		fcn_fib4_lookup(fib, &addr4, &next_hop, 1);
	}
	return next_hop;
}

uint64_t
lookup(const struct fcn_fib *fib, const char *text)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(text, &addr), 0);
	return lookup_bytes(fib, addr.version, addr.bytes);
}

uint64_t
slow_lookup(const struct fcn_fib_route *routes, unsigned int n, uint8_t version,
		const uint8_t *bytes)
{
	uint64_t next_hop = FCN_FIB_NO_ROUTE;
	int longest = -1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct fcn_prefix *prefix = &routes[i].prefix;

		if (prefix->addr.version == version && prefix->len >= longest &&
				table_match(prefix->addr.bytes, bytes, prefix->len)) {
			longest = prefix->len;
			next_hop = routes[i].next_hop;
		}
	}
	return next_hop;
}

unsigned int
compare(const struct fcn_fib *fib, const struct fcn_fib_route *routes, unsigned int n)
{
	uint8_t addr6[BURST][16];
	uint32_t addr4[BURST];
	uint64_t wanted6[BURST], wanted4[BURST], got[BURST];
	unsigned int n6 = 0, n4 = 0, length = 1, found = 0;
	unsigned int i, j;

	for (i = 0; i < n * TABLE_EDGES; i++) {
		const struct fcn_prefix *prefix = &routes[i / TABLE_EDGES].prefix;
		uint8_t bytes[16];

		table_edge_address(prefix, i % TABLE_EDGES, bytes);
		if (prefix->addr.version == 6) {
			wanted6[n6] = slow_lookup(routes, n, 6, bytes);
			memcpy(addr6[n6++], bytes, 16);
		} else {
			wanted4[n4] = slow_lookup(routes, n, 4, bytes);
			addr4[n4++] = table_ip4(bytes);
		}
		if (n6 == length) {
			fcn_fib6_lookup(fib, (const uint8_t(*)[16])addr6, got, n6);
			for (j = 0; j < n6; j++)
				assert_int_equal(got[j], wanted6[j]);
			for (j = 0; j < n6; j++)
				found += got[j] != FCN_FIB_NO_ROUTE;
			n6 = 0;
		}
		if (n4 == length) {
			fcn_fib4_lookup(fib, addr4, got, n4);
			for (j = 0; j < n4; j++)
				assert_int_equal(got[j], wanted4[j]);
			for (j = 0; j < n4; j++)
				found += got[j] != FCN_FIB_NO_ROUTE;
			n4 = 0;
		}
		if (n6 == 0 && n4 == 0)
			length = length % BURST + 1;
	}
	return found;
}

void
random_routes(struct fcn_fib_route *routes, unsigned int n, uint64_t *seed, uint8_t len6_max)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		routes[i].prefix = table_random_prefix(seed, i % 2 ? 4 : 6);
		if (routes[i].prefix.addr.version == 6 && routes[i].prefix.len > len6_max)
			routes[i].prefix.len = len6_max;
		routes[i].next_hop = 1 + (uint32_t)fcn_test_random(seed) % 50;
	}
}
