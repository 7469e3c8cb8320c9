/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Tunnels of IPv6 in one turn: packets to several local SIDs, and those that pass. What leaves, and
 * what is counted, is what RFC 8986 says of each alone.
 */

#include "turns.h"

#define BURST 9
#define SRH_LEN 24

/* Where a tunnel leads. */
enum end {
	TO_MAIN,    /* End.DT6 with the main table: network 1 is behind port 1 */
	TO_MAIN_2,  /* the same, another SID */
	TO_TABLE,   /* End.DT6 with another table: network 1 is behind port 2 */
	TO_SEGMENT, /* End: the next segment is behind port 1 */
	SIDS,
	PASSING = SIDS, /* to a node behind port 1 */
	ENDS
};

static struct fcn_srv6_sid sids[SIDS];

static int
setup(void **state)
{
	struct fcn_fib_route route = {.next_hop = 6};

	turns_set_width();
	bench_setup(state);
	for (unsigned int i = 0; i < SIDS; i++) {
		char prefix[32];

		sids[i] = (struct fcn_srv6_sid){.behavior = FCN_SRV6_END_DT6,
				.inner = FCN_SRV6_INNER_IPV6,
				.argument = FCN_SRV6_ARGUMENT_TABLE,
				.slot = (uint16_t)i,
				.serial = i + 1,
				.is_fast_decaps = i == TO_MAIN || i == TO_MAIN_2};
		if (i == TO_TABLE)
			sids[i].table = 1;
		if (i == TO_SEGMENT) {
			sids[i].behavior = FCN_SRV6_END;
			sids[i].inner = 0;
			sids[i].argument = fcn_srv6_behaviors[FCN_SRV6_END].argument;
			sids[i].is_fast_step = true;
		}
		bench.next_hop[40 + i] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_LOCAL,
				.local = FCN_LOCAL_SRV6,
				.first_member = i};
		snprintf(prefix, sizeof(prefix), "2001:db8:5::%u/128", i);
		bench_route(prefix, 40 + i);
	}
	bench.snap.srv6 = (struct fcn_srv6_conf){.sid = sids, .n_sids = SIDS};
	bench_route("2001:db8:1::/48", 5);
	bench_routes_done();
	assert_int_equal(fcn_prefix_parse("2001:db8:1::/48", &route.prefix), 0);
	bench.snap.table[1].fib = fcn_fib_create("red", &route, 1, SOCKET_ID_ANY);
	assert_non_null(bench.snap.table[1].fib);
	bench.snap.table[1].normal = bench.snap.table[1].fib;
	bench_new_snapshot();
	return 0;
}

static int
teardown(void **state)
{
	fcn_fib_free(bench.snap.table[1].fib);
	return bench_teardown(state);
}

/* A packet in a tunnel. */
struct tunnel {
	enum end to;
	uint8_t hop_limit;
	struct turns_frame inner; /* to network 1 */
};

/* Make the frame of a tunnel. @return offset of the inner packet */
static uint32_t
make(struct frame *f, const struct tunnel *t)
{
	const bool has_srh = t->to == TO_SEGMENT;
	struct frame inner;
	uint8_t *ip = f->data + 14;
	uint32_t off;

	turns_make(&inner, &t->inner, 0);
	frame_ether(f, 0x86DD);
	frame_ip6(f, has_srh ? 43 : 41);
	if (has_srh) {
		uint8_t *srh = frame_srh(f, 41, 1, 1, 0);

		srh[3] = 1; /* one is left: that of the list with the index 0 */
		memcpy(srh + 8, inner.data + 14 + 24, 16);
	}
	off = f->len;
	frame_put(f, inner.data + 14, inner.len - 14);
	frame_finish(f);
	frame_to_port(f, 0, 1);
	ip[0] = inner.data[14];
	ip[1] = inner.data[15];
	ip[7] = t->hop_limit;
	ip[8 + 15] = 0x77;
	ip[24 + 5] = t->to == PASSING ? 1 : 5;
	ip[24 + 15] = t->to == PASSING ? 0x99 : (uint8_t)t->to;
	return off;
}

static void
arrive(const struct tunnel *t)
{
	struct frame f;

	make(&f, t);
	bench_in(0, &f);
}

/* Get the port that it leaves by. */
static uint16_t
port_of(const struct tunnel *t)
{
	return t->to == TO_TABLE ? 2 : 1;
}

/* Frame i which a port sent is what becomes of it. */
static void
leaves(unsigned int i, const struct tunnel *t)
{
	const uint16_t port = port_of(t);
	struct frame f;
	uint32_t off;

	if (t->to < TO_SEGMENT) {
		turns_routed(port, i, &t->inner, false);
		return;
	}
	off = make(&f, t);
	memcpy(f.data, (uint8_t[]){2, 0, 0, 0, 0, 20 + port, 2, 0, 0, 0, 0, 10 + port}, 12);
	f.data[14 + 7]--;
	if (t->to == TO_SEGMENT) {
		memcpy(f.data + 14 + 24, f.data + off + 24, 16);
		f.data[14 + 40 + 3] = 0;
	}
	assert_int_equal(bench_out_len(port, i), f.len);
	assert_memory_equal(bench_out(port, i), f.data, f.len);
}

