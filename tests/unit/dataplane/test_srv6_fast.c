/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path of local SIDs against the stages: packets of the vectors, with octets changed at
 * random, have the same fate by both.
 */

#include <netinet/in.h>

#include "fast_path.h"
#include "fast_widths.h"
#include "fcn_parse_tunnel.h"
#include "mix.h"
#include "reference.h"
#include "srv6_bench.h"

#define TURNS fcn_test_effort(15000)

/* What became of a packet. */
struct fate {
	/* Frames that left by each port, and sums of them: with it, a notice about it. */
	unsigned int n[4];
	uint64_t frames[4];
	uint64_t port_counters[4]; /* sums */
	enum fcn_drop_reason drop;
	uint64_t notices, events;
	bool punted;
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
	struct fcn_srv6_sid_counters counters;
};

static unsigned int n_taken; /* packets that took the fast path */
static uint64_t n_notices;

static void
run(const uint8_t *data, uint32_t len, bool fast, struct fate *f)
{
	struct fcn_event event;
	struct fcn_punt punt;

	memset(f, 0, sizeof(*f));
	fcn_worker_clear_counters(bench.worker);
	bench.worker->fast = fast ? fcn_fast_path_choose() : NULL;
	bench.worker->srv6.ecn_event_ns = 0;
	fast_try();
	srv6_arrive(data, len);
	bench_poll(bench.worker->now + 1000);
	n_taken += fast ? fast_taken() : 0;
	for (unsigned int p = 0; p < 4; p++) {
		f->n[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < f->n[p]; i++)
			mix_bytes(&f->frames[p], bench_out((uint16_t)p, i),
					bench_out_len((uint16_t)p, i));
		mix_bytes(&f->port_counters[p], &bench.worker->counters[p],
				sizeof(bench.worker->counters[p]));
	}
	f->notices = bench.worker->notice_accounting[0].made;
	while (bench_events(&event, 1) == 1) {
		event.time_ns = 0;
		if (event.type !=
				FCN_EVENT_CONGESTED) /* the queue stays so, so there is one only */
			mix_bytes(&f->events, &event, sizeof(event));
	}
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++) {
		if (bench_drops(r) != 0)
			f->drop = r;
	}
	f->punted = srv6_take(&punt);
	memcpy(f->ecn, bench.worker->srv6.ecn, sizeof(f->ecn));
	f->counters = bench.worker->srv6.sid[0];
	bench_forget_out();
}

/* @return whether the packet left */
static bool
compare(const uint8_t *data, uint32_t len)
{
	struct fate slow, fast;

	run(data, len, false, &slow);
	run(data, len, true, &fast);
	assert_memory_equal(&slow, &fast, sizeof(slow));
	n_notices += fast.notices;
	return fast.n[1] != 0;
}

