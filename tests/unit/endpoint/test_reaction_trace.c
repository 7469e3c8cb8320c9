/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What HPCC++ reads from traces: other sets of fields, clocks and counters that begin again, long,
 * cut off and malformed ones. A line of 100 Gb/s and T = 8 us: W0 is 100,000 bytes.
 */

#include <sys/mman.h>
#include <unistd.h>

#include "hpcc.h"

TEST_FIXTURE(HPCC_TEST);

static void
feed(uint32_t type, const struct hop *hops, unsigned int n, uint64_t now)
{
	struct trace trace;

	fcn_reaction_trace(&r, make_trace(&trace, type, hops, n, 3), false, false, now);
}

static void
assert_used(double want)
{
	if (!(hpcc_state(&r)->utilisation > want - 1e-9 &&
			    hpcc_state(&r)->utilisation < want + 1e-9))
		fail_msg("used %.9f is not %.9f", hpcc_state(&r)->utilisation, want);
}

/* Octets of a node element as they stand in the format's description. */
TEST(octets)
{
	static const uint8_t data[] = {0xee, 0xee, 0xee, 0xee, 0x3f, 0x00, 0x01, 0x01, 0x65, 0x53,
			0xf1, 0x00, 0x07, 0x5b, 0xcd, 0x15, 0x00, 0x01, 0x86, 0xa0, 0x00, 0x00,
			0x10, 0x00, 0x00, 0x00, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55};
	struct fcn_ioam_trace trace = {.node_len = 7,
			.remaining_len = 1,
			.words = 8,
			.type = 0xB62000,
			.data = data};

	fcn_reaction_trace(&r, &trace, false, true, 77);
	assert_int_equal(hpcc_state(&r)->n_hops, 1);
	assert_int_equal(hpcc_state(&r)->hop[0].node, 0x101);
	assert_int_equal(hpcc_state(&r)->hop[0].time_ns, UINT64_C(1700000000123456789));
	assert_int_equal(hpcc_state(&r)->hop[0].rate_bps, 100 * GBPS);
	assert_int_equal(hpcc_state(&r)->hop[0].queue, 4096);
	assert_int_equal(hpcc_state(&r)->hop[0].tx_bytes, UINT64_C(0x1122334455));
	assert_int_equal(hpcc_state(&r)->hop[0].heard_ns, 77);
	assert_int_equal(hpcc_state(&r)->malformed + hpcc_state(&r)->partial, 0);
}

/* All other fields between them, an opaque snapshot and a reserved bit change nothing. */
TEST(all_fields)
{
	struct hop hops[] = {{.id = 1, .mbps = MBPS, .queue = W0, .id_wide = 1, .schema_words = 3},
			{.id = 2, .mbps = MBPS, .queue = 0, .id_wide = 2, .schema_words = 0}};
	uint32_t type = 0xFFF000 | TYPE_OPAQUE | 1;

	feed(type, hops, 2, 0);
	assert_int_equal(hpcc_state(&r)->n_hops, 2);
	for (int i = 0; i < 2; i++) {
		hops[i].time = T;
		hops[i].tx = W0 / 2;
		hops[i].schema_words = 5;
	}
	feed(type, hops, 2, T);
	assert_used(1.5);
	assert_int_equal(hpcc_state(&r)->malformed, 0);
}

/* Without bytes: a queue makes it full; without a queue the window grows by Wai. */
TEST(no_bytes)
{
	struct hop hop = {.id = 1, .mbps = MBPS};

	feed(0xB60000, &hop, 1, 0);
	hop.time = T;
	hop.queue = W0 / 2;
	feed(0xB60000, &hop, 1, T);
	assert_used(1.5);
	hop.time = 2 * T;
	hop.queue = 0;
	feed(0xB60000, &hop, 1, 2 * T);
	assert_used(0.95);
	assert_int_equal(r.window, W0);
	/* All ones is the same as no field. */
	hpcc_setup(NULL);
	hop.tx = UINT64_MAX;
	hop.queue = W0;
	feed(TYPE_HPCC, &hop, 1, 0);
	hop.time = 3 * T;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(2);
}

