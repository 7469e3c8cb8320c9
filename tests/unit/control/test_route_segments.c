/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Segment lists of the kernel beside gateways: no packet gets two tunnels. */

#include "fcn_list.h"
#include "fcn_build.h"
#include "fcn_route_set.h"
#include "fcn_test.h"

#define LISTS 3

/* The first segment of the second one is in 2001:db8:9::/48. */
static const struct fcn_kernel_segments lists[LISTS] = {
		{FCN_KERNEL_SERIAL | 5, 7,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 0, 1, [15] = 2}}}},
		{FCN_KERNEL_SERIAL | 6, 0,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 0, 9, [15] = 1}}}},
		{FCN_KERNEL_SERIAL | 9, 1,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 0, 1, [15] = 3}}}},
};

static struct fcn_prefix
prefix(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

/* Port p0 is 2001:db8:1::1/64, with the neighbours ::2 and ::3. */
static struct fcn_config *
make_config(void)
{
	struct fcn_config *cfg = fcn_config_create();
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, 9}};
	struct fcn_prefix p = prefix("2001:db8:1::1/64");

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	strcpy(cfg->port[0].kernel, "sw0");
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, p), 0);
	for (unsigned int i = 2; i < 4; i++) {
		p.addr.bytes[15] = i;
		mac.addr_bytes[5] = i;
		assert_int_equal(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, 0, p.addr,
						 mac),
				0);
	}
	cfg->loopback = prefix("2001:db8:f::1").addr;
	return cfg;
}

static void
by_list(struct fcn_kernel_path *path, unsigned int list)
{
	path->type = FCN_KERNEL_SEGMENTS;
	path->port = FCN_KERNEL_NO_PORT;
	path->via = (struct fcn_addr){0};
	memcpy(path->via.bytes, &lists[list].serial, sizeof(lists[list].serial));
}

static enum fcn_next_hop_type
way_by(const struct fcn_config *cfg, const struct fcn_kernel_path *path, size_t n)
{
	const struct fcn_build_env env = {.name = "segments",
			.socket = SOCKET_ID_ANY,
			.kernel_paths = path,
			.n_kernel_paths = n,
			.kernel_segments = lists,
			.n_kernel_segments = LISTS};
	const struct fcn_addr to = prefix("2001:db8:8888::1").addr;
	struct fcn_snapshot *s;
	uint8_t bytes[1][16];
	unsigned int type;
	char err[256];
	uint64_t nh;

	s = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	assert_non_null(s);
	memcpy(bytes[0], to.bytes, 16);
	fcn_fib6_lookup(s->table[0].fib, bytes, &nh, 1);
	type = s->next_hop[nh].type;
	fcn_snapshot_free(s);
	return type;
}

TEST_FIXTURE(FCN_TEST_EAL);

/* The first segment of a list is reached by two gateways; by one of them and another list, or
 * itself.
 */
TEST(tunnels_in_tunnels)
{
	struct fcn_config *cfg = make_config();
	struct fcn_kernel_path path[] = {
			{.prefix = prefix("2001:db8:9::/48"), .type = FCN_KERNEL_GATEWAY},
			{.prefix = prefix("2001:db8:9::/48"), .type = FCN_KERNEL_GATEWAY},
			{.prefix = prefix("2001:db8:8888::/48")},
	};

	path[0].via = prefix("2001:db8:1::2").addr;
	path[1].via = prefix("2001:db8:1::3").addr;
	by_list(&path[2], 1);
	for (unsigned int i = 0; i < RTE_DIM(path); i++)
		path[i].weight = 1;
	assert_int_equal(way_by(cfg, path, RTE_DIM(path)), FCN_NEXT_HOP_ENCAPS);
	for (unsigned int i = 0; i < LISTS; i++) {
		by_list(&path[1], i);
		assert_int_equal(way_by(cfg, path, RTE_DIM(path)), FCN_NEXT_HOP_NO_ROUTE);
	}
	fcn_config_free(cfg);
}

/* A group of lists and a gateway. A list that is not there is no path. */
TEST(mixture)
{
	struct fcn_config *cfg = make_config();
	struct fcn_kernel_path path[] = {
			{.prefix = prefix("2001:db8:8888::/48"), .type = FCN_KERNEL_GATEWAY},
			{.prefix = prefix("2001:db8:8888::/48")},
	};
	const uint64_t gone = FCN_KERNEL_SERIAL | 7;

	path[0].via = prefix("2001:db8:1::2").addr;
	by_list(&path[1], 2);
	path[0].weight = path[1].weight = 1;
	assert_int_equal(way_by(cfg, path, 2), FCN_NEXT_HOP_GROUP);
	memcpy(path[1].via.bytes, &gone, sizeof(gone));
	assert_int_equal(way_by(cfg, path, 2), FCN_NEXT_HOP_FORWARD);
	assert_int_equal(way_by(cfg, &path[1], 1), FCN_NEXT_HOP_NO_ROUTE);
	fcn_config_free(cfg);
}