static void
same_fate(unsigned int turns)
{
	static const struct {
		const char *file;
		unsigned int frame;
		enum fcn_srv6_behavior behavior;
		unsigned int flavors;
	} cases[] = {
			{"06_srv6_encaps_srh", 0, FCN_SRV6_END, 0},
			{"06_srv6_encaps_srh", 0, FCN_SRV6_END, FCN_SRV6_FLAVOR_PSP},
			{"06_srv6_encaps_srh", 1, FCN_SRV6_END_DT6, 0},
			{"06_srv6_encaps_srh", 1, FCN_SRV6_END_DT46, 0},
			{"06_srv6_encaps_srh", 1, FCN_SRV6_END, FCN_SRV6_FLAVOR_USD},
			{"07_srv6_encaps_nosrh", 0, FCN_SRV6_END_DT6, 0},
			{"07_srv6_encaps_nosrh", 0, FCN_SRV6_END_DT4, 0},
			{"08_srv6_encaps_red", 0, FCN_SRV6_END, 0},
			{"21_linux_srv6_encaps", 1, FCN_SRV6_END, 0},
			{"11_fastcnp_srv6_endcon", 0, FCN_SRV6_END, FCN_SRV6_FLAVOR_USD},
			{"11_fastcnp_srv6_endcon", 0, FCN_SRV6_END_DT6, 0},
	};
	unsigned int left = 0;
	uint64_t seed = 8986;
	struct vectors v;

	n_taken = 0;
	n_notices = 0;
	for (unsigned int i = 0; i < turns; i++) {
		const unsigned int c = i % RTE_DIM(cases);
		const unsigned int changes = i / RTE_DIM(cases) % 4;
		uint8_t *frame;

		vectors_load(&v, cases[c].file);
		frame = v.data[cases[c].frame];
		srv6_set_sid(frame, cases[c].behavior, cases[c].flavors);
		for (unsigned int k = 0; k < changes; k++) {
			const unsigned int at = ETHER_LEN + (unsigned int)(ref_random(&seed) % 130);

			/* The address that is the SID stays. */
			if (at < ETHER_LEN + 24 || at >= ETHER_LEN + 40)
				frame[at] = ref_random(&seed) % 2 ? (uint8_t)(ref_random(&seed) % 8)
								  : (uint8_t)ref_random(&seed);
		}
		left += compare(frame, v.len[cases[c].frame]);
		vectors_free(&v);
	}
	/* Those without a change leave, except where PSP, USD or another behavior forbid it. */
	assert_true(left > turns / 8 && n_taken > turns / 8);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_bench_setup, .teardown = srv6_bench_teardown);

TEST(same_fate)
{
	same_fate(TURNS);
	assert_int_equal(n_notices, 0);
}

/* The same where each packet meets congestion: the fast path does not queue it, but has changed it
 * before the queue decides about a mark and a notice. */
TEST(same_fate_congested)
{
	bench_notices(1, 1);
	same_fate(TURNS / 3);
	assert_true(n_notices > TURNS / 48);
}

/* The fast path is what takes packets of these kinds, from the first one on: otherwise the tests
 * above compare the stages with themselves. */
TEST(is_fast)
{
	static const enum fcn_srv6_behavior behaviors[] = {FCN_SRV6_END, FCN_SRV6_END_DT6};
	struct vectors v;

	vectors_load(&v, "06_srv6_encaps_srh");
	for (unsigned int k = 0; k < RTE_DIM(behaviors); k++) {
		srv6_set_sid(v.data[k], behaviors[k], 0);
		for (unsigned int n = 1; n < 5; n++) {
			for (unsigned int i = 0; i < n; i++)
				srv6_arrive(v.data[k], v.len[k]);
			srv6_arrive(v.data[!k], v.len[!k]); /* on its way to another node */
			bench_poll(bench.worker->now + 1000);
			assert_int_equal(bench.port[1].n_out, n + 1);
			assert_int_equal(fast_taken(), n + 1);
		}
	}
	vectors_free(&v);
}

#define BURST 24

/* What became of a burst, whose packets are of one class. */
struct burst_fate {
	unsigned int n[4];
	uint64_t frames[4]; /* sums */
	uint64_t drops;
	struct fcn_srv6_sid_counters counters;
};

/* @return number of packets that took the fast path */
static unsigned int
run_burst(const struct frame *burst, bool fast, struct burst_fate *f)
{
	struct fcn_punt punt;

	memset(f, 0, sizeof(*f));
	fcn_worker_clear_counters(bench.worker);
	bench.worker->fast = fast ? fcn_fast_path_choose() : NULL;
	fast_try();
	for (unsigned int i = 0; i < BURST; i++)
		srv6_arrive(burst[i].data, burst[i].len);
	bench_poll(bench.worker->now + 1000000);
	for (unsigned int p = 0; p < 4; p++) {
		f->n[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < f->n[p]; i++)
			mix_bytes(&f->frames[p], bench_out((uint16_t)p, i),
					bench_out_len((uint16_t)p, i));
	}
	while (srv6_take(&punt))
		f->drops++;
	f->drops += bench_all_drops();
	f->counters = bench.worker->srv6.sid[0];
	bench_forget_out();
	return fast_taken();
}