TEST(no_bytes_grows)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .queue = W0};
	struct trace trace;

	feed(0xB60000, &hop, 1, 0);
	hop.time = T;
	make_trace(&trace, 0xB60000, &hop, 1, 0);
	fcn_reaction_trace(&r, &trace.t, false, true, T);
	assert_int_equal(r.window, 47812); /* W0 * 0.95 / 2 + Wai */
	hop.time = 2 * T;
	hop.queue = 0;
	make_trace(&trace, 0xB60000, &hop, 1, 0);
	fcn_reaction_trace(&r, &trace.t, false, true, 2 * T);
	assert_in_range(r.window, 48124, 48125);
}

TEST(no_speed)
{
	static const struct {
		uint32_t type, mbps;
		uint64_t fallback;
		double used;
	} cases[] = {
			{0xB22000, MBPS, 0, 0.5},         /* the line's */
			{0xB22000, MBPS, 50 * GBPS, 1.0}, /* half of it */
			{TYPE_HPCC, 0, 200 * GBPS, 0.25},
			{TYPE_HPCC, UINT32_MAX, 200 * GBPS, 0.25},
			{TYPE_HPCC, 25000, 50 * GBPS, 2.0},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct hop hop = {.id = 1, .mbps = cases[i].mbps};

		hpcc_setup(state);
		hpcc_own(&conf)->fallback_bps = cases[i].fallback;
		feed(cases[i].type, &hop, 1, 0);
		hop.time = T;
		hop.tx = W0 / 2;
		feed(cases[i].type, &hop, 1, T);
		assert_used(cases[i].used);
	}
}

/* Bytes alone say how much is used; neither bytes nor queue say nothing. */
TEST(no_queue)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .queue = UINT32_MAX};

	feed(TYPE_HPCC, &hop, 1, 0);
	hop.time = T;
	hop.tx = W0 / 2;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(0.5);
	hpcc_setup(NULL);
	feed(0xB40000, &hop, 1, 0);
	hop.time = 2 * T;
	feed(0xB40000, &hop, 1, T);
	assert_used(1);
	assert_int_equal(r.window, W0);
	assert_int_equal(hpcc_state(&r)->malformed, 0);
}

/* Nanoseconds of the second only: they begin again each second. */
TEST(fraction)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .time = 999999000};

	feed(0x962000, &hop, 1, 0);
	hop.time = 999999000 + T;
	hop.tx = W0 / 2;
	feed(0x962000, &hop, 1, T);
	assert_used(0.5);
}

/* Seconds begin again after 2^32. */
TEST(seconds_wrap)
{
	struct hop hop = {.id = 1,
			.mbps = MBPS,
			.seconds = 0xFFFFFFFE,
			.fraction = 999999999,
			.tx = 1000};
	struct trace trace;

	feed(TYPE_HPCC, &hop, 1, 0);
	/* Second 0; the octets, for the maker of traces takes 0 for not given. */
	hop.seconds = 0x7F;
	hop.fraction = 1;
	hop.tx = 1000 + UINT64_C(2500000000); /* 0.2 s of the line in 1.000000002 s */
	make_trace(&trace, TYPE_HPCC, &hop, 1, 0);
	trace.data[7] = 0;
	fcn_reaction_trace(&r, &trace.t, false, false, T);
	assert_used(0.2 / 1.000000002);
}

/* A clock that went back: that trace is only kept for the next. */
TEST(time_back)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .time = 1000 * US};

	feed(TYPE_HPCC, &hop, 1, 0);
	hop.time = 500 * US;
	hop.tx = 50 * W0;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(1);
	hop.time = 500 * US + T;
	hop.tx += W0 / 2;
	feed(TYPE_HPCC, &hop, 1, 2 * T);
	assert_used(0.5);
	/* The same again says nothing. */
	feed(TYPE_HPCC, &hop, 1, 3 * T);
	assert_used(0.5);
}

TEST(bytes_back)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .tx = 1000 * W0};

	feed(TYPE_HPCC, &hop, 1, 0);
	hop.time = T;
	hop.tx = 0;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(1);
	hop.time = 2 * T;
	hop.tx = W0 / 4;
	feed(TYPE_HPCC, &hop, 1, 2 * T);
	assert_used(0.25);
	/* 64 bits that begin again are no going back. */
	hpcc_setup(NULL);
	hop.time = 0;
	hop.tx = UINT64_MAX - 9999;
	feed(TYPE_HPCC, &hop, 1, 0);
	hop.time = T;
	hop.tx = 40000;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(0.5);
}

