/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: the lists of precise flow control. */

#include <errno.h>

#include "build_util.h"
#include "fcn_burst.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup_sub_interfaces, .teardown = build_teardown);

static const struct fcn_arn_conf *
build(void)
{
	build_again();
	return &built->arn;
}

static void
neighbour_in(const char *text, uint16_t port, unsigned int table)
{
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	assert_int_equal(FCN_LIST_ADD(build_cfg, "arn neighbour", fcn_config_arn_neighbour, a, port,
					 (uint8_t)table),
			0);
}

static void
neighbour(const char *text, uint16_t port)
{
	neighbour_in(text, port, FCN_TABLE_MAIN);
}

static void
source(const char *text, uint16_t port)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	assert_int_equal(FCN_LIST_ADD(build_cfg, "arn source", fcn_config_arn_source, p, port), 0);
}

static void
assert_neighbour(const struct fcn_arn_conf *arn, unsigned int i, uint8_t number, uint16_t port)
{
	assert_int_equal(arn->neighbour[i].addr[15], number);
	assert_int_equal(arn->neighbour[i].port, port);
	assert_memory_equal(arn->sender.neighbour_addr[i], arn->neighbour[i].addr, 16);
}

/* A sub-interface stands for its port, so two of them make one neighbour. */
TEST(neighbours)
{
	const struct fcn_arn_conf *arn;

	neighbour("2001:db8:f::1", 2);
	neighbour("2001:db8:f::2", 3);
	neighbour("2001:db8:f::1", 3);
	neighbour("2001:db8:f::1", 1);
	neighbour("2001:db8:f::3", FCN_PORT_NONE);
	arn = build();
	assert_int_equal(arn->n_neighbours, 4);
	assert_int_equal(arn->sender.n_neighbours, 4);
	assert_neighbour(arn, 0, 1, 0);
	assert_neighbour(arn, 1, 2, 0);
	assert_neighbour(arn, 2, 1, 1);
	assert_neighbour(arn, 3, 3, FCN_PORT_NONE);
}

/* The same address in two tables is that of two neighbours, and a table in use cannot be removed.
 */
TEST(tables)
{
	const struct fcn_arn_conf *arn;
	struct fcn_addr a;
	char by[64];

	assert_int_equal(fcn_config_table_add(build_cfg, "red"), 1);
	neighbour("2001:db8:f::1", 0);
	assert_false(fcn_config_table_is_used(build_cfg, 1, by, sizeof(by)));
	neighbour_in("2001:db8:f::1", 0, 1);
	assert_true(fcn_config_table_is_used(build_cfg, 1, by, sizeof(by)));
	assert_string_equal(by, "arn neighbour 2001:db8:f::1");
	arn = build();
	assert_int_equal(arn->n_neighbours, 2);
	assert_neighbour(arn, 0, 1, 0);
	assert_neighbour(arn, 1, 1, 0);
	for (uint8_t i = 0; i < 2; i++) {
		assert_int_equal(arn->neighbour[i].table, i);
		assert_int_equal(arn->sender.neighbour_table[i], i);
	}
	assert_int_equal(fcn_addr_parse("2001:db8:f::1", &a), 0);
	assert_int_equal(
			FCN_LIST_ADD(build_cfg, "arn neighbour", fcn_config_arn_neighbour, a, 0, 1),
			-EEXIST);
	assert_int_equal(FCN_LIST_REMOVE(build_cfg, "arn neighbour", fcn_config_arn_neighbour, a, 0,
					 2),
			-ENOENT);
	assert_int_equal(FCN_LIST_REMOVE(build_cfg, "arn neighbour", fcn_config_arn_neighbour, a, 0,
					 1),
			0);
	assert_int_equal(build_cfg->arn.neighbours.item[0].table, FCN_TABLE_MAIN);
}

/* So it does for sources, of which the longest prefix comes first. */
TEST(sources)
{
	const struct fcn_arn_conf *arn;

	source("2001:db8:f::/48", 1);
	source("2001:db8:f::1/128", 3);
	source("2001:db8:f:1::/64", FCN_PORT_NONE);
	arn = build();
	assert_int_equal(arn->n_sources, 3);
	assert_int_equal(arn->source_list[0].len, 128);
	assert_int_equal(arn->source_list[0].port, 0);
	assert_int_equal(arn->source_list[1].len, 64);
	assert_int_equal(arn->source_list[1].port, FCN_PORT_NONE);
	assert_int_equal(arn->source_list[2].len, 48);
	assert_int_equal(arn->source_list[2].port, 1);
}
