/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Bounds, and many prefixes. */

#include <malloc.h>
#include <time.h>

#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

#define PER_LSP 100

/* Prefixes 10.a.b.0/24, from a number on. */
static void
make(struct pnc_build_prefix *prefix, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		prefix[i] = pnc_prefix("10.0.0.0/24");
		prefix[i].prefix.addr.bytes[1] = (uint8_t)((first + i) >> 8);
		prefix[i].prefix.addr.bytes[2] = (uint8_t)(first + i);
	}
}

static struct pnc_build
message(uint8_t n, uint8_t fragment, const struct pnc_build_prefix *prefix, uint32_t n_prefixes)
{
	struct pnc_build m = pnc_message(FCN_PNC_ISIS, n, 1);

	m.fragment = fragment;
	m.prefix = prefix;
	m.n_prefixes = n_prefixes;
	return m;
}

TEST(each)
{
	const struct fcn_pnc_limits limits = {.items = 6,
			.originators = 3,
			.prefixes = 10,
			.originator_items = 3,
			.originator_prefixes = 7};
	struct pnc_build_prefix p[20];
	struct pnc_build m;

	make(p, 0, RTE_DIM(p));
	pnc_setup(&limits, NULL);
	m = message(1, 0, p, 9);
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 7);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_ORIGINATOR_PREFIXES_FULL), 2);
	m = message(2, 0, p + 9, 5);
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 10);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PREFIXES_FULL), 2);

	/* The next version of the same LSP finds room for as many. */
	m.sequence++;
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 10);
	m = message(1, 1, p, 0);
	pnc_read_built(&m, 0);
	m = message(1, 2, p, 0);
	pnc_read_built(&m, 0);
	m = message(1, 3, p, 0);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_ORIGINATOR_ITEMS_FULL), 1);
	m = message(3, 0, p, 0);
	pnc_read_built(&m, 0);
	m = message(4, 0, p, 0);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_ORIGINATORS_FULL), 1);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).items, 5);

	/* The fragments above have a router ID: they do not give way. */
	m = message(3, 1, p, 0);
	pnc_read_built(&m, 0);
	m = message(3, 2, p, 0);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_ITEMS_FULL), 1);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_EVICTED), 0);
	/* One without contents does. */
	m.fragment = 1;
	m.sequence++;
	m.router_address[0].version = m.router_address[1].version = 0;
	pnc_read_built(&m, 0);
	m = message(3, 2, p, 0);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_EVICTED), 1);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).items, 6);
	assert_int_equal(bench.told.n, 10);

	/* Nor does a fragment 0, on which the others depend. */
	m = message(3, 0, p, 0);
	m.sequence++;
	m.router_address[0].version = m.router_address[1].version = 0;
	pnc_read_built(&m, 0);
	m = message(2, 5, p, 0);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_ITEMS_FULL), 2);

	/* All of it ends, and nothing is left over. */
	assert_true(fcn_pnc_frame_tick(&bench.readers, 1200 * SECOND) == UINT64_MAX);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).items, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).originators, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 0);
	m = message(9, 0, p, 7);
	pnc_read_built(&m, 1300 * SECOND);
	assert_int_equal(bench.told.n, 7);
}

/* The same prefix twice in a message, and from more originators than are remembered. */
TEST(same_prefix)
{
	struct pnc_build_prefix p[2];
	struct pnc_build m;

	make(p, 0, 1);
	p[1] = p[0];
	assert_int_equal(fcn_addr_parse("192.0.2.200", &p[1].source), 0);
	pnc_setup(NULL, NULL);
	m = message(200, 0, p, 2);
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_DUPLICATE), 1);
	for (uint8_t n = 199; n > 199 - 64; n--) {
		m = message(n, 0, p, 1);
		pnc_read_built(&m, 0);
	}
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PREFIX_ORIGINATORS_FULL), 1);
	assert_string_equal(pnc_proxy("10.0.0.0/24"), "192.0.2.137");
}

static void
count(void *arg, const struct fcn_pnc_prefix *prefix)
{
	RTE_SET_USED(prefix);
	++*(uint64_t *)arg;
}

static void
count_down(void *arg, const struct fcn_pnc_prefix *prefix)
{
	RTE_SET_USED(prefix);
	--*(uint64_t *)arg;
}

static uint64_t
nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* 10,000 prefixes in LSPs of one system: read, refreshed, read again, purged by fragment 0. */
TEST(many)
{
	static struct pnc_build_prefix p[PER_LSP];
	static uint8_t frame[PER_LSP][1514];
	int len[PER_LSP];
	uint64_t began, took[3];
	const struct fcn_pnc_isis_conf conf = FCN_PNC_ISIS_DEFAULTS;
	uint64_t known = 0;
	const struct fcn_pnc_sink sink = {.add = count, .remove = count_down, .arg = &known};
	struct fcn_pnc_readers readers = {0};
	size_t before, after;
	const char *error;

	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	assert_int_equal(fcn_pnc_isis_create(&conf, &sink, &readers.isis, &error), 0);
	after = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < PER_LSP; i++) {
			struct pnc_build m = message(1, (uint8_t)i, p, PER_LSP);

			make(p, i * PER_LSP, PER_LSP);
			m.sequence = round + 1;
			/* In the last round, fragment 0 is purged. */
			m.seconds = round == 2 && i == 0 ? 0 : 1200;
			len[i] = pnc_build(&m, frame[i], sizeof(frame[i]));
			assert_true(len[i] > 0);
		}
		began = nanoseconds();
		for (uint32_t i = 0; i < (round == 2 ? 1 : PER_LSP); i++)
			fcn_pnc_frame_input(&readers, 1, frame[i], (size_t)len[i],
					round * 600 * SECOND);
		took[round] = nanoseconds() - began;
		/* Each is added, added once more by the refresh, and removed. */
		assert_int_equal(known, round == 0 ? 10000 : round == 1 ? 20000 : 10000);
	}
	/* Not a byte more than at the beginning: it is bounded. */
	assert_int_equal(mallinfo2().uordblks + mallinfo2().hblkhd, after);
	printf("10000 prefixes: read %.1f ms, refreshed %.1f ms, gone %.1f ms; "
	       "the reader reserves %zu MB\n",
			(double)took[0] / 1e6, (double)took[1] / 1e6, (double)took[2] / 1e6,
			(after - before) >> 20);
	fcn_pnc_isis_destroy(readers.isis);
}