/* Without a time, or one that is not nanoseconds, ours stands for it. */
TEST(own_clock)
{
	struct hop hop = {.id = 1, .mbps = MBPS};

	feed(0x862000, &hop, 1, 0);
	hop.tx = W0 / 2;
	feed(0x862000, &hop, 1, T);
	assert_used(0.5);
	/* A fraction of 10^9 and more. */
	hpcc_setup(NULL);
	hop.fraction = 1000000000u;
	hop.tx = 0;
	feed(TYPE_HPCC, &hop, 1, 0);
	hop.fraction = 4000000000u;
	hop.tx = W0 / 2;
	feed(TYPE_HPCC, &hop, 1, T);
	assert_used(0.5);
	/* The two clocks are not compared. */
	hop.fraction = 0;
	hop.time = 2 * T;
	hop.tx = W0;
	feed(TYPE_HPCC, &hop, 1, 2 * T);
	assert_used(0.5);
}

/* Wide identities are others than short ones; without any, the place on the path is one. */
TEST(identities)
{
	struct hop hops[] = {{.id = 0xFFFFFF, .mbps = MBPS},
			{.id = 0xFFFFFF, .mbps = MBPS, .tx = 5000000}};

	feed(TYPE_HPCC, hops, 2, 0);
	/* The first hop only, as in a notice that it made. */
	hops[0].time = T;
	hops[0].tx += W0 / 2;
	feed(TYPE_HPCC, hops, 1, T);
	assert_used(0.5);
	hops[0].time = hops[1].time = 2 * T;
	hops[0].tx += W0 / 2;
	hops[1].tx += 3 * W0 / 2; /* of two T */
	feed(TYPE_HPCC, hops, 2, 2 * T);
	assert_used(0.75);
	/* The same without the field at all. */
	hops[0].time = 3 * T;
	hops[0].tx += W0 / 4;
	feed(0x362000, hops, 1, 3 * T);
	assert_used(0.25);

	hpcc_setup(NULL);
	hops[0] = (struct hop){.id = 9, .id_wide = UINT64_C(0xAB00000000CDEF), .mbps = MBPS};
	feed(0xB6A000, hops, 1, 0);
	assert_int_equal(hpcc_state(&r)->hop[0].node & UINT64_C(0xFFFFFFFFFFFFFF),
			UINT64_C(0xAB00000000CDEF));
	hops[0].id_wide = 0xCDEF;
	feed(0xB6A000, hops, 1, 0);
	hops[0] = (struct hop){.id = 0xCDEF, .time = T, .mbps = MBPS, .tx = 4 * W0};
	feed(TYPE_HPCC, hops, 1, T);
	assert_used(1); /* another node */
}

/* Of a long path the newest hops are taken; it is counted that there were more. */
TEST(long)
{
	struct hop hops[18] = {0};

	for (uint32_t i = 0; i < RTE_DIM(hops); i++)
		hops[i] = (struct hop){.id = i + 1, .mbps = MBPS};
	feed(TYPE_HPCC, hops, REACTION_HOPS, 0);
	assert_int_equal(hpcc_state(&r)->partial, 0);
	hpcc_setup(NULL);
	feed(TYPE_HPCC, hops, RTE_DIM(hops), 0);
	assert_int_equal(hpcc_state(&r)->partial, 1);
	assert_int_equal(hpcc_state(&r)->n_hops, REACTION_HOPS);
	for (uint32_t i = 0; i < RTE_DIM(hops); i++) {
		hops[i].time = T;
		hops[i].tx = i < 10 ? 9 * W0 : W0 / 4 + i;
	}
	feed(TYPE_HPCC, hops, RTE_DIM(hops), T);
	assert_used(0.25 + 17.0 / W0);
	assert_int_equal(hpcc_state(&r)->partial, 2);
}