/* Make a packet of any flow in a tunnel: all that a flow hash may take differs at times. */
static void
make_flow(struct frame *f, const struct vectors *v, unsigned int frame, uint64_t *seed)
{
	uint8_t *outer = f->data + ETHER_LEN;
	struct fcn_wire_info info;

	f->len = v->len[frame];
	memcpy(f->data, v->data[frame], f->len);
	fcn_parse_slow(f->data, f->len, f->len, &fcn_parse_default_codes, &info);
	assert_true(info.flags & FCN_PKT_TUNNEL && info.flags & FCN_PKT_ROCE);
	if (ref_random(seed) % 2)
		fcn_put_be16(outer + 2, (uint16_t)ref_random(seed)); /* flow labels */
	if (ref_random(seed) % 2)
		fcn_put_be16(f->data + info.inner_l3_off + 2, (uint16_t)ref_random(seed));
	if (ref_random(seed) % 2)
		fcn_put_be16(f->data + info.l4_off, (uint16_t)ref_random(seed));
	outer[8 + 15] = (uint8_t)(ref_random(seed) % 4);
	if (info.flags & FCN_PKT_SRH) /* the segment that is next */
		outer[IP6_LEN + 8 + 16 * (outer[IP6_LEN + 3] - 1) + 15] ^=
				(uint8_t)(ref_random(seed) % 4);
	f->data[info.inner_l3_off + 8 + 15] = (uint8_t)(ref_random(seed) % 4);
	f->data[info.inner_l3_off + 24 + 15] = (uint8_t)(ref_random(seed) % 4);
}

/* In transit, to End and to End.DT6, by groups of next hops behind several ports: packets leave by
 * the members that the stages choose, and take the fast path. */
TEST(groups)
{
	static const enum fcn_srv6_behavior behaviors[] = {FCN_SRV6_END, FCN_SRV6_END_DT6};
	const unsigned int turns = fcn_test_effort(500);
	unsigned int sent[4] = {0}, by_sid = 0, usual = 0;
	uint64_t seed = 2992;
	struct vectors v;

	vectors_load(&v, "06_srv6_encaps_srh");
	for (unsigned int turn = 0; turn < turns; turn++) {
		const unsigned int k = turn % 2;
		const bool unusual = turn % 8 >= 6;
		struct burst_fate slow, fast;
		struct frame burst[BURST];
		unsigned int taken;

		for (unsigned int i = 0; i < BURST; i++)
			make_flow(&burst[i], &v, (unsigned int)(ref_random(&seed) % 2), &seed);
		srv6_set_sid(v.data[k], behaviors[k], 0);
		srv6_set_group(turn % 8 == 7 ? 0 : 2 + turn % (SRV6_GATEWAYS - 1));
		if (turn % 8 == 7) /* a single next hop, for the shorter ones */
			bench.next_hop[SRV6_NEXT_HOP].mtu = 150;
		else if (unusual && turn % 3 == 0)
			srv6_gateway(1)->mtu = 150;
		else if (unusual)
			srv6_gateway(1)->type = FCN_NEXT_HOP_NO_NEIGHBOUR;
		bench_new_snapshot();
		assert_int_equal(run_burst(burst, false, &slow), 0);
		if (turn % 3 == 1) /* the fast path looks destinations up itself */
			bench_new_snapshot();
		if (turn % 3 == 2) /* the cache is not written, but has all that it needs */
			bench.worker->dest_cache.skip = 2;
		taken = run_burst(burst, true, &fast);
		assert_memory_equal(&slow, &fast, sizeof(slow));
		if (unusual) {
			usual += taken;
		} else {
			assert_int_equal(taken, BURST);
			assert_int_equal(fast.n[1] + fast.n[2] + fast.n[3], BURST);
		}
		by_sid += (unsigned int)fast.counters.packets;
		for (unsigned int p = 1; p < 4; p++)
			sent[p] += fast.n[p];
	}
	vectors_free(&v);
	for (unsigned int p = 1; p < 4; p++)
		assert_true(sent[p] > 2 * turns);
	/* Some of each kind, and of the packets of the unusual turns, some that went elsewhere. */
	assert_true(by_sid > 8 * turns && by_sid < 16 * turns);
	assert_true(usual > turns / 4);
}

