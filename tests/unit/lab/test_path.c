/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Paths, and how long a message takes that is alone. */

#include <errno.h>

#include "measured.h"
#include "path.h"

static struct lab_node
host(unsigned int i)
{
	return (struct lab_node){LAB_HOST, i};
}

static uint64_t
ideal(struct measured *t, uint64_t bytes, uint64_t rate)
{
	struct lab_path path;
	uint64_t ns;

	assert_int_equal(lab_path_find(&t->sc, host(0), host(2), &path), 0);
	assert_int_equal(path.n_hops, 2);
	ns = lab_path_ideal_ns(&path, bytes, 1024, rate);
	lab_path_free(&path);
	return ns;
}

/* As in test_measure.c, to the nanosecond. */
TEST(ideal)
{
	struct measured t;

	measured_init(&t);
	assert_int_equal(ideal(&t, 1024, 0), 7972);
	/* a byte is padded to four: 106 on the wire as its acknowledgement, 84.8 ns each time; 6 us
	 * of delays */
	assert_int_equal(ideal(&t, 1, 0), 6340);
	t.link[2].rate_bps = 2500000000;
	assert_int_equal(ideal(&t, 10000, 0), 42589);
	t.link[2].rate_bps = 10000000000;
	t.link[0].rate_bps = 2500000000;
	assert_int_equal(ideal(&t, 10000, 0), 42397);
	/* nine full packets and one of 106: it catches up with the ninth in the switch. 1000 +
	 * 3603.2 + 900.8 + 8 * 3603.2 + 84.8 + 2000 = 36414.4, and 3424 */
	assert_int_equal(ideal(&t, 9 * 1024 + 1, 0), 39839);
	measured_init(&t);
	t.node_switch[0].latency_ns = 500;
	assert_int_equal(ideal(&t, 10000, 1000000000), 89660);
	/* 2^40 bytes at 100G take 88 s, with headers 96.7; no number runs over */
	t.link[0].rate_bps = t.link[2].rate_bps = 100000000000;
	assert_in_range(ideal(&t, 1ull << 40, 0) / 1000000000, 96, 97);
}

/* A square of switches with a host at opposite corners; a third host has a link to each. */
TEST(shortest)
{
	static struct lab_switch sw[5];
	static struct lab_host hosts[3];
	struct lab_link link[] = {
			{.end = {{LAB_HOST, 0}, {LAB_SWITCH, 0}}},
			{.end = {{LAB_SWITCH, 4}, {LAB_SWITCH, 0}}},
			{.end = {{LAB_SWITCH, 0}, {LAB_HOST, 2}}},
			{.end = {{LAB_HOST, 2}, {LAB_SWITCH, 3}}}, /* not through a host */
			{.end = {{LAB_SWITCH, 1}, {LAB_SWITCH, 0}}},
			{.end = {{LAB_SWITCH, 0}, {LAB_SWITCH, 2}}},
			{.end = {{LAB_SWITCH, 2}, {LAB_SWITCH, 3}}},
			{.end = {{LAB_SWITCH, 1}, {LAB_SWITCH, 3}}},
			{.end = {{LAB_SWITCH, 3}, {LAB_HOST, 1}}},
	};
	struct lab_scenario sc = {.node_switch = sw,
			.host = hosts,
			.link = link,
			.n_switches = 5,
			.n_hosts = 3,
			.n_links = RTE_DIM(link)};
	struct lab_path path;

	assert_int_equal(lab_path_find(&sc, host(0), host(1), &path), 0);
	assert_int_equal(path.n_hops, 4);
	assert_int_equal(path.hop[0].link, 0);
	assert_int_equal(path.hop[0].direction, 0);
	assert_int_equal(path.hop[1].link, 4);
	assert_int_equal(path.hop[1].direction, 1);
	assert_int_equal(path.hop[2].link, 7);
	assert_int_equal(path.hop[3].link, 8);
	lab_path_free(&path);
	assert_int_equal(lab_path_find(&sc, host(0), host(0), &path), -ENOENT);
	sc.n_links = 8;
	assert_int_equal(lab_path_find(&sc, host(0), host(1), &path), -ENOENT);
	assert_int_equal(lab_path_ideal_ns(&path, 1024, 1024, 0), 0);
	assert_int_equal(lab_path_ideal_ns(&path, 1024, 0, 0), 0);
}