/* Nodes of new paths take the place of those not heard of for longest. */
TEST(replaced)
{
	struct hop hops[REACTION_HOPS + 1];

	for (uint32_t i = 0; i < RTE_DIM(hops); i++) {
		hops[i] = (struct hop){.id = i, .mbps = MBPS};
		feed(TYPE_HPCC, &hops[i], 1, 100 + i);
	}
	hops[0].time = T; /* replaced */
	hops[0].tx = 3 * W0;
	feed(TYPE_HPCC, &hops[0], 1, T);
	assert_used(1);
	hops[2].time = T; /* kept; 1 made room for 0 */
	hops[2].tx = W0 / 2;
	feed(TYPE_HPCC, &hops[2], 1, T);
	assert_used(0.5);
	hops[1].time = 2 * T;
	hops[1].tx = 3 * W0;
	feed(TYPE_HPCC, &hops[1], 1, 2 * T);
	assert_used(0.5);
}

/* No room was left on the way: used as far as it goes. */
TEST(overflow)
{
	struct hop hop = {.id = 1, .mbps = MBPS};
	struct trace trace;

	for (int i = 0; i < 2; i++) {
		hop.time = T * (uint64_t)i;
		hop.tx = W0 / 2 * (uint64_t)i;
		make_trace(&trace, TYPE_HPCC, &hop, 1, 0);
		trace.t.flags = FCN_IOAM_FLAG_OVERFLOW;
		fcn_reaction_trace(&r, &trace.t, false, false, hop.time);
	}
	assert_used(0.5);
	assert_int_equal(hpcc_state(&r)->partial, 2);
}

TEST(empty)
{
	struct trace trace;

	fcn_reaction_trace(&r, make_trace(&trace, TYPE_HPCC, NULL, 0, 14), false, true, 0);
	fcn_reaction_trace(&r, make_trace(&trace, TYPE_HPCC, NULL, 0, 0), true, false, 0);
	assert_int_equal(hpcc_state(&r)->n_hops, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 0);
	assert_int_equal(r.window, W0);
}

/* Whatever the header says, nothing behind the node data list is read: a page stands there that
 * cannot be. */
TEST(malformed)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(
			NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t seed = 5, read = 0;

	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
	for (size_t i = 0; i < page; i++)
		map[i] = (uint8_t)(fcn_test_random(&seed) % 5);
	for (uint64_t i = 0; i < 300000; i++) {
		uint64_t x = fcn_test_random(&seed);
		struct fcn_ioam_trace trace = {
				.node_len = (uint8_t)(x % 24),
				.flags = (uint8_t)(x >> 8 & 0xF),
				.remaining_len = (uint8_t)(x >> 16 & 0x7F),
				.words = (uint8_t)(x >> 24 & 0x7F),
				.type = (uint32_t)(x >> 32 & 0xFFFFFF),
		};

		if (x >> 60 != 0) /* mostly right */
			trace.node_len = fcn_ioam_node_len(trace.type);
		trace.data = map + page - 4u * trace.words;
		fcn_reaction_trace(&r, &trace, x >> 58 & 1, x >> 57 & 1, i);
		read += hpcc_state(&r)->n_hops != 0;
		assert_in_range(r.rate_bps, hpcc_own(&conf)->min_rate_bps, LINE);
		assert_in_range(r.window, 1024, W0);
	}
	assert_in_range(hpcc_state(&r)->malformed, 1000, 299000);
	assert_true(read > 1000);
	munmap(map, 2 * page);
}

/* Each way of being malformed is counted, and nothing of it taken. */
TEST(refused)
{
	struct hop hop = {.id = 1, .mbps = MBPS, .schema_words = 2};
	struct trace good, bad;

	make_trace(&good, TYPE_HPCC, &hop, 1, 0);
	bad = good;
	bad.t.node_len = 6;
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 1);
	bad.t = good.t;
	bad.t.type = 1;
	bad.t.node_len = 0;
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	bad.t.words = 0;
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 3);
	bad.t = good.t;
	bad.t.remaining_len = 8;
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 4);
	bad.t = good.t;
	bad.t.words = 6;
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 5);
	make_trace(&bad, TYPE_HPCC | TYPE_OPAQUE, &hop, 1, 0);
	bad.t.words -= 1; /* the snapshot is cut off */
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 6);
	bad.t.words = 7; /* and its header */
	fcn_reaction_trace(&r, &bad.t, false, true, 0);
	assert_int_equal(hpcc_state(&r)->malformed, 7);
	assert_false(hpcc_state(&r)->hop[0].known);
	assert_int_equal(hpcc_state(&r)->partial, 0);
}