/* Run a turn with these packets, of which those with a hop limit of 1 have to be dropped. */
static void
check(const struct tunnel *t, unsigned int n)
{
	uint64_t packets[SIDS], bytes[SIDS];
	const uint64_t drops = bench_drops(FCN_DROP_HOP_LIMIT),
		       refused = bench_drops(FCN_DROP_SRV6_HOP_LIMIT);
	unsigned int left[4] = {0}, lost = 0, lost_there = 0;

	for (unsigned int k = 0; k < SIDS; k++) {
		packets[k] = bench.worker->srv6.sid[k].packets;
		bytes[k] = bench.worker->srv6.sid[k].bytes;
	}
	for (unsigned int i = 0; i < n; i++)
		arrive(&t[i]);
	bench_poll(bench.worker->now + 1);
	for (unsigned int i = 0; i < n; i++) {
		/* Who takes the tunnel off counts no hop of the tunnel, and who leaves it on none
		 * of the packet in it. */
		const uint8_t limit = t[i].to < TO_SEGMENT ? t[i].inner.hop_limit : t[i].hop_limit;
		struct frame f;

		make(&f, &t[i]);
		if (t[i].to < TO_SEGMENT || (t[i].to == TO_SEGMENT && limit > 1)) {
			packets[t[i].to]++;
			bytes[t[i].to] += f.len;
		}
		if (limit <= 1 && t[i].to == TO_SEGMENT)
			lost_there++;
		else if (limit <= 1)
			lost++;
		else
			leaves(left[port_of(&t[i])]++, &t[i]);
	}
	assert_int_equal(bench.port[1].n_out, left[1]);
	assert_int_equal(bench.port[2].n_out, left[2]);
	assert_int_equal(bench_drops(FCN_DROP_HOP_LIMIT) - drops, lost);
	assert_int_equal(bench_drops(FCN_DROP_SRV6_HOP_LIMIT) - refused, lost_there);
	assert_int_equal(bench_all_drops(),
			bench_drops(FCN_DROP_HOP_LIMIT) + bench_drops(FCN_DROP_SRV6_HOP_LIMIT));
	for (unsigned int k = 0; k < SIDS; k++) {
		assert_int_equal(bench.worker->srv6.sid[k].packets, packets[k]);
		assert_int_equal(bench.worker->srv6.sid[k].bytes, bytes[k]);
	}
}

static struct tunnel
tunnel(enum end to, enum turns_kind kind, unsigned int number)
{
	return (struct tunnel){.to = to, .hop_limit = 64, .inner = TURNS_PLAIN(kind, 1, number)};
}

/* Let two packets to each end pass, so that all is known that the switch remembers of them. */
static void
settle(void)
{
	struct tunnel t[2 * ENDS];

	for (unsigned int i = 0; i < RTE_DIM(t); i++)
		t[i] = tunnel(i % ENDS, TURNS_IP6, i);
	check(t, RTE_DIM(t));
}

static const enum turns_kind kinds[] = {TURNS_IP6, TURNS_TRACE, TURNS_ODD};

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown, .each = turns_widths);

/* The hop limits of the tunnel and of the packet in it, wherever the packet is in a burst. */
TEST(hop_limits)
{
	static const uint8_t limits[][2] = {
			{1, 64}, {64, 1}, {1, 1}, {0, 2}, {2, 0}, {2, 2}, {255, 255}};

	for (unsigned int i = 0; i < RTE_DIM(limits) * BURST * 3 * ENDS * 3; i++) {
		const unsigned int at = i / RTE_DIM(limits) % BURST;
		const enum turns_kind kind = kinds[i / RTE_DIM(limits) / BURST % 3];
		const enum end to = i / RTE_DIM(limits) / BURST / 3 % ENDS;
		const enum turns_kind others = kinds[i / RTE_DIM(limits) / BURST / 3 / ENDS];
		struct tunnel t[BURST];

		if (i % 16 == 0)
			settle();
		for (unsigned int k = 0; k < BURST; k++)
			t[k] = tunnel(to, k == at ? kind : others, k);
		t[at].hop_limit = limits[i % RTE_DIM(limits)][0];
		t[at].inner.hop_limit = limits[i % RTE_DIM(limits)][1];
		check(t, BURST);
	}
}

/* Packets to several SIDs, in any order: each has the fate that its SID says, and counts there. */
TEST(sids_in_any_order)
{
	uint64_t seed = 3;

	for (unsigned int i = 0; i < fcn_test_effort(2000); i++) {
		const unsigned int ends = 2 + i % (ENDS - 1);
		struct tunnel t[30];
		enum end to = TO_MAIN;

		for (unsigned int k = 0; k < RTE_DIM(t); k++) {
			if (fcn_test_random(&seed) % 3 == 0)
				to = fcn_test_random(&seed) % ends;
			t[k] = tunnel(to, kinds[i % 4 == 0 ? fcn_test_random(&seed) % 3 : 0], k);
			t[k].inner.len = 200 + 4 * (fcn_test_random(&seed) % 9);
			if (fcn_test_random(&seed) % 20 == 0)
				t[k].inner.hop_limit = 1;
		}
		check(t, RTE_DIM(t));
	}
}