/* While the cache of destinations stores nothing, the fast path looks nothing up, as the stages
 * will do that once more. */
TEST(no_look_up)
{
	struct vectors v;
	uint64_t key[2];
	uint32_t index;

	vectors_load(&v, "06_srv6_encaps_srh");
	srv6_set_sid(v.data[0], FCN_SRV6_END, 0);
	bench_poll(bench.worker->now + 1000);
	memcpy(key, v.data[0] + ETHER_LEN + 24, sizeof(key));
	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_fast f = {.w = bench.worker};

		bench.worker->dest_cache.skip = i == 0 ? 5 : 0;
		assert_null(fcn_fast_look_up(&f, key[0], key[1]));
		assert_int_equal(fcn_dest_cache_find_key(&bench.worker->sid_cache, key, &index), i);
	}
	vectors_free(&v);
}

/* The parser for tunnels says what the general one says, or nothing, whatever Segment Routing
 * Header it has read before. */
TEST_WITH(parser, NULL, NULL)
{
	static const char *const files[] = {"06_srv6_encaps_srh", "07_srv6_encaps_nosrh",
			"08_srv6_encaps_red", "21_linux_srv6_encaps", "41_srv6_end",
			"11_fastcnp_srv6_endcon", "16_malformed"};
	struct fcn_tunnel_srh last = {.octets = 0};
	unsigned int parsed = 0;
	uint64_t seed = 8754;
	struct vectors v;

	for (unsigned int i = 0; i < fcn_test_effort(20000); i++) {
		unsigned int frame;
		uint32_t len;

		vectors_load(&v, files[i % RTE_DIM(files)]);
		frame = (unsigned int)(ref_random(&seed) % v.n);
		len = v.len[frame];
		for (unsigned int k = i / RTE_DIM(files) % 4; k > 0; k--)
			v.data[frame][12 + ref_random(&seed) % (len - 12)] = (uint8_t)ref_random(
					&seed);
		for (unsigned int cut = 0; cut < 3; cut++) {
			const uint32_t part = cut == 0 ? len : (uint32_t)(ref_random(&seed) % len);
			const uint32_t whole = cut == 2 ? part : len;
			uint8_t *bytes = exact_copy(v.data[frame], part);
			struct fcn_tunnel_srh none = {.octets = 0};
			struct fcn_wire_info first, fast, slow;
			bool is_parsed = fcn_parse_tunnel(bytes, part, whole, &none, &first);

			assert_int_equal(fcn_parse_tunnel(bytes, part, whole, &last, &fast),
					is_parsed);
			if (is_parsed) {
				fcn_parse_slow(bytes, part, whole, &fcn_parse_default_codes, &slow);
				assert_memory_equal(&first, &slow, sizeof(slow));
				assert_memory_equal(&fast, &slow, sizeof(slow));
				parsed++;
			}
			free(bytes);
		}
		vectors_free(&v);
	}
	assert_true(parsed > 1000);
}

/* A mark that congestion made is taken over on the fast path, too; it is not taken by traced
 * packets, whose steps are those of the slow path. */
TEST(trace)
{
	struct vectors v;

	vectors_load(&v, "06_srv6_encaps_srh");
	srv6_set_sid(v.data[1], FCN_SRV6_END_DT6, 0);
	for (unsigned int i = 0; i < 3; i++) {
		bench.worker->trace.wanted = 1;
		srv6_arrive(v.data[1], v.len[1]);
		bench_poll(bench.worker->now + 1000);
		assert_int_equal(bench_out(1, 0)[ETHER_LEN + 1] & 0x30, 0x30);
		assert_int_equal(bench.worker->trace.n, i + 1);
		assert_int_equal(bench.worker->trace.record[i].step[2].stage, FCN_STAGE_ROUTE);
		assert_int_equal(bench.worker->trace.record[i].step[3].stage, FCN_STAGE_LOCAL);
	}
	vectors_free(&v);
}
