/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path of local SIDs against the slow one: packets of the vectors, with octets changed at
 * random, have the same fate by both. What the fast path says about a packet that leaves is what
 * the parser says about it.
 */

#include <netinet/in.h>

#include "fcn_parse_tunnel.h"
#include "reference.h"
#include "srv6_bench.h"

#define TURNS fcn_test_effort(15000)

/* What became of a packet. */
struct fate {
	unsigned int port; /* that it left by; 4: none */
	uint32_t len;
	uint8_t bytes[512];
	enum fcn_drop_reason drop;
	bool punted;
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
	struct fcn_srv6_sid_counters counters;
};

static void
run(const uint8_t *data, uint32_t len, bool fast, struct fate *f)
{
	const struct fcn_srv6_sid sid = srv6_sid;
	struct fcn_wire_info info;
	struct fcn_punt punt;

	memset(f, 0, sizeof(*f));
	f->port = 4;
	fcn_worker_clear_counters(bench.worker);
	srv6_sid.is_fast_step &= fast;
	srv6_sid.is_fast_decaps &= fast;
	srv6_arrive(data, len);
	bench_poll(bench.worker->now + 1000);
	srv6_sid = sid;
	for (unsigned int p = 0; p < 4; p++) {
		if (bench.port[p].n_out == 0)
			continue;
		f->port = p;
		f->len = bench_out_len((uint16_t)p, 0);
		memcpy(f->bytes, bench_out((uint16_t)p, 0), f->len);
		fcn_parse_slow(f->bytes, f->len, f->len, &bench.snap.codes, &info);
		assert_memory_equal(&info, &bench.worker->rx->pkt[0].info, sizeof(info));
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
	struct fate warm, slow, fast;

	/* The first one fills the caches. */
	run(data, len, false, &warm);
	run(data, len, false, &slow);
	run(data, len, true, &fast);
	assert_memory_equal(&slow, &fast, sizeof(slow));
	return fast.port < 4;
}

static void
test_same_fate(void **state)
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

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < TURNS; i++) {
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
	assert_true(left > TURNS / 8);
}

/* The parser for tunnels says what the general one says, or nothing, whatever Segment Routing
 * Header it has read before. */
static void
test_parser(void **state)
{
	static const char *const files[] = {"06_srv6_encaps_srh", "07_srv6_encaps_nosrh",
			"08_srv6_encaps_red", "21_linux_srv6_encaps", "41_srv6_end",
			"11_fastcnp_srv6_endcon", "16_malformed"};
	struct fcn_tunnel_srh last = {.octets = 0};
	unsigned int parsed = 0;
	uint64_t seed = 8754;
	struct vectors v;

	RTE_SET_USED(state);
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
static void
test_trace(void **state)
{
	struct vectors v;

	RTE_SET_USED(state);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, srv6_bench_setup, srv6_bench_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_same_fate),
			cmocka_unit_test(test_parser),
			TEST(test_trace),
	};

	return cmocka_run_group_tests_name(
			"srv6_fast", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
